//! Formats of the frame buffer: from what it holds to channels, and back.
//!
//! Source: psp-ge.md 1.5, measured on a console.

use crate::emit::lanes::{I32s, Lanes};
use crate::emit::pixels::Colour;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;

/// Bits of red, green, blue and alpha in a pixel of 16 bits, from the lowest one on. Red and blue have the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fields([u32; 4]);

impl Fields {
    const fn of(format: PixelFormat) -> Option<Self> {
        match format {
            PixelFormat::Rgb5650 => Some(Self([5, 6, 5, 0])),
            PixelFormat::Rgba5551 => Some(Self([5, 5, 5, 1])),
            PixelFormat::Rgba4444 => Some(Self([4; 4])),
            PixelFormat::Rgba8888 => None,
        }
    }

    /// Factors that raise each field to the top of 16 bits, masks of what is there then, and factors of the upper byte, with
    /// whose upper byte the field repeats its high bits in the low ones. What has no bits becomes 0.
    fn expansion(self) -> [[u16; 4]; 3] {
        let Self(bits) = self;
        let (mut up, mut mask, mut repeated) = ([0; 4], [0; 4], [0; 4]);
        let mut end = 0;
        for (n, &bits) in bits.iter().enumerate().filter(|(_, bits)| **bits > 0) {
            end += bits;
            up[n] = 1 << (16 - end);
            mask[n] = !(0xffff >> bits);
            // A single bit comes eight times, others twice at the most.
            repeated[n] = if bits == 1 { 510 } else { 256 + (1 << (8 - bits)) };
        }
        [up, mask, repeated]
    }

    /// The bits of 0xAABBGGRR that are stored.
    const fn kept(self) -> u32 {
        let Self([r, g, b, a]) = self;
        u32::from_le_bytes([!(0xff >> r) as u8, !(0xff >> g) as u8, !(0xff >> b) as u8, !(0xff >> a) as u8])
    }

    /// How far the high bits of each byte go to the left to become a field, and the bits of that.
    fn moves(self) -> impl Iterator<Item = (i8, u32)> {
        let mut end = 0;
        (1..).zip(self.0).filter(|(_, bits)| *bits > 0).map(move |(bytes, bits)| {
            end += bits;
            (end as i8 - 8 * bytes, ((1 << bits) - 1) << (end - bits))
        })
    }

    /// Weights of these bytes, see [`Lanes::weighted_bytes`], and by how many bits their sum is too high.
    const fn weights(self) -> ([i8; 2], i16, u8) {
        let Self([r, g, _, a]) = self;
        ([1 << g, 1 << a], 1 << (r + g), (8 - r) as u8)
    }
}

/// Channels of pixels as the buffer keeps them, each in its lane. 5650 has alpha 0.
pub(crate) fn expanded(l: &mut Lanes<'_>, format: PixelFormat, pixels: I32s) -> Colour {
    match Fields::of(format) {
        Some(fields) => l.channels_of_halves(pixels, fields.expansion()),
        None => l.unpack(pixels),
    }
}

/// Pixels 0xAABBGGRR as the format keeps them.
pub(crate) fn stored(l: &mut Lanes<'_>, format: PixelFormat, pixels: I32s) -> I32s {
    let Some(fields) = Fields::of(format) else { return pixels };
    if !l.weighs_bytes() {
        return moved(l, fields, pixels);
    }
    let kept = l.int(fields.kept().cast_signed());
    let kept = l.int_and(pixels, kept);
    let (next, of_third, too_high) = fields.weights();
    let sum = l.weighted_bytes(kept, next, of_third);
    l.int_shr(sum, too_high)
}

/// Each field moved to its place.
fn moved(l: &mut Lanes<'_>, fields: Fields, pixels: I32s) -> I32s {
    fields.moves().fold(l.int(0), |all, (by, mask)| {
        let field = l.moved(pixels, by, mask);
        l.int_or(all, field)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::texel::colour::{decode, encode};

    const FORMATS: [PixelFormat; 3] = [PixelFormat::Rgb5650, PixelFormat::Rgba5551, PixelFormat::Rgba4444];

    #[test]
    fn factors_that_expand() {
        for format in FORMATS {
            let [up, mask, repeated] = Fields::of(format).expect("16 bits").expansion();
            for raw in 0..=u16::MAX {
                let channels = [0, 1, 2, 3].map(|n| {
                    let upper = (raw.wrapping_mul(up[n]) & mask[n]) >> 8;
                    (upper.wrapping_mul(repeated[n]) >> 8) as u8
                });
                let expected = match format {
                    PixelFormat::Rgb5650 => decode(format, raw.into()) & 0xff_ffff,
                    _ => decode(format, raw.into()),
                };
                assert_eq!(u32::from_le_bytes(channels), expected, "{format:?} {raw:#x}");
            }
        }
    }

    #[test]
    fn weights_and_moves_that_join() {
        let mut seed = 1;
        for format in FORMATS {
            let fields = Fields::of(format).expect("16 bits");
            let ([of_second, of_fourth], of_third, too_high) = fields.weights();
            for _ in 0..100_000 {
                let pixel = picaflor_pipeline::random::word(&mut seed);
                let [r, g, b, a] = (pixel & fields.kept()).to_le_bytes().map(i32::from);
                let pairs = [r + g * i32::from(of_second), b + a * i32::from(of_fourth)];
                assert!(pairs.iter().all(|&pair| pair < 1 << 15));
                let sum = pairs[0] + pairs[1] * i32::from(of_third);
                let moved = fields.moves().map(|(by, mask)| pixel >> -by & mask).sum();
                let joined = [sum.cast_unsigned() >> too_high, moved];
                assert_eq!(joined, [encode(format, pixel); 2], "{format:?} {pixel:#x}");
            }
        }
    }
}
