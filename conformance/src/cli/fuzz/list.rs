//! `picaflor fuzz --kind list`: random command lists on the whole machine.

use super::parts::Span;
use super::{Args, progress_bar, threads};
use crate::campaign::PRECISIONS;
use crate::cli::{CliError, read_file, write_atomic};
use crate::lists::campaign::{self, Finding, Plan, Summary};
use crate::lists::{self, Engines, Failure, reduce};
use picaflor_pipeline::capture::Capture;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long one case may be shrunk.
const REDUCTION: Duration = Duration::from_secs(20);
/// After this time a case counts as one that does not end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs random cases; whether one failed.
pub(super) fn search(args: &Args) -> Result<bool, CliError> {
    let time = args.seconds.map(Duration::from_secs);
    let cases = args.cases.unwrap_or(if time.is_some() { u64::MAX } else { args.kind.cases() });
    let (plan, start) = (Plan { time, ..plan(args, (args.first, cases)) }, Instant::now());
    let summary = run_plan(args, &plan)?;
    if args.json {
        println!("{:#}", as_json(&plan, &summary, start.elapsed()));
    } else {
        print!("{}", as_text(&plan, &summary, start.elapsed()));
    }
    explain_all(args, &summary)?;
    Ok(summary.failures != 0)
}

/// Runs a part of the cases; the counts.
pub(super) fn search_part(args: &Args, span: Span) -> Result<Value, CliError> {
    let (plan, start) = (plan(args, span), Instant::now());
    let summary = run_plan(args, &plan)?;
    explain_all(args, &summary)?;
    Ok(as_json(&plan, &summary, start.elapsed()))
}

fn plan(args: &Args, (first, cases): Span) -> Plan {
    Plan { seed: args.seed, first, cases, time: None, threads: threads(args) }
}

fn run_plan(args: &Args, plan: &Plan) -> Result<Summary, CliError> {
    let seconds = plan.time.map(|time| time.as_secs());
    let (bar, start) = (progress_bar(plan.cases, seconds), Instant::now());
    let progress = |done| match seconds {
        Some(_) => bar.set_position(start.elapsed().as_secs()),
        None => bar.inc(done),
    };
    let summary = campaign::run(plan, PATIENCE, &progress, &|number| stuck(args.seed, number));
    bar.finish_and_clear();
    summary.map_err(CliError::new)
}

fn explain_all(args: &Args, summary: &Summary) -> Result<(), CliError> {
    summary.findings.iter().try_for_each(|finding| explain(args, finding))
}

/// A case that does not end cannot be stopped from outside, so the program ends and names it.
fn stuck(seed: u64, number: u64) {
    eprintln!("picaflor: error: case {number} of seed {seed} does not end");
    std::process::exit(1);
}

/// Shrinks a finding and writes it as a capture.
fn explain(args: &Args, finding: &Finding) -> Result<(), CliError> {
    let mut engines = Engines::new().map_err(CliError::new)?;
    let Failure { precision, panicked, .. } = finding.failure;
    let mut fails = |capture: &Capture| {
        let failure = lists::check(capture, precision, &mut engines).err();
        failure.is_some_and(|failure| failure.panicked == panicked)
    };
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let capture = reduce::reduce(&finding.capture, REDUCTION, &mut fails);
    std::panic::set_hook(hook);
    fs::create_dir_all(&args.out)
        .map_err(|why| CliError::new(format!("cannot make {}: {why}", args.out.display())))?;
    let path = args.out.join(format!("list-seed-{}-case-{}.capture", args.seed, finding.number));
    write_atomic(&path, &capture.to_bytes())?;
    eprintln!("\ncase {} of seed {}: {}", finding.number, args.seed, finding.failure);
    eprintln!("reproduce with: picaflor fuzz --kind list --replay {}", path.display());
    Ok(())
}

/// Runs the case of a file; whether it fails.
pub(super) fn replay(file: &Path) -> Result<bool, CliError> {
    let capture = Capture::read(&read_file(file)?).map_err(CliError::new)?;
    let mut engines = Engines::new().map_err(CliError::new)?;
    let mut failed = false;
    for precision in PRECISIONS {
        match lists::check(&capture, precision, &mut engines) {
            Ok(_) => println!("{precision:?}: the same in every way"),
            Err(failure) => {
                failed = true;
                println!("{failure}");
            }
        }
    }
    Ok(failed)
}

/// Most memory that the process has had, in KiB, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn as_text(plan: &Plan, summary: &Summary, time: Duration) -> String {
    let (slowest, number) = summary.slowest;
    let mut text = format!("seed {}, {} threads\n", plan.seed, plan.threads);
    let mut line = |name: &str, count: u64, note: &str| {
        text += format!("{name:<18} {count:>14}   {note}").trim_end();
        text.push('\n');
    };
    line("cases", summary.cases, "each on two engines, one and two threads, both precisions");
    line("lists", summary.lists, "by the reference, as all that follows");
    line("commands", summary.commands, "");
    line("draws", summary.draws, "");
    line("vertices", summary.vertices, "");
    line("triangles", summary.triangles, "");
    line("fragments", summary.fragments, "");
    line("fills, transfers", summary.engines, "");
    text += &format!("digest of results  {:>14x}\n", summary.digest);
    text +=
        &format!("slowest case       {:>11.1} ms   case {number}, all ways\n", slowest.as_secs_f64() * 1e3);
    if let Some(peak) = peak_memory() {
        text += &format!("peak memory        {:>10} MiB   of this process\n", peak / 1024);
    }
    text += &format!("time               {:>12.1} s\n", time.as_secs_f64());
    text += &table("cases by kind", &summary.kinds);
    text += &table("faults by kind, as far as lists of faults go", &summary.faults);
    text += &table("lists given up, by reason", &summary.given_up);
    text + &format!("\npanics and differences: {}\n", summary.failures)
}

fn table(title: &str, counts: &BTreeMap<&'static str, u64>) -> String {
    let rows: String = counts.iter().map(|(name, count)| format!("  {count:>10}  {name}\n")).collect();
    format!("\n{title}\n{rows}")
}

fn as_json(plan: &Plan, summary: &Summary, time: Duration) -> Value {
    json!({
        "seed": plan.seed,
        "cases": summary.cases,
        "kinds": summary.kinds,
        "lists": summary.lists,
        "commands": summary.commands,
        "draws": summary.draws,
        "vertices": summary.vertices,
        "triangles": summary.triangles,
        "fragments": summary.fragments,
        "fills_and_transfers": summary.engines,
        "faults": summary.faults,
        "given_up": summary.given_up,
        "slowest": { "case": summary.slowest.1, "seconds": summary.slowest.0.as_secs_f64() },
        "peak_memory_kib": peak_memory(),
        "digest": format!("{:016x}", summary.digest),
        "seconds": time.as_secs_f64(),
        "failures": summary.failures,
    })
}
