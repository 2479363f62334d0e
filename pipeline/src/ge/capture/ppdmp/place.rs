//! Where the bytes of records lie in main memory.

use super::{Dump, Record, Span};
use std::collections::HashMap;

/// Where main memory begins; the list that runs lies there.
pub(super) const RAM: u32 = 0x0800_0000;
/// Room for a list.
pub(super) const LIST_BYTES: u32 = 1 << 18;
/// Most bytes of main memory: as many as there are addresses.
const MOST: u32 = 0x0800_0000;
/// Bytes that the largest CLOAD reads.
pub(super) const CLUT_READS: u32 = 63 * 32;
/// Textures, tables and transfers need this alignment.
const ALIGNMENT: u32 = 16;

/// Which spans lie where. Equal ones share their place.
pub(super) struct Placement {
    /// Address, and bytes it has room for.
    placed: HashMap<Span, (u32, u32)>,
    next: u32,
    end: u32,
}

/// A place.
pub(super) struct Place {
    pub(super) address: u32,
    /// Whether nothing is there yet.
    pub(super) is_new: bool,
    /// Whether memory that earlier places had is used again.
    pub(super) reuses: bool,
}

impl Placement {
    /// With room for all that the dump holds, as far as main memory goes; what is placed after that takes the
    /// room of what was placed first.
    pub(super) fn new(dump: &Dump) -> Self {
        let sizes: HashMap<Span, u32> = dump.records.iter().filter_map(placed).collect();
        let bytes: u64 = sizes.values().map(|&size| u64::from(size.next_multiple_of(ALIGNMENT))).sum();
        let end = RAM + (bytes + u64::from(LIST_BYTES)).min(u64::from(MOST)) as u32;
        Self { placed: HashMap::new(), next: RAM + LIST_BYTES, end }
    }

    /// Main memory: address and bytes.
    pub(super) const fn region(&self) -> (u32, u32) {
        (RAM, self.end - RAM)
    }

    /// The place of a span, with room for at least this many bytes; address 0 if there is no such room.
    pub(super) fn place(&mut self, span: Span, least: u32) -> Place {
        let size = span.size.max(least);
        if let Some(&(address, _)) = self.placed.get(&span).filter(|&&(_, room)| room >= size) {
            return Place { address, is_new: false, reuses: false };
        }
        let start = RAM + LIST_BYTES;
        if size > self.end - start {
            return Place { address: 0, is_new: false, reuses: false };
        }
        let reuses = size > self.end - self.next;
        if reuses {
            self.placed.clear();
            self.next = start;
        }
        let address = self.next;
        self.next = (address + size).next_multiple_of(ALIGNMENT).min(self.end);
        self.placed.insert(span, (address, size));
        Place { address, is_new: true, reuses }
    }
}

/// What a record places, and the bytes for it.
fn placed(record: &Record) -> Option<(Span, u32)> {
    match *record {
        Record::Vertices(span)
        | Record::Indices(span)
        | Record::TransferSource(span)
        | Record::Texture { span, .. } => Some((span, span.size)),
        Record::Clut(span) => Some((span, span.size.max(CLUT_READS))),
        _ => None,
    }
}
