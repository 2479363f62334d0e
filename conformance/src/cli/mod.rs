//! Subcommands.

pub mod fuzz;

use std::fmt;

/// Why a subcommand gave up, in one line.
#[derive(Debug)]
pub struct CliError(String);

impl CliError {
    /// With this message.
    pub fn new(message: impl fmt::Display) -> Self {
        Self(message.to_string())
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CliError {}
