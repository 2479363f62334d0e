//! Facts of routines, which their callers need besides the key. Those of shader routines come from the program and
//! are stored as bytes with the code; those of fragment routines follow from the key.

use crate::emit::pica::block::Interpolants;
use crate::emit::pica::layout::SPLATS;
use crate::emit::pica::number::TableUses;
use crate::error::CompileError;
use std::collections::BTreeSet;

/// Bound of the length of an invocation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Length {
    /// Maximal number of executed words, without iterations of cycles.
    pub(crate) longest: u32,
    /// True for code with cycles, which counts executed words against the budget.
    pub(crate) counts: bool,
}

impl Length {
    /// # Errors
    /// [`CompileError::SmallInstructionBudget`] when the budget may end a run, and the code does not count.
    pub(crate) fn affords(self, budget: u32) -> Result<(), CompileError> {
        if self.counts || self.longest <= budget {
            Ok(())
        } else {
            Err(CompileError::SmallInstructionBudget { budget })
        }
    }
}

/// Facts of a vertex routine.
#[derive(Debug, Clone)]
pub(crate) struct VertexFacts {
    /// Bound of the length of a run.
    pub(crate) length: Length,
    /// Executed words of a run, iterations of cycles included; the largest number where there is no bound.
    pub(crate) most: u32,
    /// Words compiled, counted once per unfolded path.
    pub(crate) words: u32,
    /// Table entries that the routine reads.
    pub(crate) uses: TableUses,
    /// Components of the result without an output: they are 1, set by the caller.
    pub(crate) untouched: u64,
}

/// Form of a geometry routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GeometryForm {
    /// One run at a time.
    One {
        /// The most emissions of a run, unless cycles repeat some.
        emissions: Option<u32>,
        /// True if `r` and `o` are written before it is known whether the run is flagged.
        early: bool,
    },
    /// Four runs of a batch side by side.
    SideBySide {
        /// Emissions of each run.
        emissions: u32,
    },
}

/// Facts of a geometry routine.
#[derive(Debug, Clone)]
pub(crate) struct GeometryFacts {
    /// Bound of the length of a run.
    pub(crate) length: Length,
    /// Runs of a call.
    pub(crate) form: GeometryForm,
    /// Bit `n`: the routine reads `v[n]`.
    pub(crate) inputs: u16,
    /// Bit `4n + c`: the routine reads component `c` of `r[n]` as it is before the run.
    pub(crate) initial: u64,
    /// Table entries that the routine reads.
    pub(crate) uses: TableUses,
}

/// Facts of a fragment routine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FragmentFacts {
    /// Attributes that triangles must provide.
    pub(crate) interpolants: Interpolants,
    /// Bytes of a pixel in the colour buffer, 0 when it is not touched.
    pub(crate) colour_bytes: u32,
    /// Bytes of a pixel in the depth buffer, 0 when it is not touched.
    pub(crate) depth_bytes: u32,
    /// Values that triangles may have in common.
    pub(crate) common: Common,
    /// Colours of a quad that are found before the code runs: of texture units, of the procedural texture, of lights.
    pub(crate) found: usize,
}

/// Values of a routine that may be the same for all pixels of a triangle, besides the vertex colour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Common {
    /// The largest depth as an integer, where depth depends on z alone; 0 where it does not matter.
    pub(crate) most_depth: u32,
    /// Coordinates of the procedural texture, as bits, if its colour is a constant where they are 0.
    pub(crate) origin: u32,
    /// Coordinates of each texture unit, as bits, if its code is shorter where they are 0 to 1.
    pub(crate) inside: [u32; 3],
}

impl VertexFacts {
    /// The facts as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let Self { length, most, words, uses, untouched } = self;
        let mut bytes = Vec::new();
        write_length(&mut bytes, *length);
        bytes.extend(most.to_le_bytes());
        bytes.extend(words.to_le_bytes());
        bytes.extend(untouched.to_le_bytes());
        write_uses(&mut bytes, uses);
        bytes
    }

    /// `None` unless the bytes are exactly what [`to_bytes`](Self::to_bytes) writes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let length = reader.length()?;
        let most = u32::from_le_bytes(reader.take()?);
        let words = u32::from_le_bytes(reader.take()?);
        let untouched = u64::from_le_bytes(reader.take()?);
        Some(Self { length, most, words, untouched, uses: reader.uses()? })
    }
}

impl GeometryFacts {
    /// The facts as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let Self { length, form, inputs, initial, uses } = self;
        let mut bytes = Vec::new();
        write_length(&mut bytes, *length);
        let (code, emissions) = match *form {
            GeometryForm::One { emissions, early } => (u8::from(early), emissions.unwrap_or(u32::MAX)),
            GeometryForm::SideBySide { emissions } => (2, emissions),
        };
        bytes.push(code);
        bytes.extend(emissions.to_le_bytes());
        bytes.extend(inputs.to_le_bytes());
        bytes.extend(initial.to_le_bytes());
        write_uses(&mut bytes, uses);
        bytes
    }

    /// `None` unless the bytes are exactly what [`to_bytes`](Self::to_bytes) writes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let length = reader.length()?;
        let form = reader.form()?;
        let inputs = u16::from_le_bytes(reader.take()?);
        let initial = u64::from_le_bytes(reader.take()?);
        Some(Self { length, form, inputs, initial, uses: reader.uses()? })
    }
}

fn write_length(bytes: &mut Vec<u8>, length: Length) {
    bytes.extend(length.longest.to_le_bytes());
    bytes.push(length.counts.into());
}

/// Written last, because its length is not stored.
fn write_uses(bytes: &mut Vec<u8>, TableUses { splats, rows }: &TableUses) {
    bytes.push((*rows).into());
    bytes.extend(splats.iter().flat_map(|slot| slot.to_le_bytes()));
}

/// Unread bytes.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.take()? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }

    fn length(&mut self) -> Option<Length> {
        Some(Length { longest: u32::from_le_bytes(self.take()?), counts: self.flag()? })
    }

    fn form(&mut self) -> Option<GeometryForm> {
        let [code] = self.take()?;
        let emissions = u32::from_le_bytes(self.take()?);
        match code {
            0 | 1 => {
                let most = (emissions != u32::MAX).then_some(emissions);
                Some(GeometryForm::One { emissions: most, early: code != 0 })
            }
            2 => Some(GeometryForm::SideBySide { emissions }),
            _ => None,
        }
    }

    /// Reads the rest.
    fn uses(mut self) -> Option<TableUses> {
        let rows = self.flag()?;
        let (slots, rest) = self.0.as_chunks();
        let splats: BTreeSet<u16> = slots.iter().map(|slot| u16::from_le_bytes(*slot)).collect();
        let is_sound = rest.is_empty() && splats.iter().all(|slot| usize::from(*slot) < SPLATS);
        is_sound.then_some(TableUses { splats, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses() -> TableUses {
        TableUses { splats: [0, 7, 300, SPLATS as u16 - 1].into(), rows: true }
    }

    #[test]
    fn there_and_back() {
        let length = Length { longest: 0x0102_0304, counts: true };
        let facts = VertexFacts { length, most: 78, words: 77, uses: uses(), untouched: u64::MAX - 5 };
        let back = VertexFacts::from_bytes(&facts.to_bytes()).unwrap();
        assert_eq!(format!("{facts:?}"), format!("{back:?}"));
        let length = Length { longest: 3, counts: false };
        for form in [
            GeometryForm::One { emissions: None, early: true },
            GeometryForm::One { emissions: Some(7), early: false },
            GeometryForm::SideBySide { emissions: 0x0102_0304 },
        ] {
            let facts =
                GeometryFacts { length, form, inputs: 0x102, initial: 3 << 40, uses: TableUses::default() };
            let back = GeometryFacts::from_bytes(&facts.to_bytes()).unwrap();
            assert_eq!(format!("{facts:?}"), format!("{back:?}"));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let facts = GeometryFacts {
            length: Length { longest: 3, counts: false },
            form: GeometryForm::One { emissions: Some(1), early: false },
            inputs: 1,
            initial: 1,
            uses: uses(),
        };
        let bytes = facts.to_bytes();
        for cut in 0..21 {
            assert!(GeometryFacts::from_bytes(&bytes[..cut]).is_none(), "{cut}");
        }
        assert!(GeometryFacts::from_bytes(&[&bytes[..], &[0]].concat()).is_none());
        let slot_that_is_not_there = (SPLATS as u16).to_le_bytes();
        assert!(GeometryFacts::from_bytes(&[&bytes[..], &slot_that_is_not_there].concat()).is_none());
        for flag in [4, 5, 20] {
            let mut bytes = bytes.clone();
            bytes[flag] = 3;
            assert!(GeometryFacts::from_bytes(&bytes).is_none(), "{flag}");
        }
        assert!(VertexFacts::from_bytes(&bytes[..13]).is_none());
    }
}
