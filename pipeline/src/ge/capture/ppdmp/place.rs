//! Allocator of addresses in main memory for the bytes of records.

use super::Span;
use std::collections::HashMap;

/// Start of main memory; the running list lies there.
pub(super) const RAM: u32 = 0x0800_0000;
/// Bytes reserved for a list.
pub(super) const LIST_BYTES: u32 = 1 << 18;
/// Maximum size of main memory in bytes: the size of its address range.
const MOST: u32 = 0x0800_0000;
/// First and last address of allocations.
const START: u32 = RAM + LIST_BYTES;
const END: u32 = RAM + MOST;
/// Bytes that the largest CLOAD reads.
pub(super) const CLUT_READS: u32 = 63 * 32;
/// Alignment required by textures, tables and transfers.
const ALIGNMENT: u32 = 16;

/// Allocated spans. Equal spans share an allocation.
pub(super) struct Placement {
    /// Address and capacity in bytes.
    placed: HashMap<Span, (u32, u32)>,
    next: u32,
    /// End of the largest use so far.
    end: u32,
}

/// An allocation.
pub(super) struct Place {
    pub(super) address: u32,
    /// True if its bytes have not been written yet.
    pub(super) is_new: bool,
    /// True if it reuses memory of earlier allocations.
    pub(super) reuses: bool,
}

impl Placement {
    /// An empty allocator. When main memory is full, it reuses the oldest allocations.
    pub(super) fn new() -> Self {
        Self { placed: HashMap::new(), next: START, end: START }
    }

    /// The used part of main memory: address and bytes.
    pub(super) const fn region(&self) -> (u32, u32) {
        (RAM, self.end - RAM)
    }

    /// The allocation of a span, with a capacity of at least `least` bytes; address 0 if main memory is too small.
    pub(super) fn place(&mut self, span: Span, least: u32) -> Place {
        let size = span.size.max(least);
        if let Some(&(address, _)) = self.placed.get(&span).filter(|&&(_, room)| room >= size) {
            return Place { address, is_new: false, reuses: false };
        }
        if size > END - START {
            return Place { address: 0, is_new: false, reuses: false };
        }
        let reuses = size > END - self.next;
        if reuses {
            self.placed.clear();
            self.next = START;
        }
        let address = self.next;
        self.next = (address + size).next_multiple_of(ALIGNMENT).min(END);
        self.end = self.end.max(self.next);
        self.placed.insert(span, (address, size));
        Place { address, is_new: true, reuses }
    }
}
