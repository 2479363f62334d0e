//! Many random lists, counted.

use super::{Engines, Failure, Run, check};
use crate::campaign::PRECISIONS;
use crate::generate::list::{self, ListKind};
use picaflor_jit::CompileError;
use picaflor_pipeline::capture::Capture;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures that are kept.
pub const KEPT: usize = 8;

/// Which cases run.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// Number of the first case.
    pub first: u64,
    /// Number of cases.
    pub cases: u64,
    /// When no further case is begun.
    pub time: Option<Duration>,
    /// Threads. The results of a case do not depend on them.
    pub threads: usize,
}

/// A case that fails.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Number of the case.
    pub number: u64,
    /// The case.
    pub capture: Capture,
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

impl Summary {
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
        self.digest = self.digest.wrapping_add(digest(run).wrapping_mul(2 * number + 1));
    }
}

fn merge(counts: &mut BTreeMap<&'static str, u64>, other: BTreeMap<&'static str, u64>) {
    for (key, count) in other {
        *counts.entry(key).or_default() += count;
    }
}

const fn reason(why: &picaflor_pipeline::pica::RunError) -> &'static str {
    use picaflor_pipeline::pica::RunError;
    match why {
        RunError::Unmapped { .. } => "not mapped",
        RunError::Commands { .. } => "too many commands",
        RunError::Jumps { .. } => "too many jumps",
        RunError::Work { .. } => "too much work",
        RunError::Instructions { .. } => "too many instructions",
        _ => "other",
    }
}

/// FNV-1a over memory and state.
fn digest(run: &Run) -> u64 {
    let mix = |hash: u64, value: u64| (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3);
    let words = run.memory.iter().flat_map(|(_, bytes)| bytes.chunks(8));
    let words = words.map(|bytes| bytes.iter().fold(0, |word: u64, &byte| word << 8 | u64::from(byte)));
    let state = run.state.iter().map(|&word| u64::from(word));
    words.chain(state).fold(0xcbf2_9ce4_8422_2325, mix)
}

/// What the workers share.
struct Shared<'a> {
    plan: &'a Plan,
    next: AtomicU64,
    start: Instant,
    /// What each worker is at, and since when.
    at_work: Vec<Mutex<Option<(u64, Instant)>>>,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl Shared<'_> {
    /// The next case, if there is one and time for it.
    fn next(&self) -> Option<u64> {
        let in_time = self.plan.time.is_none_or(|time| self.start.elapsed() < time);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (in_time && number < self.plan.first.saturating_add(self.plan.cases)).then_some(number)
    }
}

/// Runs a plan. `progress` is called with the number of cases done since the last call; `stuck` with the
/// number of a case that takes longer than `patience`, again and again.
///
/// # Errors
/// [`CompileError`] when an engine cannot be made.
pub fn run(
    plan: &Plan,
    patience: Duration,
    progress: &(dyn Fn(u64) + Sync),
    stuck: &dyn Fn(u64),
) -> Result<Summary, CompileError> {
    let at_work = (0..plan.threads.max(1)).map(|_| Mutex::new(None)).collect();
    let shared = Shared { plan, next: AtomicU64::new(plan.first), start: Instant::now(), at_work, progress };
    let results = std::thread::scope(|scope| {
        let shared = &shared;
        let threads: Vec<_> =
            shared.at_work.iter().map(|place| scope.spawn(move || work(shared, place))).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            shared.at_work.iter().filter_map(|place| overdue(place, patience)).for_each(stuck);
        }
        threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut summary = Summary::default();
    for result in results {
        summary.add(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    summary.findings.sort_by_key(|finding| finding.number);
    summary.findings.truncate(KEPT);
    Ok(summary)
}

fn overdue(place: &Mutex<Option<(u64, Instant)>>, patience: Duration) -> Option<u64> {
    let (number, since) = (*place.lock().unwrap_or_else(PoisonError::into_inner))?;
    (since.elapsed() > patience).then_some(number)
}

fn work(shared: &Shared<'_>, place: &Mutex<Option<(u64, Instant)>>) -> Result<Summary, CompileError> {
    let mut engines = Engines::new()?;
    let mut summary = Summary::default();
    while let Some(number) = shared.next() {
        let start = Instant::now();
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some((number, start));
        one(shared.plan.seed, number, &mut engines, &mut summary);
        summary.slowest = summary.slowest.max((start.elapsed(), number));
        (shared.progress)(1);
    }
    *place.lock().unwrap_or_else(PoisonError::into_inner) = None;
    Ok(summary)
}

fn one(seed: u64, number: u64, engines: &mut Engines, summary: &mut Summary) {
    let case = list::case(seed, number);
    summary.cases += 1;
    *summary.kinds.entry(case.kind.name()).or_default() += 1;
    // Scenes have much memory and many fragments: one precision in turn.
    let precisions =
        if case.kind == ListKind::Scene { &PRECISIONS[(number % 2) as usize..][..1] } else { &PRECISIONS };
    for &precision in precisions {
        match check(&case.capture, precision, engines) {
            Ok(run) => summary.count(number, &run),
            Err(failure) => {
                summary.failures += 1;
                if summary.findings.len() < KEPT {
                    summary.findings.push(Finding { number, capture: case.capture, failure });
                }
                return;
            }
        }
    }
}
