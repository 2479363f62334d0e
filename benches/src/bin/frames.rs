//! `cargo run --release -p picaflor-benches --bin frames -- --against OTHER_BINARY`: whole frames on two builds of
//! `picaflor`, in turns. The build of this tree has to exist: `cargo build --release -p picaflor-conformance`.

use clap::Parser;
use picaflor_benches::report::ended;
use picaflor_benches::turns::{Builds, Effort, compare, table};
use picaflor_benches::workloads::{Workloads, this_build};
use serde_json::json;
use std::error::Error;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

/// Compare two builds on whole frames, in turns: old, new, new, old, and so on.
///
/// A row is a workload on a number of threads; `cold` marks the first replay of a new engine, which compiles before it
/// draws. Times are milliseconds of a frame in the machine, without the player: the shortest of all turns, and the
/// median. `player` is the time of the replay outside the machine, mostly recorded writes to memory; `-` for a build
/// that does not print it. A ratio is old/new: above 1 if the new build is faster.
#[derive(Debug, Parser)]
struct Args {
    #[command(flatten)]
    workloads: Workloads,
    /// The other `picaflor`, the old one
    #[arg(long, value_name = "BINARY")]
    against: PathBuf,
    /// The new `picaflor`; that beside this program unless given
    #[arg(long, value_name = "BINARY")]
    with: Option<PathBuf>,
    /// Threads to draw on; no more are used than this host runs at once
    #[arg(long, default_value = "1,2")]
    threads: String,
    /// Turns of each build
    #[arg(long, default_value_t = 4)]
    rounds: usize,
    /// Seconds for each row of a turn
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(false) => ExitCode::FAILURE,
        result => ended("frames", result.map(drop)),
    }
}

/// True if every turn succeeded.
fn run(args: &Args) -> Result<bool, Box<dyn Error>> {
    let builds = Builds { old: args.against.clone(), new: this_build(args.with.as_deref())? };
    let effort = Effort { rounds: args.rounds, seconds: args.seconds, threads: args.threads.clone() };
    let workloads = args.workloads.names()?;
    let mut out = stdout().lock();
    if !args.json {
        write!(out, "{}", table::heading())?;
    }
    let mut comparisons = Vec::new();
    for workload in workloads {
        let comparison = compare(&workload, &builds, &effort);
        for failure in &comparison.failures {
            eprintln!("frames: {workload}: {failure}");
        }
        if !args.json {
            write!(out, "{}", table::rows(&comparison))?;
            out.flush()?;
        }
        comparisons.push(comparison);
    }
    if args.json {
        let comparisons: Vec<_> = comparisons.iter().map(table::document).collect();
        writeln!(out, "{:#}", json!({ "workloads": comparisons }))?;
    } else {
        write!(out, "\n{}", table::summary(&comparisons))?;
    }
    Ok(comparisons.iter().all(|comparison| comparison.failures.is_empty()))
}
