//! `picaflor fuzz --kind ge-list`: random display lists on the whole machine of the GE.

use super::parts::Span;
use super::{Args, progress_bar, threads};
use crate::cli::{CliError, read_file, write_atomic};
use crate::ge::campaign::Plan;
use crate::ge::lists::campaign::{self, Finding, Summary};
use crate::ge::lists::program::Program;
use crate::ge::lists::{self, Engines, reduce};
use picaflor_pipeline::capture::ge::{Capture, format};
use picaflor_pipeline::capture::ppdmp;
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
    let recordings = args.recordings.as_deref().map_or_else(|| Ok(Vec::new()), recordings)?;
    let seconds = plan.time.map(|time| time.as_secs());
    let (bar, start) = (progress_bar(plan.cases, seconds), Instant::now());
    let progress = |done| match seconds {
        Some(_) => bar.set_position(start.elapsed().as_secs()),
        None => bar.inc(done),
    };
    let stuck = |number| stuck(args.seed, number);
    let summary = campaign::run(plan, &recordings, PATIENCE, &progress, &stuck);
    bar.finish_and_clear();
    summary.map_err(CliError::new)
}

/// The frame dumps of a folder, by name.
fn recordings(folder: &Path) -> Result<Vec<Capture>, CliError> {
    let fail = |why: &dyn std::fmt::Display| CliError::new(format!("cannot use {}: {why}", folder.display()));
    let entries = fs::read_dir(folder).map_err(|why| fail(&why))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ppdmp"));
    paths.sort();
    let read = |path: &Path| -> Result<Capture, CliError> {
        let dump = ppdmp::read(&read_file(path)?).map_err(|why| fail(&why))?;
        let (capture, _) = ppdmp::translate(&dump, ppdmp::Lists::OfRecords).map_err(|why| fail(&why))?;
        Ok(capture)
    };
    let captures = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    if captures.is_empty() { Err(fail(&"there are no frame dumps")) } else { Ok(captures) }
}

/// A case that does not end cannot be stopped from outside, so the program ends and names it.
fn stuck(seed: u64, number: u64) {
    eprintln!("picaflor: error: case {number} of seed {seed} does not end");
    std::process::exit(1);
}

fn explain_all(args: &Args, summary: &Summary) -> Result<(), CliError> {
    summary.findings.iter().try_for_each(|finding| explain(args, finding))
}

/// Shrinks a finding and writes it as a capture, where it fails as one: without the queue of system software.
fn explain(args: &Args, Finding { number, program, failure }: &Finding) -> Result<(), CliError> {
    eprintln!("\ncase {number} of seed {}: {failure}", args.seed);
    let mut engines = Engines::new().map_err(CliError::new)?;
    let mut fails = |program: &Program| {
        let found = lists::check(program, false, &mut engines).err();
        found.is_some_and(|found| found.panicked == failure.panicked)
    };
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let plain = Program::of_capture(&program.to_capture());
    let reduced = fails(&plain).then(|| reduce::reduce(&plain, REDUCTION, &mut fails));
    std::panic::set_hook(hook);
    let seed = args.seed;
    let Some(reduced) = reduced else {
        eprintln!("reproduce with: picaflor fuzz --kind ge-list --seed {seed} --first {number} --cases 1");
        return Ok(());
    };
    fs::create_dir_all(&args.out)
        .map_err(|why| CliError::new(format!("cannot make {}: {why}", args.out.display())))?;
    let path = args.out.join(format!("ge-list-seed-{seed}-case-{number}.capture"));
    write_atomic(&path, &format::write(&reduced.to_capture()))?;
    eprintln!("reproduce with: picaflor fuzz --kind ge-list --replay {}", path.display());
    Ok(())
}

/// Runs the case of a file; whether it fails.
pub(super) fn replay(file: &Path) -> Result<bool, CliError> {
    let capture = format::read(&read_file(file)?).map_err(CliError::new)?;
    let mut engines = Engines::new().map_err(CliError::new)?;
    match lists::check(&Program::of_capture(&capture), true, &mut engines) {
        Ok(_) => {
            println!("the same in every way");
            Ok(false)
        }
        Err(failure) => {
            println!("{failure}");
            Ok(true)
        }
    }
}

fn as_text(plan: &Plan, summary: &Summary, time: Duration) -> String {
    let (slowest, number) = summary.slowest;
    let stats = &summary.stats;
    let mut text = format!("seed {}, {} threads\n", plan.seed, plan.threads);
    let mut line = |name: &str, count: u64, note: &str| {
        text += format!("{name:<18} {count:>14}   {note}").trim_end();
        text.push('\n');
    };
    line(
        "cases",
        summary.cases,
        "each on two engines, one and more threads, every 8th in the background too",
    );
    line("with pixels", summary.drawn, "");
    line("by code alone", summary.compiled, "of these");
    line("runs of lists", stats.runs, "by the reference, as all that follows");
    line("commands", stats.commands, "");
    line("draws", stats.draws, "");
    line("vertices", stats.vertices, "");
    line("primitives", stats.primitives, "");
    line("pixels", stats.covered, "covered");
    line("transfers", stats.transfers, "");
    line("bytes moved", stats.transferred, "");
    text += &format!("digest of results  {:>14x}\n", summary.digest);
    text +=
        &format!("slowest case       {:>11.1} ms   case {number}, all ways\n", slowest.as_secs_f64() * 1e3);
    text += &format!("time               {:>12.1} s\n", time.as_secs_f64());
    text += &table("cases by kind", &summary.kinds);
    text += &table("runs by how they ended, calls by why they were refused", &summary.ends);
    text += &table("faults by kind, as far as lists of faults go", &summary.faults);
    text + &format!("\npanics and differences: {}\n", summary.failures)
}

fn table<K: std::fmt::Display>(title: &str, counts: &BTreeMap<K, u64>) -> String {
    let rows: String = counts.iter().map(|(name, count)| format!("  {count:>10}  {name}\n")).collect();
    format!("\n{title}\n{rows}")
}

fn as_json(plan: &Plan, summary: &Summary, time: Duration) -> Value {
    let stats = &summary.stats;
    json!({
        "seed": plan.seed,
        "cases": summary.cases,
        "kinds": summary.kinds,
        "with_pixels": summary.drawn,
        "compiled": summary.compiled,
        "runs": stats.runs,
        "commands": stats.commands,
        "draws": stats.draws,
        "vertices": stats.vertices,
        "primitives": stats.primitives,
        "pixels": stats.covered,
        "transfers": stats.transfers,
        "bytes_moved": stats.transferred,
        "ends": summary.ends,
        "faults": summary.faults,
        "slowest": { "case": summary.slowest.1, "seconds": summary.slowest.0.as_secs_f64() },
        "digest": format!("{:016x}", summary.digest),
        "seconds": time.as_secs_f64(),
        "failures": summary.failures,
    })
}
