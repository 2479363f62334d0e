//! Runs of pixels: from the bytes of a format to colours, and back.
//!
//! A colour is the word of an RGBA8 pixel: alpha in the lowest byte, then blue, green, red. So RGBA8 needs no work, and
//! RGB8 loses its lowest byte.
//!
//! Source: pica-geometry.md 7.3.

use crate::code::vectors::wide;
use picaflor_pipeline::pica::texel::ColourFormat;

/// Converts the bytes of pixels to colours: as many as `colours` holds.
pub(super) type Decode = fn(bytes: &[u8], colours: &mut [u32]);
/// Converts colours to the bytes of pixels.
pub(super) type Encode = fn(colours: &[u32], bytes: &mut [u8]);

/// A format of pixels, as arithmetic on words.
trait Format {
    /// Bytes of a pixel.
    const BYTES: usize;
    /// The colour of a pixel; the bytes of the pixel are the lowest ones of the word.
    fn decode(pixel: u32) -> u32;
    /// The pixel of a colour: truncates.
    fn encode(colour: u32) -> u32;
}

struct Rgba8;
struct Rgb8;
struct Rgb5a1;
struct Rgb565;
struct Rgba4;

impl Format for Rgba8 {
    const BYTES: usize = 4;
    #[inline(always)]
    fn decode(pixel: u32) -> u32 {
        pixel
    }
    #[inline(always)]
    fn encode(colour: u32) -> u32 {
        colour
    }
}

impl Format for Rgb8 {
    const BYTES: usize = 3;
    #[inline(always)]
    fn decode(pixel: u32) -> u32 {
        pixel << 8 | 0xff
    }
    #[inline(always)]
    fn encode(colour: u32) -> u32 {
        colour >> 8
    }
}

impl Format for Rgb5a1 {
    const BYTES: usize = 2;
    #[inline(always)]
    fn decode(pixel: u32) -> u32 {
        // Five bits each at the top of their bytes; the same shifted by five repeats them below.
        let high = (pixel & 0xf800) << 16 | (pixel & 0x07c0) << 13 | (pixel & 0x003e) << 10;
        high | high >> 5 & 0x0707_0700 | ((pixel & 1) * 0xff)
    }
    #[inline(always)]
    fn encode(colour: u32) -> u32 {
        colour >> 16 & 0xf800 | colour >> 13 & 0x07c0 | colour >> 10 & 0x003e | colour >> 7 & 1
    }
}

impl Format for Rgb565 {
    const BYTES: usize = 2;
    #[inline(always)]
    fn decode(pixel: u32) -> u32 {
        let high = (pixel & 0xf800) << 16 | (pixel & 0x001f) << 11;
        let green = (pixel & 0x07e0) << 13;
        high | high >> 5 & 0x0700_0700 | green | green >> 6 & 0x0003_0000 | 0xff
    }
    #[inline(always)]
    fn encode(colour: u32) -> u32 {
        colour >> 16 & 0xf800 | colour >> 13 & 0x07e0 | colour >> 11 & 0x001f
    }
}

impl Format for Rgba4 {
    const BYTES: usize = 2;
    #[inline(always)]
    fn decode(pixel: u32) -> u32 {
        let low = (pixel & 0xf000) << 12 | (pixel & 0x0f00) << 8 | (pixel & 0x00f0) << 4 | pixel & 0x000f;
        low | low << 4
    }
    #[inline(always)]
    fn encode(colour: u32) -> u32 {
        colour >> 16 & 0xf000 | colour >> 12 & 0x0f00 | colour >> 8 & 0x00f0 | colour >> 4 & 0x000f
    }
}

/// Decodes pixels; loops of a known shape, for the compiler to make vectors of.
#[inline(always)]
fn decode<F: Format>(bytes: &[u8], colours: &mut [u32]) {
    match F::BYTES {
        4 => {
            let pixels = bytes.as_chunks::<4>().0;
            pixels.iter().zip(colours).for_each(|(pixel, c)| *c = F::decode(u32::from_le_bytes(*pixel)));
        }
        3 => decode_triples::<F>(bytes, colours),
        _ => {
            let pixels = bytes.as_chunks::<2>().0;
            pixels
                .iter()
                .zip(colours)
                .for_each(|(&[a, b], c)| *c = F::decode(u32::from_le_bytes([a, b, 0, 0])));
        }
    }
}

/// Four pixels of three bytes are three words.
#[inline(always)]
fn decode_triples<F: Format>(bytes: &[u8], colours: &mut [u32]) {
    let (groups, rest) = bytes.as_chunks::<12>();
    let (fours, last) = colours.as_chunks_mut::<4>();
    for (group, four) in groups.iter().zip(fours) {
        let word = |n: usize| u32::from_le_bytes(std::array::from_fn(|i| group[4 * n + i]));
        let [a, b, c] = [word(0), word(1), word(2)];
        *four = [a, a >> 24 | b << 8, b >> 16 | c << 16, c >> 8].map(|pixel| F::decode(pixel));
    }
    for (&[a, b, c], colour) in rest.as_chunks::<3>().0.iter().zip(last) {
        *colour = F::decode(u32::from_le_bytes([a, b, c, 0]));
    }
}

/// Encodes pixels.
#[inline(always)]
fn encode<F: Format>(colours: &[u32], bytes: &mut [u8]) {
    match F::BYTES {
        4 => {
            let pixels = bytes.as_chunks_mut::<4>().0;
            pixels.iter_mut().zip(colours).for_each(|(pixel, &c)| *pixel = F::encode(c).to_le_bytes());
        }
        3 => encode_triples::<F>(colours, bytes),
        _ => {
            let pixels = bytes.as_chunks_mut::<2>().0;
            pixels
                .iter_mut()
                .zip(colours)
                .for_each(|(pixel, &c)| *pixel = (F::encode(c) as u16).to_le_bytes());
        }
    }
}

/// Three words are four pixels of three bytes.
#[inline(always)]
fn encode_triples<F: Format>(colours: &[u32], bytes: &mut [u8]) {
    let (fours, last) = colours.as_chunks::<4>();
    let (groups, rest) = bytes.as_chunks_mut::<12>();
    for (four, group) in fours.iter().zip(groups) {
        let [a, b, c, d] = four.map(|colour| F::encode(colour));
        let words = [a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8];
        *group = std::array::from_fn(|i| words[i / 4].to_le_bytes()[i % 4]);
    }
    for (&colour, pixel) in last.iter().zip(rest.as_chunks_mut::<3>().0) {
        let [a, b, c, _] = F::encode(colour).to_le_bytes();
        *pixel = [a, b, c];
    }
}

/// The decoder of a format.
pub(super) fn decoder(format: ColourFormat) -> Decode {
    match format {
        ColourFormat::Rgba8 | ColourFormat::Unknown => {
            |bytes, colours| wide(|| decode::<Rgba8>(bytes, colours))
        }
        ColourFormat::Rgb8 => |bytes, colours| wide(|| decode::<Rgb8>(bytes, colours)),
        ColourFormat::Rgb5a1 => |bytes, colours| wide(|| decode::<Rgb5a1>(bytes, colours)),
        ColourFormat::Rgb565 => |bytes, colours| wide(|| decode::<Rgb565>(bytes, colours)),
        ColourFormat::Rgba4 => |bytes, colours| wide(|| decode::<Rgba4>(bytes, colours)),
    }
}

/// The encoder of a format.
pub(super) fn encoder(format: ColourFormat) -> Encode {
    match format {
        ColourFormat::Rgba8 | ColourFormat::Unknown => {
            |colours, bytes| wide(|| encode::<Rgba8>(colours, bytes))
        }
        ColourFormat::Rgb8 => |colours, bytes| wide(|| encode::<Rgb8>(colours, bytes)),
        ColourFormat::Rgb5a1 => |colours, bytes| wide(|| encode::<Rgb5a1>(colours, bytes)),
        ColourFormat::Rgb565 => |colours, bytes| wide(|| encode::<Rgb565>(colours, bytes)),
        ColourFormat::Rgba4 => |colours, bytes| wide(|| encode::<Rgba4>(colours, bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::texel::colour::PixelCode;
    use ColourFormat::{Rgb5a1, Rgb8, Rgb565, Rgba4, Rgba8, Unknown};

    /// Every pixel of 16 bits, and some of the others, as the description of the format says; runs of every length.
    #[test]
    fn formats() {
        let mut state = 1_u64;
        let words: Vec<u32> =
            (0..0x1_0000_u32).map(|n| picaflor_pipeline::random::word(&mut state) << 16 | n).collect();
        for format in [Rgba8, Rgb8, Rgb5a1, Rgb565, Rgba4, Unknown] {
            let bytes = format.bytes() as usize;
            let raw: Vec<u8> =
                words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(bytes)).collect();
            for count in [0x1_0000, 1, 2, 3, 5, 30] {
                let mut colours = vec![0; count];
                decoder(format)(&raw[..bytes * count], &mut colours);
                let colour = |word: &u32| u32::from_be_bytes(PixelCode::decode(format, word.to_le_bytes()));
                let expected = words[..count].iter().map(|word| match bytes {
                    2 => colour(&(word & 0xffff)),
                    3 => colour(&(word & 0xff_ffff)),
                    _ => colour(word),
                });
                assert!(colours.into_iter().eq(expected), "{format:?} {count}");
                let mut out = vec![0; bytes * count];
                encoder(format)(&words[..count], &mut out);
                let pixel =
                    |word: &u32| PixelCode::encode(format, word.to_be_bytes()).into_iter().take(bytes);
                assert!(out.into_iter().eq(words[..count].iter().flat_map(pixel)), "{format:?} {count}");
            }
        }
    }
}
