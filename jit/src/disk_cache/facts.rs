//! What callers have to know of shader routines, as bytes. Facts of fragment routines follow from the key.

use crate::emit::pica::layout::SPLATS;
use crate::emit::pica::number::TableUses;
use crate::pica::shader::geometry::GeometryFacts;
use crate::pica::shader::graph::Length;
use crate::pica::shader::vertex::VertexFacts;
use std::collections::BTreeSet;

pub(super) fn write_vertex(facts: &VertexFacts) -> Vec<u8> {
    let VertexFacts { length, words, uses, untouched } = facts;
    let mut bytes = Vec::new();
    write_length(&mut bytes, *length);
    bytes.extend(words.to_le_bytes());
    bytes.extend(untouched.to_le_bytes());
    write_uses(&mut bytes, uses);
    bytes
}

/// `None` unless it is exactly what [`write_vertex`] writes.
pub(super) fn read_vertex(bytes: &[u8]) -> Option<VertexFacts> {
    let mut reader = Reader(bytes);
    let length = reader.length()?;
    let words = u32::from_le_bytes(reader.take()?);
    let untouched = u64::from_le_bytes(reader.take()?);
    Some(VertexFacts { length, words, untouched, uses: reader.uses()? })
}

pub(super) fn write_geometry(facts: &GeometryFacts) -> Vec<u8> {
    let GeometryFacts { length, uses } = facts;
    let mut bytes = Vec::new();
    write_length(&mut bytes, *length);
    write_uses(&mut bytes, uses);
    bytes
}

/// `None` unless it is exactly what [`write_geometry`] writes.
pub(super) fn read_geometry(bytes: &[u8]) -> Option<GeometryFacts> {
    let mut reader = Reader(bytes);
    Some(GeometryFacts { length: reader.length()?, uses: reader.uses()? })
}

fn write_length(bytes: &mut Vec<u8>, length: Length) {
    bytes.extend(length.longest.to_le_bytes());
    bytes.push(length.counts.into());
}

/// Comes last: as many slots as there are bytes.
fn write_uses(bytes: &mut Vec<u8>, TableUses { splats, rows }: &TableUses) {
    bytes.push((*rows).into());
    bytes.extend(splats.iter().flat_map(|slot| slot.to_le_bytes()));
}

/// What is left to read.
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

    /// All that is left.
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
        let facts = VertexFacts { length, words: 77, uses: uses(), untouched: u64::MAX - 5 };
        let back = read_vertex(&write_vertex(&facts)).unwrap();
        assert_eq!(format!("{facts:?}"), format!("{back:?}"));
        let length = Length { longest: 3, counts: false };
        let facts = GeometryFacts { length, uses: TableUses::default() };
        let back = read_geometry(&write_geometry(&facts)).unwrap();
        assert_eq!(format!("{facts:?}"), format!("{back:?}"));
    }

    #[test]
    fn anything_else_is_refused() {
        let facts = GeometryFacts { length: Length { longest: 3, counts: false }, uses: uses() };
        let bytes = write_geometry(&facts);
        for cut in 0..6 {
            assert!(read_geometry(&bytes[..cut]).is_none(), "{cut}");
        }
        assert!(read_geometry(&[&bytes[..], &[0]].concat()).is_none());
        let slot_that_is_not_there = (SPLATS as u16).to_le_bytes();
        assert!(read_geometry(&[&bytes[..], &slot_that_is_not_there].concat()).is_none());
        for flag in [4, 5] {
            let mut bytes = bytes.clone();
            bytes[flag] = 2;
            assert!(read_geometry(&bytes).is_none(), "{flag}");
        }
        assert!(read_vertex(&bytes[..13]).is_none());
    }
}
