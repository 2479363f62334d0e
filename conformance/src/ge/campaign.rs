//! Many random cases of the GE on compiled code alone and on the interpreter, counted.

pub use crate::crew::Plan;
use crate::crew::{self, Campaign, Tally, Watch};
use picaflor_jit::{CompileError, Effort, Engine, EngineMode};
use std::collections::{BTreeMap, HashSet};
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Cases with the same code: one mode, with different data in all other registers, so that most of the time is spent
/// drawing and not compiling.
pub const CASES_PER_MODE: u64 = 8;
/// Cases between two checks of the shared memory.
const BATCH: u64 = 8 * CASES_PER_MODE;
/// Maximum number of failures in a report.
const KEPT: usize = 8;

/// A kind of case, made item by item from a seed. The implementor is the state of a worker.
pub trait Cases {
    /// Its name on the command line.
    const KIND: &'static str;
    /// The cases, in words, for reports.
    const ABOUT: &'static str;
    /// Names of the two counters of equal cases, beside the cases that compiled code served.
    const COUNTS: [&'static str; 2];

    /// The worker for the cases of a seed.
    fn of_seed(seed: u64) -> Self;

    /// Runs a case on the interpreter and on compiled code.
    fn check(&mut self, number: u64, engine: &mut Engine) -> Verdict;

    /// Makes a failing case smaller: the smallest one found in this time, in words. `None` for cases that have no
    /// reduction.
    fn reduced(&mut self, _number: u64, _engine: &mut Engine, _time: Duration) -> Option<String> {
        None
    }

    /// True if a case since the last call wrote outside its extents. Restores the memory.
    fn strayed(&mut self) -> bool {
        false
    }
}

/// The result of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Compiled code and the interpreter have the same result.
    Same {
        /// The state key.
        key: String,
        /// False if the case had nothing to do.
        counts: bool,
        /// See [`Cases::COUNTS`].
        of: [u64; 2],
    },
    /// Compiled code refused the case: the reason.
    NotCompiled(String),
    /// The results differ: the report.
    Differs(String),
}

/// The engine under test: compiled code without fallback, with either register allocator.
///
/// # Errors
/// As [`picaflor_jit::EngineBuilder::build`].
pub fn engine(effort: Effort) -> Result<Engine, CompileError> {
    Engine::builder().mode(EngineMode::Blocking).effort(effort).fallback(false).build()
}

/// The code of a case: every fourth mode runs what engines run before there is better code.
const fn effort(number: u64) -> Effort {
    if number / CASES_PER_MODE % 4 == 3 { Effort::Quick } else { Effort::Careful }
}

/// Tallies of a campaign.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Cases.
    pub cases: u64,
    /// Cases with work that compiled code served.
    pub compiled: u64,
    /// See [`Cases::COUNTS`].
    pub counts: [u64; 2],
    /// Names of the code that did them.
    pub keys: HashSet<String>,
    /// Cases that compiled code did not do, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Cases that differed or panicked.
    pub failures: u64,
    /// The first of them, with their numbers.
    pub findings: Vec<(u64, String)>,
}

impl Tally for Summary {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.compiled += other.compiled;
        self.counts = [0, 1].map(|n| self.counts[n] + other.counts[n]);
        self.keys.extend(other.keys);
        self.failures += other.failures;
        self.findings.extend(other.findings);
        for (reason, count) in other.refused {
            *self.refused.entry(reason).or_default() += count;
        }
    }
}

impl Summary {
    fn count(&mut self, number: u64, verdict: Verdict) {
        self.cases += 1;
        match verdict {
            Verdict::Same { key, counts, of } => {
                self.keys.insert(key);
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
    let campaign = States { seed: plan.seed, cases: PhantomData::<fn() -> C> };
    let watch = Watch { progress, patience: Duration::MAX, stuck: &|_| () };
    let mut summary = crew::run(&campaign, plan, watch)?;
    summary.findings.sort();
    summary.findings.truncate(KEPT);
    Ok(summary)
}

/// A failing case, made smaller and in words; `None` for cases that have no reduction.
///
/// # Errors
/// [`CompileError`] when an engine cannot be made.
pub fn reduced<C: Cases>(seed: u64, number: u64, time: Duration) -> Result<Option<String>, CompileError> {
    Ok(C::of_seed(seed).reduced(number, &mut engine(effort(number))?, time))
}

/// The campaign of a seed.
struct States<C> {
    seed: u64,
    cases: PhantomData<fn() -> C>,
}

impl<C: Cases> Campaign for States<C> {
    type Worker = Worker<C>;
    type Tally = Summary;
    const BATCH: u64 = BATCH;

    fn worker(&self) -> Result<Worker<C>, CompileError> {
        Worker::new(self.seed)
    }

    fn run(
        &self,
        numbers: Range<u64>,
        worker: &mut Worker<C>,
        summary: &mut Summary,
    ) -> Result<(), CompileError> {
        worker.run(numbers, summary)
    }
}

struct Worker<C> {
    seed: u64,
    cases: C,
    careful: Engine,
    quick: Engine,
}

impl<C: Cases> Worker<C> {
    fn new(seed: u64) -> Result<Self, CompileError> {
        let [careful, quick] = [engine(Effort::Careful)?, engine(Effort::Quick)?];
        Ok(Self { seed, cases: C::of_seed(seed), careful, quick })
    }

    fn run(&mut self, numbers: Range<u64>, summary: &mut Summary) -> Result<(), CompileError> {
        let mut verdicts = Vec::new();
        for number in numbers.clone() {
            verdicts.push(self.check(number)?);
        }
        if self.cases.strayed() {
            // Which of them was it?
            for (verdict, number) in verdicts.iter_mut().zip(numbers.clone()) {
                self.check(number)?;
                if self.cases.strayed() {
                    *verdict = Verdict::Differs("it wrote outside of its buffers".into());
                }
            }
        }
        numbers.zip(verdicts).for_each(|(number, verdict)| summary.count(number, verdict));
        Ok(())
    }

    /// Runs a case. An engine that panicked is not used again.
    fn check(&mut self, number: u64) -> Result<Verdict, CompileError> {
        let engine = if effort(number) == Effort::Quick { &mut self.quick } else { &mut self.careful };
        let check = AssertUnwindSafe(|| self.cases.check(number, engine));
        Ok(match catch_unwind(check) {
            Ok(verdict) => verdict,
            Err(_) => {
                *self = Self::new(self.seed)?;
                Verdict::Differs("a panic".into())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case 40 strays, and case 70 panics.
    struct Wild(Vec<u64>);

    impl Cases for Wild {
        const KIND: &'static str = "wild";
        const ABOUT: &'static str = "Numbers";
        const COUNTS: [&'static str; 2] = ["one", "number"];

        fn of_seed(_: u64) -> Self {
            Self(Vec::new())
        }

        fn check(&mut self, number: u64, _: &mut Engine) -> Verdict {
            assert_ne!(number, 70);
            self.0.push(number);
            Verdict::Same { key: format!("{}", number / 50), counts: number > 10, of: [1, number] }
        }

        fn strayed(&mut self) -> bool {
            std::mem::take(&mut self.0).contains(&40)
        }
    }

    #[test]
    fn all_is_counted_and_nothing_twice() {
        let plan = Plan { seed: 1, first: 5, cases: 95, time: None, threads: 2 };
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let summary = run::<Wild>(&plan, &|_| ());
        std::panic::set_hook(hook);
        let summary = summary.expect("an engine");
        assert_eq!((summary.cases, summary.compiled, summary.keys.len()), (95, 87, 2));
        assert_eq!(summary.counts, [93, (5..100).sum::<u64>() - 110]);
        let findings: Vec<_> =
            summary.findings.iter().map(|(number, what)| (*number, what.as_str())).collect();
        assert_eq!(findings, [(40, "it wrote outside of its buffers"), (70, "a panic")]);
        assert_eq!(summary.failures, 2);
    }
}
