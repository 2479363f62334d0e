//! ETC1 and ETC1A4: sub-tiles of 4x4 texels.
//!
//! Source: pica-fragment.md 2.9.

use super::texel::Place;
use crate::pica::surface::pixel::{five, four};
use picaflor_pipeline::memory::{Memory, read_bytes};

/// Texels of a tile of 8x8, and sub-tiles in it.
const TILE_TEXELS: u32 = 64;
const SUBTILES: u32 = 4;

/// Magnitudes of the modifier tables, for selector 0 and selector 1.
const MODIFIERS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// The colour of a texel of the level at `base`, opaque.
pub(super) fn colour(memory: &dyn Memory, base: u32, at: Place) -> [u8; 4] {
    let [r, g, b] = block_colour(word(memory, base, subtile(at) * 8), at.x & 3, at.row & 3);
    [r, g, b, 255]
}

/// The colour of a texel whose alpha lies in a word of its own before the block.
pub(super) fn colour_with_alpha(memory: &dyn Memory, base: u32, at: Place) -> [u8; 4] {
    let (x, y) = (at.x & 3, at.row & 3);
    let offset = subtile(at) * 16;
    let alpha = word(memory, base, offset) >> (4 * (4 * x + y));
    let [r, g, b] = block_colour(word(memory, base, offset + 8), x, y);
    [r, g, b, four(alpha as u16)]
}

/// Number of the sub-tile of a texel in its level: four in each tile, the top ones first.
fn subtile(at: Place) -> u32 {
    let tile = ((at.row & !7) * at.pitch + (at.x & !7) * 8) / TILE_TEXELS;
    tile * SUBTILES + (at.x >> 2 & 1) + 2 * (at.row >> 2 & 1)
}

/// Eight bytes, the lowest first.
fn word(memory: &dyn Memory, base: u32, offset: u32) -> u64 {
    u64::from_le_bytes(read_bytes(memory, base.wrapping_add(offset)))
}

/// `count` bits of a word from bit `low` on.
fn field(v: u64, low: u32, count: u32) -> u16 {
    (v >> low & ((1 << count) - 1)) as u16
}

/// Red, green, blue of texel (`x`, `y`) of a block.
fn block_colour(v: u64, x: u32, y: u32) -> [u8; 3] {
    let is_flipped = field(v, 32, 1) == 1;
    let second = if is_flipped { y >= 2 } else { x >= 2 };
    let base = if field(v, 33, 1) == 1 { differential(v, second) } else { individual(v, second) };
    let n = 4 * x + y;
    let table = field(v, if second { 34 } else { 37 }, 3);
    let magnitude = MODIFIERS[usize::from(table)][usize::from(field(v, n, 1))];
    let modifier = if field(v, 16 + n, 1) == 1 { -magnitude } else { magnitude };
    base.map(|channel| (i32::from(channel) + modifier).clamp(0, 255) as u8)
}

/// The colour of a half in individual mode: four bits for each channel.
fn individual(v: u64, second: bool) -> [u8; 3] {
    let low = if second { [56, 48, 40] } else { [60, 52, 44] };
    low.map(|low| four(field(v, low, 4)))
}

/// The colour of a half in differential mode: five bits for each channel, in the second half with a signed difference
/// of three bits. A sum outside 0 to 31 is undefined; its expansion overflows in eight bits (what emulators do).
fn differential(v: u64, second: bool) -> [u8; 3] {
    [56, 48, 40].map(|low| {
        let base = field(v, low + 3, 5);
        if !second {
            return five(base);
        }
        let delta = i32::from(field(v, low, 3));
        let sum = i32::from(base) + if delta >= 4 { delta - 8 } else { delta };
        (sum << 3 | sum >> 2) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::FlatMemory;

    /// The rows of pica-fragment.md 10.1.
    #[test]
    fn individual_mode() {
        let texel = |x, y| block_colour(0xa53c_f054_8001_8421, x, y);
        assert_eq!(texel(0, 0), [141, 22, 226]);
        assert_eq!(texel(1, 1), [199, 80, 255]);
        assert_eq!(texel(2, 2), [165, 255, 80]);
        assert_eq!(texel(3, 3), [5, 124, 0]);
        assert_eq!(texel(0, 3), [179, 60, 255]);
        assert_eq!(texel(3, 0), [109, 228, 24]);
    }

    #[test]
    fn differential_mode_flipped() {
        let texel = |x, y| block_colour(0x87fc_031f_00f0_0f0f, x, y);
        assert_eq!(texel(0, 0), [140, 255, 8]);
        assert_eq!(texel(0, 2), [255, 255, 207]);
        assert_eq!(texel(1, 0), [130, 253, 0]);
        assert_eq!(texel(1, 3), [76, 175, 0]);
        assert_eq!(texel(2, 0), [140, 255, 8]);
        assert_eq!(texel(3, 3), [170, 255, 71]);
    }

    /// Red 31 + 1 = 32: (32 << 3 | 32 >> 2) & 255 = 8. Green 0 - 1: all bits. Both then take the modifier 2.
    #[test]
    fn sums_that_overflow() {
        let word = 31 << 59 | 1 << 56 | 7 << 48 | 1 << 33;
        assert_eq!(block_colour(word, 3, 0), [10, 255, 2]);
    }

    /// Sub-tiles top-left, top-right, bottom-left, bottom-right; tiles row by row.
    #[test]
    fn order_of_subtiles() {
        let at = |x, row| subtile(Place { x, row, pitch: 16 });
        assert_eq!([at(3, 3), at(4, 0), at(0, 4), at(7, 7)], [0, 1, 2, 3]);
        assert_eq!([at(8, 0), at(0, 8), at(15, 15)], [4, 8, 15]);
    }

    /// Alpha comes first, columns first: texel (1, 2) has bits 24 to 27 of its word.
    #[test]
    fn alpha_of_etc1a4() {
        let mut bytes = vec![0; 32];
        bytes[16 + 3] = 0x0b;
        let memory = FlatMemory::new(0x1000, bytes);
        let at = |x, row| colour_with_alpha(&memory, 0x1000, Place { x, row, pitch: 8 });
        // An empty block is black in individual mode, with modifier 2.
        assert_eq!([at(5, 2), at(5, 3), at(1, 2)], [[2, 2, 2, 0xbb], [2, 2, 2, 0], [2, 2, 2, 0]]);
    }

    /// Blocks lie one after the other, with alpha in pairs of words. The fourth block alone is white.
    #[test]
    fn blocks_in_memory() {
        // All nibbles of both base colours.
        let white = u64::MAX << 40;
        let texels = |of: fn(&dyn Memory, u32, Place) -> [u8; 4], words: &[u64]| {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let memory = FlatMemory::new(0x1000, bytes);
            [[4, 3], [3, 4], [4, 4]].map(|[x, row]| of(&memory, 0x1000, Place { x, row, pitch: 8 }))
        };
        let (black, last) = ([2, 2, 2, 255], [255; 4]);
        assert_eq!(texels(colour, &[0, 0, 0, white]), [black, black, last]);
        // The alpha of the fourth block's texel (0, 0) is 5, that of all other texels is 0.
        let [black, last] = [[2, 2, 2, 0], [255, 255, 255, 0x55]];
        assert_eq!(texels(colour_with_alpha, &[0, 0, 0, 0, 0, 0, 5, white]), [black, black, last]);
    }

    /// Bit 6 of a block selects the greater magnitude, 8, for its texel (1, 2): texel (1, 6) of the third sub-tile, which
    /// begins at byte 16. Black with modifiers 2 and 8.
    #[test]
    fn texels_of_a_subtile() {
        let mut bytes = vec![0; 32];
        bytes[16] = 1 << 6;
        let memory = FlatMemory::new(0x1000, bytes);
        let at = |x, row| colour(&memory, 0x1000, Place { x, row, pitch: 8 });
        assert_eq!([at(1, 6), at(1, 5), at(1, 2)], [[8, 8, 8, 255], [2, 2, 2, 255], [2, 2, 2, 255]]);
    }
}
