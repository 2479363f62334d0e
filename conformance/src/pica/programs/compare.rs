//! Comparing engines: three ways to run compiled code, three verdicts.

use std::collections::BTreeSet;
use std::fmt;
use std::panic::AssertUnwindSafe;

use crate::pica::programs::outcome::{Candidate, Loaded, Outcome, RunOutcome};
use picaflor_interp::Interpreter;
use picaflor_jit::{CompileError, Effort, Engine, EngineMode, RunReport, Served, Variant};

/// A way to run compiled code. Each is compared with the interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// The fast variant; flagged groups are replayed. As an emulator runs it.
    Fast,
    /// The exact variant from the start.
    Exact,
    /// The fast variant without an interpreter to fall back to. Long programs are made with care, as an emulator has them in the
    /// end.
    NoFallback,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Exact, Self::NoFallback];

    /// In a few words, for tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast with replay",
            Self::Exact => "exact variant",
            Self::NoFallback => "fallback off",
        }
    }

    /// An engine that runs this way.
    ///
    /// # Errors
    /// [`CompileError`] when this host cannot run compiled code.
    pub fn engine(self) -> Result<Engine, CompileError> {
        let builder = Engine::builder().mode(EngineMode::Blocking);
        match self {
            Self::Fast => builder.build(),
            Self::Exact => builder.variant(Variant::Exact).build(),
            Self::NoFallback => builder.fallback(false).effort(Effort::Careful).build(),
        }
    }
}

impl Verdict {
    /// True if the engine panicked; it must not be used again.
    #[must_use]
    pub fn is_panic(&self) -> bool {
        matches!(self, Self::Differs(found) if found.iter().any(|one| one.actual == PANICKED))
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The verdict of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Compiled code produced the same bits.
    Same,
    /// The results differ; at least one difference.
    Differs(Vec<Difference>),
    /// Nothing was compared: the reason.
    Incomparable(String),
}

/// A value that differs between the engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which value.
    pub place: Place,
    /// The interpreter's value.
    pub expected: String,
    /// The other engine's value.
    pub actual: String,
}

/// The place of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Component of a shaded vertex.
    Vertex {
        /// Position in the batch.
        vertex: usize,
        /// Component, as `ShadedVertices` counts.
        component: usize,
    },
    /// A result of a geometry run.
    Run {
        /// Number of the run.
        run: usize,
        /// Its name.
        what: String,
    },
    /// A result of the whole case.
    Whole(&'static str),
}

impl Place {
    /// The vertex or the run.
    #[must_use]
    pub const fn invocation(&self) -> Option<usize> {
        match self {
            Self::Vertex { vertex, .. } => Some(*vertex),
            Self::Run { run, .. } => Some(*run),
            Self::Whole(_) => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex { vertex, component } => write!(f, "vertex {vertex} component {component}"),
            Self::Run { run, what } => write!(f, "run {run} {what}"),
            Self::Whole(what) => write!(f, "{what}"),
        }
    }
}

/// Stands for the result of an engine that panicked.
const PANICKED: &str = "the engine panicked";

/// Content of the output arrays before the interpreter runs: a NaN that no engine makes.
const SCRATCH_EXPECTED: u32 = 0x7fa5_a5a5;
/// Content before the other engine runs; a different pattern, so that no stale value can agree.
const SCRATCH_ACTUAL: u32 = 0xffb1_b1b1;

/// The result of a case on the interpreter.
#[must_use]
pub fn reference(loaded: &Loaded<'_>) -> Outcome {
    loaded.run(&mut Interpreter::new(), SCRATCH_EXPECTED).0
}

/// Runs a case and compares it with the interpreter's outcome.
pub fn compare(loaded: &Loaded<'_>, expected: &Outcome, engine: &mut dyn Candidate) -> (Verdict, RunReport) {
    let (actual, report) = loaded.run(engine, SCRATCH_ACTUAL);
    (judge(expected, &actual, &report), report)
}

/// As [`compare`], with a panic of the engine as a difference. The engine must not be used afterwards.
pub fn compare_contained(
    loaded: &Loaded<'_>,
    expected: &Outcome,
    engine: &mut dyn Candidate,
) -> (Verdict, RunReport) {
    let compared = AssertUnwindSafe(|| compare(loaded, expected, engine));
    std::panic::catch_unwind(compared).unwrap_or_else(|_| {
        let (expected, actual) = ("a result".into(), PANICKED.into());
        let found = Difference { place: Place::Whole("panic"), expected, actual };
        (Verdict::Differs(vec![found]), RunReport::default())
    })
}

/// Judges a result. It counts as the same only if compiled code produced it; a result of the fallback still has to be
/// right.
fn judge(expected: &Outcome, actual: &Outcome, report: &RunReport) -> Verdict {
    if report.served == Served::Nobody {
        return Verdict::Incomparable(reason("refused", report.refusal.as_ref(), expected));
    }
    if expected != actual {
        return Verdict::Differs(differences(expected, actual));
    }
    match &report.served {
        Served::Interpreter(why) => {
            Verdict::Incomparable(reason("interpreted", why.as_ref().or(report.refusal.as_ref()), expected))
        }
        _ => Verdict::Same,
    }
}

/// The reason for which compiled code did not run the case: the engine's refusal, or else the faults, which the
/// interpreter has to report.
fn reason(what: &str, why: Option<&CompileError>, expected: &Outcome) -> String {
    match (why, faulting(expected)) {
        (Some(why), _) => format!("{what}: {}", without_numbers(&why.to_string())),
        (None, Some(faults)) => format!("{what}: {faults}"),
        (None, None) => what.into(),
    }
}

/// Which kinds of faults there are; `None` without any.
fn faulting(outcome: &Outcome) -> Option<String> {
    let kinds: BTreeSet<&str> = outcome.faults.iter().map(|fault| fault.kind()).collect();
    let who = if outcome.runs.is_empty() { "vertex" } else { "run" };
    let kinds: Vec<&str> = kinds.into_iter().collect();
    (!kinds.is_empty()).then(|| format!("a {who} faults ({})", kinds.join(", ")))
}

/// The reason as a counter's name, without the numbers of one program.
fn without_numbers(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let number = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        if number.starts_with(|c: char| c.is_ascii_digit()) { "N" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// All differences.
fn differences(expected: &Outcome, actual: &Outcome) -> Vec<Difference> {
    let mut found = Vec::new();
    let sizes = |outcome: &Outcome| format!("{} vertices of {}", outcome.vertices, outcome.components);
    note(&mut found, Place::Whole("size"), &sizes(expected), &sizes(actual));
    for (at, (e, a)) in expected.shaded.iter().zip(&actual.shaded).enumerate() {
        let place = Place::Vertex { vertex: at % expected.vertices, component: at / expected.vertices };
        note_bits(&mut found, || place, *e, *a);
    }
    for (run, (e, a)) in expected.runs.iter().zip(&actual.runs).enumerate() {
        run_differences(&mut found, run, e, a);
    }
    let faults = |outcome: &Outcome| format!("{:?} and {} more", outcome.faults, outcome.faults_dropped);
    note(&mut found, Place::Whole("faults"), &faults(expected), &faults(actual));
    found
}

fn run_differences(found: &mut Vec<Difference>, run: usize, expected: &RunOutcome, actual: &RunOutcome) {
    let place = |what: String| Place::Run { run, what };
    let count = |outcome: &RunOutcome| outcome.emitted.len().to_string();
    note(found, place("number of emissions".into()), &count(expected), &count(actual));
    for (n, (e, a)) in expected.emitted.iter().zip(&actual.emitted).enumerate() {
        let latch = |e: &(u8, bool, bool, Vec<u32>)| format!("{} {} {}", e.0, e.1, e.2);
        note(found, place(format!("emission {n} latch")), &latch(e), &latch(a));
        for (k, (&e, &a)) in e.3.iter().zip(&a.3).enumerate() {
            note_bits(found, || place(format!("emission {n} slot {}.{}", k / 4, component(k))), e, a);
        }
    }
    for (at, (&e, &a)) in expected.registers.iter().zip(&actual.registers).enumerate() {
        let file = ["v", "r", "o", "bank 1 o"][at / 64];
        note_bits(found, || place(format!("{file}{}.{}", at / 4 % 16, component(at))), e, a);
    }
    const STATE: [&str; 9] = ["a0.x", "a0.y", "aL", "cmp.x", "cmp.y", "bank", "id", "primitive", "winding"];
    for (name, (e, a)) in STATE.iter().zip(expected.state.iter().zip(&actual.state)) {
        note(found, place((*name).into()), &e.to_string(), &a.to_string());
    }
    let bools = |outcome: &RunOutcome| format!("{:#06x}", outcome.bools);
    note(found, place("boolean uniforms".into()), &bools(expected), &bools(actual));
}

fn component(at: usize) -> char {
    ['x', 'y', 'z', 'w'][at % 4]
}

fn note(found: &mut Vec<Difference>, place: Place, expected: &str, actual: &str) {
    if expected != actual {
        found.push(Difference { place, expected: expected.into(), actual: actual.into() });
    }
}

fn note_bits(found: &mut Vec<Difference>, place: impl FnOnce() -> Place, expected: u32, actual: u32) {
    if expected != actual {
        found.push(Difference { place: place(), expected: bits(expected), actual: bits(actual) });
    }
}

/// A value with its bits.
#[must_use]
pub fn bits(word: u32) -> String {
    format!("{word:08x} ({})", f32::from_bits(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::fault::Fault;

    fn outcome(bits: &[u32]) -> Outcome {
        Outcome { vertices: bits.len(), components: 1, shaded: bits.to_vec(), ..Outcome::default() }
    }

    fn served(served: Served) -> RunReport {
        RunReport { served, ..RunReport::default() }
    }

    #[test]
    fn same_needs_compiled_code() {
        let one = outcome(&[1]);
        assert_eq!(judge(&one, &one, &served(Served::Compiled)), Verdict::Same);
        let interpreted = judge(&one, &one, &served(Served::Interpreter(None)));
        assert_eq!(interpreted, Verdict::Incomparable("interpreted".into()));
        assert_eq!(judge(&one, &one, &served(Served::Nobody)), Verdict::Incomparable("refused".into()));
    }

    #[test]
    fn bits_decide_not_values() {
        let (plus, minus) = (outcome(&[0]), outcome(&[0x8000_0000]));
        let Verdict::Differs(found) = judge(&plus, &minus, &served(Served::Compiled)) else {
            panic!("zeros of different sign are different bits")
        };
        assert_eq!(found[0].place, Place::Vertex { vertex: 0, component: 0 });
        assert_eq!((found[0].expected.as_str(), found[0].actual.as_str()), ("00000000 (0)", "80000000 (-0)"));
        let nan = outcome(&[0x7fc0_0000]);
        assert_eq!(judge(&nan, &nan, &served(Served::Compiled)), Verdict::Same);
    }

    #[test]
    fn wrong_results_of_the_fallback_are_differences() {
        let verdict = judge(&outcome(&[1]), &outcome(&[2]), &served(Served::Interpreter(None)));
        assert!(matches!(verdict, Verdict::Differs(_)));
    }

    #[test]
    fn reasons_are_counted_without_their_numbers() {
        let error = CompileError::TooManyStates { limit: 4096 };
        let counted = "refused: control flow unfolds into more than N states";
        assert_eq!(reason("refused", Some(&error), &Outcome::default()), counted);
    }

    #[test]
    fn faults_are_the_reason_where_the_engine_gives_none() {
        let (budget, stray) =
            (Fault::InstructionBudget { pc: 1, vertex: 2 }, Fault::BreakOutsideLoop { pc: 3 });
        let faulty = Outcome { faults: vec![budget, stray, budget], ..Outcome::default() };
        let expected = "interpreted: a vertex faults (BREAK outside a loop, instruction budget)";
        let verdict = judge(&faulty, &faulty, &served(Served::Interpreter(None)));
        assert_eq!(verdict, Verdict::Incomparable(expected.into()));
    }
}
