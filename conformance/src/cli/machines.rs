//! `picaflor machines`: what works on which machine.

use super::{CliError, fuzz, print};
use crate::machines::{features, markdown};
use std::process::ExitCode;

/// Show what works on which machine, as the table in the README.
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
    markdown(&features(&kinds()))
}

/// The kinds of cases that `fuzz` knows.
fn kinds() -> Vec<String> {
    let command = <fuzz::Args as clap::Args>::augment_args(clap::Command::new("fuzz"));
    let kind = command.get_arguments().find(|argument| argument.get_id() == "kind");
    let values = kind.map(clap::Arg::get_possible_values).unwrap_or_default();
    values.iter().map(|value| value.get_name().to_owned()).collect()
}
