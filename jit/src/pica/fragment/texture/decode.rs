//! From guest memory to pixels: alpha, blue, green, red from the lowest byte on.
//!
//! `pipeline::pica::texel` defines the formats of texels, and the tests compare with it. Here whole tiles are decoded
//! in the order of memory.

use picaflor_pipeline::pica::texel::{ColourFormat, TextureFormat, etc1};
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
pub(super) fn level(bytes: &[u8], format: TextureFormat, [width, height]: [u32; 2], out: &mut [u32]) {
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
    }
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
    use picaflor_pipeline::pica::texel::{TextureLevel, level_bytes};

    #[test]
    fn every_format_as_the_pipeline_reads_it() {
        let bytes: Vec<u8> =
            (0..40 * 40 * 4_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for &format in TextureFormat::ALL {
            for [width, height] in [[8, 8], [16, 32], [40, 24], [9, 15], [1, 7]] {
                let length = level_bytes(format, width, height) as usize;
                let memory = FlatMemory::new(0x1000, bytes[..length].to_vec());
                let expected = TextureLevel::new(&memory, format, 0x1000, width, height);
                let mut out = vec![0; (width * height) as usize];
                level(&bytes[..length], format, [width, height], &mut out);
                for (row, i) in (0..height).flat_map(|row| (0..width).map(move |i| (row, i))) {
                    let actual = out[((height - 1 - row) * width + i) as usize];
                    assert_eq!(actual, pixel(expected.texel(i, row)), "{format:?} {width}x{height}");
                }
            }
        }
    }
}
