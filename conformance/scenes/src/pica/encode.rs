//! Pictures as the console stores them: every texture format, 8x8 blocks, mip chains.
//!
//! The first row of a picture becomes the first row in memory, which is t = 1 for the sampler.

use crate::modelling::paint::Canvas;
use picaflor_pipeline::pica::tiling::morton;

/// Codes of the texture formats, `TEXUNIT_TYPE`.
pub mod format {
    /// 32 bits.
    pub const RGBA8: u32 = 0;
    /// 24 bits.
    pub const RGB8: u32 = 1;
    /// 16 bits.
    pub const RGB5A1: u32 = 2;
    /// 16 bits.
    pub const RGB565: u32 = 3;
    /// 16 bits.
    pub const RGBA4: u32 = 4;
    /// Intensity and alpha, 16 bits.
    pub const IA8: u32 = 5;
    /// Two components, 16 bits.
    pub const HILO8: u32 = 6;
    /// Intensity, 8 bits.
    pub const I8: u32 = 7;
    /// Alpha, 8 bits.
    pub const A8: u32 = 8;
    /// Intensity and alpha, 8 bits.
    pub const IA4: u32 = 9;
    /// Intensity, 4 bits.
    pub const I4: u32 = 10;
    /// Alpha, 4 bits.
    pub const A4: u32 = 11;
    /// Compressed, 4 bits.
    pub const ETC1: u32 = 12;
    /// Compressed with alpha, 8 bits.
    pub const ETC1A4: u32 = 13;
    /// Names, by code.
    pub const NAMES: [&str; 14] = [
        "RGBA8", "RGB8", "RGB5A1", "RGB565", "RGBA4", "IA8", "HILO8", "I8", "A8", "IA4", "I4", "A4", "ETC1",
        "ETC1A4",
    ];
}

/// A picture as a texture of one level. Its sides are multiples of 8.
#[must_use]
pub fn texture(canvas: &Canvas, code: u32) -> Vec<u8> {
    match code {
        format::ETC1 | format::ETC1A4 => compressed(canvas, code == format::ETC1A4),
        format::I4 | format::A4 => nibbles(canvas, code),
        _ => in_blocks(canvas, |pixel| texel(pixel, code)),
    }
}

/// A picture and its halvings, `levels` in all, one after the other.
#[must_use]
pub fn mip_chain(canvas: &Canvas, code: u32, levels: u32) -> Vec<u8> {
    let (mut level, mut bytes) = (canvas.clone(), Vec::new());
    for _ in 0..levels {
        bytes.extend(texture(&level, code));
        level = level.halved();
    }
    bytes
}

/// Calls `pixel` for each pixel in the order of memory.
fn in_blocks(canvas: &Canvas, pixel: impl Fn([u8; 4]) -> Vec<u8>) -> Vec<u8> {
    let mut order = vec![[0; 4]; canvas.pixels.len()];
    for y in 0..canvas.height {
        for x in 0..canvas.width {
            order[((y & !7) * canvas.width + (x & !7) * 8 + morton(x, y)) as usize] = canvas.at(x, y);
        }
    }
    order.into_iter().flat_map(pixel).collect()
}

fn texel([r, g, b, a]: [u8; 4], code: u32) -> Vec<u8> {
    let i = intensity([r, g, b, a]);
    let wide = |c: u8| u16::from(c);
    let word = match code {
        format::RGBA8 => return vec![a, b, g, r],
        format::RGB8 => return vec![b, g, r],
        format::RGB5A1 => wide(r >> 3) << 11 | wide(g >> 3) << 6 | wide(b >> 3) << 1 | wide(a >> 7),
        format::RGB565 => wide(r >> 3) << 11 | wide(g >> 2) << 5 | wide(b >> 3),
        format::RGBA4 => wide(r >> 4) << 12 | wide(g >> 4) << 8 | wide(b >> 4) << 4 | wide(a >> 4),
        format::IA8 => wide(i) << 8 | wide(a),
        format::HILO8 => wide(r) << 8 | wide(g),
        format::I8 => return vec![i],
        format::A8 => return vec![a],
        _ => return vec![i & 0xf0 | a >> 4],
    };
    word.to_le_bytes().to_vec()
}

fn intensity([r, g, b, _]: [u8; 4]) -> u8 {
    ((u32::from(r) * 77 + u32::from(g) * 150 + u32::from(b) * 29) >> 8) as u8
}

fn nibbles(canvas: &Canvas, code: u32) -> Vec<u8> {
    let of = |pixel: [u8; 4]| if code == format::I4 { intensity(pixel) >> 4 } else { pixel[3] >> 4 };
    let values = in_blocks(canvas, |pixel| vec![of(pixel)]);
    values.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect()
}

/// Magnitudes of the modifier tables.
const MODIFIERS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// ETC1: each 4x4 sub-tile as two halves, left and right, of one colour of 12 bits and a modifier table each.
fn compressed(canvas: &Canvas, with_alpha: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for block in 0..canvas.width / 8 * (canvas.height / 8) {
        let (left, top) = (block % (canvas.width / 8) * 8, block / (canvas.width / 8) * 8);
        for sub in 0..4 {
            let (x, y) = (left + sub % 2 * 4, top + sub / 2 * 4);
            if with_alpha {
                let alpha = |n: u32| u64::from(canvas.at(x + n / 4, y + n % 4)[3] >> 4) << (4 * n);
                bytes.extend((0..16).map(alpha).sum::<u64>().to_le_bytes());
            }
            bytes.extend(sub_tile(canvas, x, y).to_le_bytes());
        }
    }
    bytes
}

fn sub_tile(canvas: &Canvas, x: u32, y: u32) -> u64 {
    let mut word = 0_u64;
    for half in 0..2 {
        let pixels: Vec<_> =
            (0..8).map(|k| (8 * half + k, canvas.at(x + 2 * half + k / 4, y + k % 4))).collect();
        let base: [u64; 3] = std::array::from_fn(|c| {
            let sum: u32 = pixels.iter().map(|(_, pixel)| u32::from(pixel[c])).sum();
            u64::from((sum / 8 + 8).min(255) / 17)
        });
        let choose = |table: usize| half_of(&pixels, base, table);
        let table = (0..8).min_by_key(|&table| choose(table).1).unwrap_or(0);
        word |= choose(table).0 | (table as u64) << (37 - 3 * half);
        for (c, shift) in [60, 52, 44].into_iter().enumerate() {
            word |= base[c] << (shift - 4 * half);
        }
    }
    word
}

/// Selector and sign bits of the pixels with one modifier table, and the error of the result.
fn half_of(pixels: &[(u32, [u8; 4])], base: [u64; 3], table: usize) -> (u64, i32) {
    let (mut bits, mut error) = (0, 0);
    for &(n, pixel) in pixels {
        let off = |change: i32| -> i32 {
            let channel = |c: usize| (base[c] as i32 * 17 + change).clamp(0, 255) - i32::from(pixel[c]);
            (0..3).map(|c| channel(c).pow(2)).sum()
        };
        let [small, large] = MODIFIERS[table];
        let choices = [(0, small), (1, large), (1 << 16, -small), (1 << 16 | 1, -large)];
        let best = choices.into_iter().min_by_key(|&(_, change)| off(change)).unwrap_or((0, small));
        bits |= best.0 << n;
        error += off(best.1);
    }
    (bits, error)
}
