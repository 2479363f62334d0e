//! Many random cases, counted.

use super::case::FragmentCase;
use super::{Engines, Failure, Passed, Way, check};
use crate::crew::share;
use crate::pica::fragments::state::{self, State};
use picaflor_jit::CompileError;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Cases of each state, so that most of the time is spent drawing and not compiling.
pub const CASES_PER_STATE: u64 = 8;
/// Failures that are kept.
pub const KEPT: usize = 8;

/// Which cases run.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// Number of the first case, rounded down to that of a state.
    pub first: u64,
    /// Number of cases, rounded up to whole states.
    pub cases: u64,
    /// Time limit for the start of further states.
    pub time: Option<Duration>,
    /// Threads that run cases. The results do not depend on them.
    pub threads: usize,
    /// Runs every case in all ways, not in some in turn.
    pub all_ways: bool,
}

/// A case that fails.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Its number.
    pub number: u64,
    /// The case.
    pub case: FragmentCase,
    /// The failure.
    pub failure: Failure,
}

/// Counts.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Cases.
    pub cases: u64,
    /// Cases that compiled code drew without fallback, with at least one fragment.
    pub compiled: u64,
    /// Of these, those that changed memory.
    pub changed: u64,
    /// Cases in a state that compiled code knows, without any fragment.
    pub empty: u64,
    /// Fragments of the compiled cases.
    pub fragments: u64,
    /// Triangles of the compiled cases, before clipping.
    pub triangles: u64,
    /// Hashes of the keys of the compiled cases.
    pub keys: HashSet<u64>,
    /// Cases that compiled code did not draw, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Number of equal results for each way.
    pub ways: BTreeMap<Way, u64>,
    /// Sum of digests of the interpreter's drawings; the same for the same cases on every host.
    pub digest: u64,
    /// Cases that panicked or differed.
    pub failures: u64,
    /// The first of them of each thread, up to [`KEPT`].
    pub findings: Vec<Finding>,
}

impl Summary {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.compiled += other.compiled;
        self.changed += other.changed;
        self.empty += other.empty;
        self.fragments += other.fragments;
        self.triangles += other.triangles;
        self.keys.extend(other.keys);
        for (reason, count) in other.refused {
            *self.refused.entry(reason).or_default() += count;
        }
        for (way, count) in other.ways {
            *self.ways.entry(way).or_default() += count;
        }
        self.digest = self.digest.wrapping_add(other.digest);
        self.failures += other.failures;
        self.findings.extend(other.findings);
    }

    fn passed(&mut self, number: u64, case: &FragmentCase, passed: Passed) {
        let Passed { expected, served, ways } = passed;
        // Multiplied, so that results of different cases cannot change places.
        let digest = hash(&(&expected.memory, expected.fragments));
        self.digest = self.digest.wrapping_add(digest.wrapping_mul(2 * number + 1));
        match served {
            Err(reason) => *self.refused.entry(reason).or_default() += 1,
            Ok(_) if expected.fragments == 0 => self.empty += 1,
            Ok(key) => {
                self.compiled += 1;
                self.changed += u64::from(expected.memory != case.memory);
                self.fragments += expected.fragments;
                self.triangles += case.triangles.len() as u64;
                self.keys.insert(hash(&key));
                ways.into_iter().for_each(|way| *self.ways.entry(way).or_default() += 1);
            }
        }
    }
}

/// `DefaultHasher::new` has no random part.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Case `number` of a seed.
#[must_use]
pub fn case(seed: u64, number: u64) -> FragmentCase {
    let wanted = (number % CASES_PER_STATE) as usize;
    let cases = cases(seed, number / CASES_PER_STATE).nth(wanted);
    cases.map_or_else(|| unreachable!("a state has {CASES_PER_STATE} cases"), |(_, case)| case)
}

/// The cases of a state, and the state as it was for each.
fn cases(seed: u64, number: u64) -> impl Iterator<Item = (State, FragmentCase)> {
    let (mut state, mut random) = state::state(seed, number);
    (0..CASES_PER_STATE).map(move |n| {
        if n > 0 {
            state.vary(&mut random);
        }
        let case = FragmentCase::random(&mut random, &state);
        (state.clone(), case)
    })
}

/// The ways of a case: the first two always, the others in turn, so that few keys are made more than once.
fn ways(plan: &Plan, number: u64, wide: bool) -> Vec<Way> {
    let state = number / CASES_PER_STATE;
    let mut ways = vec![Way::Alone(1), Way::Tiles];
    if plan.all_ways || wide {
        ways = Way::ALL.to_vec();
    } else {
        match state % 16 {
            3 => ways.push(Way::Fallback(1)),
            7 => ways.push(Way::Background),
            11 => ways.push(Way::Older),
            _ => {}
        }
    }
    ways
}

/// State shared by the workers.
struct Shared<'a> {
    plan: &'a Plan,
    next: AtomicU64,
    end: u64,
    start: Instant,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl Shared<'_> {
    /// The next state, if one is left within the time limit.
    fn next(&self) -> Option<u64> {
        let in_time = self.plan.time.is_none_or(|time| self.start.elapsed() < time);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (in_time && number < self.end).then_some(number)
    }
}

/// Runs a plan. `progress` is called with the number of cases done since the last call.
///
/// # Errors
/// [`CompileError`] when an engine cannot be made.
pub fn run(plan: &Plan, progress: &(dyn Fn(u64) + Sync)) -> Result<Summary, CompileError> {
    let first = plan.first / CASES_PER_STATE;
    let end = plan.first.saturating_add(plan.cases).div_ceil(CASES_PER_STATE);
    let shared = Shared { plan, next: AtomicU64::new(first), end, start: Instant::now(), progress };
    let results = share(plan.threads.max(1), || work(&shared));
    let mut summary = Summary::default();
    for result in results {
        summary.add(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    summary.findings.sort_by_key(|finding| finding.number);
    summary.findings.truncate(KEPT);
    Ok(summary)
}

fn work(shared: &Shared<'_>) -> Result<Summary, CompileError> {
    let mut engines = Engines::new()?;
    let mut summary = Summary::default();
    while let Some(number) = shared.next() {
        one_state(shared.plan, number, &mut engines, &mut summary);
        (shared.progress)(CASES_PER_STATE);
    }
    Ok(summary)
}

/// Runs the cases of a state up to the first failure: one failure of a state is enough.
fn one_state(plan: &Plan, number: u64, engines: &mut Engines, summary: &mut Summary) {
    for (number, (state, case)) in (number * CASES_PER_STATE..).zip(cases(plan.seed, number)) {
        summary.cases += 1;
        match check(&case, &ways(plan, number, state.wide), engines) {
            Ok(passed) => summary.passed(number, &case, passed),
            Err(failure) => {
                summary.failures += 1;
                if summary.findings.len() < KEPT {
                    summary.findings.push(Finding { number, case, failure });
                }
                return;
            }
        }
    }
}
