//! Draws that are drawn together, with all that they depend on.

use super::bins::Bins;
use super::grid::Grid;
use super::{Covered, Draw, draw_pieces, visible};
use crate::memory::Memory;
use crate::stop::Stopper;
use std::ops::Range;

/// Entries in tiles, 128 KiB; a draw with more of them becomes several.
const MOST_ENTRIES: usize = 1 << 15;
/// Draws of a batch.
const MOST_DRAWS: usize = 128;
/// Pixels that a primitive costs before its first.
const PRIMITIVE_PIXELS: u64 = 32;
/// Primitives that an empty batch keeps room for, at most.
const KEPT_PRIMITIVES: usize = 4096;
/// Room of a vector, in multiples of what is in it, that a batch may hold: callers reserve for a list of triangles three times
/// what it needs.
const MOST_ROOM: usize = 4;

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
        empty(&mut self.draws, MOST_DRAWS);
        empty(&mut self.primitives, KEPT_PRIMITIVES);
        self.bins.clear(grid.len());
        self.grid = grid;
        (self.entries, self.work) = (0, 0);
    }

    /// Adds a draw with as many of the primitives from `done` on as there is room for, and moves `done` behind these; an empty
    /// batch has room for one. Where some are left, returns the draw for them. Primitives that are done may be taken away.
    pub(super) fn push(
        &mut self,
        draw: D,
        covered: Covered,
        primitives: &mut Vec<D::Primitive>,
        done: &mut usize,
    ) -> Option<D> {
        let all = primitives.len();
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
        let tiles = self.grid.touched(covered.bounds);
        let added = self.bins.add(&self.grid, (number, before), left, (draw.area(), tiles), room);
        let rest = (added.primitives < left.len()).then(|| draw.clone());
        let first = self.primitives.len();
        if rest.is_some() || *done > 0 {
            // Not drained: the others would be moved each time.
            self.primitives.extend_from_slice(&left[..added.primitives]);
        } else if first == 0 && self.lacks_room_for(primitives) {
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
        // Of a draw in parts, about.
        let pixels = covered.pixels / all.max(1) as u64 * added.primitives as u64;
        self.work += pixels + added.primitives as u64 * PRIMITIVE_PIXELS;
        rest
    }

    /// True if an empty batch takes these primitives where they are: it has less room than they have, or gets none for a copy.
    fn lacks_room_for(&mut self, primitives: &Vec<D::Primitive>) -> bool {
        let count = primitives.len();
        self.primitives.capacity() < count && !is_roomy(primitives)
            || self.primitives.try_reserve(count).is_err()
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

/// True for a vector with far more room than it needs. A batch that took it would hold that room until it is drawn, and hundreds
/// of batches wait where each has one costly draw.
const fn is_roomy<T>(elements: &Vec<T>) -> bool {
    elements.capacity() / MOST_ROOM > elements.len()
}

/// Empties a vector that is used again and again: it keeps room by what it held, for `most` at most. So one that was full once
/// does not stay large where little is put into it.
fn empty<T>(elements: &mut Vec<T>, most: usize) {
    // One that was emptied before keeps its room.
    if !elements.is_empty() {
        let kept = most.min(MOST_ROOM * elements.len());
        elements.clear();
        elements.shrink_to(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rect::Rect;
    use crate::tile::{Cut, Primitive};

    const AREA: Rect = Rect { x0: 0, y0: 0, x1: 8, y1: 8 };

    /// A primitive, and a draw, of the whole target.
    #[derive(Clone)]
    struct Whole(#[expect(dead_code, reason = "vectors of nothing have room for anything")] u64);

    impl Primitive for Whole {
        fn bounds(&self) -> Rect {
            AREA
        }
    }

    impl Draw for Whole {
        type Primitive = Self;

        fn area(&self) -> Rect {
            AREA
        }

        fn cut(&self) -> Cut {
            Cut { pixels: 64, lead: 0, top_first: false, by_blocks: false }
        }

        fn run(&self, _: &[Self], order: &[u32], _: Rect, _: &dyn Memory) -> u64 {
            order.len() as u64
        }
    }

    fn batch() -> Batch<Whole> {
        Batch::new(Grid::new([8, 8], 0, [8; 2]))
    }

    /// So many primitives, in a vector with room for these.
    fn primitives(count: usize, room: usize) -> Vec<Whole> {
        let mut primitives = Vec::with_capacity(room);
        primitives.resize(count, Whole(0));
        primitives
    }

    fn push(batch: &mut Batch<Whole>, primitives: &mut Vec<Whole>) {
        let covered = Covered::by(primitives, AREA);
        assert!(batch.push(Whole(0), covered, primitives, &mut 0).is_none() && primitives.is_empty());
    }

    #[test]
    fn full_vectors_are_taken_as_they_are() {
        for room in [1000, 3000] {
            let (mut batch, mut full) = (batch(), primitives(1000, room));
            let place = full.as_ptr();
            push(&mut batch, &mut full);
            assert_eq!((batch.primitives.as_ptr(), batch.primitives.len()), (place, 1000));
        }
    }

    /// One primitive in the vector of an earlier draw, which had many: the caller keeps the room.
    #[test]
    fn room_stays_with_the_caller() {
        let (mut batch, mut roomy) = (batch(), primitives(1, 65_536));
        push(&mut batch, &mut roomy);
        assert_eq!(batch.primitives.len(), 1);
        assert!(batch.primitives.capacity() < 100 && roomy.capacity() >= 65_536);
    }

    #[test]
    fn batches_keep_room_for_what_they_held() {
        let (mut batch, mut full) = (batch(), primitives(1000, 1000));
        push(&mut batch, &mut full);
        (1..MOST_DRAWS).for_each(|_| push(&mut batch, &mut primitives(1, 1)));
        assert!(matches!(cleared(&mut batch), [1000..=4096, MOST_DRAWS]));
        push(&mut batch, &mut primitives(1, 1));
        assert!(matches!(cleared(&mut batch), [1..=MOST_ROOM, 1..=MOST_ROOM]));
    }

    /// Room for primitives and draws after it went from hand to hand, each of which clears it.
    fn cleared(batch: &mut Batch<Whole>) -> [usize; 2] {
        (0..3).for_each(|_| batch.clear(batch.grid));
        [batch.primitives.capacity(), batch.draws.capacity()]
    }
}
