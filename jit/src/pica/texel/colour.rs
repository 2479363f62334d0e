//! Colours of pixels: the framebuffer, the transfer engine, screens and the five texture formats that they share.
//!
//! Source: pica-geometry.md 6.8 and 7.2, pica-fragment.md 2.8 and 7.1.

use picaflor_pipeline::pica::texel::ColourFormat;

/// Expands one bit to eight.
pub(crate) const fn expand1(v: u16) -> u8 {
    if v & 1 != 0 { 255 } else { 0 }
}

/// Expands four bits to eight.
pub(crate) const fn expand4(v: u16) -> u8 {
    (v & 15) as u8 * 17
}

/// Expands five bits to eight; the low bits repeat the high ones.
pub(crate) const fn expand5(v: u16) -> u8 {
    let v = (v & 31) as u8;
    v << 3 | v >> 2
}

/// Expands six bits to eight; the low bits repeat the high ones.
pub(crate) const fn expand6(v: u16) -> u8 {
    let v = (v & 63) as u8;
    v << 2 | v >> 4
}

/// PixelCode of a format.
pub(crate) trait PixelCode: Copy {
    /// Red, green, blue, alpha of a pixel; `raw` holds its bytes in memory order. Alpha is 255 if the format has
    /// none.
    fn decode(self, raw: [u8; 4]) -> [u8; 4];

    /// The bytes of a pixel, the first [`bytes`](ColourFormat::bytes) of the result. Truncates (measured for the
    /// transfer engine, assumed for the colour buffer).
    fn encode(self, colour: [u8; 4]) -> [u8; 4];
}

impl PixelCode for ColourFormat {
    #[inline(always)]
    fn decode(self, raw: [u8; 4]) -> [u8; 4] {
        let [b0, b1, b2, b3] = raw;
        let word = u16::from_le_bytes([b0, b1]);
        match self {
            Self::Rgba8 | Self::Unknown => [b3, b2, b1, b0],
            Self::Rgb8 => [b2, b1, b0, 255],
            Self::Rgb5a1 => [expand5(word >> 11), expand5(word >> 6), expand5(word >> 1), expand1(word)],
            Self::Rgb565 => [expand5(word >> 11), expand6(word >> 5), expand5(word), 255],
            Self::Rgba4 => [expand4(word >> 12), expand4(word >> 8), expand4(word >> 4), expand4(word)],
        }
    }

    #[inline(always)]
    fn encode(self, [r, g, b, a]: [u8; 4]) -> [u8; 4] {
        let word = match self {
            Self::Rgba8 | Self::Unknown => return [a, b, g, r],
            Self::Rgb8 => return [b, g, r, 0],
            Self::Rgb5a1 => (top(r, 5) << 11) | (top(g, 5) << 6) | (top(b, 5) << 1) | top(a, 1),
            Self::Rgb565 => (top(r, 5) << 11) | (top(g, 6) << 5) | top(b, 5),
            Self::Rgba4 => (top(r, 4) << 12) | (top(g, 4) << 8) | (top(b, 4) << 4) | top(a, 4),
        };
        let [low, high] = word.to_le_bytes();
        [low, high, 0, 0]
    }
}

/// The highest `bits` bits of a channel.
const fn top(v: u8, bits: u32) -> u16 {
    (v >> (8 - bits)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansion() {
        assert_eq!([1, 15, 16, 30].map(expand5), [8, 123, 132, 247]);
        assert_eq!([1, 31, 32, 62].map(expand6), [4, 125, 130, 251]);
        assert_eq!(([0, 1].map(expand1), [0, 8, 15].map(expand4)), ([0, 255], [0, 136, 255]));
    }

    #[test]
    fn encoding_truncates() {
        let word = |format: ColourFormat, colour| {
            let [low, high, ..] = format.encode(colour);
            u16::from_le_bytes([low, high])
        };
        assert_eq!(word(ColourFormat::Rgb565, [255, 128, 7, 0]), 0xfc00);
        assert_eq!(word(ColourFormat::Rgb5a1, [200, 100, 50, 127]), 0xcb0c);
        assert_eq!(word(ColourFormat::Rgb5a1, [0, 0, 0, 128]), 1);
        assert_eq!(word(ColourFormat::Rgba4, [0xab, 0xcd, 0xef, 0x12]), 0xace1);
    }

    #[test]
    fn byte_order() {
        assert_eq!(ColourFormat::Rgba8.decode([0x11, 0x22, 0x33, 0x44]), [0x44, 0x33, 0x22, 0x11]);
        assert_eq!(ColourFormat::Rgb8.decode([0x11, 0x22, 0x33, 0x44]), [0x33, 0x22, 0x11, 255]);
        assert_eq!(ColourFormat::Rgb8.encode([1, 2, 3, 4])[..3], [3, 2, 1]);
    }

    /// So unchanged pixels survive being read and written.
    #[test]
    fn decoding_then_encoding_changes_nothing() {
        for &format in ColourFormat::ALL {
            for word in 0..=u16::MAX {
                let [low, high] = word.to_le_bytes();
                let mut raw = [low, high, high ^ 0x5a, low ^ 0xa5];
                raw[format.bytes() as usize..].fill(0);
                assert_eq!(format.encode(format.decode(raw)), raw, "{format:?}");
            }
        }
    }
}
