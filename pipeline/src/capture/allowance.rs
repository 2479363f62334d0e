//! `Allowance`: what a file may cost its reader, by the size of the file.
//!
//! Whoever makes a small file must not make its reader work for minutes or fill the memory of the host: compressed zeros are
//! next to nothing, and records may name the same bytes again and again. So a reader charges what it unpacks, copies and walks
//! through before it does, at a [`Rate`] that the files of games and tests stay far below.

use super::Problem;

/// What a kind of file may cost: some units in any case, and some for each byte of the file. A unit is a byte of memory or, in
/// the descriptions of rates, something of that size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Units for each byte of the file.
    pub factor: u64,
    /// Units for any file.
    pub base: u64,
}

impl Rate {
    /// Captures in the own format: bytes of unpacked chunks, and 64 for each event.
    pub const CAPTURE: Self = Self { factor: 256, base: 1 << 20 };
    /// CiTrace recordings: bytes of memory contents, those that several elements load counted once.
    pub const CITRACE: Self = Self { factor: 8, base: 1 << 20 };
    /// Frame dumps of the PSP: bytes of data and records when unpacked. Test programs pack megabytes of zeros in a kilobyte.
    pub const DUMP: Self = Self { factor: 256, base: 32 << 20 };
    /// Bytes of the words of lists in frame dumps, also of those that are dropped.
    pub const DUMP_WORDS: Self = Self { factor: 64, base: 4 << 20 };
    /// Bytes of memory that the capture of a frame dump holds, for each *unpacked* byte of the dump: fills are a few bytes.
    pub const DUMP_CONTENTS: Self = Self { factor: 16, base: 64 << 20 };
    /// Recordings of the GE for tests: bytes when unpacked.
    pub const TRACE: Self = Self { factor: 256, base: 64 << 20 };
    /// Captures, recordings and dumps: bytes of memory that their events write when they are played, which may be the same
    /// bytes again and again. Frames of games write up to 130 for each byte of the file.
    pub const WRITES: Self = Self { factor: 4096, base: 4 << 30 };
    /// Archives: bytes of the capture in it.
    pub const ARCHIVE: Self = Self { factor: 256, base: 64 << 20 };

    /// The allowance of a file of this size.
    #[must_use]
    pub const fn of(self, file_bytes: u64) -> Allowance {
        Allowance { limit: self.base.saturating_add(self.factor.saturating_mul(file_bytes)), spent: 0 }
    }
}

/// What is left of the units that a file may cost.
///
/// ```
/// use picaflor_pipeline::capture::{Allowance, Rate};
///
/// let mut allowance = Rate { factor: 10, base: 5 }.of(100);
/// assert!(allowance.charge(1000).is_ok() && allowance.charge(5).is_ok());
/// assert!(allowance.charge(1).is_err());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    limit: u64,
    spent: u64,
}

impl Allowance {
    /// The same, with a limit of the caller's that may be lower.
    #[must_use]
    pub const fn at_most(self, limit: u64) -> Self {
        Self { limit: if limit < self.limit { limit } else { self.limit }, ..self }
    }

    /// Units that may be spent in all.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// Spends units on what is about to be done.
    ///
    /// # Errors
    /// [`Problem::TooLarge`] if that is more than the file may cost, then and in all later calls.
    pub const fn charge(&mut self, units: u64) -> Result<(), Problem> {
        self.spent = self.spent.saturating_add(units);
        self.check()
    }

    /// True once more was charged than the file may cost.
    #[must_use]
    pub const fn is_spent(&self) -> bool {
        self.spent > self.limit
    }

    /// The error of an allowance that [is spent](Self::is_spent).
    ///
    /// # Errors
    /// As [`charge`](Self::charge).
    pub const fn check(&self) -> Result<(), Problem> {
        if self.is_spent() {
            return Err(Problem::TooLarge { bytes: self.spent, limit: self.limit });
        }
        Ok(())
    }
}

/// What is left of the bytes that the events of a file [may write](Rate::WRITES).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writes(Allowance);

impl Writes {
    /// The allowance of a file of this size.
    pub(crate) const fn of(file_bytes: u64) -> Self {
        Self(Rate::WRITES.of(file_bytes))
    }

    /// Spends the bytes of an event; [`Problem::WritesTooMuch`] if that is more than the file may write.
    pub(crate) const fn charge(&mut self, bytes: usize) -> Result<(), Problem> {
        let _ = self.0.charge(bytes as u64);
        self.check()
    }

    /// True once events write more than the file may.
    pub(crate) const fn is_spent(&self) -> bool {
        self.0.is_spent()
    }

    /// The error of an allowance that is spent.
    pub(crate) const fn check(&self) -> Result<(), Problem> {
        if self.is_spent() {
            return Err(Problem::WritesTooMuch { bytes: self.0.spent, limit: self.0.limit });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_too_many() {
        let mut allowance = Rate { factor: 3, base: 10 }.of(30);
        assert_eq!((allowance.limit(), allowance.charge(100), allowance.is_spent()), (100, Ok(()), false));
        let error = Err(Problem::TooLarge { bytes: 101, limit: 100 });
        assert_eq!((allowance.charge(1), allowance.is_spent(), allowance.check()), (error, true, error));
        assert!(allowance.charge(u64::MAX).is_err() && allowance.charge(u64::MAX).is_err());
        assert_eq!(Rate::CAPTURE.of(u64::MAX).at_most(7).limit(), 7);
        assert_eq!(Rate::CAPTURE.of(1 << 10).at_most(1 << 30).limit(), (256 << 10) + (1 << 20));
    }
}
