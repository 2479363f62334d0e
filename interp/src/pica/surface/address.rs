//! Order of pixels in memory: linear, in blocks of 8x8, in blocks of 32x32.
//!
//! Source: pica-geometry.md 6.8, pica-fragment.md 2.7 and 7.1.

/// Order of the pixels of an image in memory. Rows are rows of memory, the first one at the lowest address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Row by row.
    Linear,
    /// Blocks of 8x8 pixels, row by row; inside a block the bits of column and row alternate.
    Blocks8,
    /// Blocks of 32x32 pixels, likewise (assumed).
    Blocks32,
}

impl Order {
    /// Position of a pixel in an image whose rows are `pitch` pixels apart, in pixels. Where `pitch` is not a multiple
    /// of the side of a block, positions of several pixels may be equal (assumed: the formula is taken as it stands).
    pub(crate) fn index(self, x: u32, row: u32, pitch: u32) -> u64 {
        let [x, row, pitch] = [x, row, pitch].map(u64::from);
        match self {
            Self::Linear => row * pitch + x,
            Self::Blocks8 => (row & !7) * pitch + (x & !7) * 8 + interleaved(x & 7, row & 7),
            Self::Blocks32 => (row & !31) * pitch + (x & !31) * 32 + interleaved(x & 31, row & 31),
        }
    }

    /// Side of a block, 1 without blocks.
    pub(crate) fn side(self) -> u32 {
        match self {
            Self::Linear => 1,
            Self::Blocks8 => 8,
            Self::Blocks32 => 32,
        }
    }
}

/// Bits of both numbers in turn, from the lowest up, first that of `x`. Five bits of each are looked at.
fn interleaved(x: u64, y: u64) -> u64 {
    (0..5).map(|bit| (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of pica-geometry.md 6.8: x to the right, y downward.
    #[test]
    fn inside_a_block() {
        let table = [
            [0, 1, 4, 5, 16, 17, 20, 21],
            [2, 3, 6, 7, 18, 19, 22, 23],
            [8, 9, 12, 13, 24, 25, 28, 29],
            [10, 11, 14, 15, 26, 27, 30, 31],
            [32, 33, 36, 37, 48, 49, 52, 53],
            [34, 35, 38, 39, 50, 51, 54, 55],
            [40, 41, 44, 45, 56, 57, 60, 61],
            [42, 43, 46, 47, 58, 59, 62, 63],
        ];
        for (row, line) in table.into_iter().enumerate() {
            let found: Vec<_> = (0..8).map(|x| Order::Blocks8.index(x, row as u32, 8)).collect();
            assert_eq!(found, line);
        }
    }

    /// The rows of pica-fragment.md 10.1.
    #[test]
    fn blocks_row_by_row() {
        assert_eq!(Order::Blocks8.index(13, 9, 64), 595);
        assert_eq!(Order::Blocks8.index(239, 319, 240), 76_799);
        assert_eq!(Order::Linear.index(13, 9, 64), 589);
    }

    /// pica-fragment.md 7.1: 1024 pixels of a block, of which the first 64 are in the order of a small block.
    #[test]
    fn large_blocks() {
        let at = |x, row| Order::Blocks32.index(x, row, 64);
        assert_eq!([at(7, 7), at(8, 0), at(0, 8), at(16, 0), at(0, 16)], [63, 64, 128, 256, 512]);
        assert_eq!([at(31, 31), at(32, 0), at(0, 32), at(63, 63)], [1023, 1024, 2048, 4095]);
    }

    /// pica-geometry.md 6.8: rows of blocks are 8 widths apart, whatever the width.
    #[test]
    fn pitch_that_is_no_multiple_of_8() {
        assert_eq!([Order::Blocks8.index(0, 8, 12), Order::Blocks8.index(8, 0, 12)], [96, 64]);
    }
}
