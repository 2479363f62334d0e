//! The common part of vector files: the origin of a case, the verdict, and the notation of bytes.

pub mod bytes;

use serde::Deserialize;

/// Where a fact comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Measured on a console; the result is published.
    Console,
    /// Stated by public documentation.
    Document,
    /// Practice of software that runs on consoles.
    Practice,
    /// Asserted by the test suite of an emulator.
    Emulator,
    /// Computed from the rules of the manual: a regression value.
    Derived,
    /// Assumed: no source is known.
    Assumed,
}

/// The verdict on an [`Outcome`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As the vector says.
    Same,
    /// Not as the vector says, and the vector expects that.
    DiffersAsExpected,
    /// Compiled code did not produce the result: nothing is known.
    Incomparable,
    /// Not as the vector says.
    Differs,
    /// As the vector says, although a difference is expected.
    SameUnexpectedly,
}

impl Verdict {
    /// The verdict on a result that is there.
    #[must_use]
    pub const fn of(is_same: bool, expects_failure: bool) -> Self {
        match (is_same, expects_failure) {
            (true, false) => Self::Same,
            (false, false) => Self::Differs,
            (false, true) => Self::DiffersAsExpected,
            (true, true) => Self::SameUnexpectedly,
        }
    }
}
