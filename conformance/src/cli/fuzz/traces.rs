//! `picaflor fuzz --kind trace` and `--kind ge-trace`: traces of random pixels.

use super::parts::Span;
use super::{Args, Kind, progress_bar, threads};
use crate::cli::{CliError, print};
use crate::crew::Plan;
use crate::traces::{Summary, TraceCases, run};
use serde_json::{Value, json};
use std::marker::PhantomData;
use std::time::Duration;

/// Traces of a machine.
pub(in crate::cli) struct Traces<C>(PhantomData<fn() -> C>);

impl<C> Traces<C> {
    pub(in crate::cli) const KIND: Self = Self(PhantomData);
}

impl<C: TraceCases> Kind for Traces<C> {
    fn name(&self) -> &'static str {
        C::KIND
    }

    fn about(&self) -> &'static str {
        C::ABOUT
    }

    fn search(&self, args: &Args) -> Result<bool, CliError> {
        let summary = run_span::<C>(args, (args.first, args.cases.unwrap_or(args.kind.cases())))?;
        let text =
            if args.json { format!("{:#}\n", as_json(args, &summary)) } else { as_text::<C>(args, &summary) };
        print(&text)?;
        Ok(summary.failures != 0)
    }

    fn search_part(&self, args: &Args, span: Span) -> Result<Value, CliError> {
        Ok(as_json(args, &run_span::<C>(args, span)?))
    }
}

fn run_span<C: TraceCases>(args: &Args, (first, cases): Span) -> Result<Summary, CliError> {
    let time = args.seconds.map(Duration::from_secs);
    let plan = Plan { seed: args.seed, first, cases, time, threads: threads(args) };
    let bar = progress_bar(cases, None);
    let summary = run::<C>(&plan, &|done| bar.inc(done)).map_err(CliError::new);
    bar.finish_and_clear();
    summary
}

fn as_text<C: TraceCases>(args: &Args, summary: &Summary) -> String {
    let mut text = format!("seed {}\n", args.seed);
    let counts = [
        ("cases", summary.cases),
        ("pixels traced", summary.pixels),
        ("fragments", summary.fragments),
        ("numbers", summary.notes),
    ];
    counts.iter().for_each(|(name, count)| text += &format!("{name:<18} {count:>12}\n"));
    for (test, count) in &summary.rejected {
        text += &format!("rejected           {count:>12}   {test}\n");
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

fn as_json(args: &Args, summary: &Summary) -> Value {
    json!({
        "seed": args.seed,
        "cases": summary.cases,
        "pixels": summary.pixels,
        "fragments": summary.fragments,
        "numbers": summary.notes,
        "rejected": summary.rejected,
        "failures": summary.failures,
        "findings": summary.findings,
    })
}
