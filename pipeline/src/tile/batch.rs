//! Draws that are drawn together, with all that they depend on.

use super::bins::Bins;
use super::grid::Grid;
use crate::memory::Memory;
use crate::pica::coverage::Scissor;
use crate::pica::lut::Luts;
use crate::pica::raster::{Rect, Triangle};
use crate::pica::regs::Registers;
use crate::pica::surface::Target;
use crate::stage::{FragmentState, TileBatch, TileRoutine};
use std::ops::Range;
use std::sync::Arc;

/// Entries in tiles, 128 KiB; a draw with more of them becomes several.
const MOST_ENTRIES: usize = 1 << 15;
/// Draws of a batch.
const MOST_DRAWS: usize = 128;
/// Pixels that a triangle costs before its first.
const TRIANGLE_PIXELS: u64 = 32;
/// Triangles that an empty batch keeps room for.
const KEPT_TRIANGLES: usize = 4096;

/// A draw, independent of the machine that submitted it.
#[derive(Clone)]
pub(super) struct Draw<'m> {
    pub(super) registers: Registers,
    pub(super) luts: Arc<Luts>,
    pub(super) routine: Arc<dyn TileRoutine + 'm>,
    pub(super) target: Target<'m>,
    /// Those of the batch's triangles that belong to it.
    pub(super) triangles: Range<usize>,
    /// The pixels that it may reach.
    pub(super) area: Rect,
}

/// Draws to one target, in order.
pub(super) struct Batch<'m> {
    grid: Grid,
    draws: Vec<Draw<'m>>,
    triangles: Vec<Triangle>,
    bins: Bins,
    entries: usize,
    work: u64,
}

impl<'m> Batch<'m> {
    /// No draws, for a target with these tiles.
    pub(super) fn new(grid: Grid) -> Self {
        let (draws, triangles, mut bins) = (Vec::new(), Vec::new(), Bins::default());
        bins.clear(grid.len());
        Self { grid, draws, triangles, bins, entries: 0, work: 0 }
    }

    /// Forgets everything, for draws to a target with these tiles.
    pub(super) fn clear(&mut self, grid: Grid) {
        self.draws.clear();
        self.triangles.clear();
        self.triangles.shrink_to(KEPT_TRIANGLES);
        self.bins.clear(grid.len());
        self.grid = grid;
        (self.entries, self.work) = (0, 0);
    }

    /// Adds a draw with as many of the triangles as there is room for, at least one, and takes these out of
    /// `triangles`. Where some are left, returns the draw for them.
    pub(super) fn push(&mut self, mut draw: Draw<'m>, triangles: &mut Vec<Triangle>) -> Option<Draw<'m>> {
        let room = MOST_ENTRIES.saturating_sub(self.entries);
        let added = self.bins.add(&self.grid, self.draws.len() as u32, triangles, draw.area, room);
        let rest = (added.triangles < triangles.len()).then(|| draw.clone());
        let first = self.triangles.len();
        if first == 0 && rest.is_none() {
            std::mem::swap(&mut self.triangles, triangles);
        } else {
            self.triangles.extend(triangles.drain(..added.triangles));
        }
        draw.triangles = first..self.triangles.len();
        self.draws.push(draw);
        self.entries += added.entries;
        self.work += added.pixels + added.triangles as u64 * TRIANGLE_PIXELS;
        rest
    }

    /// Whether no more should be added.
    pub(super) const fn is_full(&self) -> bool {
        self.entries >= MOST_ENTRIES || self.draws.len() >= MOST_DRAWS
    }

    /// The tiles of the target.
    pub(super) const fn grid(&self) -> Grid {
        self.grid
    }

    /// The draws.
    pub(super) const fn draws(&self) -> usize {
        self.draws.len()
    }

    /// Entries in tiles.
    pub(super) const fn entries(&self) -> usize {
        self.entries
    }

    /// What drawing costs, in pixels: roughly, and at most.
    pub(super) const fn work(&self) -> u64 {
        self.work
    }

    /// The tiles that there is something to draw in.
    pub(super) fn tiles(&self) -> &[usize] {
        self.bins.touched()
    }

    /// Draws everything inside a tile. Returns how many fragments there were.
    pub(super) fn draw_tile(&self, tile: usize, memory: &dyn Memory) -> u64 {
        let rect = self.grid.tile(tile);
        let draw = |(n, order): (usize, &[u32])| {
            let draw: &Draw<'_> = &self.draws[n];
            draw.run(&self.triangles, order, rect.intersect(draw.area), memory)
        };
        self.bins.runs(tile).map(draw).sum()
    }

    /// Draws everything, draw after draw.
    pub(super) fn draw_whole(&self, memory: &dyn Memory) -> u64 {
        let draw = |draw: &Draw<'_>| {
            let order = visible(&self.triangles[draw.triangles.clone()], draw.area);
            if order.is_empty() { 0 } else { draw.run(&self.triangles, &order, draw.area, memory) }
        };
        self.draws.iter().map(draw).sum()
    }
}

impl Draw<'_> {
    fn run(&self, triangles: &[Triangle], order: &[u32], tile: Rect, memory: &dyn Memory) -> u64 {
        let state = FragmentState { registers: &self.registers, luts: &self.luts, memory };
        let triangles = &triangles[self.triangles.clone()];
        self.routine.run(&TileBatch { state, triangles, order, tile, target: &self.target })
    }
}

/// The pixels that can be drawn.
pub(super) fn area(registers: &Registers, target: &Target<'_>) -> Rect {
    let [x1, y1] = [target.width(), target.height()].map(|side| side as i32);
    Scissor::of(registers).clip(Rect { x0: 0, y0: 0, x1, y1 })
}

/// The triangles that may touch an area, as indices.
pub(super) fn visible(triangles: &[Triangle], area: Rect) -> Vec<u32> {
    let visible = |triangle: &Triangle| !triangle.bounds().intersect(area).is_empty();
    let all = (0_u32..).zip(triangles);
    all.filter(|(_, triangle)| visible(triangle)).map(|(n, _)| n).collect()
}
