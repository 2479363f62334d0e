//! `picaflor fuzz` for lists of both machines: cases one by one, with a watch, times, and counts at the end.

use super::parts::Span;
use super::{Args, Kind, progress_bar, threads};
use crate::cli::{CliError, plain_name, write_atomic};
use crate::crew::{Plan, Watch};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time limit of reducing one case.
pub(in crate::cli) const REDUCTION: Duration = Duration::from_secs(20);
/// Time limit of a case; a longer one counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lists of a machine.
pub(in crate::cli) trait Lists: Sync {
    /// The name of the kind.
    const NAME: &'static str;
    /// The cases, in words.
    const ABOUT: &'static str;
    /// True if recordings can be run among the cases.
    const TAKES_RECORDINGS: bool = false;
    /// Counters of the campaign.
    type Summary;

    /// Runs a plan.
    fn run(args: &Args, plan: &Plan, watch: Watch<'_>) -> Result<Self::Summary, CliError>;
    /// What every campaign has.
    fn results(summary: &Self::Summary) -> Results;
    /// Reports the failures that were kept, and writes them to files.
    fn explain(args: &Args, summary: &Self::Summary) -> Result<(), CliError>;
    /// The counts, each with a note.
    fn lines(summary: &Self::Summary) -> Vec<(&'static str, u64, &'static str)>;
    /// Counts by name, as [tables](table).
    fn tables(summary: &Self::Summary) -> String;
    /// All counts as JSON.
    fn as_json(summary: &Self::Summary) -> Vec<(&'static str, Value)>;
    /// Runs the case of a file; returns true if it fails.
    fn replay(file: &Path) -> Result<bool, CliError>;
}

/// Results that campaigns of all kinds have.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Results {
    /// Digest of the results of the reference, the same on every host.
    pub(in crate::cli) digest: u64,
    /// The longest time of a case, and its number.
    pub(in crate::cli) slowest: (Duration, u64),
    /// Cases that failed.
    pub(in crate::cli) failures: u64,
}

impl<L: Lists> Kind for L {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn about(&self) -> &'static str {
        L::ABOUT
    }

    fn cases(&self) -> u64 {
        2_000
    }

    fn part(&self) -> u64 {
        100
    }

    fn search(&self, args: &Args) -> Result<bool, CliError> {
        search::<L>(args)
    }

    fn search_part(&self, args: &Args, span: Span) -> Result<Value, CliError> {
        search_part::<L>(args, span)
    }

    fn takes_recordings(&self) -> bool {
        L::TAKES_RECORDINGS
    }

    fn replay(&self, _: &Args, file: &Path) -> Result<bool, CliError> {
        L::replay(file)
    }
}

/// Runs random cases; returns true if one failed.
fn search<L: Lists>(args: &Args) -> Result<bool, CliError> {
    let time = args.seconds.map(Duration::from_secs);
    let cases = args.cases.unwrap_or(if time.is_some() { u64::MAX } else { args.kind.cases() });
    let (plan, start) = (Plan { time, ..plan(args, (args.first, cases)) }, Instant::now());
    let summary = run::<L>(args, &plan)?;
    if args.json {
        say!("{:#}", as_json::<L>(&plan, &summary, start.elapsed()));
    } else {
        say!("{}", as_text::<L>(&plan, &summary, start.elapsed()).trim_end());
    }
    L::explain(args, &summary)?;
    Ok(L::results(&summary).failures != 0)
}

/// Runs a part of the cases; returns the counts.
fn search_part<L: Lists>(args: &Args, span: Span) -> Result<Value, CliError> {
    let (plan, start) = (plan(args, span), Instant::now());
    let summary = run::<L>(args, &plan)?;
    L::explain(args, &summary)?;
    Ok(as_json::<L>(&plan, &summary, start.elapsed()))
}

fn plan(args: &Args, (first, cases): Span) -> Plan {
    Plan { seed: args.seed, first, cases, time: None, threads: threads(args) }
}

fn run<L: Lists>(args: &Args, plan: &Plan) -> Result<L::Summary, CliError> {
    let seconds = plan.time.map(|time| time.as_secs());
    let (bar, start) = (progress_bar(plan.cases, seconds), Instant::now());
    let progress = |done| match seconds {
        Some(_) => bar.set_position(start.elapsed().as_secs()),
        None => bar.inc(done),
    };
    let stuck = |number| stuck(args.seed, number);
    let summary = L::run(args, plan, Watch { progress: &progress, patience: PATIENCE, stuck: &stuck });
    bar.finish_and_clear();
    summary
}

/// A case that does not end cannot be stopped from outside, so the program ends and names it.
fn stuck(seed: u64, number: u64) {
    note!("picaflor: error: case {number} of seed {seed} does not end");
    std::process::exit(1);
}

/// Tries cases without the messages of panics.
pub(in crate::cli) fn quietly<R>(work: impl FnOnce() -> R) -> R {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let result = work();
    std::panic::set_hook(hook);
    result
}

/// Writes a failing case, and prints the command that runs it again.
pub(in crate::cli) fn keep(args: &Args, number: u64, capture: &[u8]) -> Result<(), CliError> {
    let (out, kind, seed) = (&args.out, args.kind.name(), args.seed);
    fs::create_dir_all(out).map_err(|why| CliError::new(format!("cannot make {}: {why}", out.display())))?;
    let path = out.join(format!("{kind}-seed-{seed}-case-{number}.capture"));
    write_atomic(&path, capture)?;
    note!("reproduce with: picaflor fuzz --kind {kind} --replay {}", plain_name(&path));
    Ok(())
}

/// The counts and results as text.
fn as_text<L: Lists>(plan: &Plan, summary: &L::Summary, time: Duration) -> String {
    let results = L::results(summary);
    [
        counted(plan, &L::lines(summary)),
        measured(&results, time),
        L::tables(summary),
        format!("\npanics and differences: {}\n", results.failures),
    ]
    .concat()
}

/// The counts and results as JSON.
fn as_json<L: Lists>(plan: &Plan, summary: &L::Summary, time: Duration) -> Value {
    let Results { digest, slowest: (slowest, number), failures } = L::results(summary);
    let results = [
        ("seed", json!(plan.seed)),
        ("slowest", json!({ "case": number, "seconds": slowest.as_secs_f64() })),
        ("peak_memory_kib", json!(peak_memory())),
        ("digest", json!(format!("{digest:016x}"))),
        ("seconds", json!(time.as_secs_f64())),
        ("failures", json!(failures)),
    ];
    L::as_json(summary).into_iter().chain(results).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Counts, line by line, with the seed above them.
fn counted(plan: &Plan, lines: &[(&str, u64, &str)]) -> String {
    let line = |&(name, count, note): &(&str, u64, &str)| {
        format!("{name:<18} {count:>14}   {note}").trim_end().to_owned() + "\n"
    };
    let lines: String = lines.iter().map(line).collect();
    format!("seed {}, {} threads\n{lines}", plan.seed, plan.threads)
}

/// Results of the run: a digest that is the same on every host, the slowest case, memory and time.
fn measured(&Results { digest, slowest: (slowest, number), .. }: &Results, time: Duration) -> String {
    let mut text = format!("digest of results  {digest:>14x}\n");
    text +=
        &format!("slowest case       {:>11.1} ms   case {number}, all ways\n", slowest.as_secs_f64() * 1e3);
    if let Some(peak) = peak_memory() {
        text += &format!("peak memory        {:>10} MiB   of this process\n", peak / 1024);
    }
    text + &format!("time               {:>12.1} s\n", time.as_secs_f64())
}

/// Counts by name.
pub(in crate::cli) fn table<K: Display>(title: &str, counts: &BTreeMap<K, u64>) -> String {
    let rows: String = counts.iter().map(|(name, count)| format!("  {count:>10}  {name}\n")).collect();
    format!("\n{title}\n{rows}")
}

/// Peak memory of the process in KiB, where the system reports it.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
