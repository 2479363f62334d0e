//! The common part of vector files: the origin of a case, the verdict, and the notation of bytes.

pub mod bytes;

use serde::Deserialize;

/// The origin of a fact.
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

/// The verdict on the outcome of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The result is as expected.
    Same,
    /// The result differs, as the vector expects.
    DiffersAsExpected,
    /// Compiled code did not produce the result, so it is no evidence.
    Incomparable,
    /// The result differs.
    Differs,
    /// The result is as expected, although a difference is expected.
    SameUnexpectedly,
}

impl Verdict {
    /// The verdict on an existing result.
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
