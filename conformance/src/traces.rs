//! Campaigns of traces: random pixels of random states, for both machines. The oracle draws the same bits with a trace
//! and without; the last value of a trace is the byte in memory; the numbers of a stage lead to those of the next.

use crate::crew::{self, Campaign, Plan, Tally, Watch};
use picaflor_interp::trace::{FragmentTrace, Stage, Value};
use picaflor_jit::CompileError;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::time::Duration;

/// Pixels that are traced in a case.
pub const PIXELS: usize = 8;
/// Failures that are kept.
const KEPT: usize = 8;

/// A kind of case. The implementor is the state of a worker.
pub trait TraceCases: 'static {
    /// Its name on the command line.
    const KIND: &'static str;
    /// The cases, in words.
    const ABOUT: &'static str;

    /// The worker for the cases of a seed.
    fn of_seed(seed: u64) -> Self;

    /// Traces pixels of a case; returns the traces.
    ///
    /// # Errors
    /// The difference between a trace and what was drawn, in words.
    fn check(&mut self, number: u64) -> Result<Vec<Vec<FragmentTrace>>, String>;
}

/// Counts of a campaign.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Cases.
    pub cases: u64,
    /// Pixels that were traced.
    pub pixels: u64,
    /// Fragments of these pixels.
    pub fragments: u64,
    /// Numbers in their traces.
    pub notes: u64,
    /// Fragments by the test that rejected them.
    pub rejected: BTreeMap<String, u64>,
    /// Cases with a difference.
    pub failures: u64,
    /// The first of them, with their numbers.
    pub findings: Vec<(u64, String)>,
}

impl Tally for Summary {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.pixels += other.pixels;
        self.fragments += other.fragments;
        self.notes += other.notes;
        self.failures += other.failures;
        self.findings.extend(other.findings);
        for (test, count) in other.rejected {
            *self.rejected.entry(test).or_default() += count;
        }
    }
}

impl Summary {
    fn count(&mut self, number: u64, result: Result<Vec<Vec<FragmentTrace>>, String>) {
        self.cases += 1;
        let traces = match result {
            Ok(traces) => traces,
            Err(what) => {
                self.failures += 1;
                if self.findings.len() < KEPT {
                    self.findings.push((number, what));
                }
                return;
            }
        };
        self.pixels += traces.len() as u64;
        for trace in traces.iter().flatten() {
            self.fragments += 1;
            self.notes += trace.notes.len() as u64;
            if let Some(test) = trace.rejected_by() {
                *self.rejected.entry(test.into()).or_default() += 1;
            }
        }
    }
}

/// Runs a plan. `progress` is called with the number of cases done since the last call.
///
/// # Errors
/// As [`crew::run`]; no engine is made.
pub fn run<C: TraceCases>(plan: &Plan, progress: &(dyn Fn(u64) + Sync)) -> Result<Summary, CompileError> {
    let campaign = Traces { seed: plan.seed, cases: PhantomData::<fn() -> C> };
    let watch = Watch { progress, patience: Duration::MAX, stuck: &|_| () };
    let mut summary = crew::run(&campaign, plan, watch)?;
    summary.findings.sort();
    summary.findings.truncate(KEPT);
    Ok(summary)
}

struct Traces<C> {
    seed: u64,
    cases: PhantomData<fn() -> C>,
}

impl<C: TraceCases> Campaign for Traces<C> {
    type Worker = C;
    type Tally = Summary;
    const BATCH: u64 = 64;

    fn worker(&self) -> Result<C, CompileError> {
        Ok(C::of_seed(self.seed))
    }

    fn run(&self, numbers: Range<u64>, cases: &mut C, summary: &mut Summary) -> Result<(), CompileError> {
        numbers.for_each(|number| summary.count(number, cases.check(number)));
        Ok(())
    }
}

/// The colour of this name in a stage.
pub(crate) fn colour(trace: &FragmentTrace, stage: Stage, name: &str) -> Option<[u8; 4]> {
    match trace.value(stage, name)? {
        Value::Colour(colour) => Some(*colour),
        _ => None,
    }
}

/// The integers of this name in a stage.
pub(crate) fn integers(trace: &FragmentTrace, stage: Stage, name: &str) -> Option<Vec<i64>> {
    match trace.value(stage, name)? {
        Value::Integers(values) => Some(values.clone()),
        Value::Integer(value) => Some(vec![*value]),
        _ => None,
    }
}

/// Compares two numbers of a trace where both are there.
///
/// # Errors
/// They differ.
pub(crate) fn lead<T: PartialEq + std::fmt::Debug>(
    trace: &FragmentTrace,
    what: &str,
    from: Option<T>,
    to: Option<T>,
) -> Result<(), String> {
    match (from, to) {
        (Some(from), Some(to)) if from != to => {
            Err(format!("{what}: {from:?} becomes {to:?} in {:#?}", trace.notes))
        }
        _ => Ok(()),
    }
}
