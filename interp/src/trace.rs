//! Traces of fragments: every number that a stage computes for one pixel, recorded by the functions that compute it.
//!
//! Stages are generic over a probe and hand it their numbers. The ordinary path has the probe `()`, which is
//! nothing after compilation; another keeps what it is handed. There is no second copy of a stage, so a trace cannot
//! differ from what is drawn.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Receiver of the numbers of stages.
pub(crate) trait Probe {
    /// A number of a stage; `value` is called only where it is kept.
    fn note(&self, stage: Stage, name: &'static str, value: impl FnOnce() -> Value);
}

/// Nothing is kept.
impl Probe for () {
    #[inline(always)]
    fn note(&self, _: Stage, _: &'static str, _: impl FnOnce() -> Value) {}
}

/// A stage by the name that its manual has for it, and its number where there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stage {
    /// Name, in lower case.
    pub name: &'static str,
    /// Number of a stage of which there are several: a texture unit, a combiner stage, a light.
    pub number: Option<u8>,
}

impl Stage {
    /// The only stage of a name.
    #[must_use]
    pub const fn one(name: &'static str) -> Self {
        Self { name, number: None }
    }

    /// One of several stages.
    #[must_use]
    pub const fn numbered(name: &'static str, number: usize) -> Self {
        Self { name, number: Some(number as u8) }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) => write!(f, "{} {number}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// The stage of [`REJECTED`].
const FATE: Stage = Stage::one("fate");
/// Name of the note with the test that rejected a fragment.
const REJECTED: &str = "rejected by";

/// A value in the units of the hardware.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// The outcome of a test, or a bit.
    Flag(bool),
    /// An integer: depth, index, weight, byte.
    Integer(i64),
    /// Integers that belong together.
    Integers(Vec<i64>),
    /// Red, green, blue, alpha.
    Colour([u8; 4]),
    /// A binary32 number.
    Float(f32),
    /// Binary32 numbers that belong together.
    Floats(Vec<f32>),
    /// Binary64 numbers that belong together.
    Doubles(Vec<f64>),
    /// The name of an operation, function or mode.
    Name(String),
    /// A texel that was read.
    Texel {
        /// Level of the texture.
        level: u32,
        /// Column and row before wrapping.
        place: [i32; 2],
        /// Red, green, blue, alpha.
        colour: [u8; 4],
    },
}

impl Value {
    /// The name of a field's value, as its type prints it.
    pub(crate) fn name(value: impl fmt::Debug) -> Self {
        Self::Name(format!("{value:?}"))
    }

    /// Integers.
    pub(crate) fn integers<const N: usize>(values: [impl Into<i64>; N]) -> Self {
        Self::Integers(values.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(if *flag { "yes" } else { "no" }),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Integers(values) => joined(f, values),
            Self::Colour(channels) => {
                let [r, g, b, a] = channels;
                write!(f, "{r} {g} {b} {a}  #{r:02x}{g:02x}{b:02x}{a:02x}")
            }
            Self::Float(value) => write!(f, "{value}"),
            Self::Floats(values) => joined(f, values),
            Self::Doubles(values) => joined(f, values),
            Self::Name(name) => f.write_str(name),
            Self::Texel { level, place: [x, y], colour: [r, g, b, a] } => {
                write!(f, "level {level} ({x}, {y}): {r} {g} {b} {a}")
            }
        }
    }
}

fn joined<T: fmt::Display>(f: &mut fmt::Formatter<'_>, values: &[T]) -> fmt::Result {
    for (n, value) in values.iter().enumerate() {
        write!(f, "{}{value}", if n == 0 { "" } else { " " })?;
    }
    Ok(())
}

/// A number that a stage computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The stage.
    pub stage: Stage,
    /// Name of the number.
    pub name: &'static str,
    /// The number.
    pub value: Value,
}

/// The way of one fragment through the stages.
#[derive(Debug, Clone, PartialEq)]
pub struct FragmentTrace {
    /// Number of the primitive among those of the batch, in the order of submission.
    pub primitive: u32,
    /// The numbers in the order of their computation.
    pub notes: Vec<Note>,
}

impl FragmentTrace {
    /// The test that rejected the fragment; `None` if the fragment reached the store.
    #[must_use]
    pub fn rejected_by(&self) -> Option<&str> {
        self.notes.iter().find(|note| note.stage == FATE).map(|note| match &note.value {
            Value::Name(name) => name.as_str(),
            _ => REJECTED,
        })
    }

    /// The last value of this name in a stage.
    #[must_use]
    pub fn value(&self, stage: Stage, name: &str) -> Option<&Value> {
        self.notes.iter().rev().find(|note| note.stage == stage && note.name == name).map(|note| &note.value)
    }
}

/// Records the test that rejects a fragment.
pub(crate) fn rejected(probe: &impl Probe, by: &'static str) {
    probe.note(FATE, REJECTED, || Value::Name(by.into()));
}

/// A probe that keeps everything.
#[derive(Debug, Default)]
pub(crate) struct Trace(RefCell<Vec<Note>>);

impl Probe for Trace {
    fn note(&self, stage: Stage, name: &'static str, value: impl FnOnce() -> Value) {
        let value = value();
        self.0.borrow_mut().push(Note { stage, name, value });
    }
}

impl Trace {
    /// The trace of a primitive's fragment.
    pub(crate) fn of(self, primitive: u32) -> FragmentTrace {
        FragmentTrace { primitive, notes: self.0.into_inner() }
    }
}

/// A probe that keeps the fate of a fragment alone.
#[derive(Debug, Default)]
pub(crate) struct Fate(RefCell<Option<String>>);

impl Probe for Fate {
    fn note(&self, stage: Stage, _: &'static str, value: impl FnOnce() -> Value) {
        if stage == FATE
            && let Value::Name(by) = value()
        {
            *self.0.borrow_mut() = Some(by);
        }
    }
}

impl Fate {
    /// The test that rejected the fragment.
    pub(crate) fn into_inner(self) -> Option<String> {
        self.0.into_inner()
    }
}

/// A covered pixel, its primitive, and the test that rejected the fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// Column.
    pub x: i32,
    /// Row, as the machine counts them.
    pub y: i32,
    /// Number of the primitive among those of the batch.
    pub primitive: u32,
    /// The test that rejected the fragment; `None` if it reached the store.
    pub rejected_by: Option<String>,
}

/// Most fragments of a pixel whose traces are kept. A trace has some kilobytes, and a guest may draw any number of fragments
/// over a pixel.
pub const MOST_TRACED_FRAGMENTS: usize = 4096;

/// What a tracing routine found: the traces of a pixel's first [`MOST_TRACED_FRAGMENTS`] fragments, the number of those after
/// them, and all covered pixels. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Found(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    traces: Vec<FragmentTrace>,
    /// Fragments without a trace, for want of room.
    left_out: u64,
    covered: Vec<Covered>,
}

impl Found {
    /// The traces so far, in the order of drawing, and the covered pixels; nothing is left afterwards.
    #[must_use]
    pub fn take(&self) -> (Vec<FragmentTrace>, Vec<Covered>) {
        let Kept { traces, covered, .. } = std::mem::take(&mut *self.lock());
        (traces, covered)
    }

    /// The traces so far, in the order of drawing, and the number of fragments after them, which have none; covered pixels
    /// stay.
    #[must_use]
    pub fn take_traces(&self) -> (Vec<FragmentTrace>, u64) {
        let mut kept = self.lock();
        (std::mem::take(&mut kept.traces), std::mem::take(&mut kept.left_out))
    }

    pub(crate) fn add_trace(&self, trace: FragmentTrace) {
        let mut kept = self.lock();
        if kept.traces.len() < MOST_TRACED_FRAGMENTS {
            kept.traces.push(trace);
        } else {
            kept.left_out += 1;
        }
    }

    pub(crate) fn add_covered(&self, covered: Covered) {
        self.lock().covered.push(covered);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a tracing routine records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The way of every fragment of this pixel, up to [`MOST_TRACED_FRAGMENTS`].
    Pixel([i32; 2]),
    /// Every covered pixel, with the fate of its fragment.
    Coverage,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_keeps_what_it_is_handed() {
        let trace = Trace::default();
        trace.note(Stage::numbered("combiner", 3), "a", || Value::Colour([1, 2, 3, 4]));
        trace.note(Stage::numbered("combiner", 3), "a", || Value::Integer(7));
        rejected(&trace, "alpha test");
        let trace = trace.of(5);
        assert_eq!((trace.primitive, trace.rejected_by()), (5, Some("alpha test")));
        assert_eq!(trace.value(Stage::numbered("combiner", 3), "a"), Some(&Value::Integer(7)));
        assert_eq!(trace.value(Stage::numbered("combiner", 2), "a"), None);
        assert_eq!(trace.notes[0].stage.to_string(), "combiner 3");
        assert_eq!(trace.notes[0].value.to_string(), "1 2 3 4  #01020304");
    }

    #[test]
    fn the_ordinary_probe_computes_nothing() {
        ().note(FATE, "a", || unreachable!("a value that nobody keeps"));
    }

    #[test]
    fn fates() {
        let fate = Fate::default();
        fate.note(Stage::one("inputs"), "x", || unreachable!("a value that nobody keeps"));
        assert_eq!(fate.into_inner(), None);
        let fate = Fate::default();
        rejected(&fate, "depth test");
        assert_eq!(fate.into_inner().as_deref(), Some("depth test"));
    }

    /// A pixel under more fragments than memory has room for.
    #[test]
    fn the_first_fragments_are_kept_and_the_others_counted() {
        let (found, most) = (Found::default(), MOST_TRACED_FRAGMENTS as u32);
        let add = |primitives: std::ops::Range<u32>| {
            primitives.for_each(|primitive| found.add_trace(Trace::default().of(primitive)));
        };
        let first = |traces: &[FragmentTrace]| (0..).zip(traces).all(|(n, trace)| trace.primitive == n);
        found.add_covered(Covered { x: 1, y: 2, primitive: 3, rejected_by: None });
        add(0..most + 5);
        let (traces, left_out) = found.take_traces();
        assert!(traces.len() == MOST_TRACED_FRAGMENTS && first(&traces));
        assert_eq!((left_out, found.take_traces()), (5, (Vec::new(), 0)));
        add(0..most + 5);
        let (traces, covered) = found.take();
        assert!(traces.len() == MOST_TRACED_FRAGMENTS && first(&traces) && covered.len() == 1);
        add(0..3);
        assert_eq!((found.take_traces().1, found.take().1), (0, Vec::new()), "there is room again");
    }
}
