//! `picaflor fuzz --kind ge-pixel`, `ge-vertex`, `ge-primitive`, `ge-surface` and `ge-blit`: random cases of the GE's
//! seams.

use crate::cli::CliError;
use crate::cli::fuzz::lists::{REDUCTION, quietly};
use crate::cli::fuzz::parts::Span;
use crate::cli::fuzz::{Args, Kind, progress_bar, threads};
use crate::ge::campaign::{Cases, Plan, Summary, reduced, run};
use serde_json::{Map, Value, json};
use std::marker::PhantomData;
use std::time::Duration;

/// States of a stage.
pub(in crate::cli) struct States<C>(PhantomData<fn() -> C>);

impl<C> States<C> {
    pub(in crate::cli) const KIND: Self = Self(PhantomData);
}

impl<C: Cases> Kind for States<C> {
    fn name(&self) -> &'static str {
        C::KIND
    }

    fn about(&self) -> &'static str {
        C::ABOUT
    }

    fn search(&self, args: &Args) -> Result<bool, CliError> {
        search::<C>(args)
    }

    fn search_part(&self, args: &Args, span: Span) -> Result<Value, CliError> {
        let summary = run_span::<C>(args, span)?;
        explain::<C>(args, &summary)?;
        Ok(as_json::<C>(args, &summary))
    }
}

/// Runs the cases; returns true if one fails.
fn search<C: Cases>(args: &Args) -> Result<bool, CliError> {
    let span = (args.first, args.cases.unwrap_or(args.kind.cases()));
    let summary = run_span::<C>(args, span)?;
    if args.json {
        say!("{:#}", as_json::<C>(args, &summary));
    } else {
        say!("{}", as_text::<C>(args, &summary).trim_end());
    }
    explain::<C>(args, &summary)?;
    Ok(summary.failures != 0)
}

/// Prints the reduced cases of the failures that were kept.
fn explain<C: Cases>(args: &Args, summary: &Summary) -> Result<(), CliError> {
    for &(number, _) in &summary.findings {
        let reduced = quietly(|| reduced::<C>(args.seed, number, REDUCTION));
        if let Some(text) = reduced.map_err(CliError::new)? {
            note!("\ncase {number} of seed {}, reduced:\n{text}", args.seed);
        }
    }
    Ok(())
}

fn run_span<C: Cases>(args: &Args, (first, cases): Span) -> Result<Summary, CliError> {
    let time = args.seconds.map(Duration::from_secs);
    let plan = Plan { seed: args.seed, first, cases, time, threads: threads(args) };
    let bar = progress_bar(cases, None);
    let summary = run::<C>(&plan, &|done| bar.inc(done)).map_err(CliError::new);
    bar.finish_and_clear();
    summary
}

fn as_text<C: Cases>(args: &Args, summary: &Summary) -> String {
    let mut text = format!("seed {}\n", args.seed);
    text += &format!("cases              {:>12}\n", summary.cases);
    text += &format!("by code alone      {:>12}\n", summary.compiled);
    text += &format!("distinct keys      {:>12}\n", summary.keys.len());
    for (name, count) in C::COUNTS.iter().zip(summary.counts) {
        text += &format!("{name:<18} {count:>12}\n");
    }
    for (reason, count) in &summary.refused {
        text += &format!("not compiled       {count:>12}   {reason}\n");
    }
    for (number, what) in &summary.findings {
        text += &format!("case {number}: {what}\n");
        text += &format!(
            "  reproduce with: picaflor fuzz --kind {} --seed {} --first {number} --cases 1\n",
            C::KIND,
            args.seed
        );
    }
    text + &format!("failures: {}\n", summary.failures)
}

fn as_json<C: Cases>(args: &Args, summary: &Summary) -> Value {
    let counts =
        C::COUNTS.iter().zip(summary.counts).map(|(name, count)| (name.replace(' ', "_"), json!(count)));
    let mut all = json!({
        "seed": args.seed,
        "cases": summary.cases,
        "compiled": summary.compiled,
        "distinct_keys": summary.keys.len(),
        "refused": summary.refused,
        "failures": summary.failures,
        "findings": summary.findings,
    });
    if let Some(all) = all.as_object_mut() {
        all.extend(counts.collect::<Map<_, _>>());
    }
    all
}
