//! `picaflor machines`: the table of features by machine.

use super::{CliError, print};
use crate::features;
use std::process::ExitCode;

/// Show the table of features by machine, as in the README.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor machines
  picaflor machines --json")]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    print(&if args.json { format!("{:#}\n", features::as_json()) } else { table() })?;
    Ok(ExitCode::SUCCESS)
}

/// The table.
#[must_use]
pub fn table() -> String {
    features::table()
}
