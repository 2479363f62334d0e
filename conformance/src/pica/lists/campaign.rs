//! Many random lists, counted.

use super::{Engines, Failure, Run, Whims, check_hosted};
pub use crate::crew::Plan;
use crate::crew::{self, Campaign, Tally, Watch, digest, merge};
use crate::pica::lists::generate::{self, ListKind};
use crate::pica::programs::campaign::PRECISIONS;
use crate::random::Random;
use picaflor_jit::CompileError;
use picaflor_pipeline::pica::capture::Capture;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

/// Failures that are kept.
pub const KEPT: usize = 8;

/// A case that fails.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Number of the case.
    pub number: u64,
    /// The case.
    pub capture: Capture,
    /// What the host does beside it.
    pub whims: Whims,
    /// Why it fails.
    pub failure: Failure,
}

/// Counts, each over the runs of the reference in both precisions, unless it says otherwise.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Cases; each ran in both precisions and several ways.
    pub cases: u64,
    /// Cases by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Lists that ran, those that were jumped to included.
    pub lists: u64,
    /// Commands.
    pub commands: u64,
    /// Draws.
    pub draws: u64,
    /// Vertices.
    pub vertices: u64,
    /// Triangles.
    pub triangles: u64,
    /// Fragments.
    pub fragments: u64,
    /// Fills and transfers.
    pub engines: u64,
    /// Faults by kind.
    pub faults: BTreeMap<&'static str, u64>,
    /// Lists that were given up, by reason.
    pub given_up: BTreeMap<&'static str, u64>,
    /// Longest time that one case took, all ways together, and its number.
    pub slowest: (Duration, u64),
    /// Sum of digests of what the reference computed: the same cases give the same on every host.
    pub digest: u64,
    /// Cases that panicked or differed.
    pub failures: u64,
    /// The first of them of each thread, up to [`KEPT`].
    pub findings: Vec<Finding>,
}

impl Tally for Summary {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.lists += other.lists;
        self.commands += other.commands;
        self.draws += other.draws;
        self.vertices += other.vertices;
        self.triangles += other.triangles;
        self.fragments += other.fragments;
        self.engines += other.engines;
        self.failures += other.failures;
        self.digest = self.digest.wrapping_add(other.digest);
        self.slowest = self.slowest.max(other.slowest);
        merge(&mut self.kinds, other.kinds);
        merge(&mut self.faults, other.faults);
        merge(&mut self.given_up, other.given_up);
        self.findings.extend(other.findings);
    }

    fn took(&mut self, number: u64, time: Duration) {
        self.slowest = self.slowest.max((time, number));
    }
}

impl Summary {
    fn count(&mut self, number: u64, run: &Run) {
        let stats = &run.stats;
        self.lists += stats.lists;
        self.commands += stats.commands;
        self.draws += stats.draws;
        self.vertices += stats.vertices;
        self.triangles += stats.triangles;
        self.fragments += stats.fragments;
        self.engines += stats.fills + stats.transfers;
        for fault in run.faults.as_slice() {
            *self.faults.entry(fault.kind()).or_default() += 1;
        }
        for (_, why) in &run.given_up {
            *self.given_up.entry(reason(why)).or_default() += 1;
        }
        // Multiplied, so that results of different cases cannot change places.
        self.digest = self.digest.wrapping_add(digest(&run.memory, &run.state).wrapping_mul(2 * number + 1));
    }
}

const fn reason(why: &picaflor_pipeline::pica::RunError) -> &'static str {
    use picaflor_pipeline::pica::RunError;
    match why {
        RunError::Unmapped { .. } => "not mapped",
        RunError::Commands { .. } => "too many commands",
        RunError::Jumps { .. } => "too many jumps",
        RunError::Work { .. } | RunError::Budget { .. } => "too much work",
        RunError::Instructions { .. } => "too many instructions",
        _ => "other",
    }
}

/// The campaign of a seed.
struct Lists {
    seed: u64,
}

impl Campaign for Lists {
    type Worker = Engines;
    type Tally = Summary;

    fn worker(&self) -> Result<Engines, CompileError> {
        Engines::new()
    }

    fn run(
        &self,
        numbers: Range<u64>,
        engines: &mut Engines,
        summary: &mut Summary,
    ) -> Result<(), CompileError> {
        numbers.for_each(|number| one(self.seed, number, engines, summary));
        Ok(())
    }
}

/// Runs a plan.
///
/// # Errors
/// [`CompileError`] when an engine cannot be made.
pub fn run(plan: &Plan, watch: Watch<'_>) -> Result<Summary, CompileError> {
    let mut summary = crew::run(&Lists { seed: plan.seed }, plan, watch)?;
    summary.findings.sort_by_key(|finding| finding.number);
    summary.findings.truncate(KEPT);
    Ok(summary)
}

fn one(seed: u64, number: u64, engines: &mut Engines, summary: &mut Summary) {
    let case = generate::case(seed, number);
    summary.cases += 1;
    *summary.kinds.entry(case.kind.name()).or_default() += 1;
    // Scenes have much memory and many fragments: one precision in turn.
    let precisions =
        if case.kind == ListKind::Scene { &PRECISIONS[(number % 2) as usize..][..1] } else { &PRECISIONS };
    // A stream of its own: it changes nothing of the case.
    let whims = Whims::random(&mut Random::of_item(!seed, number), case.capture.events.len());
    for &precision in precisions {
        match check_hosted(&case.capture, precision, &whims, engines) {
            Ok(run) => summary.count(number, &run),
            Err(failure) => {
                summary.failures += 1;
                if summary.findings.len() < KEPT {
                    summary.findings.push(Finding { number, capture: case.capture, whims, failure });
                }
                return;
            }
        }
    }
}
