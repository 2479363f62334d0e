//! Pixels with a colour: bytes of memory from and to red, green, blue, alpha.
//!
//! Source: pica-geometry.md 6.8 and 7.2, pica-fragment.md 2.8 and 7.1.

use picaflor_pipeline::memory::{Memory, read_bytes};
use picaflor_pipeline::pica::texel::{ColourFormat, TextureFormat, TransferFormat};

/// Layout of a pixel, shared by colour buffers, textures, transfers and the screens. Words have two bytes, the lower
/// one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Bytes A, B, G, R.
    Rgba8,
    /// Bytes B, G, R.
    Rgb8,
    /// Word: R 15:11, G 10:6, B 5:1, A 0.
    Rgb5a1,
    /// Word: R 15:11, G 10:5, B 4:0.
    Rgb565,
    /// Word: R 15:12, G 11:8, B 7:4, A 3:0.
    Rgba4,
}

impl Layout {
    /// Layout of a colour buffer; `None` in the unknown formats.
    pub(crate) fn of_colour(format: ColourFormat) -> Option<Self> {
        Some(match format {
            ColourFormat::Rgba8 => Self::Rgba8,
            ColourFormat::Rgb8 => Self::Rgb8,
            ColourFormat::Rgb5a1 => Self::Rgb5a1,
            ColourFormat::Rgb565 => Self::Rgb565,
            ColourFormat::Rgba4 => Self::Rgba4,
            ColourFormat::Unknown => return None,
        })
    }

    /// Layout of a texel; `None` in the formats that only textures have.
    pub(crate) fn of_texture(format: TextureFormat) -> Option<Self> {
        Some(match format {
            TextureFormat::Rgba8 => Self::Rgba8,
            TextureFormat::Rgb8 => Self::Rgb8,
            TextureFormat::Rgb5a1 => Self::Rgb5a1,
            TextureFormat::Rgb565 => Self::Rgb565,
            TextureFormat::Rgba4 => Self::Rgba4,
            _ => return None,
        })
    }

    /// Layout of a pixel of a transfer or a screen.
    pub(crate) fn of_transfer(format: TransferFormat) -> Self {
        match format {
            TransferFormat::Rgba8 => Self::Rgba8,
            TransferFormat::Rgb8 => Self::Rgb8,
            TransferFormat::Rgb565 => Self::Rgb565,
            TransferFormat::Rgb5a1 => Self::Rgb5a1,
            TransferFormat::Rgba4 => Self::Rgba4,
        }
    }

    /// Bytes of a pixel.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Rgba8 => 4,
            Self::Rgb8 => 3,
            Self::Rgb5a1 | Self::Rgb565 | Self::Rgba4 => 2,
        }
    }

    /// Red, green, blue, alpha of the pixel at `address`; bytes that are not mapped are zero.
    pub(crate) fn load(self, memory: &dyn Memory, address: u32) -> [u8; 4] {
        let mut pixel = [0; 4];
        match self {
            Self::Rgba8 => pixel = read_bytes(memory, address),
            Self::Rgb8 => pixel[..3].copy_from_slice(&read_bytes::<3>(memory, address)),
            _ => pixel[..2].copy_from_slice(&read_bytes::<2>(memory, address)),
        }
        self.decode(pixel)
    }

    /// Red, green, blue, alpha of the bytes of a pixel; bytes past its size do not count. High bits are replicated
    /// downward; alpha is 255 where there is none.
    pub(crate) fn decode(self, [b0, b1, b2, b3]: [u8; 4]) -> [u8; 4] {
        let word = u16::from_le_bytes([b0, b1]);
        match self {
            Self::Rgba8 => [b3, b2, b1, b0],
            Self::Rgb8 => [b2, b1, b0, 255],
            Self::Rgb5a1 => [five(word >> 11), five(word >> 6), five(word >> 1), one(word)],
            Self::Rgb565 => [five(word >> 11), six(word >> 5), five(word), 255],
            Self::Rgba4 => [four(word >> 12), four(word >> 8), four(word >> 4), four(word)],
        }
    }

    /// The bytes of a pixel, zeros past its size. Channels are truncated (assumed for colour buffers, measured on a
    /// console for transfers).
    pub(crate) fn encode(self, [r, g, b, a]: [u8; 4]) -> [u8; 4] {
        let [wide_r, wide_g, wide_b, wide_a] = [r, g, b, a].map(u16::from);
        let word = match self {
            Self::Rgba8 => return [a, b, g, r],
            Self::Rgb8 => return [b, g, r, 0],
            Self::Rgb5a1 => (wide_r >> 3) << 11 | (wide_g >> 3) << 6 | (wide_b >> 3) << 1 | wide_a >> 7,
            Self::Rgb565 => (wide_r >> 3) << 11 | (wide_g >> 2) << 5 | wide_b >> 3,
            Self::Rgba4 => (wide_r >> 4) << 12 | (wide_g >> 4) << 8 | (wide_b >> 4) << 4 | wide_a >> 4,
        };
        let [low, high] = word.to_le_bytes();
        [low, high, 0, 0]
    }
}

/// The lowest bit as a channel.
fn one(word: u16) -> u8 {
    (word & 1) as u8 * 255
}

/// The lowest four bits as a channel.
pub(crate) fn four(word: u16) -> u8 {
    (word & 15) as u8 * 17
}

/// The lowest five bits as a channel.
pub(crate) fn five(word: u16) -> u8 {
    let n = word & 31;
    (n << 3 | n >> 2) as u8
}

/// The lowest six bits as a channel.
fn six(word: u16) -> u8 {
    let n = word & 63;
    (n << 2 | n >> 4) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(layout: Layout, word: u16) -> [u8; 4] {
        let [low, high] = word.to_le_bytes();
        layout.decode([low, high, 0xff, 0xff])
    }

    /// The rows of pica-fragment.md 10.1.
    #[test]
    fn expansion() {
        assert_eq!([1, 15, 16, 30].map(five), [8, 123, 132, 247]);
        assert_eq!([1, 31, 32, 62].map(six), [4, 125, 130, 251]);
        assert_eq!(([0, 8, 15].map(four), [0, 1].map(one)), ([0, 136, 255], [0, 255]));
        assert_eq!(Layout::Rgba8.decode([0x11, 0x22, 0x33, 0x44]), [0x44, 0x33, 0x22, 0x11]);
    }

    /// Byte orders and word layouts of the table in pica-geometry.md 6.8.
    #[test]
    fn layouts() {
        assert_eq!(Layout::Rgb8.decode([1, 2, 3, 4]), [3, 2, 1, 255]);
        assert_eq!(word(Layout::Rgb5a1, 0xf800), [255, 0, 0, 0]);
        assert_eq!(word(Layout::Rgb5a1, 0x07c1), [0, 255, 0, 255]);
        assert_eq!(word(Layout::Rgb5a1, 0x003e), [0, 0, 255, 0]);
        assert_eq!(word(Layout::Rgb565, 0x07e0), [0, 255, 0, 255]);
        assert_eq!(word(Layout::Rgb565, 0x081f), [8, 0, 255, 255]);
        assert_eq!(word(Layout::Rgba4, 0x1248), [0x11, 0x22, 0x44, 0x88]);
    }

    /// pica-geometry.md 12: alpha 7F to 0 and 80 to 1; 64 to 6, FE to F.
    #[test]
    fn truncation() {
        assert_eq!(Layout::Rgb5a1.encode([255, 0, 0, 0x7f]), [0x00, 0xf8, 0, 0]);
        assert_eq!(Layout::Rgb5a1.encode([0, 255, 0, 0x80]), [0xc1, 0x07, 0, 0]);
        assert_eq!(Layout::Rgb565.encode([0, 7, 255, 0]), [0x3f, 0x00, 0, 0]);
        assert_eq!(Layout::Rgba4.encode([0x10, 0x2f, 0x3e, 0x64]), [0x36, 0x12, 0, 0]);
        assert_eq!(Layout::Rgba8.encode([1, 2, 3, 4]), [4, 3, 2, 1]);
        assert_eq!(Layout::Rgb8.encode([1, 2, 3, 4]), [3, 2, 1, 0]);
    }

    /// pica-fragment.md 7.1: truncation after expansion gives the pixel back.
    #[test]
    fn unchanged_pixels_survive() {
        for layout in [Layout::Rgb5a1, Layout::Rgb565, Layout::Rgba4] {
            for bits in 0..=u16::MAX {
                let [low, high] = bits.to_le_bytes();
                assert_eq!(layout.encode(word(layout, bits)), [low, high, 0, 0]);
            }
        }
    }

    /// The trap of pica-geometry.md 6.8: the two numberings differ in codes 2 and 3.
    #[test]
    fn numberings() {
        use picaflor_pipeline::bits::Field;
        let colour = [0, 1, 2, 3, 4, 5].map(|code| Layout::of_colour(ColourFormat::from_bits(code)));
        let texture = [0, 1, 2, 3, 4, 5].map(|code| Layout::of_texture(TextureFormat::from_bits(code)));
        let transfer = [0, 1, 2, 3, 4, 7].map(|code| Layout::of_transfer(TransferFormat::from_bits(code)));
        let known = [Layout::Rgba8, Layout::Rgb8, Layout::Rgb5a1, Layout::Rgb565, Layout::Rgba4].map(Some);
        assert_eq!((&colour[..5], &texture[..5]), (&known[..], &known[..]));
        assert_eq!((colour[5], texture[5]), (None, None));
        use Layout::{Rgb5a1, Rgb8, Rgb565, Rgba4, Rgba8};
        assert_eq!(transfer, [Rgba8, Rgb8, Rgb565, Rgb5a1, Rgba4, Rgba4]);
    }
}
