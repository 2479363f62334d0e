//! Rows whose groups are all alike, as are those of the fourth row below: code draws a group of the first four rows, and the others
//! are copies of these.
//!
//! Source: psp-ge.md 16.

use picaflor_pipeline::ge::vram::{AddressMaps, VRAM_BYTES};
use std::ops::Range;

/// What groups of a row store, all of them the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fill {
    /// Bits of a pixel that are stored, as the format of the buffer has them; `None` if no colour is touched.
    pub(crate) colour: Option<u32>,
    /// How addresses of depth are mapped, if depth is stored.
    pub(crate) depth: Option<AddressMaps>,
}

/// Rows after which the dither matrix, which is all that a row decides, begins anew.
pub(crate) const PATTERN: i32 = 4;

/// Groups that are copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Copies {
    /// Their columns, from one up to before the other: whole groups.
    pub(crate) columns: [i32; 2],
    pub(crate) rows: Range<i32>,
    /// Column and row of the first group that was drawn; those below it up to the [fourth](PATTERN) row were too.
    pub(crate) of: [i32; 2],
}

impl Copies {
    /// The columns and rows of copies and of what they are copies of.
    pub(super) fn around(&self) -> ([i32; 2], Range<i32>) {
        let ([from, to], [column, row]) = (self.columns, self.of);
        ([from.min(column), to.max(column + 4)], self.rows.start.min(row)..self.rows.end)
    }

    /// The row that a row is a copy of.
    const fn source(&self, y: i32) -> i32 {
        self.of[1] + (y - self.of[1]) % PATTERN
    }
}

/// A buffer before addresses are mapped: offset in VRAM, bytes of a pixel, bytes from row to row.
pub(super) type Buffer = [u32; 3];

/// True if these columns of different rows have no group in common, and none is behind the end of VRAM. Columns are whole
/// groups.
pub(super) fn is_apart([start, bytes, down]: Buffer, columns: [i32; 2], rows: &Range<i32>) -> bool {
    let [from, to, last] =
        [columns[0], columns[1], rows.end - 1].map(|number| u64::from(number.cast_unsigned()));
    let [start, bytes, down] = [start, bytes, down].map(u64::from);
    let end = start + last * down + to * bytes;
    (rows.len() == 1 || (to - from) * bytes <= down) && end <= u64::from(VRAM_BYTES)
}

/// Makes copies, of the bits that are `stored` of each pixel.
///
/// # Safety
/// `vram` is all of VRAM, and nobody else accesses these groups meanwhile. All of them [are apart](is_apart). No copy lies above
/// the first row that groups are copied from.
pub(super) unsafe fn copy_colours(vram: *mut u8, buffer: Buffer, stored: u32, copies: &Copies) {
    let [_, bytes, _] = buffer;
    let kept = match bytes {
        4 => !stored,
        _ => !(stored & 0xffff | stored << 16),
    };
    let (kept, words) = (u64::from(kept) << 32 | u64::from(kept), words(bytes, copies.columns));
    for y in copies.rows.clone() {
        // SAFETY: offsets of groups are inside VRAM, as the caller says, and the words end with the last column.
        unsafe {
            let to = vram.add(offset(buffer, copies.columns[0], y));
            let first = vram.add(offset(buffer, copies.of[0], copies.source(y))).cast::<[u64; 2]>();
            let first = first.read_unaligned();
            let group = if bytes == 4 { first } else { [first[0]; 2] };
            if kept == 0 {
                fill(to.cast(), words, group);
            } else {
                mix(to.cast(), words, group.map(|word| word & !kept), kept);
            }
        }
    }
}

/// Likewise all depths.
///
/// # Safety
/// As there.
pub(super) unsafe fn copy_depths(vram: *mut u8, buffer: Buffer, maps: AddressMaps, copies: &Copies) {
    let words = words(2, copies.columns);
    for y in copies.rows.clone() {
        let first = offset(buffer, copies.columns[0], y);
        let source = offset(buffer, copies.of[0], copies.source(y));
        let at = |offset: usize| maps.depth(offset as u32) as usize;
        // SAFETY: offsets of groups are inside VRAM, as the caller says, and stay so when they are mapped.
        unsafe {
            let group = vram.add(at(source)).cast::<u64>().read_unaligned();
            if maps == AddressMaps::Flat {
                fill(vram.add(first).cast(), words, [group; 2]);
                continue;
            }
            // Runs of 32 bytes stay contiguous.
            let (mut from, end) = (first, first + 8 * words);
            while from < end {
                let to = end.min((from | 31) + 1);
                fill(vram.add(at(from)).cast(), (to - from) / 8, [group; 2]);
                from = to;
            }
        }
    }
}

/// Words of 64 bits in whole groups.
const fn words(bytes: u32, [from, to]: [i32; 2]) -> usize {
    ((to - from) as u32 * bytes / 8) as usize
}

/// Offset of a pixel.
const fn offset([start, bytes, down]: Buffer, x: i32, y: i32) -> usize {
    (start + x as u32 * bytes + y as u32 * down) as usize
}

/// # Safety
/// There are so many words to write.
unsafe fn fill(to: *mut u64, words: usize, pair: [u64; 2]) {
    // SAFETY: all of them are below `words`.
    unsafe {
        for n in 0..words / 2 {
            to.cast::<[u64; 2]>().add(n).write_unaligned(pair);
        }
        if words % 2 == 1 {
            to.add(words - 1).write_unaligned(pair[0]);
        }
    }
}

/// Writes bits beside those that are kept.
///
/// # Safety
/// There are so many words to read and write.
unsafe fn mix(to: *mut u64, words: usize, pair: [u64; 2], kept: u64) {
    // SAFETY: all of them are below `words`.
    unsafe {
        for n in 0..words / 2 {
            let to = to.cast::<[u64; 2]>().add(n);
            let [a, b] = to.read_unaligned();
            to.write_unaligned([a & kept | pair[0], b & kept | pair[1]]);
        }
        if words % 2 == 1 {
            let to = to.add(words - 1);
            to.write_unaligned(to.read_unaligned() & kept | pair[0]);
        }
    }
}
