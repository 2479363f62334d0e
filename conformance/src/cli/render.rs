//! `picaflor render`: a capture as a picture.

use super::cache::Cache;
use super::capture::{self, host_threads, parse_threads};
use super::machine::Commands;
use super::source::Source;
use super::{CliError, write_atomic};
use crate::given_up::{GivenUp, GivenUpList};
use crate::image::grey_png;
use crate::machine::{Eye, Precision, Reading};
use crate::replay::{Depth, play_for};
use crate::setup::Setup;
use picaflor_pipeline::fault::FaultList;
use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;

/// Replay a capture and write what the displays show as a PNG file.
///
/// The screens in use are stacked as on the console, the upper one above. Without --frame the picture is that at the
/// end of the capture. With --eye both the upper screen's pictures for both eyes stand side by side in one file.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor render game.ctf -o game.png
  picaflor render scene:transforms -o transforms.png --engine interp
  picaflor render stereo.cap -o stereo.png --eye both
  picaflor render ge:game -o game.png --threads 1")]
pub struct Args {
    /// A capture in the own format, CiTrace (.ctf) or a frame dump of the PSP (.ppdmp), recognised by its first
    /// bytes, also in .gz or .zip; or scene:NAME, or ge:NAME for scenes of the PSP
    pub(super) capture: Source,
    /// The PNG file; - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Engine
    #[arg(long, default_value = "jit", value_parser = ["interp", "jit"])]
    pub(super) engine: String,
    /// Threads to draw on; default: the number of processors
    #[arg(long, value_parser = parse_threads)]
    threads: Option<usize>,
    /// Write the depth buffer of the last render target instead, as 16-bit grey stretched from its smallest
    /// to its largest value
    #[arg(long)]
    pub(super) depth: bool,
    /// Stop at the end of this frame, counted from 0
    #[arg(long, value_name = "N")]
    pub(super) frame: Option<usize>,
    /// The eye that looks at the upper screen of the 3DS
    #[arg(long, value_enum, default_value_t, conflicts_with = "depth")]
    eye: Eye,
    /// Precision of shader arithmetic; that of the capture unless given
    #[arg(long, value_enum)]
    precision: Option<Precision>,
    #[command(flatten)]
    pub(super) cache: Cache,
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read or replayed, shows nothing, or the picture cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    if args.engine == "interp" && args.cache.folder.is_some() {
        return Err(CliError::usage("--cache is not for --engine interp"));
    }
    capture::allow_precision(slice::from_ref(&args.capture), args.precision.is_some())?;
    if args.eye != Eye::default() {
        capture::allow("--eye", slice::from_ref(&args.capture), |machine| machine.has_screens())?;
    }
    capture::machine_of(&args.capture).render(args)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the machine's picture at the end of a frame, or its depth buffer.
pub(super) fn render<M: Commands>(args: &Args) -> Result<(), CliError> {
    let how = Reading { precision: args.precision, ..Reading::default() };
    let named = capture::load::<M>(&args.capture, how)?;
    let threads = args.threads.unwrap_or_else(host_threads);
    let setup = Setup { cache: args.cache.folder.as_deref(), ..Setup::default() };
    let mut engine = M::engine(&args.engine, setup).map_err(|why| named.refused(why))?;
    let played = play_for::<M>(&named.capture, &mut engine, threads, args.frame, args.eye);
    let played = played.map_err(|why| named.refused(why))?;
    warn(&played.given_up, &played.faults);
    args.cache.warn(&M::disk(&engine));
    let nothing = |what: &str| CliError::new(format!("`{}` {what}", named.name));
    let [no_picture, no_depth] = M::NOTHING;
    let file = match args.depth {
        true => depth(played.depth.as_ref().ok_or_else(|| nothing(no_depth))?),
        false => played.picture.as_ref().ok_or_else(|| nothing(no_picture))?.to_png(),
    };
    write_atomic(&args.out, &file)
}

/// Prints the faults and lists given up that may explain a wrong picture.
pub(super) fn warn(given_up: &GivenUpList, faults: &FaultList) {
    let line = |GivenUp { event, why }: &GivenUp| format!("the list of event {event} was given up: {why}");
    for line in given_up.lines(line) {
        note!("picaflor: warning: {line}");
    }
    for fault in faults.as_slice() {
        note!("picaflor: warning: {fault}");
    }
    if faults.dropped() > 0 {
        note!("picaflor: warning: and {} more", faults.dropped());
    }
}

fn depth(depth: &Depth) -> Vec<u8> {
    grey_png(depth.width, depth.height, &depth.grey())
}
