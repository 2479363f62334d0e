//! Texels: their addresses. Nothing here reads memory.
//!
//! Source: psp-ge.md 9.2, 9.3.

use super::regs::Registers;
use super::regs::texture::{Compression, TextureFormat};

/// Size in bytes of a row of a swizzled block; also the granularity of rows.
const UNIT: u32 = 16;
/// Bytes of a swizzled block: 8 rows.
const BLOCK: u32 = 8 * UNIT;

/// Memory layout of one level of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    /// Texel format.
    pub format: TextureFormat,
    /// Address of the first texel: a multiple of 16.
    pub address: u32,
    /// Texels from row to row, as in the register.
    pub width: u32,
    /// True if the level is swizzled: blocks of 8 rows are contiguous; ignored for compressed textures.
    pub swizzled: bool,
}

impl Level {
    /// A level of the texture, 0 to 7.
    #[must_use]
    pub fn of(registers: &Registers, level: u8) -> Self {
        Self {
            format: registers.texture_format(),
            address: registers.texture_address(level),
            width: registers.texture_width(level),
            swizzled: registers.texture_mode().swizzled(),
        }
    }

    /// Bytes from row to row: whole units, at least one. For compressed textures: bytes from one row of blocks to the
    /// next, any number of blocks.
    #[must_use]
    pub const fn row_bytes(&self) -> u32 {
        match self.format {
            TextureFormat::Compressed(compression) => (self.width >> 2) * compression.block_bytes(),
            _ => {
                let bytes = (self.width * self.format.bits() / 8) & !(UNIT - 1);
                if bytes == 0 { UNIT } else { bytes }
            }
        }
    }

    /// Address of a texel, or of its block. Two indices of 4 bits share a byte.
    #[must_use]
    pub const fn texel_address(&self, x: u32, y: u32) -> u32 {
        let offset = match self.format {
            TextureFormat::Compressed(compression) => (y >> 2)
                .wrapping_mul(self.row_bytes())
                .wrapping_add((x >> 2).wrapping_mul(compression.block_bytes())),
            _ => self.byte_offset(x.wrapping_mul(self.format.bits()) / 8, y),
        };
        self.address.wrapping_add(offset)
    }

    /// Number of bytes, from the address on, that hold the texels of a level of this size.
    #[must_use]
    pub const fn extent(&self, [width, height]: [u32; 2]) -> u32 {
        match self.format {
            TextureFormat::Invalid => 0,
            TextureFormat::Compressed(compression) => {
                self.texel_address(width - 1, height - 1) - self.address + compression.block_bytes()
            }
            _ => self.range([0, width - 1], [0, height - 1])[1],
        }
    }

    /// Offset of the first byte that holds texels of these columns and rows, each given by the first and the last, and the
    /// one behind the last. Rows may be shorter than the columns: then rows share bytes, or blocks do. Levels that are
    /// compressed have blocks, not rows.
    #[must_use]
    pub const fn range(&self, columns: [u32; 2], rows: [u32; 2]) -> [u32; 2] {
        let bits = self.format.bits();
        let [first, last] = [columns[0] * bits / 8, columns[1] * bits / 8];
        if self.swizzled {
            // Whole blocks, wherever in them the rows are.
            let first = self.byte_offset(first, rows[0]) / BLOCK;
            let last = self.byte_offset(last, rows[1]) / BLOCK;
            [first * BLOCK, (last + 1) * BLOCK]
        } else {
            [self.byte_offset(first, rows[0]), self.byte_offset(last, rows[1]) + bits.div_ceil(8)]
        }
    }

    /// Offset of a byte of row `y`. Levels that are compressed have blocks, not rows.
    #[must_use]
    pub const fn byte_offset(&self, byte: u32, y: u32) -> u32 {
        let row = self.row_bytes();
        if self.swizzled {
            let block = (y >> 3).wrapping_mul(row / UNIT).wrapping_add(byte / UNIT);
            block.wrapping_mul(BLOCK).wrapping_add((y & 7) * UNIT + byte % UNIT)
        } else {
            y.wrapping_mul(row).wrapping_add(byte)
        }
    }
}

impl Compression {
    /// Bytes per block.
    #[must_use]
    pub const fn block_bytes(self) -> u32 {
        match self {
            Self::Dxt1 => 8,
            Self::Dxt3 | Self::Dxt5 => 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(code: u32, width: u32, swizzled: bool) -> Level {
        Level { format: TextureFormat::of(code), address: 0x0400_0000, width, swizzled }
    }

    #[test]
    fn codes() {
        assert!((0..11).all(|code| TextureFormat::of(code | 0x30).code() == code));
        assert!((11..16).all(|code| TextureFormat::of(code) == TextureFormat::Invalid));
        let bits = [0, 1, 2, 3, 4, 5, 6, 7].map(|code| TextureFormat::of(code).bits());
        assert_eq!(bits, [16, 16, 16, 32, 4, 8, 16, 32]);
    }

    #[test]
    fn extents_hold_all_texels() {
        let cases = (0..11).flat_map(|code| [(code, false), (code, true)]);
        for (code, swizzled) in cases {
            for (width, [w, h]) in
                [(64, [64, 16]), (16, [64, 8]), (0, [4, 2]), (0x7ff, [32, 33]), (8, [1, 1])]
            {
                let level = level(code, width, swizzled);
                let bytes = match level.format {
                    TextureFormat::Compressed(compression) => compression.block_bytes(),
                    format => format.bits().div_ceil(8),
                };
                let places = (0..h).flat_map(|y| (0..w).map(move |x| (x, y)));
                let end = places.map(|(x, y)| level.texel_address(x, y) + bytes - level.address).max();
                let (end, extent) = (end.unwrap_or(0), level.extent([w, h]));
                assert!(end <= extent && extent < end + BLOCK, "{level:?}: {end} of {extent}");
            }
        }
        assert_eq!(level(11, 64, false).extent([64, 64]), 0);
    }

    /// Parts of levels, whose rows may be shorter than their columns.
    #[test]
    fn ranges_hold_all_texels_of_a_part() {
        for (code, width, swizzled) in
            [(3, 4, true), (3, 64, true), (5, 0, true), (4, 32, false), (1, 8, false)]
        {
            let level = level(code, width, swizzled);
            for (columns, rows) in [([0, 31], [5, 5]), ([9, 30], [2, 17]), ([3, 3], [8, 8])] {
                let [first, end] = level.range(columns, rows);
                let bytes = level.format.bits().div_ceil(8);
                let places = (rows[0]..=rows[1]).flat_map(|y| (columns[0]..=columns[1]).map(move |x| (x, y)));
                let offsets: Vec<u32> =
                    places.map(|(x, y)| level.texel_address(x, y) - level.address).collect();
                let (least, most) = (offsets.iter().min().copied(), offsets.iter().max().copied());
                assert!(
                    least.is_some_and(|least| first <= least && least < first + BLOCK),
                    "{level:?} {columns:?}"
                );
                assert!(
                    most.is_some_and(|most| most + bytes <= end && end < most + bytes + BLOCK),
                    "{level:?}"
                );
            }
        }
    }

    /// Widths are rounded down to units, and never to nothing.
    #[test]
    fn rows() {
        let rows = |code| [0, 1, 15, 17, 33, 0x7ff].map(|width| level(code, width, false).row_bytes());
        assert_eq!(rows(0), [16, 16, 16, 32, 64, 4080]);
        assert_eq!(rows(3), [16, 16, 48, 64, 128, 8176]);
        assert_eq!(rows(4), [16, 16, 16, 16, 16, 1008]);
        assert_eq!(rows(5), [16, 16, 16, 16, 32, 2032]);
        assert_eq!(rows(8), [0, 0, 24, 32, 64, 511 * 8]);
        assert_eq!(rows(10), [0, 0, 48, 64, 128, 511 * 16]);
    }

    #[test]
    fn addresses() {
        let at = |level: Level, x, y| level.texel_address(x, y) - 0x0400_0000;
        assert_eq!(at(level(3, 32, false), 5, 2), 2 * 128 + 20);
        assert_eq!(at(level(4, 32, false), 5, 2), 2 * 16 + 2);
        assert_eq!(at(level(3, 32, true), 5, 2), 128 + 2 * 16 + 4);
        assert_eq!(at(level(5, 64, true), 17, 9), (4 + 1) * 128 + 16 + 1);
        assert_eq!(at(level(8, 16, true), 5, 6), (4 + 1) * 8);
        assert_eq!(at(level(9, 16, false), 5, 6), (4 + 1) * 16);
    }

    /// Each byte of a level has its own place, swizzled or not.
    #[test]
    fn swizzling_is_a_permutation() {
        let level = level(5, 48, true);
        let mut places: Vec<_> = (0..48 * 16).map(|n| level.texel_address(n % 48, n / 48)).collect();
        places.sort_unstable();
        assert!(places.iter().zip(0x0400_0000..).all(|(&place, expected)| place == expected));
    }

    /// 9.3: whole blocks of 4 x 4 texels: 16 of 8 bytes in each row of 64 texels.
    #[test]
    fn extents_of_compressed_levels() {
        let level = level(8, 64, false);
        let extents = [[64, 16], [64, 5], [61, 4], [5, 4], [4, 5]].map(|size| level.extent(size));
        assert_eq!(extents, [512, 256, 128, 16, 136]);
    }
}
