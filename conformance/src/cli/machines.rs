//! `picaflor machines`: the table of features by machine.

use super::{CliError, print};
use crate::features;
use std::process::ExitCode;

/// Show the table of features by machine, as in the README.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: picaflor machines")]
pub struct Args {}

/// Runs the subcommand.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(_: &Args) -> Result<ExitCode, CliError> {
    print(&table())?;
    Ok(ExitCode::SUCCESS)
}

/// The table.
#[must_use]
pub fn table() -> String {
    features::table()
}
