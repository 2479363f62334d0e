//! `picaflor fuzz --kind fragment`: random states of the fragment pipeline, and triangles in them.

use crate::cli::fuzz::parts::Span;
use crate::cli::fuzz::{Args, Kind, kept, progress_bar, threads, write};
use crate::cli::{CliError, plain_name};
use crate::pica::fragments::campaign::{self, CASES_PER_STATE, Finding, Plan, Summary};
use crate::pica::fragments::case::FragmentCase;
use crate::pica::fragments::{Engines, Failure, Way, check, reduce, report};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Time limit of reducing one case.
const REDUCTION: Duration = Duration::from_secs(20);

/// States of the fragment pipeline, and triangles.
pub(in crate::cli) struct Fragments;

impl Kind for Fragments {
    fn name(&self) -> &'static str {
        "fragment"
    }

    fn about(&self) -> &'static str {
        "States of the fragment pipeline, and triangles"
    }

    /// States are whole.
    fn start(&self, first: u64) -> u64 {
        first / CASES_PER_STATE * CASES_PER_STATE
    }

    fn takes_all_ways(&self) -> bool {
        true
    }

    fn search(&self, args: &Args) -> Result<bool, CliError> {
        search(args)
    }

    fn search_part(&self, args: &Args, span: Span) -> Result<Value, CliError> {
        search_part(args, span)
    }

    fn replay(&self, _: &Args, file: &Path) -> Result<bool, CliError> {
        replay(file)
    }
}

/// Runs random cases; returns true if one failed.
fn search(args: &Args) -> Result<bool, CliError> {
    let time = args.seconds.map(Duration::from_secs);
    let cases = args.cases.unwrap_or(if time.is_some() { u64::MAX } else { args.kind.cases() });
    let (plan, start) = (Plan { time, ..plan(args, (args.first, cases)) }, Instant::now());
    let summary = run_plan(&plan)?;
    if args.json {
        say!("{:#}", as_json(&plan, &summary, start.elapsed()));
    } else {
        say!("{}", as_text(&plan, &summary, start.elapsed()).trim_end());
    }
    explain_all(args, &summary)?;
    Ok(summary.failures != 0)
}

/// Runs a part of the cases; the counts.
fn search_part(args: &Args, span: Span) -> Result<Value, CliError> {
    let (plan, start) = (plan(args, span), Instant::now());
    let summary = run_plan(&plan)?;
    explain_all(args, &summary)?;
    Ok(as_json(&plan, &summary, start.elapsed()))
}

fn plan(args: &Args, (first, cases): Span) -> Plan {
    Plan { seed: args.seed, first, cases, time: None, threads: threads(args), all_ways: args.all_ways }
}

fn run_plan(plan: &Plan) -> Result<Summary, CliError> {
    let seconds = plan.time.map(|time| time.as_secs());
    let (bar, start) = (progress_bar(plan.cases, seconds), Instant::now());
    let progress = |done| match seconds {
        Some(_) => bar.set_position(start.elapsed().as_secs()),
        None => bar.inc(done),
    };
    let summary = campaign::run(plan, &progress).map_err(CliError::new);
    bar.finish_and_clear();
    summary
}

fn explain_all(args: &Args, summary: &Summary) -> Result<(), CliError> {
    summary.findings.iter().try_for_each(|finding| explain(args, finding))
}

/// Shrinks a finding, writes it and its report, and prints the report.
fn explain(args: &Args, finding: &Finding) -> Result<(), CliError> {
    let mut engines = Engines::new().map_err(CliError::new)?;
    let Failure { way, panicked, .. } = finding.failure;
    let mut failure = |case: &FragmentCase| {
        let failure = check(case, &[way], &mut engines).err();
        failure.filter(|failure| failure.panicked == panicked)
    };
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let case = reduce::reduce(&finding.case, REDUCTION, &mut |case| failure(case).is_some());
    let last = failure(&case).unwrap_or_else(|| finding.failure.clone());
    std::panic::set_hook(hook);
    let name = format!("fragment-seed-{}-case-{}", args.seed, finding.number);
    let text = report::report(&case, &last, &format!("{} of seed {}", finding.number, args.seed));
    let path = args.out.join(format!("{name}.json"));
    write(&path, &case.to_json())?;
    write(&args.out.join(format!("{name}.txt")), &text)?;
    note!("\n{text}reproduce with: picaflor fuzz --kind fragment --replay {}", plain_name(&path));
    Ok(())
}

/// Runs the case of a file in all ways; returns true if it fails.
fn replay(file: &Path) -> Result<bool, CliError> {
    let case = kept(file, FragmentCase::from_json)?;
    let mut engines = Engines::new().map_err(CliError::new)?;
    let mut failed = false;
    for way in Way::ALL {
        match check(&case, &[way], &mut engines) {
            Ok(passed) => match passed.served {
                Ok(key) => say!("{way}: the same, key {key}"),
                Err(reason) => say!("{way}: not drawn by compiled code alone, {reason}"),
            },
            Err(failure) => {
                failed = true;
                say!("{}", report::report(&case, &failure, &plain_name(file)));
            }
        }
    }
    Ok(failed)
}

fn as_text(plan: &Plan, summary: &Summary, time: Duration) -> String {
    let mut text = format!("seed {}, {} threads\n", plan.seed, plan.threads);
    let mut line = |name: &str, count: u64, note: &str| {
        text += format!("{name:<20} {count:>12}   {note}").trim_end();
        text.push('\n');
    };
    line("cases", summary.cases, "");
    line("drawn by compiled", summary.compiled, "without the interpreter, at least one fragment");
    line("changed memory", summary.changed, "of these");
    line("distinct keys", summary.keys.len() as u64, "of these");
    line("triangles", summary.triangles, "of these");
    line("fragments", summary.fragments, "of these");
    line("no fragments", summary.empty, "nothing to compare");
    line("refused", summary.refused.values().sum(), "");
    text += &format!("digest of results    {:>12x}   of the interpreter\n", summary.digest);
    text += &format!("time                 {:>10.1} s\n\nthe same, by way\n", time.as_secs_f64());
    for (way, count) in &summary.ways {
        text += &format!("  {count:>10}  {way}\n");
    }
    text += "\nrefused, by reason\n";
    for (reason, count) in &summary.refused {
        text += &format!("  {count:>10}  {reason}\n");
    }
    text + &format!("\npanics and differences: {}\n", summary.failures)
}

fn as_json(plan: &Plan, summary: &Summary, time: Duration) -> Value {
    let ways = summary.ways.iter().map(|(way, count)| (way.to_string(), json!(count)));
    json!({
        "seed": plan.seed,
        "cases": summary.cases,
        "compiled": summary.compiled,
        "changed": summary.changed,
        "distinct_keys": summary.keys.len(),
        "triangles": summary.triangles,
        "fragments": summary.fragments,
        "empty": summary.empty,
        "refused": summary.refused,
        "same": Value::Object(ways.collect()),
        "digest": format!("{:016x}", summary.digest),
        "seconds": time.as_secs_f64(),
        "failures": summary.failures,
    })
}
