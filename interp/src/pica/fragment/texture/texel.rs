//! One texel: address and content, in every format.
//!
//! Source: pica-fragment.md 2.7-2.9, 2.14.

use super::etc1;
use crate::pica::surface::address::Order;
use crate::pica::surface::pixel::{Layout, four};
use picaflor_pipeline::memory::{Memory, read_bytes};
use picaflor_pipeline::pica::texel::TextureFormat;

/// Place of a texel in a level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Column.
    pub(super) x: u32,
    /// Row in memory, the top one first.
    pub(super) row: u32,
    /// Distance of rows in texels, a multiple of 8.
    pub(super) pitch: u32,
}

/// Bits of a texel. The unknown formats count as none (assumed).
pub(super) fn bits(format: TextureFormat) -> u32 {
    match format {
        TextureFormat::Rgba8 => 32,
        TextureFormat::Rgb8 => 24,
        TextureFormat::Rgb5a1 | TextureFormat::Rgb565 | TextureFormat::Rgba4 => 16,
        TextureFormat::Ia8 | TextureFormat::Hilo8 => 16,
        TextureFormat::I8 | TextureFormat::A8 | TextureFormat::Ia4 | TextureFormat::Etc1a4 => 8,
        TextureFormat::I4 | TextureFormat::A4 | TextureFormat::Etc1 => 4,
        TextureFormat::Unknown14 | TextureFormat::Unknown15 => 0,
    }
}

/// Red, green, blue, alpha of a texel of the level at `base`. Bytes that are not mapped are zero.
pub(super) fn load(memory: &dyn Memory, format: TextureFormat, base: u32, at: Place) -> [u8; 4] {
    let index = Order::Blocks8.index(at.x, at.row, at.pitch) as u32;
    let address = base.wrapping_add(index * bits(format) / 8);
    if let Some(layout) = Layout::of_texture(format) {
        return layout.load(memory, address);
    }
    match format {
        TextureFormat::Ia8 => {
            let [alpha, intensity] = read_bytes(memory, address);
            grey(intensity, alpha)
        }
        TextureFormat::Hilo8 => {
            let [green, red] = read_bytes(memory, address);
            [red, green, 0, 255]
        }
        TextureFormat::I8 => grey(memory.byte(address), 255),
        TextureFormat::A8 => [0, 0, 0, memory.byte(address)],
        TextureFormat::Ia4 => {
            let byte = u16::from(memory.byte(address));
            grey(four(byte >> 4), four(byte))
        }
        TextureFormat::I4 => grey(nibble(memory.byte(address), index), 255),
        TextureFormat::A4 => [0, 0, 0, nibble(memory.byte(address), index)],
        TextureFormat::Etc1 => etc1::colour(memory, base, at),
        TextureFormat::Etc1a4 => etc1::colour_with_alpha(memory, base, at),
        _ => [0, 0, 0, 255],
    }
}

fn grey(intensity: u8, alpha: u8) -> [u8; 4] {
    [intensity, intensity, intensity, alpha]
}

/// The half of a byte that has texel `index`: the even one has the low half.
fn nibble(byte: u8, index: u32) -> u8 {
    four(u16::from(byte) >> (index % 2 * 4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::bits::Field;
    use picaflor_pipeline::memory::FlatMemory;

    /// The texel at column 1 of the first row: index 1.
    fn second(code: u32, bytes: &[u8]) -> [u8; 4] {
        let memory = FlatMemory::new(0x1000, bytes.to_vec());
        load(&memory, TextureFormat::from_bits(code), 0x1000, Place { x: 1, row: 0, pitch: 8 })
    }

    /// The table of pica-fragment.md 2.8.
    #[test]
    fn formats() {
        assert_eq!(second(0, &[0, 0, 0, 0, 1, 2, 3, 4]), [4, 3, 2, 1]);
        assert_eq!(second(1, &[0, 0, 0, 1, 2, 3]), [3, 2, 1, 255]);
        assert_eq!(second(2, &[0, 0, 0x01, 0xf8]), [255, 0, 0, 255]);
        assert_eq!(second(3, &[0, 0, 0xe0, 0x07]), [0, 255, 0, 255]);
        assert_eq!(second(4, &[0, 0, 0x34, 0x12]), [0x11, 0x22, 0x33, 0x44]);
        assert_eq!(second(5, &[0, 0, 1, 2]), [2, 2, 2, 1]);
        assert_eq!(second(6, &[0, 0, 1, 2]), [2, 1, 0, 255]);
        assert_eq!(second(7, &[0, 9]), [9, 9, 9, 255]);
        assert_eq!(second(8, &[0, 9]), [0, 0, 0, 9]);
        assert_eq!(second(9, &[0, 0x21]), [0x22, 0x22, 0x22, 0x11]);
        assert_eq!(second(10, &[0x21]), [0x22, 0x22, 0x22, 255]);
        assert_eq!(second(11, &[0x21]), [0, 0, 0, 0x22]);
        // Black and its first modifier; texel (1, 0) has bits 16 to 19 of the alpha.
        assert_eq!(second(12, &[0; 8]), [2, 2, 2, 255]);
        assert_eq!(second(13, &[[0, 0, 9, 0, 0, 0, 0, 0], [0; 8]].concat()), [2, 2, 2, 0x99]);
        assert_eq!([second(14, &[9; 8]), second(15, &[9; 8])], [[0, 0, 0, 255]; 2]);
    }

    /// Tiles row by row; the texel of index 0 has the low half of its byte.
    #[test]
    fn nibbles_of_tiles() {
        let mut bytes = vec![0; 128];
        // Column 8, row 9 of a pitch of 16: tile 3, index 2 in the tile.
        bytes[(3 * 64 + 2) / 2] = 0xf3;
        let memory = FlatMemory::new(0, bytes);
        let at = |x| load(&memory, TextureFormat::A4, 0, Place { x, row: 9, pitch: 16 })[3];
        assert_eq!([at(8), at(9)], [0x33, 0xff]);
    }

    /// pica-fragment.md 2.14: what is not mapped reads as zero.
    #[test]
    fn unmapped_bytes() {
        assert_eq!(second(0, &[0, 0, 0, 0, 1, 2]), [0, 0, 2, 1]);
        assert_eq!(second(1, &[]), [0, 0, 0, 255]);
    }
}
