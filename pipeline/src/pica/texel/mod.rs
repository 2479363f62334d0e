//! Texels: the texture formats, the addresses of texels, the sizes and offsets of levels, and the colours common to
//! textures and the framebuffer.
//!
//! Source: pica-fragment.md 2.7-2.10 and 2.14.

pub(crate) mod colour;
pub mod etc1;

pub use colour::{ColourFormat, TransferFormat};

use crate::memory::Memory;
use crate::pica::span::Span;
use crate::pica::tiling::morton;
use colour::expand4;

crate::field_enum! {
    /// Format of a texture, bits 3:0 of 0x08E, 0x096 and 0x09E.
    pub enum TextureFormat {
        /// Bytes A, B, G, R.
        Rgba8,
        /// Bytes B, G, R.
        Rgb8,
        /// r 15:11, g 10:6, b 5:1, a 0.
        Rgb5a1,
        /// r 15:11, g 10:5, b 4:0.
        Rgb565,
        /// r 15:12, g 11:8, b 7:4, a 3:0.
        Rgba4,
        /// Byte of alpha, byte of intensity.
        Ia8,
        /// Byte of green, byte of red; blue is 0.
        Hilo8,
        /// Intensity.
        I8,
        /// Alpha; the colour is black.
        A8,
        /// Intensity in the high nibble, alpha in the low one.
        Ia4,
        /// Intensity; the even texel has the low nibble.
        I4,
        /// Alpha, as `I4`; the colour is black.
        A4,
        /// 4x4 texels in 8 bytes.
        Etc1,
        /// 4x4 texels in 8 bytes of alpha and 8 of ETC1.
        Etc1a4,
        /// Unknown: every texel is opaque black (assumed).
        Unknown14,
        /// Like `Unknown14`.
        Unknown15,
    } else Unknown15
}

impl TextureFormat {
    /// Bits per texel; 0 for the unknown formats.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Rgba8 => 32,
            Self::Rgb8 => 24,
            Self::Rgb5a1 | Self::Rgb565 | Self::Rgba4 | Self::Ia8 | Self::Hilo8 => 16,
            Self::I8 | Self::A8 | Self::Ia4 | Self::Etc1a4 => 8,
            Self::I4 | Self::A4 | Self::Etc1 => 4,
            Self::Unknown14 | Self::Unknown15 => 0,
        }
    }

    /// The colour format with the same layout; five formats have one.
    #[must_use]
    pub const fn colour(self) -> Option<ColourFormat> {
        match self {
            Self::Rgba8 => Some(ColourFormat::Rgba8),
            Self::Rgb8 => Some(ColourFormat::Rgb8),
            Self::Rgb5a1 => Some(ColourFormat::Rgb5a1),
            Self::Rgb565 => Some(ColourFormat::Rgb565),
            Self::Rgba4 => Some(ColourFormat::Rgba4),
            _ => None,
        }
    }

    const fn is_compressed(self) -> bool {
        matches!(self, Self::Etc1 | Self::Etc1a4)
    }
}

/// Texels from row to row of a level `width` texels wide: `width` rounded up to a multiple of 8 (the rounding is
/// assumed).
#[must_use]
pub(crate) const fn pitch(width: u32) -> u32 {
    width.wrapping_add(7) & !7
}

/// Bytes of a level; sides are rounded up to a multiple of 8.
#[must_use]
pub const fn level_bytes(format: TextureFormat, width: u32, height: u32) -> u32 {
    (pitch(width).wrapping_mul(pitch(height)) / 8).wrapping_mul(format.bits())
}

/// Offset of level `level` of a texture of `width` by `height`, in bytes from level 0.
#[must_use]
pub fn level_offset(format: TextureFormat, width: u32, height: u32, level: u32) -> u32 {
    let bytes =
        |k| level_bytes(format, width.checked_shr(k).unwrap_or(0), height.checked_shr(k).unwrap_or(0));
    (0..level.min(32)).map(bytes).fold(0, u32::wrapping_add)
}

/// The last usable level: no side below 8, except for level 0 (assumed; smaller ones are not found in software).
#[must_use]
pub fn last_usable_level(width: u32, height: u32) -> u32 {
    width.min(height).checked_ilog2().unwrap_or(0).saturating_sub(3)
}

/// Offset in bytes of the texel's pixel or sub-tile from the start of a level, and the index of the texel in its
/// tile.
const fn place(format: TextureFormat, pitch: u32, i: u32, row: u32) -> (u32, u32) {
    let tile = (row & !7).wrapping_mul(pitch).wrapping_add((i & !7).wrapping_mul(8));
    let start = (tile / 8).wrapping_mul(format.bits());
    let inside = morton(i, row);
    // The sub-tiles of the compressed formats have 16 texels each, in the order of the highest bits.
    let first = if format.is_compressed() { inside & !15 } else { inside };
    (start.wrapping_add(first * format.bits() / 8), inside)
}

/// The texel in column `i` and memory row `row` of a level at `base`; `pitch` is the number of texels from row to
/// row. Unmapped bytes read as zero.
#[must_use]
pub fn texel(memory: &dyn Memory, format: TextureFormat, base: u32, pitch: u32, i: u32, row: u32) -> [u8; 4] {
    TextureLevel { span: Span::unchecked(memory, base), format, pitch }.texel(i, row)
}

/// One level of a texture, with a cached lookup for repeated access.
#[derive(Clone, Copy)]
pub struct TextureLevel<'a> {
    span: Span<'a>,
    format: TextureFormat,
    pitch: u32,
}

impl<'a> TextureLevel<'a> {
    /// The level of `width` by `height` texels at `base`.
    #[must_use]
    pub fn new(memory: &'a dyn Memory, format: TextureFormat, base: u32, width: u32, height: u32) -> Self {
        let span = Span::new(memory, base, level_bytes(format, width, height));
        Self { span, format, pitch: pitch(width) }
    }

    /// The texel in column `i` and memory row `row` (the top one is 0): red, green, blue, alpha.
    #[must_use]
    pub fn texel(&self, i: u32, row: u32) -> [u8; 4] {
        let (offset, inside) = place(self.format, self.pitch, i, row);
        match self.format {
            TextureFormat::Rgba8 => ColourFormat::Rgba8.decode(self.span.read(offset)),
            TextureFormat::Rgb8 => ColourFormat::Rgb8.decode(self.span.read_pixel(offset, 3)),
            TextureFormat::Etc1 => {
                let [r, g, b] = etc1::colour(self.word(offset), i, row);
                [r, g, b, 255]
            }
            TextureFormat::Etc1a4 => {
                let [r, g, b] = etc1::colour(self.word(offset.wrapping_add(8)), i, row);
                [r, g, b, etc1::alpha(self.word(offset), i, row)]
            }
            TextureFormat::Unknown14 | TextureFormat::Unknown15 => [0, 0, 0, 255],
            _ if self.format.bits() == 16 => self.of_two_bytes(self.span.read(offset)),
            _ => {
                let [byte] = self.span.read(offset);
                self.of_byte(byte, inside)
            }
        }
    }

    const fn of_two_bytes(&self, [low, high]: [u8; 2]) -> [u8; 4] {
        match (self.format, self.format.colour()) {
            (TextureFormat::Hilo8, _) => [high, low, 0, 255],
            (_, Some(format)) => format.decode([low, high, 0, 0]),
            _ => [high, high, high, low],
        }
    }

    /// A texel of at most eight bits; `inside` is its index in the tile.
    const fn of_byte(&self, byte: u8, inside: u32) -> [u8; 4] {
        let nibble = expand4(byte as u16 >> (4 * (inside & 1)));
        match self.format {
            TextureFormat::I8 => [byte, byte, byte, 255],
            TextureFormat::A8 => [0, 0, 0, byte],
            TextureFormat::Ia4 => {
                let intensity = expand4(byte as u16 >> 4);
                [intensity, intensity, intensity, expand4(byte as u16)]
            }
            TextureFormat::I4 => [nibble, nibble, nibble, 255],
            _ => [0, 0, 0, nibble],
        }
    }

    fn word(&self, offset: u32) -> u64 {
        u64::from_le_bytes(self.span.read(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Field;
    use crate::memory::{BlockMemory, FlatMemory};

    const BASE: u32 = 0x1800_0000;

    fn level(format: TextureFormat, bytes: &[u8], i: u32, row: u32) -> [u8; 4] {
        let memory = FlatMemory::new(BASE, bytes.to_vec());
        let quick = TextureLevel::new(&memory, format, BASE, 16, 16).texel(i, row);
        assert_eq!(quick, texel(&memory, format, BASE, 16, i, row));
        quick
    }

    #[test]
    fn every_format() {
        use TextureFormat as F;
        let cases: [(F, &[u8], [u8; 4]); 13] = [
            (F::Rgba8, &[0x11, 0x22, 0x33, 0x44], [0x44, 0x33, 0x22, 0x11]),
            (F::Rgb8, &[0x11, 0x22, 0x33], [0x33, 0x22, 0x11, 255]),
            (F::Rgb5a1, &[0x43, 0x08], [8, 8, 8, 255]),
            (F::Rgb565, &[0x21, 0x08], [8, 4, 8, 255]),
            (F::Rgba4, &[0x34, 0x12], [0x11, 0x22, 0x33, 0x44]),
            (F::Ia8, &[0x12, 0x34], [0x34, 0x34, 0x34, 0x12]),
            (F::Hilo8, &[0x12, 0x34], [0x34, 0x12, 0, 255]),
            (F::I8, &[0x12], [0x12, 0x12, 0x12, 255]),
            (F::A8, &[0x12], [0, 0, 0, 0x12]),
            (F::Ia4, &[0x12], [0x11, 0x11, 0x11, 0x22]),
            (F::I4, &[0x12], [0x22, 0x22, 0x22, 255]),
            (F::A4, &[0x12], [0, 0, 0, 0x22]),
            (F::Unknown14, &[0x12], [0, 0, 0, 255]),
        ];
        for (format, bytes, expected) in cases {
            assert_eq!(level(format, bytes, 0, 0), expected, "{format:?}");
        }
        assert_eq!(level(F::I4, &[0x12], 1, 0), [0x11, 0x11, 0x11, 255]);
        assert_eq!(level(F::A4, &[0, 0x12], 1, 1), [0, 0, 0, 0x11]);
    }

    /// Texel (8, 9) of a level 16 wide is number 2 of the fourth tile.
    #[test]
    fn places() {
        for (format, offset) in [
            (TextureFormat::Rgba8, 194 * 4),
            (TextureFormat::Rgb8, 194 * 3),
            (TextureFormat::Rgb565, 194 * 2),
            (TextureFormat::A8, 194),
            (TextureFormat::I4, 97),
            (TextureFormat::Etc1, 96),
            (TextureFormat::Etc1a4, 192),
        ] {
            assert_eq!(place(format, 16, 8, 9).0, offset, "{format:?}");
        }
        // The sub-tiles lie left to right, then top to bottom.
        let at = [(0, 0), (4, 0), (0, 4), (7, 7)].map(|(x, y)| place(TextureFormat::Etc1a4, 8, x, y).0);
        assert_eq!(at, [0, 16, 32, 48]);
    }

    #[test]
    fn compressed() {
        let block = 0xa53c_f054_8001_8421_u64.to_le_bytes();
        let mut bytes = [0; 32];
        bytes[8..16].copy_from_slice(&block);
        assert_eq!(level(TextureFormat::Etc1, &bytes, 4 + 3, 3), [5, 124, 0, 255]);
        bytes[16..24].copy_from_slice(&0x7000_0000_0000_0000_u64.to_le_bytes());
        bytes[24..32].copy_from_slice(&block);
        assert_eq!(level(TextureFormat::Etc1a4, &bytes, 4 + 3, 3), [5, 124, 0, 119]);
        assert_eq!(level(TextureFormat::Etc1a4, &bytes, 4 + 2, 2), [165, 255, 80, 0]);
    }

    #[test]
    fn offsets_of_levels() {
        let offsets = |format, w, h, n| (0..n).map(|k| level_offset(format, w, h, k)).collect::<Vec<_>>();
        assert_eq!(offsets(TextureFormat::Rgb565, 64, 32, 4), [0, 4096, 5120, 5376]);
        assert_eq!(offsets(TextureFormat::Etc1, 128, 128, 5), [0, 8192, 10240, 10752, 10880]);
        assert_eq!(offsets(TextureFormat::I8, 9, 8, 3), [0, 128, 192]);
        assert_eq!(level_offset(TextureFormat::I8, 8, 8, u32::MAX), 64 * 4);
    }

    #[test]
    fn last_levels() {
        let last = [(1024, 1024), (64, 32), (8, 1024), (7, 7), (0, 64), (15, 64)];
        assert_eq!(last.map(|(w, h)| last_usable_level(w, h)), [7, 2, 0, 0, 0, 0]);
    }

    #[test]
    fn rows_of_odd_widths_are_padded() {
        let memory = FlatMemory::new(BASE, (0..=255).collect());
        let level = TextureLevel::new(&memory, TextureFormat::A8, BASE, 9, 16);
        assert_eq!((level.texel(8, 0), level.texel(0, 8)), ([0, 0, 0, 64], [0, 0, 0, 128]));
    }

    #[test]
    fn unmapped_bytes_are_zero() {
        let memory = BlockMemory::zeroed(&[(BASE, 3)]);
        for address in BASE..BASE + 3 {
            memory.set_byte(address, 0x77);
        }
        let level = TextureLevel::new(&memory, TextureFormat::Rgba8, BASE, 8, 8);
        assert_eq!((level.texel(0, 0), level.texel(1, 0)), ([0, 0x77, 0x77, 0x77], [0; 4]));
    }

    #[test]
    fn any_place_can_be_asked_for() {
        let memory = BlockMemory::zeroed(&[(0xffff_ff00, 0x100)]);
        for code in 0..16 {
            let format = TextureFormat::from_bits(code);
            for v in [0, 1, 7, 0xffff, 0x7fff_ffff, u32::MAX] {
                let level = TextureLevel::new(&memory, format, 0xffff_ff80, v, v);
                let _ = (level.texel(v, v), texel(&memory, format, v, v, v, v));
                let _ = level_offset(format, v, v, v);
            }
        }
    }
}
