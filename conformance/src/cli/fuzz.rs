//! `picaflor fuzz`: random programs on the interpreter and on compiled code, random command lists, random
//! fragment states, and the laws of their keys.

pub(super) mod lists;
pub(super) mod parts;
pub(super) mod traces;

use std::fmt;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::capture::{host_threads, parse_threads, refuse_file};
use super::results::Shard;
use super::{CliError, read_text, shown_input};
use crate::machines::MACHINES;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

/// Compare compiled code with the interpreter on random programs, command lists or fragment states.
///
/// Each case of a program runs in both precisions and three ways: the fast variant with replay, the exact variant,
/// and without the interpreter as fallback. It counts as the same only if compiled code produced the result. Each
/// case of lists runs on the whole machine, in both precisions, on both engines, with one and two threads; everything
/// that the guest can see has to be the same, and a panic is a failure. Cases of fragments are triangles in a random
/// state, eight to a state, drawn with and without the interpreter as fallback, in tiles, and in some cases on
/// threads and during compilation. Cases of laws are states: their keys are reconstructed from text and registers,
/// and other states with the same key draw the same. Cases of primitives are streams of vertices, cut into batches;
/// cases of blits are fills, transfers, copies and scan-outs in memory with holes.
///
/// Cases of the PSP's GE are pixel states with primitives, vertex states with batches, each drawn or transformed by
/// compiled code alone, and display lists on the whole machine, through the queue of system software too.
///
/// Cases of traces are drawn by the interpreter alone, with and without a trace of some pixels: the bits are the same,
/// and the last number of each trace is the byte in memory.
///
/// The same seed gives the same cases on every host, whatever the number of threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  picaflor fuzz --cases 200000 --seed 1
  picaflor fuzz --kind list --seconds 600
  picaflor fuzz --kind fragment --cases 1000000
  picaflor fuzz --kind law --cases 1000000
  picaflor fuzz --kind primitive --cases 1000000
  picaflor fuzz --kind blit --cases 200000
  picaflor fuzz --kind ge-pixel --cases 1000000
  picaflor fuzz --kind ge-list --seconds 600 --recordings dumps
  picaflor fuzz --kind list --cases 100000 --shard 1/4 --results lists-1.jsonl")]
pub struct Args {
    /// Kind of the cases
    #[arg(long, value_parser = known_kinds(), default_value = first_kind().name())]
    pub(super) kind: &'static dyn Kind,
    /// Number of cases; default: 20000, or 2000 of lists
    #[arg(long)]
    pub(super) cases: Option<u64>,
    /// Begin no further case after this time; for shader programs with --shard or --results alone
    #[arg(long, value_name = "N")]
    pub(super) seconds: Option<u64>,
    /// Seed of the generator
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of the first case
    #[arg(long, default_value_t = 0)]
    pub(super) first: u64,
    /// Run only every n-th part of the cases, from part i on: for n processes that share the work
    #[arg(long, value_name = "i/n", default_value = "0/1")]
    pub(super) shard: Shard,
    /// File for the results of each part of the cases; parts that are in it already are not run again, and
    /// `picaflor merge` puts files of shards together
    #[arg(long, value_name = "FILE")]
    pub(super) results: Option<PathBuf>,
    /// Threads; default: the number of processors
    #[arg(long, value_parser = parse_threads)]
    pub(super) threads: Option<usize>,
    /// Run each case of fragments in all ways
    #[arg(long)]
    pub(super) all_ways: bool,
    /// Folder for reproducing files of differences
    #[arg(long, value_name = "DIR", default_value = "fuzz-findings")]
    pub(super) out: PathBuf,
    /// Folder of frame dumps, some of which are changed and run among the display lists of the PSP's GE
    #[arg(long, value_name = "DIR")]
    pub(super) recordings: Option<PathBuf>,
    /// Print the counts as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Run the case in a file instead of random ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cases", "seed", "first", "shard", "results", "seconds", "all_ways", "recordings", "threads"])]
    pub(super) replay: Option<PathBuf>,
}

/// A kind of case.
pub(crate) trait Kind: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The cases, in words.
    fn about(&self) -> &'static str;

    /// Default number of cases, if neither a number nor a time is given.
    fn cases(&self) -> u64 {
        20_000
    }

    /// Cases of a part: enough to make the time for constructing engines negligible.
    fn part(&self) -> u64 {
        1_000
    }

    /// First case of the group of a case, for kinds whose cases come in groups.
    fn start(&self, first: u64) -> u64 {
        first
    }

    /// True if cases can be run for a given time, in one go.
    fn takes_time(&self) -> bool {
        true
    }

    /// True if each case can be run in all ways.
    fn takes_all_ways(&self) -> bool {
        false
    }

    /// True if recordings can be run among the cases.
    fn takes_recordings(&self) -> bool {
        false
    }

    /// Runs random cases; returns true if one failed.
    fn search(&self, args: &Args) -> Result<bool, CliError>;

    /// Runs a part of the cases; returns the counts.
    fn search_part(&self, args: &Args, span: parts::Span) -> Result<Value, CliError>;

    /// Runs the case of a file, for kinds that keep cases in files; returns true if it fails.
    fn replay(&self, _: &Args, _file: &Path) -> Result<bool, CliError> {
        let kind = self.name();
        Err(CliError::usage(format!("--kind {kind} keeps no files: a case is --first N --cases 1")))
    }
}

impl fmt::Debug for dyn Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The kinds of all machines.
fn kinds() -> impl Iterator<Item = &'static dyn Kind> {
    MACHINES.into_iter().flat_map(|machine| machine.kinds().iter().copied())
}

/// The default kind.
fn first_kind() -> &'static dyn Kind {
    MACHINES[0].kinds()[0]
}

fn known_kinds() -> impl TypedValueParser<Value = &'static dyn Kind> {
    let values = kinds().map(|kind| PossibleValue::new(kind.name()).help(kind.about()));
    let named = |name: String| kinds().find(|kind| kind.name() == name);
    PossibleValuesParser::new(values.collect::<Vec<_>>())
        .map(move |name| named(name).unwrap_or_else(first_kind))
}

/// Runs the subcommand; the exit code is 1 if there was a difference.
///
/// # Errors
/// Compiled code cannot run on this host, or a file cannot be read or written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let in_parts = args.shard.is_some() || args.results.is_some();
    if !args.kind.takes_time() && args.seconds.is_some() && !in_parts {
        let kind = args.kind.name();
        return Err(CliError::usage(format!(
            "--seconds is not for --kind {kind} without --shard or --results"
        )));
    }
    let kind = args.kind;
    for (is_given, is_taken, option) in [
        (args.all_ways, kind.takes_all_ways(), "--all-ways"),
        (args.recordings.is_some(), kind.takes_recordings(), "--recordings"),
    ] {
        if is_given && !is_taken {
            return Err(CliError::usage(format!("{option} is not for --kind {}", kind.name())));
        }
    }
    if args.first.checked_add(args.cases.unwrap_or(args.kind.cases())).is_none() {
        return Err(CliError::usage("--first and --cases go beyond the last number of a case"));
    }
    refuse_file(&args.out)?;
    let differs = match &args.replay {
        None if in_parts => parts::search(args, args.shard)?,
        None => args.kind.search(args)?,
        Some(file) => args.kind.replay(args, file)?,
    };
    Ok(if differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

pub(super) fn threads(args: &Args) -> usize {
    args.threads.unwrap_or_else(host_threads)
}

/// A bar that counts cases, or seconds where time is given.
pub(super) fn progress_bar(cases: u64, seconds: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::new(seconds.unwrap_or(cases));
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let unit = if seconds.is_some() { "seconds" } else { "cases" };
    let template = format!("{{bar:40}} {{human_pos}}/{{human_len}} {unit}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}

/// The case of a file.
pub(super) fn kept<C>(file: &Path, read: impl FnOnce(&str) -> Result<C, String>) -> Result<C, CliError> {
    read(&read_text(file)?).map_err(|why| unusable(file, &why))
}

/// The error for the file of a case.
pub(super) fn unusable(file: &Path, why: &dyn fmt::Display) -> CliError {
    CliError::new(format!("cannot use {}: {why}", shown_input(file)))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), CliError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .map_err(|why| CliError::new(format!("cannot make {}: {why}", folder.display())))?;
    super::write_atomic(path, text.as_bytes())
}
