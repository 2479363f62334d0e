//! `picaflor fuzz --kind law`: the laws of fragment keys on random states.

use crate::cli::CliError;
use crate::cli::fuzz::parts::Span;
use crate::cli::fuzz::{Args, Kind, progress_bar, threads};
use crate::pica::fragments::laws::{self, Plan, Summary};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// States of the fragment pipeline, and their keys.
pub(in crate::cli) struct Laws;

impl Kind for Laws {
    fn name(&self) -> &'static str {
        "law"
    }

    fn about(&self) -> &'static str {
        "States of the fragment pipeline, and their keys"
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
}

/// Tries random states; returns true if one broke a law.
fn search(args: &Args) -> Result<bool, CliError> {
    let time = args.seconds.map(Duration::from_secs);
    let states = args.cases.unwrap_or(if time.is_some() { u64::MAX } else { args.kind.cases() });
    let (plan, start) = (Plan { time, ..plan(args, (args.first, states))? }, Instant::now());
    let summary = run_plan(&plan);
    if args.json {
        say!("{:#}", as_json(&plan, &summary, start.elapsed()));
    } else {
        say!("{}", as_text(&plan, &summary, start.elapsed()).trim_end());
    }
    explain(&plan, &summary);
    Ok(summary.failures != 0)
}

/// Tries a part of the states; the counts.
fn search_part(args: &Args, span: Span) -> Result<Value, CliError> {
    let (plan, start) = (plan(args, span)?, Instant::now());
    let summary = run_plan(&plan);
    explain(&plan, &summary);
    Ok(as_json(&plan, &summary, start.elapsed()))
}

fn plan(args: &Args, (first, states): Span) -> Result<Plan, CliError> {
    if args.all_ways {
        return Err(CliError::usage("--all-ways is not for --kind law"));
    }
    Ok(Plan { seed: args.seed, first, states, time: None, threads: threads(args) })
}

fn run_plan(plan: &Plan) -> Summary {
    let seconds = plan.time.map(|time| time.as_secs());
    let (bar, start) = (progress_bar(plan.states, seconds), Instant::now());
    let summary = laws::run(plan, &|done| match seconds {
        Some(_) => bar.set_position(start.elapsed().as_secs()),
        None => bar.inc(done),
    });
    bar.finish_and_clear();
    summary
}

fn explain(plan: &Plan, summary: &Summary) {
    for finding in &summary.findings {
        let number = finding.number;
        note!("state {number}: {}", finding.what);
        note!("again: picaflor fuzz --kind law --seed {} --first {number} --cases 1", plan.seed);
    }
}

fn as_text(plan: &Plan, summary: &Summary, time: Duration) -> String {
    let mut text = format!("seed {}, {} threads\n", plan.seed, plan.threads);
    let mut line = |name: &str, count: u64, note: &str| {
        text += format!("{name:<20} {count:>12}   {note}").trim_end();
        text.push('\n');
    };
    line("states", summary.states, "");
    line("with a key", summary.known, "found again from its text and from registers");
    line("distinct keys", summary.keys.len() as u64, "");
    line("plainest states", summary.plainest, "drawn the same as the state itself");
    line("neighbours", summary.neighbours, "with the same key and data, likewise");
    line("differing registers", summary.differing_registers, "of these");
    line("changed memory", summary.changed, "of both kinds of drawings");
    text += &format!("time                 {:>10.1} s\n\n", time.as_secs_f64());
    text + &format!("states that break a law: {}\n", summary.failures)
}

fn as_json(plan: &Plan, summary: &Summary, time: Duration) -> Value {
    json!({
        "seed": plan.seed,
        "states": summary.states,
        "known": summary.known,
        "distinct_keys": summary.keys.len(),
        "plainest": summary.plainest,
        "neighbours": summary.neighbours,
        "differing_registers": summary.differing_registers,
        "changed": summary.changed,
        "seconds": time.as_secs_f64(),
        "failures": summary.failures,
    })
}
