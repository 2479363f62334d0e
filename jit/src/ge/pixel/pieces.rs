//! Primitives that read what they draw: drawn in pieces, none of which reads a pixel of its own before the one that
//! draws it. Before each piece the texels that it may read are decoded from memory as it is then.
//!
//! The order is that of the oracle: primitive after primitive, row after row, from left to right. A piece is as much
//! of it as is known to be independent: the whole primitive, a row, or a part of a row.

use super::bind::{Range, overlap};
use super::feedback::{Feedback, Texels};
use super::mapping::Mapping;
use super::rows::{CompiledRows, Painter};
use super::texture::{Decoder, ImageKey};
use crate::emit::ge::span::PixelConstants;
use picaflor_pipeline::ge::stage::{PixelState, TileBatch};
use picaflor_pipeline::ge::target::{SIDE, Target};
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::rect::Rect;
use std::cell::Cell;

/// Texels that a piece may decode for each of its pixels, and beside these: for more the interpreter, which reads those that
/// it needs, takes less time.
const TEXELS_OF_A_PIXEL: u64 = 32;
const TEXELS_OF_A_PIECE: u64 = 64;
/// Texels that a row counts as, beside those that are decoded of it (measured: 35 ns).
const TEXELS_OF_A_ROW: u64 = 16;

thread_local! {
    /// Texels, kept from batch to batch.
    static SPARE: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

/// Draws a batch. Returns the number of covered pixels; `None` if a primitive's texels are not known.
pub(super) fn draw(rows: &CompiledRows, feedback: &Feedback, batch: &TileBatch<'_>) -> Option<u64> {
    let primitives = || batch.order.iter().filter_map(|&n| batch.primitives.get(n as usize));
    if primitives().any(|primitive| Mapping::of(feedback, primitive).is_none()) {
        return None;
    }
    let mut pieces = Pieces {
        rows,
        feedback,
        batch,
        target: batch.target,
        texels: Window::new(&feedback.image, batch.state),
        constants: (*rows.bound.constants).clone(),
    };
    let all = Rect { x0: 0, y0: 0, x1: SIDE as i32, y1: SIDE as i32 };
    let tile = batch.tile.intersect(all);
    let numbers = batch.order.iter().filter(|&&n| (n as usize) < batch.primitives.len());
    Some(numbers.map(|&n| pieces.primitive(n, tile)).sum())
}

struct Pieces<'a> {
    rows: &'a CompiledRows,
    feedback: &'a Feedback,
    batch: &'a TileBatch<'a>,
    target: &'a Target<'a>,
    texels: Window<'a>,
    constants: PixelConstants,
}

impl Pieces<'_> {
    fn primitive(&mut self, number: u32, tile: Rect) -> u64 {
        let primitive = &self.batch.primitives[number as usize];
        let Some(mapping) = Mapping::of(self.feedback, primitive) else { return 0 };
        let area = mapping.covered().intersect(tile);
        if area.is_empty() {
            return 0;
        }
        if let Some(texels) = mapping.around(area)
            && self.is_free(area, texels)
        {
            return self.piece(number, area, texels);
        }
        let rows = (area.y0..area.y1).map(|y| mapping.of_row(Rect { y0: y, y1: y + 1, ..area }));
        rows.filter(|row| !row.is_empty()).map(|row| self.row(number, &mapping, row)).sum()
    }

    fn row(&mut self, number: u32, mapping: &Mapping<'_>, row: Rect) -> u64 {
        let texels = mapping.texels(row);
        if self.is_free(row, texels) {
            return self.piece(number, row, texels);
        }
        let (mut left, mut pixels) = (row, 0);
        while !left.is_empty() {
            let (end, texels) = self.independent(mapping, left);
            let piece = Rect { x1: end, ..left };
            if self.is_dear(piece, texels) {
                return pixels + self.interpreted(number, left);
            }
            pixels += self.piece(number, piece, texels);
            left.x0 = end;
        }
        pixels
    }

    /// The end of the pixels from the first one of a row on that read nothing that these draw before, and their texels.
    fn independent(&self, mapping: &Mapping<'_>, row: Rect) -> (i32, Texels) {
        let pixel = |x: i32| mapping.texels(Rect { x0: x, x1: x + 1, ..row });
        let mut all = pixel(row.x0);
        for x in row.x0 + 1..row.x1 {
            let [columns, rows] = pixel(x);
            // All of an axis: too much to look at for each pixel.
            if rows[1] - rows[0] > 1 {
                return (x, all);
            }
            let drawn = self.drawn(Rect { x1: x, ..row });
            let mut bytes = (rows[0]..=rows[1]).map(|y| self.feedback.bytes([columns, [y; 2]]));
            if bytes.any(|bytes| bytes.is_none_or(|bytes| drawn.iter().any(|&drawn| overlap(drawn, bytes)))) {
                return (x, all);
            }
            for (all, [first, last]) in all.iter_mut().zip([columns, rows]) {
                *all = [all[0].min(first), all[1].max(last)];
            }
        }
        (row.x1, all)
    }

    /// True if pixels read nothing that they draw.
    fn is_free(&self, area: Rect, texels: Texels) -> bool {
        let is_apart = |bytes| self.drawn(area).iter().all(|&drawn| !overlap(drawn, bytes));
        self.feedback.bytes(texels).is_some_and(is_apart)
    }

    /// Ranges of bytes with all that pixels draw: colour, depth.
    fn drawn(&self, area: Rect) -> [Range; 2] {
        let (key, target) = (&self.rows.key, self.target);
        let range = |is_drawn: bool, start: u32, stride: u32, bytes: u32| {
            let pixel = |x: i32, y: i32| start + (y as u32 * stride + x as u32) * bytes;
            let [first, end] = [pixel(area.x0, area.y0), pixel(area.x1 - 1, area.y1 - 1) + bytes];
            match is_drawn {
                false => [0; 2],
                // Buffers go on at the start of VRAM.
                true if end > VRAM_BYTES => [VRAM, VRAM + VRAM_BYTES],
                true => [VRAM + first, VRAM + end],
            }
        };
        let draws_colour = key.written.colour || key.written.alpha;
        let depth = key.depth.filter(|depth| depth.writes);
        let mut ranges = [
            range(draws_colour, target.colour, target.colour_stride, target.format.bytes()),
            range(depth.is_some(), target.depth, target.depth_stride, 2),
        ];
        if depth.is_some_and(|depth| depth.maps != AddressMaps::Flat) {
            ranges[1] = [VRAM, VRAM + VRAM_BYTES];
        }
        ranges
    }

    /// True if a piece decodes more texels than its pixels are worth, and the interpreter may draw.
    fn is_dear(&self, area: Rect, texels: Texels) -> bool {
        let [columns, rows] = texels.map(|[first, last]| u64::from(last - first) + 1);
        let decoded = (columns + TEXELS_OF_A_ROW) * rows;
        self.rows.fallback.allowed && decoded > TEXELS_OF_A_PIXEL * area.pixels() + TEXELS_OF_A_PIECE
    }

    /// Draws some pixels of a primitive as the oracle does, which knows their order.
    fn interpreted(&self, number: u32, area: Rect) -> u64 {
        self.rows.interpreted(&TileBatch { order: &[number], tile: area, ..*self.batch })
    }

    /// Draws some pixels of a primitive.
    fn piece(&mut self, number: u32, area: Rect, texels: Texels) -> u64 {
        if self.is_dear(area, texels) {
            return self.interpreted(number, area);
        }
        let primitive = &self.batch.primitives[number as usize];
        self.texels.refresh(texels);
        self.constants.levels[0].texels = self.texels.start();
        let mut painter = Painter::new(self.rows, &self.constants, self.target, area);
        let pixels = painter.primitive(primitive);
        painter.finish();
        pixels
    }
}

/// The texels of a level, as far as they were decoded.
struct Window<'a> {
    decoder: Decoder<'a>,
    size: [u32; 2],
    texels: Vec<u32>,
}

impl<'a> Window<'a> {
    fn new(image: &'a ImageKey, state: PixelState<'a>) -> Self {
        let size = image.size();
        let mut texels = SPARE.take();
        let [width, height] = size.map(|side| side as usize + 1);
        texels.resize(texels.len().max(width * height), 0);
        Self { decoder: Decoder::new(image, state.memory), size, texels }
    }

    /// Where they begin, for compiled code.
    fn start(&self) -> u64 {
        self.texels.as_ptr() as u64
    }

    /// Decodes some texels again.
    fn refresh(&mut self, [columns, rows]: Texels) {
        let [width, height] = self.size;
        let row_texels = width as usize + 1;
        let (first, is_whole) = (columns[0] as usize, columns == [0, width - 1]);
        for y in rows[0]..=rows[1] {
            let found = self.decoder.part(columns, y);
            let row = &mut self.texels[y as usize * row_texels..][..row_texels];
            row[first..first + found.len()].copy_from_slice(found);
            if is_whole {
                row[width as usize] = row[0];
            }
        }
        if rows == [0, height - 1] {
            self.texels.copy_within(..row_texels, height as usize * row_texels);
        }
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        SPARE.set(std::mem::take(&mut self.texels));
    }
}

#[cfg(test)]
#[path = "pieces_tests.rs"]
mod tests;
