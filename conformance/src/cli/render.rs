//! `picaflor render`: a capture as a picture.

use super::cache::Cache;
use super::capture::{self, PrecisionName, host_threads, parse_threads};
use super::{CliError, ge, write_atomic};
use crate::image::grey_png;
use crate::pica::replay::{self, Depth, Played};
use std::path::PathBuf;
use std::process::ExitCode;

/// Replay a capture and write what the displays show as a PNG file.
///
/// The screens that are in use are stacked as on the console, the upper one above. Without --frame it is the
/// picture at the end of the capture.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor render game.ctf -o game.png
  picaflor render scene:transforms -o transforms.png --engine interp
  picaflor render ge:game -o game.png --threads 1")]
pub struct Args {
    /// A capture in the own format, CiTrace (.ctf) or a frame dump of the PSP (.ppdmp), recognised by its first
    /// bytes, or scene:NAME, or ge:NAME for scenes of the PSP
    pub(super) capture: String,
    /// The PNG file; - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Engine
    #[arg(long, default_value = "jit", value_parser = ["interp", "jit"])]
    pub(super) engine: String,
    /// Threads to draw on; as many as the host has processors unless given
    #[arg(long, value_parser = parse_threads)]
    threads: Option<usize>,
    /// Write the depth buffer of the last render target instead, as 16-bit grey stretched from its smallest
    /// to its largest value
    #[arg(long)]
    pub(super) depth: bool,
    /// Stop at the end of this frame, counted from 0
    #[arg(long, value_name = "N")]
    pub(super) frame: Option<usize>,
    /// Precision of shader arithmetic; that of the capture unless given
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
    #[command(flatten)]
    pub(super) cache: Cache,
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read or replayed, shows nothing, or the picture cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let threads = args.threads.unwrap_or_else(host_threads);
    if ge::is_ge(&args.capture) {
        return ge::render(args, threads);
    }
    let source = capture::load(&args.capture, args.precision.map(Into::into))?;
    let fail = |why: replay::ReplayError| CliError::new(format!("cannot use `{}`: {why}", source.name));
    let mut engine = replay::engine(&args.engine, args.cache.folder.as_deref()).map_err(fail)?;
    let played = replay::play(&source.capture, &mut engine, threads, args.frame).map_err(fail)?;
    warn(&played);
    args.cache.warn(&engine.disk_stats());
    let file = if args.depth { depth(&played, &source.name) } else { picture(&played, &source.name) };
    write_atomic(&args.out, &file?)?;
    Ok(ExitCode::SUCCESS)
}

/// What went wrong on the way, for the person who wonders about the picture.
fn warn(played: &Played) {
    for (event, why) in &played.given_up {
        eprintln!("picaflor: warning: the list of event {event} was given up: {why}");
    }
    let faults = played.faults.as_slice();
    for fault in faults {
        eprintln!("picaflor: warning: {fault}");
    }
    if played.faults.dropped() > 0 {
        eprintln!("picaflor: warning: and {} more", played.faults.dropped());
    }
}

fn picture(played: &Played, name: &str) -> Result<Vec<u8>, CliError> {
    let nothing = || CliError::new(format!("`{name}` shows nothing: no screen is in use"));
    Ok(played.picture.as_ref().ok_or_else(nothing)?.to_png())
}

fn depth(played: &Played, name: &str) -> Result<Vec<u8>, CliError> {
    let none = || CliError::new(format!("`{name}` leaves no depth buffer behind"));
    let depth @ Depth { width, height, .. } = played.depth.as_ref().ok_or_else(none)?;
    Ok(grey_png(*width, *height, &depth.grey()))
}
