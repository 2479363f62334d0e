//! Display transfers in strips of eight rows of the output: bytes are read in runs, decoded, put in order, reduced,
//! encoded and written in runs.
//!
//! Source: pica-geometry.md 7.3.

use super::convert::{Job, Layout};
use super::pixels::{Decode, Encode, decoder, encoder};
#[cfg(target_arch = "x86_64")]
use crate::code::pica::transfer::{self, Image, Shape};
use crate::code::vectors::wide;
use picaflor_pipeline::guest_slice::GuestSlice;

/// Side of a block.
const SIDE: usize = 8;
/// Pixels of a block.
const BLOCK: usize = SIDE * SIDE;
/// Columns of a strip of the output.
const COLUMNS: usize = 32;
/// Columns of a strip of the input, which may be reduced by two.
const WIDE: usize = 2 * COLUMNS;
/// Bytes of the pixels in eight rows of a strip of the input.
const BYTES: usize = 4 * WIDE * SIDE;

/// Colours of a strip: rows of the input, then of the output.
type Rows = [[u32; WIDE]; 2 * SIDE];

/// Whole blocks in vectors, where the processor has them; false if nothing was done.
#[cfg(target_arch = "x86_64")]
fn in_vectors(
    job: &Job,
    input: GuestSlice<'_>,
    output: GuestSlice<'_>,
    is_stopping: &dyn Fn() -> bool,
) -> bool {
    let image = |layout: &Layout, bytes| Image {
        bytes,
        format: layout.format,
        pitch: layout.pitch as usize,
        tiled: layout.tiled,
    };
    let shape = Shape { size: job.output.size.map(|side| side as usize), shift: job.shift, flip: job.flip };
    !job.input.block32
        && transfer::transfer(image(&job.input, input), image(&job.output, output), shape, is_stopping)
}

/// Runs a transfer between memory that is contiguous in the host and not shared by both sides. False if its output is
/// no whole number of blocks; nothing was done then. Asks before each strip whether it is to end.
pub(super) fn run(
    job: &Job,
    input: GuestSlice<'_>,
    output: GuestSlice<'_>,
    is_stopping: &dyn Fn() -> bool,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if in_vectors(job, input, output, is_stopping) {
        return true;
    }
    let [width, rows] = job.output.size;
    let grain = if job.output.block32 { 32 } else { 8 };
    if job.output.tiled && (width % grain != 0 || rows % 8 != 0) {
        return false;
    }
    let reader = Reader { bytes: input, layout: job.input, decode: decoder(job.input.format) };
    let writer = Writer { bytes: output, layout: job.output, encode: encoder(job.output.format) };
    let mut strip = [[0; WIDE]; 2 * SIDE];
    for y in (0..rows).step_by(SIDE).take_while(|_| !is_stopping()) {
        let height = (rows - y).min(SIDE as u32);
        let first = if job.flip { rows - y - height } else { y };
        for x in (0..width).step_by(COLUMNS) {
            let size = [(width - x).min(COLUMNS as u32), height];
            let [sx, sy] = job.shift;
            reader.read([x << sx, y << sy], [size[0] << sx, size[1] << sy], &mut strip);
            reduce(&mut strip, job.shift);
            if job.flip {
                strip[..height as usize].reverse();
            }
            writer.write([x, first], size, &strip);
        }
    }
    true
}

/// The input of a transfer.
struct Reader<'a> {
    bytes: GuestSlice<'a>,
    layout: Layout,
    decode: Decode,
}

impl Reader<'_> {
    /// Reads pixels; sizes and places are multiples of a block in tiled images, and sizes are in linear ones.
    fn read(&self, [x, y]: [u32; 2], [width, height]: [u32; 2], rows: &mut Rows) {
        let mut raw = [0; BYTES];
        if !self.layout.tiled {
            for (row, at) in rows.iter_mut().zip(y..y + height) {
                self.run(self.layout.offset(x, at), &mut raw, &mut row[..width as usize]);
            }
            return;
        }
        let mut blocks = [[0; BLOCK]; WIDE / SIDE];
        for (band, at) in rows.as_chunks_mut::<SIDE>().0.iter_mut().zip((y..y + height).step_by(SIDE)) {
            let blocks = &mut blocks[..width as usize / SIDE];
            if self.layout.block32 {
                for (block, at_x) in blocks.iter_mut().zip((x..).step_by(SIDE)) {
                    self.run(self.layout.offset(at_x, at), &mut raw, block);
                }
            } else {
                self.run(self.layout.offset(x, at), &mut raw, blocks.as_flattened_mut());
            }
            untile(blocks, band);
        }
    }

    /// Decodes pixels that follow each other in memory.
    fn run(&self, offset: u32, raw: &mut [u8; BYTES], colours: &mut [u32]) {
        let raw = &mut raw[..colours.len() * self.layout.format.bytes() as usize];
        self.bytes.read_all(offset as usize, raw);
        (self.decode)(raw, colours);
    }
}

/// The output of a transfer.
struct Writer<'a> {
    bytes: GuestSlice<'a>,
    layout: Layout,
    encode: Encode,
}

impl Writer<'_> {
    /// Writes pixels; sizes and places are multiples of a block in tiled images.
    fn write(&self, [x, y]: [u32; 2], [width, height]: [u32; 2], rows: &Rows) {
        let mut raw = [0; BYTES];
        if !self.layout.tiled {
            for (row, at) in rows.iter().zip(y..y + height) {
                self.run(self.layout.offset(x, at), &mut raw, &row[..width as usize]);
            }
            return;
        }
        let mut blocks = [[0; BLOCK]; WIDE / SIDE];
        let blocks = &mut blocks[..width as usize / SIDE];
        let band = &rows.as_chunks::<SIDE>().0[0];
        tile(band, blocks);
        if self.layout.block32 {
            for (block, at_x) in blocks.iter().zip((x..).step_by(SIDE)) {
                self.run(self.layout.offset(at_x, y), &mut raw, block);
            }
        } else {
            self.run(self.layout.offset(x, y), &mut raw, blocks.as_flattened());
        }
    }

    /// Encodes pixels that follow each other in memory.
    fn run(&self, offset: u32, raw: &mut [u8; BYTES], colours: &[u32]) {
        let raw = &mut raw[..colours.len() * self.layout.format.bytes() as usize];
        (self.encode)(colours, raw);
        self.bytes.write_all(offset as usize, raw);
    }
}

/// Column and row of a group of 2x2 pixels of a block, counted in pixels, from its place in memory.
const fn group(n: usize) -> (usize, usize) {
    (2 * (n & 1 | n >> 1 & 2), 2 * (n >> 1 & 1 | n >> 2 & 2))
}

/// Puts the pixels of blocks in rows.
fn untile(blocks: &[[u32; BLOCK]], rows: &mut [[u32; WIDE]; SIDE]) {
    wide(|| {
        for (block, x) in blocks.iter().zip((0..).step_by(SIDE)) {
            let mut square = [[0; SIDE]; SIDE];
            for n in 0..BLOCK / 4 {
                let (column, row) = group(n);
                square[row][column] = block[4 * n];
                square[row][column + 1] = block[4 * n + 1];
                square[row + 1][column] = block[4 * n + 2];
                square[row + 1][column + 1] = block[4 * n + 3];
            }
            rows.iter_mut().zip(&square).for_each(|(row, pixels)| row[x..x + SIDE].copy_from_slice(pixels));
        }
    });
}

/// The inverse of [`untile`].
fn tile(rows: &[[u32; WIDE]; SIDE], blocks: &mut [[u32; BLOCK]]) {
    wide(|| {
        for (block, x) in blocks.iter_mut().zip((0..).step_by(SIDE)) {
            let mut square = [[0; SIDE]; SIDE];
            square.iter_mut().zip(rows).for_each(|(pixels, row)| pixels.copy_from_slice(&row[x..x + SIDE]));
            for n in 0..BLOCK / 4 {
                let (column, row) = group(n);
                block[4 * n] = square[row][column];
                block[4 * n + 1] = square[row][column + 1];
                block[4 * n + 2] = square[row + 1][column];
                block[4 * n + 3] = square[row + 1][column + 1];
            }
        }
    });
}

/// Makes the mean of pixels, each channel truncated (measured on a console).
fn reduce(rows: &mut Rows, shift: [u32; 2]) {
    wide(|| match shift {
        [0, _] => {}
        [_, 0] => {
            for row in &mut rows[..SIDE] {
                let pairs: [u32; COLUMNS] = std::array::from_fn(|x| mean2(row[2 * x], row[2 * x + 1]));
                row[..COLUMNS].copy_from_slice(&pairs);
            }
        }
        _ => {
            for y in 0..SIDE {
                let [above, below] = [rows[2 * y], rows[2 * y + 1]];
                let four = |x: usize| [above[2 * x], above[2 * x + 1], below[2 * x], below[2 * x + 1]];
                let means: [u32; COLUMNS] = std::array::from_fn(|x| mean4(four(x)));
                rows[y][..COLUMNS].copy_from_slice(&means);
            }
        }
    });
}

/// The mean of each byte of two words.
#[inline]
const fn mean2(a: u32, b: u32) -> u32 {
    (a & b).wrapping_add((a ^ b) >> 1 & 0x7f7f_7f7f)
}

/// The mean of each byte of four words.
#[inline]
fn mean4(words: [u32; 4]) -> u32 {
    let sum =
        |shift: u32| words.iter().map(|word| word >> shift & 0x00ff_00ff).sum::<u32>() >> 2 & 0x00ff_00ff;
    sum(0) | sum(8) << 8
}
