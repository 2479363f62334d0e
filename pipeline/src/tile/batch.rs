//! Draws that are drawn together, with all that they depend on.

use super::bins::Bins;
use super::grid::Grid;
use super::{Draw, draw_pieces, visible};
use crate::memory::Memory;
use crate::stop::Stopper;
use std::ops::Range;

/// Entries in tiles, 128 KiB; a draw with more of them becomes several.
const MOST_ENTRIES: usize = 1 << 15;
/// Draws of a batch.
const MOST_DRAWS: usize = 128;
/// Pixels that a primitive costs before its first.
const PRIMITIVE_PIXELS: u64 = 32;
/// Primitives that an empty batch keeps room for.
const KEPT_PRIMITIVES: usize = 4096;

/// Draws to one target, in order.
pub(super) struct Batch<D: Draw> {
    grid: Grid,
    /// Each with those of the primitives that belong to it.
    draws: Vec<(D, Range<usize>)>,
    primitives: Vec<D::Primitive>,
    bins: Bins,
    entries: usize,
    work: u64,
    /// For a timeline.
    pub(super) number: usize,
}

impl<D: Draw> Batch<D> {
    /// No draws, for a target with these tiles.
    pub(super) fn new(grid: Grid) -> Self {
        let (draws, primitives, mut bins) = (Vec::new(), Vec::new(), Bins::default());
        bins.clear(grid.len());
        Self { grid, draws, primitives, bins, entries: 0, work: 0, number: 0 }
    }

    /// Forgets everything, for draws to a target with these tiles.
    pub(super) fn clear(&mut self, grid: Grid) {
        self.draws.clear();
        self.primitives.clear();
        self.primitives.shrink_to(KEPT_PRIMITIVES);
        self.bins.clear(grid.len());
        self.grid = grid;
        (self.entries, self.work) = (0, 0);
    }

    /// Adds a draw with as many of the primitives from `done` on as there is room for, and moves `done` behind these; an empty
    /// batch has room for one. Where some are left, returns the draw for them. Primitives that are done may be taken away.
    pub(super) fn push(
        &mut self,
        draw: D,
        primitives: &mut Vec<D::Primitive>,
        done: &mut usize,
    ) -> Option<D> {
        let left = primitives.get(*done..).unwrap_or_default();
        if !self.primitives.is_empty() {
            let room = self.primitives.try_reserve(left.len()).and_then(|()| self.draws.try_reserve(1));
            if room.is_err() {
                return Some(draw);
            }
        }
        let room = MOST_ENTRIES.saturating_sub(self.entries);
        let continued =
            self.draws.last().filter(|(last, _)| draw.continues(last)).map(|(_, range)| range.start);
        let number = self.draws.len() - usize::from(continued.is_some());
        let before = continued.map_or(0, |start| self.primitives.len() - start);
        let added = self.bins.add(&self.grid, (number, before), left, draw.area(), room);
        let rest = (added.primitives < left.len()).then(|| draw.clone());
        let first = self.primitives.len();
        if rest.is_some() || *done > 0 {
            // Not drained: the others would be moved each time.
            self.primitives.extend_from_slice(&left[..added.primitives]);
        } else if first == 0 {
            std::mem::swap(&mut self.primitives, primitives);
        } else {
            self.primitives.append(primitives);
        }
        *done += added.primitives;
        let end = self.primitives.len();
        match self.draws.last_mut().filter(|_| continued.is_some()) {
            Some((_, range)) => range.end = end,
            None => self.draws.push((draw, first..end)),
        }
        self.entries += added.entries;
        self.work += added.pixels + added.primitives as u64 * PRIMITIVE_PIXELS;
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
    pub(super) fn draw_tile(&self, tile: usize, memory: &dyn Memory, stopper: &Stopper) -> u64 {
        let rect = self.grid.tile(tile);
        let draw = |(n, order): (usize, &[u32])| {
            let (draw, range) = &self.draws[n];
            let primitives = &self.primitives[range.clone()];
            let tile = rect.intersect(draw.area());
            draw_pieces((primitives, order), tile, (stopper, draw.cut()), |order, tile| {
                draw.run(primitives, order, tile, memory)
            })
        };
        self.bins.runs(tile).map(draw).sum()
    }

    /// Draws everything, draw after draw.
    pub(super) fn draw_whole(&self, memory: &dyn Memory, stopper: &Stopper) -> u64 {
        let draw = |(draw, range): &(D, Range<usize>)| {
            let primitives = &self.primitives[range.clone()];
            let order = visible(primitives, draw.area());
            draw_pieces((primitives, &order), draw.area(), (stopper, draw.cut()), |order, tile| {
                if order.is_empty() { 0 } else { draw.run(primitives, order, tile, memory) }
            })
        };
        self.draws.iter().map(draw).sum()
    }
}
