//! `picaflor info`: the content of a capture.

pub(super) mod keys;
pub(super) mod stream;
pub(super) mod totals;

use super::CliError;
use super::capture;
use super::source::Source;
use crate::machine::{Precision, Reading};
use std::process::ExitCode;

/// Show the content of a capture: its events, and every command list as named registers with decoded fields.
///
/// Nothing is shaded or drawn. Lists of the PICA200 are followed through jumps to their interrupt; of the PSP the words
/// are shown in the order of their addresses, up to the stall address or the first END, without those behind jumps and
/// calls. With --draws the interpreter draws, lists are left out, and every draw is shown with its counts and with the state
/// that changed since the draw before. With --keys the distinct keys of fragment routines are shown, each with the
/// number of draws that need it; for captures of the PSP also the texture part of these keys, and the keys of vertex
/// routines.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor info scene:transforms
  picaflor info game.ctf --draws
  picaflor info scene:all ge:all --keys
  picaflor info game.ctf --json | jq '.items[] | select(.kind == \"draw\")'")]
pub struct Args {
    /// A capture in the own format, CiTrace (.ctf) or a frame dump of the PSP (.ppdmp), also in .gz or .zip; or scene:NAME or ge:NAME; with --keys several, or scene:all or ge:all; - for standard input
    #[arg(required = true)]
    captures: Vec<Source>,
    /// Show draws with all their counts and their state instead of lists
    #[arg(long)]
    pub(super) draws: bool,
    /// Show the distinct keys, one for each routine, instead of lists
    #[arg(long, conflicts_with = "draws")]
    keys: bool,
    /// Precision of shader arithmetic; that of the capture unless given
    #[arg(long, value_enum)]
    precision: Option<Precision>,
    /// Print JSON: an object with the capture, its items in order, and totals
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read or replayed, or the text cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    capture::allow_precision(&args.captures, args.precision.is_some())?;
    if args.keys {
        keys::run(&args.captures, args.reading(), args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let [source] = &args.captures[..] else {
        return Err(CliError::usage("several captures are for --keys"));
    };
    capture::machine_of(source).info(source, args)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Options for reading captures.
    pub(super) fn reading(&self) -> Reading {
        Reading { precision: self.precision, ..Reading::default() }
    }
}
