//! Tiles on compiled code: which blocks a triangle touches, and how much of each.

use super::bind::Bound;
use super::setup::{self, Edge};
use super::stage::Instead;
use crate::code::blocks::{BlockJob, FragmentRoutine};
use crate::emit::block::Slot;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::pica::coverage::Scissor;
use picaflor_pipeline::pica::raster::{Rect, Triangle};
use picaflor_pipeline::pica::regs::rasterizer::ScissorMode;
use picaflor_pipeline::pica::surface::{Target, overlap};
use picaflor_pipeline::stage::{TileBatch, TileRoutine};
use std::sync::Arc;

/// Pixels on the side of a block.
const SIDE: i32 = 8;

/// A routine and the constants of a draw.
pub(crate) struct CompiledTiles {
    pub(super) routine: Arc<FragmentRoutine>,
    pub(super) bound: Bound,
    /// Only every second line is drawn.
    pub(super) skips_odd_lines: bool,
    /// Draws what compiled code does not reach: targets in several pieces of memory, enormous triangles.
    pub(super) instead: Instead,
}

/// A target as compiled code can use it.
#[derive(Clone, Copy)]
struct Blocks<'a> {
    colour: Option<GuestSlice<'a>>,
    depth: Option<GuestSlice<'a>>,
    width: i32,
    height: i32,
    top_first: bool,
}

impl<'a> Blocks<'a> {
    /// `None` where blocks of 8x8 pixels do not lie one after the other in writable memory.
    fn of(target: &Target<'a>, routine: &FragmentRoutine) -> Option<Self> {
        let (width, height) = (target.width(), target.height());
        let blocks = u64::from(width / 8) * u64::from(height.div_ceil(8));
        let usable = |bytes: Option<GuestSlice<'a>>, pixel_bytes: u32| {
            let fits = |bytes: &GuestSlice<'_>| {
                bytes.is_writable() && bytes.len() as u64 >= blocks * 64 * u64::from(pixel_bytes)
            };
            if pixel_bytes == 0 { Some(None) } else { bytes.filter(fits).map(Some) }
        };
        if !width.is_multiple_of(8) || !height.is_multiple_of(8) || target.block32() {
            return None;
        }
        // Where buffers overlap, the order of pixels matters, and here it is that of quads.
        let [colour, depth] = target.ranges();
        if routine.facts.colour_bytes > 0 && routine.facts.depth_bytes > 0 && overlap(colour, depth) {
            return None;
        }
        Some(Self {
            colour: usable(target.colour_bytes(), routine.facts.colour_bytes)?,
            depth: usable(target.depth_bytes(), routine.facts.depth_bytes)?,
            width: width as i32,
            height: height as i32,
            top_first: target.top_first(),
        })
    }

    /// Change of the window's y from one row in memory to the next.
    const fn down(&self) -> i32 {
        if self.top_first { -1 } else { 1 }
    }

    /// The window's y of a row in memory, and back.
    const fn flip(&self, row: i32) -> i32 {
        if self.top_first { self.height - 1 - row } else { row }
    }

    /// Rows in memory, the first and the one after the last, of a range of the window.
    const fn rows(&self, y0: i32, y1: i32) -> (i32, i32) {
        if self.top_first { (self.height - y1, self.height - y0) } else { (y0, y1) }
    }
}

impl TileRoutine for CompiledTiles {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let Some(blocks) = Blocks::of(batch.target, &self.routine) else {
            return self.instead.run(batch);
        };
        let mut slots = Vec::new();
        let mut drawn = 0;
        for (n, &index) in batch.order.iter().enumerate() {
            let Some(triangle) = batch.triangles.get(index as usize) else { continue };
            let edges = [0, 1, 2].map(|n| Edge::opposite(triangle, n));
            if !setup::fits(&edges, [0, blocks.width], [0, blocks.height]) {
                drawn += self.instead.run(&TileBatch { order: &batch.order[n..=n], ..*batch });
                continue;
            }
            let down = i64::from(blocks.down());
            setup::fill(&mut slots, triangle, &edges, self.routine.facts.interpolants, down);
            drawn += self.triangle(batch, &blocks, triangle, &edges, &slots);
        }
        drawn
    }
}

impl CompiledTiles {
    fn triangle(
        &self,
        batch: &TileBatch<'_>,
        blocks: &Blocks<'_>,
        triangle: &Triangle,
        edges: &[Edge; 3],
        slots: &[Slot],
    ) -> u64 {
        let rect = triangle.bounds().intersect(batch.tile);
        if rect.is_empty() {
            return 0;
        }
        let scissor = Scissor::of(batch.state.registers);
        let (first_row, end_row) = blocks.rows(rect.y0, rect.y1);
        let mut drawn = 0;
        for row in (first_row & !(SIDE - 1)..end_row).step_by(SIDE as usize) {
            for x in (rect.x0 & !(SIDE - 1)..rect.x1).step_by(SIDE as usize) {
                let Some(allowed) = self.allowed(blocks, &scissor, edges, rect, x, row) else { continue };
                let y = blocks.flip(row);
                let job = BlockJob {
                    constants: &self.bound.constants,
                    triangle: slots,
                    colour: blocks.colour,
                    depth: blocks.depth,
                    block: (row / SIDE * (blocks.width / SIDE) + x / SIDE) as usize,
                    edges: edges.each_ref().map(|edge| edge.at(x, y) as i32),
                    allowed: (allowed != Cover::Whole).then_some(allowed.mask()),
                };
                drawn += self.routine.run(&job);
            }
        }
        drawn
    }

    /// How much of a block may be drawn; nothing gives `None`.
    fn allowed(
        &self,
        blocks: &Blocks<'_>,
        scissor: &Scissor,
        edges: &[Edge; 3],
        rect: Rect,
        x: i32,
        row: i32,
    ) -> Option<Cover> {
        let (first_row, end_row) = blocks.rows(rect.y0, rect.y1);
        let inside = block_cover(blocks, edges, x, row)?;
        let mut mask = band(0, rect.x0 - x, rect.x1 - x) & band(1, first_row - row, end_row - row);
        if self.skips_odd_lines || scissor.mode == ScissorMode::KeepOutside {
            mask = without(mask, |column, line| {
                let y = blocks.flip(row + line);
                self.skips_odd_lines && y & 1 != 0 || !scissor.keeps(x + column, y)
            });
        }
        let whole = inside && mask == u64::MAX;
        (mask != 0).then_some(if whole { Cover::Whole } else { Cover::Part(mask) })
    }
}

/// How much of a block may be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cover {
    /// All pixels, and all are inside the triangle.
    Whole,
    /// These, by their place in memory, as far as they are inside the triangle.
    Part(u64),
}

impl Cover {
    const fn mask(self) -> u64 {
        match self {
            Self::Whole => u64::MAX,
            Self::Part(mask) => mask,
        }
    }
}

/// Whether all samples of a block are inside the triangle; `None` when none is for sure.
fn block_cover(blocks: &Blocks<'_>, edges: &[Edge; 3], x: i32, row: i32) -> Option<bool> {
    let y = blocks.flip(row);
    let mut whole = true;
    for edge in edges {
        let first = edge.at(x, y) - edge.least;
        let along = edge.right * i64::from(SIDE - 1);
        let across = edge.up * i64::from(blocks.down() * (SIDE - 1));
        if first + along.max(0) + across.max(0) < 0 {
            return None;
        }
        whole &= first + along.min(0) + across.min(0) >= 0;
    }
    Some(whole)
}

/// `BELOW[0][n]`: the pixels in columns below `n`, by their place in memory; `BELOW[1][n]`: in rows below `n`.
const BELOW: [[u64; 9]; 2] = {
    let mut below = [[0; 9]; 2];
    let mut place = 0;
    while place < 64 {
        let at =
            [place & 1 | place >> 1 & 2 | place >> 2 & 4, place >> 1 & 1 | place >> 2 & 2 | place >> 3 & 4];
        let mut n = 0;
        while n < 9 {
            below[0][n] |= ((at[0] < n) as u64) << place;
            below[1][n] |= ((at[1] < n) as u64) << place;
            n += 1;
        }
        place += 1;
    }
    below
};

/// The pixels of a block in columns (0) or rows (1) `low .. high`, both limited to the block.
fn band(direction: usize, low: i32, high: i32) -> u64 {
    let [low, high] = [low, high].map(|n| n.clamp(0, SIDE) as usize);
    BELOW[direction][high] & !BELOW[direction][low]
}

/// A mask without the pixels, by column and row, for which `drop` holds.
fn without(mask: u64, drop: impl Fn(i32, i32) -> bool) -> u64 {
    let all = (0..8).flat_map(|row| (0..8).map(move |column| (column, row)));
    let dropped = all.filter(|&(column, row)| drop(column, row));
    dropped.fold(mask, |mask, (column, row)| {
        mask & !(1 << picaflor_pipeline::pica::tiling::morton(column as u32, row as u32))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::pica::tiling::morton;

    #[test]
    fn bands_are_columns_and_rows() {
        for (x, row) in (0..8).flat_map(|row| (0..8).map(move |x| (x, row))) {
            let bit = 1 << morton(x as u32, row as u32);
            for (low, high) in (-1..9).flat_map(|low| (-1..10).map(move |high| (low, high))) {
                assert_eq!(band(0, low, high) & bit != 0, (low..high).contains(&x));
                assert_eq!(band(1, low, high) & bit != 0, (low..high).contains(&row));
            }
        }
    }
}
