//! Many random cases, counted.

use super::{Case, Engines, Failure, Outcome as _, case, check, count};
pub use crate::crew::Plan;
use crate::crew::{self, Campaign, Tally, Watch, merge};
use picaflor_jit::CompileError;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::time::Duration;

/// Failures that are kept.
pub const KEPT: usize = 8;

/// A case that fails.
#[derive(Debug, Clone)]
pub struct Finding<C> {
    /// Its number.
    pub number: u64,
    /// The case.
    pub case: C,
    /// Why it fails.
    pub failure: Failure,
}

/// Counts.
#[derive(Debug, Clone)]
pub struct Summary<C> {
    /// Cases.
    pub cases: u64,
    /// Cases whose results are the same.
    pub same: u64,
    /// Cases without a result to compare.
    pub empty: u64,
    /// Counts by name, over the results of the reference.
    pub counts: BTreeMap<&'static str, u64>,
    /// Longest time of a batch of cases, and its first number.
    pub slowest: (Duration, u64),
    /// Sum of digests of the reference's results: the same cases give the same on every host.
    pub digest: u64,
    /// Cases that panicked or differed.
    pub failures: u64,
    /// The first of them of each thread, up to [`KEPT`].
    pub findings: Vec<Finding<C>>,
}

impl<C> Default for Summary<C> {
    fn default() -> Self {
        let (counts, slowest, findings) = Default::default();
        Self { cases: 0, same: 0, empty: 0, counts, slowest, digest: 0, failures: 0, findings }
    }
}

impl<C: Send> Tally for Summary<C> {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.same += other.same;
        self.empty += other.empty;
        self.failures += other.failures;
        self.digest = self.digest.wrapping_add(other.digest);
        self.slowest = self.slowest.max(other.slowest);
        merge(&mut self.counts, other.counts);
        self.findings.extend(other.findings);
    }

    fn took(&mut self, number: u64, time: Duration) {
        self.slowest = self.slowest.max((time, number));
    }
}

/// The campaign of a seed.
struct Seam<C> {
    seed: u64,
    cases: PhantomData<fn() -> C>,
}

impl<C: Case> Campaign for Seam<C> {
    type Worker = Engines;
    type Tally = Summary<C>;
    const BATCH: u64 = 64;

    fn worker(&self) -> Result<Engines, CompileError> {
        Engines::new()
    }

    fn run(
        &self,
        numbers: Range<u64>,
        engines: &mut Engines,
        summary: &mut Summary<C>,
    ) -> Result<(), CompileError> {
        numbers.for_each(|number| one(self.seed, number, engines, summary));
        Ok(())
    }
}

/// Runs a plan.
///
/// # Errors
/// [`CompileError`] when an engine cannot be made.
pub fn run<C: Case>(plan: &Plan, watch: Watch<'_>) -> Result<Summary<C>, CompileError> {
    let mut summary = crew::run(&Seam { seed: plan.seed, cases: PhantomData }, plan, watch)?;
    summary.findings.sort_by_key(|finding| finding.number);
    summary.findings.truncate(KEPT);
    Ok(summary)
}

/// Runs one case.
pub fn one<C: Case>(seed: u64, number: u64, engines: &mut Engines, summary: &mut Summary<C>) {
    let case: C = case(seed, number);
    summary.cases += 1;
    match check(&case, engines) {
        Ok(expected) => {
            *if expected.is_empty() { &mut summary.empty } else { &mut summary.same } += 1;
            count(&mut summary.counts, &expected);
            // Multiplied, so that results of different cases cannot change places.
            summary.digest = summary.digest.wrapping_add(expected.digest().wrapping_mul(2 * number + 1));
        }
        Err(failure) => {
            summary.failures += 1;
            if summary.findings.len() < KEPT {
                summary.findings.push(Finding { number, case, failure });
            }
        }
    }
}
