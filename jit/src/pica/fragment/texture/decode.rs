//! From guest memory to pixels: alpha, blue, green, red from the lowest byte on.
//!
//! Whole tiles are decoded in the order of memory.
//!
//! Source: pica-fragment.md 2.7-2.9.

use crate::pauses::Pauses;
use crate::pica::texel::colour::PixelCode as _;
use crate::pica::texel::etc1;
use crate::texture_cache::NoImage;
use picaflor_pipeline::pica::texel::{ColourFormat, TextureFormat};
use picaflor_pipeline::pica::tiling::morton;

/// Texels of a tile, and of one of its sides.
const TILE: usize = 64;
const SIDE: usize = 8;

/// `PLACES[n]`: where texel `n` of a tile lies when its rows follow each other.
const PLACES: [u8; TILE] = {
    let mut places = [0; TILE];
    let mut at = 0;
    while at < TILE {
        places[morton((at % SIDE) as u32, (at / SIDE) as u32) as usize] = at as u8;
        at += 1;
    }
    places
};

/// Decodes a level of `width` by `height` texels from its bytes; rows from the lowest on.
///
/// # Errors
/// [`NoImage`] if the run ends, asked after rows of tiles.
pub(super) fn level(
    bytes: &[u8],
    format: TextureFormat,
    [width, height]: [u32; 2],
    out: &mut [u32],
    pauses: &mut Pauses<'_>,
) -> Result<(), NoImage> {
    let [width, height] = [width as usize, height as usize];
    let tile_bytes = TILE * format.bits() as usize / 8;
    let columns = width.div_ceil(SIDE);
    for (number, tile) in (0..columns * height.div_ceil(SIDE)).map(|n| (n, n * tile_bytes)) {
        let texels = decode_tile(format, &bytes[tile..tile + tile_bytes]);
        let (x, y) = (number % columns * SIDE, number / columns * SIDE);
        let count = SIDE.min(width - x);
        for (row, line) in texels.chunks_exact(SIDE).enumerate().take(height - y) {
            let start = (height - 1 - y - row) * width + x;
            out[start..start + count].copy_from_slice(&line[..count]);
        }
        if pauses.stops_after(8 * TILE) {
            return Err(NoImage::Stopped);
        }
    }
    Ok(())
}

/// The texels of a tile, row by row.
fn decode_tile(format: TextureFormat, bytes: &[u8]) -> [u32; TILE] {
    match format {
        TextureFormat::Rgba8 => texels(bytes, u32::from_le_bytes),
        TextureFormat::Rgb8 => texels(bytes, |[b, g, r]| u32::from_le_bytes([255, b, g, r])),
        TextureFormat::Rgb5a1 => texels(bytes, |raw| sixteen(ColourFormat::Rgb5a1, raw)),
        TextureFormat::Rgb565 => texels(bytes, |raw| sixteen(ColourFormat::Rgb565, raw)),
        TextureFormat::Rgba4 => texels(bytes, |raw| sixteen(ColourFormat::Rgba4, raw)),
        TextureFormat::Ia8 => texels(bytes, |[a, i]| pixel([i, i, i, a])),
        TextureFormat::Hilo8 => texels(bytes, |[g, r]| pixel([r, g, 0, 255])),
        TextureFormat::I8 => texels(bytes, |[i]| pixel([i, i, i, 255])),
        TextureFormat::A8 => texels(bytes, |[a]| pixel([0, 0, 0, a])),
        TextureFormat::Ia4 => texels(bytes, |[byte]| {
            let (i, a) = (byte >> 4, byte & 15);
            pixel([i * 17, i * 17, i * 17, a * 17])
        }),
        TextureFormat::I4 => nibbles(bytes, |i| pixel([i, i, i, 255])),
        TextureFormat::A4 => nibbles(bytes, |a| pixel([0, 0, 0, a])),
        TextureFormat::Etc1 => blocks(bytes, |[block]| (block, None)),
        TextureFormat::Etc1a4 => blocks(bytes, |[alpha, block]| (block, Some(alpha))),
        TextureFormat::Unknown14 | TextureFormat::Unknown15 => [pixel([0, 0, 0, 255]); TILE],
    }
}

/// A pixel from red, green, blue, alpha.
const fn pixel([r, g, b, a]: [u8; 4]) -> u32 {
    u32::from_le_bytes([a, b, g, r])
}

#[inline(always)]
fn sixteen(format: ColourFormat, [low, high]: [u8; 2]) -> u32 {
    pixel(format.decode([low, high, 0, 0]))
}

/// Texels of `N` bytes.
#[inline(always)]
fn texels<const N: usize>(bytes: &[u8], decode: impl Fn([u8; N]) -> u32) -> [u32; TILE] {
    let mut out = [0; TILE];
    for (&raw, place) in bytes.as_chunks::<N>().0.iter().zip(PLACES) {
        out[usize::from(place)] = decode(raw);
    }
    out
}

/// Texels of four bits, which become eight.
#[inline(always)]
fn nibbles(bytes: &[u8], decode: impl Fn(u8) -> u32) -> [u32; TILE] {
    let mut out = [0; TILE];
    for (byte, places) in bytes.iter().zip(PLACES.as_chunks::<2>().0) {
        let [even, odd] = places.map(usize::from);
        out[even] = decode((byte & 15) * 17);
        out[odd] = decode((byte >> 4) * 17);
    }
    out
}

/// Sub-tiles of `N` words: the ETC1 block, and alpha if there is any.
fn blocks<const N: usize>(bytes: &[u8], of: impl Fn([u64; N]) -> (u64, Option<u64>)) -> [u32; TILE] {
    let mut out = [0; TILE];
    for (sub, raw) in bytes.as_chunks::<8>().0.chunks_exact(N).enumerate() {
        let (block, alpha) = of(std::array::from_fn(|n| u64::from_le_bytes(raw[n])));
        let start = sub / 2 * 4 * SIDE + sub % 2 * 4;
        for (x, y) in (0..4).flat_map(|y| (0..4).map(move |x| (x, y))) {
            let [r, g, b] = etc1::colour(block, x, y);
            let a = alpha.map_or(255, |alpha| etc1::alpha(alpha, x, y));
            out[start + y as usize * SIDE + x as usize] = pixel([r, g, b, a]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::FlatMemory;

    /// The texel in column `i` and memory row `row` of a level that begins with these bytes.
    fn texel(format: TextureFormat, bytes: &[u8], size: [u32; 2], i: u32, row: u32) -> [u8; 4] {
        let texels = size.map(|side| side.next_multiple_of(8)).iter().product::<u32>();
        let mut memory = bytes.to_vec();
        memory.resize((texels * format.bits() / 8) as usize, 0);
        let mut out = vec![0; (size[0] * size[1]) as usize];
        let decoded = level(&memory, format, size, &mut out, &mut Pauses::new(&FlatMemory::default()));
        assert_eq!(decoded, Ok(()));
        let [a, b, g, r] = out[((size[1] - 1 - row) * size[0] + i) as usize].to_le_bytes();
        [r, g, b, a]
    }

    #[test]
    fn every_format() {
        use TextureFormat as F;
        let cases: [(F, &[u8], [u8; 4]); 14] = [
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
            (F::Unknown14, &[], [0, 0, 0, 255]),
            (F::Unknown15, &[], [0, 0, 0, 255]),
        ];
        for (format, bytes, expected) in cases {
            assert_eq!(texel(format, bytes, [16, 16], 0, 0), expected, "{format:?}");
        }
        assert_eq!(texel(TextureFormat::I4, &[0x12], [16, 16], 1, 0), [0x11, 0x11, 0x11, 255]);
        assert_eq!(texel(TextureFormat::A4, &[0, 0x12], [16, 16], 1, 1), [0, 0, 0, 0x11]);
    }

    /// Texel (8, 9) of a level 16 wide is number 2 of the fourth tile.
    #[test]
    fn places() {
        for (format, offset, expected) in [
            (TextureFormat::Rgba8, 194 * 4, [9; 4]),
            (TextureFormat::Rgb8, 194 * 3, [9, 9, 9, 255]),
            (TextureFormat::Hilo8, 194 * 2, [9, 9, 0, 255]),
            (TextureFormat::A8, 194, [0, 0, 0, 9]),
            (TextureFormat::I4, 97, [0x99, 0x99, 0x99, 255]),
        ] {
            let mut bytes = vec![0; offset];
            bytes.extend([if format == TextureFormat::I4 { 0x99 } else { 9 }; 4]);
            assert_eq!(texel(format, &bytes, [16, 16], 8, 9), expected, "{format:?}");
        }
    }

    /// The sub-tiles lie left to right, then top to bottom; alpha comes before colour.
    #[test]
    fn compressed() {
        let block = 0xa53c_f054_8001_8421_u64.to_le_bytes();
        let mut bytes = [0; 64];
        bytes[8..16].copy_from_slice(&block);
        assert_eq!(texel(TextureFormat::Etc1, &bytes, [16, 16], 4 + 3, 3), [5, 124, 0, 255]);
        bytes[16..24].copy_from_slice(&0x7000_0000_0000_0000_u64.to_le_bytes());
        bytes[24..32].copy_from_slice(&block);
        assert_eq!(texel(TextureFormat::Etc1a4, &bytes, [16, 16], 4 + 3, 3), [5, 124, 0, 119]);
        assert_eq!(texel(TextureFormat::Etc1a4, &bytes, [16, 16], 4 + 2, 2), [165, 255, 80, 0]);
        bytes.rotate_right(16);
        assert_eq!(texel(TextureFormat::Etc1a4, &bytes, [16, 16], 3, 4 + 3), [5, 124, 0, 119]);
    }

    #[test]
    fn rows_of_odd_sizes_are_padded() {
        let bytes: Vec<u8> = (0..=255).collect();
        let at = |i, row| texel(TextureFormat::A8, &bytes, [9, 15], i, row);
        assert_eq!([at(8, 0), at(0, 8), at(8, 14)], [[0, 0, 0, 64], [0, 0, 0, 128], [0, 0, 0, 192 + 40]]);
    }
}
