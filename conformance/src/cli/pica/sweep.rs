//! `picaflor sweep`: counts of inputs for which `EX2` and `LG2` are not correctly rounded.

use crate::cli::{CliError, print};
use crate::pica::sweep::{Op, SweepReport, correctly_rounded, correctly_rounded_console};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::process::ExitCode;

/// Count the inputs for which the recipes of EX2 and LG2 are not correctly rounded.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  picaflor sweep --op ex2 --console")]
pub struct Args {
    /// Only this function; both by default.
    #[arg(long, value_enum)]
    op: Option<Op>,
    /// All 2^24 values in the Console profile instead of all 2^32 in Binary32.
    #[arg(long)]
    console: bool,
    /// Threads; default: the number of cores.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command. Exit code 1 when a result is not correctly rounded.
///
/// # Errors
/// A thread cannot be started or panics.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let ops = args.op.map_or_else(|| vec![Op::Ex2, Op::Lg2], |op| vec![op]);
    let threads = args.threads.unwrap_or_else(host_threads);
    let (mut misrounded, mut reports) = (0, Vec::new());
    for op in ops {
        let (profile, report) = if args.console {
            ("Console", correctly_rounded_console(op))
        } else {
            ("Binary32", all_patterns(op, threads)?)
        };
        if !args.json {
            say!("{op:?} {profile}: {report}");
        }
        misrounded += report.misrounded;
        let name = format!("{op:?}").to_lowercase();
        let count = report.misrounded;
        reports
            .push(json!({ "op": name, "profile": profile, "misrounded": count, "text": report.to_string() }));
    }
    if args.json {
        print(&format!("{:#}\n", Value::from(reports)))?;
    }
    Ok(if misrounded == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn host_threads() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
}

/// All 2^32 patterns, in equal parts on `threads` threads.
fn all_patterns(op: Op, threads: u32) -> Result<SweepReport, CliError> {
    std::thread::scope(|scope| {
        let mut parts = Vec::new();
        for part in 0..threads {
            let range = share(part, threads);
            let work = move || correctly_rounded(op, range);
            parts.push(std::thread::Builder::new().spawn_scoped(scope, work).map_err(CliError::new)?);
        }
        parts.into_iter().try_fold(SweepReport::default(), |sum, part| {
            Ok(sum.merged(part.join().map_err(|_| CliError::new("a thread of the sweep panicked"))?))
        })
    })
}

/// Part `part` of `parts` of all patterns.
fn share(part: u32, parts: u32) -> RangeInclusive<u32> {
    let start = |part: u32| (u64::from(part) << 32) / u64::from(parts);
    start(part) as u32..=(start(part + 1) - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_all_patterns_once() {
        for parts in [1, 2, 3, 7, 64] {
            let mut next = 0_u64;
            for part in 0..parts {
                let range = share(part, parts);
                assert_eq!(u64::from(*range.start()), next);
                next = u64::from(*range.end()) + 1;
            }
            assert_eq!(next, 1 << 32);
        }
    }
}
