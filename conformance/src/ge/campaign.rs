//! Many random cases of the GE on compiled code alone and on the interpreter, counted.

use picaflor_jit::{CompileError, Engine, EngineMode};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Cases of each state, so that most of the time goes into drawing and not into making code.
pub const CASES_PER_STATE: u64 = 4;
/// Failures that are kept.
const KEPT: usize = 8;

/// A kind of case: item by item from a seed.
pub trait Cases {
    /// Its name on the command line.
    const KIND: &'static str;
    /// What is counted of cases that are the same, besides the cases that compiled code did.
    const COUNTS: [&'static str; 2];

    /// Does case `number` of a seed both ways.
    fn check(seed: u64, number: u64, engine: &mut Engine) -> Verdict;
}

/// What came of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Compiled code did what the interpreter did.
    Same {
        /// Whether there was something to do.
        counts: bool,
        /// See [`Cases::COUNTS`].
        of: [u64; 2],
    },
    /// Compiled code did not do it, and why.
    NotCompiled(String),
    /// It did something else.
    Differs(String),
}

/// The engine that is held against the interpreter: compiled code alone.
///
/// # Errors
/// As [`picaflor_jit::EngineBuilder::build`].
pub fn engine() -> Result<Engine, CompileError> {
    Engine::builder().mode(EngineMode::Blocking).fallback(false).build()
}

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
    /// Threads that run cases. The results do not depend on them.
    pub threads: usize,
}

/// Counts.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Cases.
    pub cases: u64,
    /// Cases with something to do that compiled code did.
    pub compiled: u64,
    /// See [`Cases::COUNTS`].
    pub counts: [u64; 2],
    /// Cases that compiled code did not do, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Cases that differed or panicked.
    pub failures: u64,
    /// The first of them, with their numbers.
    pub findings: Vec<(u64, String)>,
}

impl Summary {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.compiled += other.compiled;
        self.counts = [0, 1].map(|n| self.counts[n] + other.counts[n]);
        self.failures += other.failures;
        self.findings.extend(other.findings);
        for (reason, count) in other.refused {
            *self.refused.entry(reason).or_default() += count;
        }
    }

    fn count(&mut self, number: u64, verdict: Verdict) {
        self.cases += 1;
        match verdict {
            Verdict::Same { counts, of } => {
                self.compiled += u64::from(counts);
                self.counts = [0, 1].map(|n| self.counts[n] + of[n]);
            }
            Verdict::NotCompiled(reason) => *self.refused.entry(reason).or_default() += 1,
            Verdict::Differs(what) => {
                self.failures += 1;
                if self.findings.len() < KEPT {
                    self.findings.push((number, what));
                }
            }
        }
    }
}

/// Runs a plan. `progress` is called with the number of cases done since the last call.
///
/// # Errors
/// [`CompileError`] when an engine cannot be made.
pub fn run<C: Cases>(plan: &Plan, progress: &(dyn Fn(u64) + Sync)) -> Result<Summary, CompileError> {
    let next = AtomicU64::new(plan.first);
    let start = Instant::now();
    let work = || work::<C>(plan, &next, start, progress);
    let results = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..plan.threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join()).collect::<Vec<_>>()
    });
    let mut summary = Summary::default();
    for result in results {
        summary.add(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    summary.findings.sort();
    summary.findings.truncate(KEPT);
    Ok(summary)
}

fn work<C: Cases>(
    plan: &Plan,
    next: &AtomicU64,
    start: Instant,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Summary, CompileError> {
    let mut engine = engine()?;
    let mut summary = Summary::default();
    loop {
        let first = next.fetch_add(CASES_PER_STATE, Ordering::Relaxed);
        let in_time = plan.time.is_none_or(|time| start.elapsed() < time);
        if !in_time || first >= plan.first.saturating_add(plan.cases) {
            return Ok(summary);
        }
        for number in first..first + CASES_PER_STATE {
            let verdict = catch_unwind(AssertUnwindSafe(|| C::check(plan.seed, number, &mut engine)));
            summary.count(number, verdict.unwrap_or_else(|_| Verdict::Differs("a panic".into())));
        }
        progress(CASES_PER_STATE);
    }
}
