//! `picaflor cut`: a smaller capture.

use super::{How, draws};
use crate::cli::source::Source;
use crate::cli::{CliError, tell_of, write_atomic};
use serde_json::json;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write a capture that has only some of the draws of another, in the own format.
///
/// It begins with the state and the memory that the first of them finds, and ends with the frame of the last one: they
/// make the pixels that they make in the whole. Lists are cut inside, where need be; on the PICA200 they become register
/// writes. Behind the last draw fills, transfers and settings stay. Memory is loaded when something first reads or writes
/// it: a buffer of which the draws cover no pixel, at the end of the frame that shows it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  picaflor cut game.ctf --draws 580..590 -o small.pcap")]
pub struct Args {
    /// A capture, or scene:NAME or ge:NAME; - for standard input
    capture: Source,
    /// The draws: A..B without B, A..=B with B
    #[arg(long, value_parser = draws)]
    draws: Range<u64>,
    /// The new capture
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    how: How,
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read or cut, or the file cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let mut inspector = args.how.open(&args.capture)?;
    let bytes = inspector.cut(args.draws.clone()).map_err(CliError::new)?;
    write_atomic(&args.output, &bytes)?;
    let count = bytes.len();
    tell_of(&args.output, args.how.json, json!({ "bytes": count }), &format!("{count} bytes"))?;
    Ok(ExitCode::SUCCESS)
}
