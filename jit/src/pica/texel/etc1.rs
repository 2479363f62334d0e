//! ETC1 and ETC1A4 sub-tiles: 4x4 texels in 64 bits.
//!
//! Source: pica-fragment.md 2.9.

use super::colour::{expand4, expand5};

/// Magnitudes of a modifier table, by selector.
const MAGNITUDES: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// Index of a texel, column by column; coordinates inside the sub-tile.
const fn number(x: u32, y: u32) -> u32 {
    4 * (x & 3) + (y & 3)
}

const fn bits(block: u64, low: u32, count: u32) -> u16 {
    (block >> low & ((1 << count) - 1)) as u16
}

/// Red, green, blue of a texel of the sub-tile `block`; `y` is the row in memory.
pub(crate) fn colour(block: u64, x: u32, y: u32) -> [u8; 3] {
    let flip = bits(block, 32, 1) != 0;
    let second = if flip { y & 2 != 0 } else { x & 2 != 0 };
    let n = number(x, y);
    let table = bits(block, if second { 34 } else { 37 }, 3);
    let magnitude = MAGNITUDES[usize::from(table)][usize::from(bits(block, n, 1))];
    let modifier = if bits(block, 16 + n, 1) != 0 { -magnitude } else { magnitude };
    base(block, second).map(|channel| (i32::from(channel) + modifier).clamp(0, 255) as u8)
}

/// The colour of a half before the modifier.
fn base(block: u64, second: bool) -> [u8; 3] {
    let differential = bits(block, 33, 1) != 0;
    [56, 48, 40].map(|low| match (differential, second) {
        (false, false) => expand4(bits(block, low + 4, 4)),
        (false, true) => expand4(bits(block, low, 4)),
        (true, false) => expand5(bits(block, low + 3, 5)),
        (true, true) => sum(bits(block, low + 3, 5), bits(block, low, 3)),
    })
}

/// Sum of five bits and three signed ones, expanded to eight bits. A sum outside five bits overflows in the expansion
/// (unknown for the console).
const fn sum(base: u16, delta: u16) -> u8 {
    let delta = delta as i32 - if delta & 4 != 0 { 8 } else { 0 };
    let sum = base as i32 + delta;
    (sum << 3 | sum >> 2) as u8
}

/// Alpha of a texel from the alpha word of an ETC1A4 sub-tile.
pub(crate) fn alpha(word: u64, x: u32, y: u32) -> u8 {
    expand4(bits(word, 4 * number(x, y), 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn individual() {
        let at = |x, y| colour(0xa53c_f054_8001_8421, x, y);
        let corners = [at(0, 0), at(1, 1), at(2, 2), at(3, 3), at(0, 3), at(3, 0)];
        let expected =
            [[141, 22, 226], [199, 80, 255], [165, 255, 80], [5, 124, 0], [179, 60, 255], [109, 228, 24]];
        assert_eq!(corners, expected);
    }

    #[test]
    fn differential_and_flipped() {
        let at = |x, y| colour(0x87fc_031f_00f0_0f0f, x, y);
        let some = [at(0, 0), at(0, 2), at(1, 0), at(1, 3), at(2, 0), at(3, 3)];
        let expected =
            [[140, 255, 8], [255, 255, 207], [130, 253, 0], [76, 175, 0], [140, 255, 8], [170, 255, 71]];
        assert_eq!(some, expected);
    }

    #[test]
    fn sums_outside_five_bits_wrap() {
        assert_eq!((sum(31, 3), sum(0, 4), sum(16, 7)), (24, 255, 123));
    }

    #[test]
    fn alpha_counts_columns_first() {
        let word = 0xfedc_ba98_7654_3210;
        assert_eq!((alpha(word, 0, 1), alpha(word, 1, 0), alpha(word, 3, 3)), (17, 68, 255));
    }
}
