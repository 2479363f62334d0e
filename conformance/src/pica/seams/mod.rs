//! Random calls of the primitive seam and of the blit seam, on the interpreter and on the compiling engine.
//!
//! [`primitive`] and [`blit`] are the cases, each with everything that decides its result; [`campaign`] runs many,
//! [`file`](mod@file) keeps those that fail.

pub mod blit;
pub mod campaign;
pub mod file;
pub mod primitive;

use crate::crew::panicked;
use crate::random::Random;
use crate::reducer::Reducer;
use picaflor_interp::Interpreter;
use picaflor_jit::{CompileError, Engine, EngineMode};
use picaflor_pipeline::pica::stage::Stages;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The reference, and the engine to compare with it.
pub struct Engines {
    reference: Box<dyn Stages>,
    candidate: Box<dyn Stages>,
}

impl Engines {
    /// New engines: the interpreter, and an engine that compiles.
    ///
    /// # Errors
    /// [`CompileError`] when this host cannot run compiled code.
    pub fn new() -> Result<Self, CompileError> {
        let engine: Engine = Engine::builder().mode(EngineMode::Blocking).build()?;
        Ok(Self::with(Box::new(engine)))
    }

    /// The interpreter, and any other engine.
    #[must_use]
    pub fn with(candidate: Box<dyn Stages>) -> Self {
        Self { reference: Box::new(Interpreter::new()), candidate }
    }
}

/// Result of a case on one engine.
pub trait Outcome {
    /// The first difference in words; `None` if there is none. A NaN equals any other.
    fn difference(&self, expected: &Self) -> Option<String>;

    /// True if there is nothing to compare.
    fn is_empty(&self) -> bool;

    /// Counts by name, for the report.
    fn counts(&self) -> Vec<(&'static str, u64)>;

    /// A digest, the same on every host.
    fn digest(&self) -> u64;
}

/// A case of a seam.
pub trait Case: Clone + PartialEq + Send {
    /// Name of the kind on the command line.
    const KIND: &'static str;
    /// The cases, in words.
    const ABOUT: &'static str;
    /// Its result.
    type Outcome: Outcome;

    /// A random case.
    fn random(random: &mut Random) -> Self;

    /// Runs the case on an engine.
    fn run(&self, engine: &mut dyn Stages) -> Self::Outcome;

    /// Tries smaller cases.
    #[allow(private_interfaces)]
    fn reduce(reducer: &mut Reducer<'_, Self>);

    /// The case as a file holds it.
    fn to_json(&self) -> String;

    /// The case of a file's text.
    ///
    /// # Errors
    /// The first error in the text.
    fn from_json(text: &str) -> Result<Self, String>;
}

/// Why a case fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The failure in words.
    pub what: String,
    /// True if an engine panicked.
    pub panicked: bool,
}

/// Case `number` of a seed.
#[must_use]
pub fn case<C: Case>(seed: u64, number: u64) -> C {
    C::random(&mut Random::of_item(seed, number))
}

/// Runs a case on both engines; returns the result of the reference.
///
/// # Errors
/// The panic, or the first difference.
pub fn check<C: Case>(case: &C, engines: &mut Engines) -> Result<C::Outcome, Failure> {
    let Engines { reference, candidate } = engines;
    let run = |engine: &mut dyn Stages| {
        let ran = catch_unwind(AssertUnwindSafe(|| case.run(engine)));
        ran.map_err(|panic| Failure { what: panicked(&*panic), panicked: true })
    };
    let expected = run(&mut **reference)?;
    match run(&mut **candidate)?.difference(&expected) {
        None => Ok(expected),
        Some(what) => Err(Failure { what, panicked: false }),
    }
}

/// The smallest case found in this time that fails in the same manner.
pub fn reduce<C: Case>(case: &C, failure: &Failure, time: Duration, engines: &mut Engines) -> C {
    let mut fails = |case: &C| check(case, engines).is_err_and(|found| found.panicked == failure.panicked);
    let mut reducer = Reducer { best: case.clone(), end: Instant::now() + time, fails: &mut fails };
    C::reduce(&mut reducer);
    reducer.best
}

/// Adds counts by name.
fn count(counts: &mut BTreeMap<&'static str, u64>, outcome: &impl Outcome) {
    for (name, count) in outcome.counts() {
        *counts.entry(name).or_default() += count;
    }
}

/// FNV-1a over words.
fn fnv(words: impl IntoIterator<Item = u64>) -> u64 {
    words
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3))
}
