//! Textures of every format.

use super::colour::encode;
use super::kit::Kit;
use crate::modelling::paint::Canvas;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;

/// Texture formats, as TPSM has them.
pub mod format {
    /// 5, 6 and 5 bits.
    pub const RGB5650: u32 = 0;
    /// 5, 5, 5 bits and one of alpha.
    pub const RGBA5551: u32 = 1;
    /// Four times 4 bits.
    pub const RGBA4444: u32 = 2;
    /// Four bytes.
    pub const RGBA8888: u32 = 3;
    /// Indices of 4 bits.
    pub const CLUT4: u32 = 4;
    /// Indices of 8 bits.
    pub const CLUT8: u32 = 5;
    /// Indices of 16 bits.
    pub const CLUT16: u32 = 6;
    /// Indices of 32 bits.
    pub const CLUT32: u32 = 7;
    /// Blocks of 8 bytes.
    pub const DXT1: u32 = 8;
    /// Blocks of 16 bytes, alpha of 4 bits.
    pub const DXT3: u32 = 9;
    /// Blocks of 16 bytes, interpolated alpha.
    pub const DXT5: u32 = 10;
    /// All formats, by name.
    pub const NAMES: [&str; 11] =
        ["5650", "5551", "4444", "8888", "CLUT4", "CLUT8", "CLUT16", "CLUT32", "DXT1", "DXT3", "DXT5"];
}

/// Bytes of a row of the smallest unit in memory.
const UNIT: u32 = 16;

/// The storage format of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The format code of TPSM.
    pub format: u32,
    /// Of the palette, as CMODE has it.
    pub palette: u32,
    /// In blocks of 16 bytes by 8 rows.
    pub is_swizzled: bool,
    /// Levels of the mip chain.
    pub levels: u32,
}

impl Style {
    /// One level, rows one after the other, a palette of 32-bit colours.
    #[must_use]
    pub const fn of(format: u32) -> Self {
        Self { format, palette: 3, is_swizzled: false, levels: 1 }
    }

    /// In blocks.
    #[must_use]
    pub const fn swizzled(mut self) -> Self {
        self.is_swizzled = true;
        self
    }

    /// With a palette of this format.
    #[must_use]
    pub const fn palette(mut self, format: u32) -> Self {
        self.palette = format;
        self
    }

    /// With so many levels.
    #[must_use]
    pub const fn levels(mut self, levels: u32) -> Self {
        self.levels = levels;
        self
    }

    const fn is_indexed(self) -> bool {
        self.format >= format::CLUT4 && self.format <= format::CLUT32
    }

    /// Bits of a texel; nothing for blocks.
    const fn bits(self) -> u32 {
        match self.format {
            format::RGBA8888 | format::CLUT32 => 32,
            format::CLUT4 => 4,
            format::CLUT8 => 8,
            _ => 16,
        }
    }
}

/// A level of a texture in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// Address of the first byte.
    pub address: u32,
    /// Texels from row to row.
    pub stride: u32,
    /// Texels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// A texture in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texture {
    /// The storage format.
    pub style: Style,
    /// The largest level first.
    pub levels: Vec<Level>,
    /// Address of the palette, and its size in blocks of 32 bytes.
    pub palette: Option<(u32, u32)>,
}

impl Texture {
    /// A buffer that was drawn to, of this size in texels.
    #[must_use]
    pub fn of_buffer(address: u32, stride: u32, format: u32, [width, height]: [u32; 2]) -> Self {
        let levels = vec![Level { address, stride, width, height }];
        Self { style: Style::of(format), levels, palette: None }
    }
}

impl Kit {
    /// Puts a texture into main memory.
    pub fn texture(&mut self, canvas: &Canvas, style: Style) -> Texture {
        let count = if style.format == format::CLUT4 { 16 } else { 256 };
        let colours = if style.is_indexed() { median_cut(&canvas.pixels, count) } else { Vec::new() };
        let mut level = canvas.clone();
        let mut levels = Vec::new();
        for _ in 0..style.levels {
            let (bytes, stride) = encoded(&level, style, &colours);
            let address = self.data(bytes);
            levels.push(Level { address, stride, width: level.width, height: level.height });
            level = level.halved();
        }
        let palette = (!colours.is_empty()).then(|| self.palette(&colours, style.palette));
        Texture { style, levels, palette }
    }

    /// Puts a palette into main memory. Returns its address, and its size in blocks of 32 bytes.
    pub fn palette(&mut self, colours: &[[u8; 4]], format: u32) -> (u32, u32) {
        let format = PixelFormat::of(format);
        let entry = |&colour: &[u8; 4]| {
            let bits = encode(format, colour).to_le_bytes();
            bits.into_iter().take(format.bytes() as usize)
        };
        let mut bytes: Vec<u8> = colours.iter().flat_map(entry).collect();
        bytes.resize(bytes.len().next_multiple_of(32), 0);
        let blocks = bytes.len() as u32 / 32;
        (self.data(bytes), blocks)
    }

    /// Samples a texture from now on, with its palette if it has one.
    pub fn use_texture(&mut self, texture: &Texture) {
        let Texture { style, levels, palette } = texture;
        self.list.switch(op::TME, true).write(op::TPSM, style.format);
        self.list.write(op::TMODE, u32::from(style.is_swizzled) | (levels.len() as u32 - 1) << 16);
        for (n, level) in (0..).zip(levels) {
            let Level { address, stride, width, height } = level;
            self.list.wide_pointer(op::TBP0 + n, op::TBW0 + n, *address, *stride);
            self.list.write(op::TSIZE0 + n, width.ilog2() | height.ilog2() << 8);
        }
        if let Some(palette) = *palette {
            self.use_palette(palette, style.palette);
        }
        self.list.write(op::TFLUSH, 0);
    }

    /// Loads a palette.
    pub fn use_palette(&mut self, (address, blocks): (u32, u32), format: u32) {
        self.list.wide_pointer(op::CBP, op::CBPH, address, 0);
        self.list.write(op::CMODE, format | 0xff << 8).write(op::CLOAD, blocks);
    }
}

/// A level in memory, and texels from row to row.
fn encoded(canvas: &Canvas, style: Style, colours: &[[u8; 4]]) -> (Vec<u8>, u32) {
    if style.format >= format::DXT1 {
        return (blocks(canvas, style.format), canvas.width);
    }
    let stride = canvas.width.max(UNIT * 8 / style.bits());
    let rows = if style.is_swizzled { canvas.height.next_multiple_of(8) } else { canvas.height };
    let row_bytes = (stride * style.bits() / 8) as usize;
    let mut bytes = vec![0; row_bytes * rows as usize];
    for y in 0..canvas.height {
        for x in 0..canvas.width {
            let bits = texel(canvas.at(x, y), style, colours);
            put(&mut bytes[y as usize * row_bytes..], x as usize, style.bits(), bits);
        }
    }
    (if style.is_swizzled { swizzled(&bytes, row_bytes) } else { bytes }, stride)
}

fn put(row: &mut [u8], x: usize, size: u32, bits: u32) {
    if size == 4 {
        row[x / 2] |= (bits as u8) << (4 * (x % 2));
    } else {
        let count = size as usize / 8;
        row[x * count..][..count].copy_from_slice(&bits.to_le_bytes()[..count]);
    }
}

fn texel(colour: [u8; 4], style: Style, colours: &[[u8; 4]]) -> u32 {
    if style.is_indexed() {
        return nearest(colour, colours) as u32;
    }
    encode(PixelFormat::of(style.format), colour)
}

fn distance(a: [u8; 4], b: [u8; 4]) -> i32 {
    (0..4).map(|c| (i32::from(a[c]) - i32::from(b[c])).pow(2)).sum()
}

fn nearest(colour: [u8; 4], colours: &[[u8; 4]]) -> usize {
    (0..colours.len()).min_by_key(|&n| distance(colour, colours[n])).unwrap_or(0)
}

/// Rows in blocks of 16 bytes by 8 rows (9.2).
fn swizzled(bytes: &[u8], row_bytes: usize) -> Vec<u8> {
    let mut out = vec![0; bytes.len()];
    for (at, &byte) in bytes.iter().enumerate() {
        let (x, y) = (at % row_bytes, at / row_bytes);
        out[(y / 8 * (row_bytes / 16) + x / 16) * 128 + y % 8 * 16 + x % 16] = byte;
    }
    out
}

/// At most `count` colours that stand for all: the colours in boxes, the longest box halved at its median.
fn median_cut(pixels: &[[u8; 4]], count: usize) -> Vec<[u8; 4]> {
    let mut all = pixels.to_vec();
    all.sort_unstable();
    all.dedup();
    let mut boxes = vec![all];
    while boxes.len() < count {
        let longest = (0..boxes.len()).max_by_key(|&n| extent(&boxes[n]).1).unwrap_or(0);
        let (channel, length) = extent(&boxes[longest]);
        if length == 0 {
            break;
        }
        boxes[longest].sort_by_key(|colour| colour[channel]);
        let middle = boxes[longest].len() / 2;
        let half = boxes[longest].split_off(middle);
        boxes.push(half);
    }
    boxes.iter().map(|colours| mean(colours)).collect()
}

/// The channel with the largest range among some colours, and that range.
fn extent(colours: &[[u8; 4]]) -> (usize, u8) {
    let length = |c: usize| {
        let values = || colours.iter().map(|colour| colour[c]);
        values().max().unwrap_or(0) - values().min().unwrap_or(0)
    };
    (0..4).map(|c| (c, length(c))).max_by_key(|&(_, length)| length).unwrap_or((0, 0))
}

fn mean(colours: &[[u8; 4]]) -> [u8; 4] {
    let sum = |c: usize| colours.iter().map(|colour| u32::from(colour[c])).sum::<u32>();
    std::array::from_fn(|c| (sum(c) / colours.len().max(1) as u32) as u8)
}

/// A picture in blocks of 4 by 4 texels (9.3).
fn blocks(canvas: &Canvas, code: u32) -> Vec<u8> {
    let corners =
        (0..canvas.height.div_ceil(4)).flat_map(|y| (0..canvas.width.div_ceil(4)).map(move |x| (x, y)));
    let of_corner = |(x, y): (u32, u32)| {
        let texels: [[u8; 4]; 16] =
            std::array::from_fn(|n| canvas.at(x * 4 + n as u32 % 4, y * 4 + n as u32 / 4));
        let mut block = colour_block(&texels, code == format::DXT1);
        match code {
            format::DXT3 => block.extend(texels.chunks(2).map(|two| two[0][3] >> 4 | two[1][3] & 0xf0)),
            format::DXT5 => block.extend(alpha_block(&texels)),
            _ => {}
        }
        block
    };
    corners.flat_map(of_corner).collect()
}

/// The colour as 16 bits with red on top, and the machine's expansion of them.
fn colour565([r, g, b, _]: [u8; 4]) -> (u16, [u8; 4]) {
    let bits = u16::from(r >> 3) << 11 | u16::from(g >> 2) << 5 | u16::from(b >> 3);
    (bits, [r & 0xf8, g & 0xfc, b & 0xf8, 255])
}

fn colour_block(texels: &[[u8; 4]; 16], may_be_clear: bool) -> Vec<u8> {
    let bright = |texel: &&[u8; 4]| texel[..3].iter().map(|&c| u32::from(c)).sum::<u32>();
    let is_clear = |texel: &[u8; 4]| may_be_clear && texel[3] < 128;
    let solid = || texels.iter().filter(|texel| !is_clear(texel));
    let ends =
        [solid().max_by_key(bright), solid().min_by_key(bright)].map(|texel| *texel.unwrap_or(&[0; 4]));
    let has_holes = texels.iter().any(is_clear);
    let mut ends = ends.map(colour565);
    ends.sort_by_key(|&(bits, _)| if has_holes { bits } else { !bits });
    let [(first, a), (second, b)] = ends;
    let between = |m: u16, n: u16, by: u16| {
        std::array::from_fn(|c| ((u16::from(a[c]) * m + u16::from(b[c]) * n) / by) as u8)
    };
    let colours = if first > second {
        vec![a, b, between(2, 1, 3), between(1, 2, 3)]
    } else {
        vec![a, b, between(1, 1, 2)]
    };
    let index = |texel: &[u8; 4]| {
        let [r, g, b, _] = *texel;
        if is_clear(texel) { 3 } else { nearest([r, g, b, 255], &colours) as u8 }
    };
    let rows = texels.chunks(4).map(|row| row.iter().rev().fold(0, |bits, texel| bits << 2 | index(texel)));
    rows.chain(first.to_le_bytes()).chain(second.to_le_bytes()).collect()
}

fn alpha_block(texels: &[[u8; 4]; 16]) -> [u8; 8] {
    let values = || texels.iter().map(|texel| u32::from(texel[3]));
    let (high, low) = (values().max().unwrap_or(0), values().min().unwrap_or(0));
    let level = |index: u32| match index {
        0 => high,
        1 => low,
        n => (high * (8 - n) + low * (n - 1)) / 7,
    };
    let count = if high > low { 8 } else { 1 };
    let index = |alpha: u32| u64::from((0..count).min_by_key(|&n| level(n).abs_diff(alpha)).unwrap_or(0));
    let bits = values().rev().fold(0, |bits, alpha| bits << 3 | index(alpha));
    let mut block = bits.to_le_bytes();
    block[6..].copy_from_slice(&[high as u8, low as u8]);
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red, green and blue of a texel of a block (psp-ge.md 9.3); `None` where it has none.
    fn colour(block: &[u8], x: u32, y: u32) -> Option<[u8; 3]> {
        let word = |at: usize| u16::from_le_bytes([block[at], block[at + 1]]);
        let [a, b] =
            [word(4), word(6)].map(|bits| [bits >> 11 << 3, (bits >> 5 & 63) << 2, (bits & 31) << 3]);
        let mix = |m: u16, n: u16| std::array::from_fn(|c| ((m * a[c] + n * b[c]) / (m + n)) as u8);
        match (block[y as usize] >> (2 * x) & 3, word(4) > word(6)) {
            (0, _) => Some(mix(1, 0)),
            (1, _) => Some(mix(0, 1)),
            (2, true) => Some(mix(2, 1)),
            (2, false) => Some(mix(1, 1)),
            (_, true) => Some(mix(1, 2)),
            (_, false) => None,
        }
    }

    /// Alpha of a texel of a block whose alpha is interpolated in sevenths.
    fn alpha(block: &[u8; 16], x: u32, y: u32) -> u8 {
        let bits = u64::from_le_bytes(std::array::from_fn(|n| if n < 6 { block[8 + n] } else { 0 }));
        let [high, low] = [14, 15].map(|at: usize| u32::from(block[at]));
        let level = match (bits >> (3 * (4 * y + x)) & 7) as u32 {
            0 => high,
            1 => low,
            n => (high * (8 - n) + low * (n - 1)) / 7,
        };
        level as u8
    }

    #[test]
    fn few_colours_stay_what_they_are() {
        let canvas = Canvas::checker(16, 4, [250, 3, 9, 255], [1, 2, 3, 0]);
        let colours = median_cut(&canvas.pixels, 16);
        assert_eq!(colours.len(), 2);
        assert!((0..16).all(|x| colours[nearest(canvas.at(x, x), &colours)] == canvas.at(x, x)));
    }

    #[test]
    fn blocks_decode_to_about_the_picture() {
        let canvas = Canvas::paint(8, 8, |x, y| [x, y, 0.5, x * y]);
        let close = |found: [u8; 4], texel: [u8; 4]| (0..4).all(|c| found[c].abs_diff(texel[c]) < 72);
        for (code, size) in [(format::DXT3, 16), (format::DXT5, 16)] {
            let bytes = blocks(&canvas, code);
            for (x, y) in (0..8).flat_map(|y| (0..8).map(move |x| (x, y))) {
                let at = (y / 4 * 2 + x / 4) as usize * size;
                let block: &[u8; 16] = bytes[at..at + 16].try_into().unwrap();
                let (texel, [x, y]) = (canvas.at(x, y), [x % 4, y % 4]);
                let [r, g, b] = colour(block, x, y).unwrap();
                let nibble = block[8 + (2 * y + x / 2) as usize] >> (4 * (x % 2)) & 15;
                let alpha = if code == format::DXT3 { nibble << 4 } else { alpha(block, x, y) };
                let found = [r, g, b, alpha];
                assert!(close(found, texel), "{code} {x} {y}: {found:?} {texel:?}");
            }
        }
    }

    #[test]
    fn clear_texels_of_dxt1_are_clear() {
        let canvas = Canvas::checker(4, 4, [200, 100, 50, 255], [0; 4]);
        let bytes = blocks(&canvas, format::DXT1);
        assert_eq!([0, 1].map(|x| colour(&bytes, x, 0)), [Some([200, 100, 48]), None]);
    }

    #[test]
    fn nibbles_come_low_first() {
        let mut row = [0; 2];
        (0..4).for_each(|x| put(&mut row, x, 4, x as u32 + 1));
        assert_eq!(row, [0x21, 0x43]);
    }
}
