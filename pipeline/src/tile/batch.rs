//! Draws that are drawn together, with all that they depend on.

use super::bins::Bins;
use super::grid::{Grid, Rows};
use super::primitives::{Primitives as _, empty};
use super::{Covered, Draw, draw_pieces, visible};
use crate::memory::Memory;
use crate::rect::Rect;
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
/// Primitives of which a container is taken as it is: it costs a draw of its own.
const TAKEN: usize = 64;
/// Empty containers that a batch keeps.
const MOST_SPARE: usize = 2;

/// Draws to one target, in order.
pub(super) struct Batch<D: Draw> {
    grid: Grid,
    draws: Vec<Part<D>>,
    /// Of all draws without primitives of their own.
    primitives: D::Primitives,
    /// Empty ones, for callers whose primitives were taken.
    spare: Vec<D::Primitives>,
    bins: Bins,
    /// A rectangle with all that they cover.
    bounds: Rect,
    entries: usize,
    work: u64,
    /// For a timeline.
    pub(super) number: usize,
}

/// A draw, or a part of one.
struct Part<D: Draw> {
    draw: D,
    /// Its primitives, among its own ones or those of the batch.
    range: Range<usize>,
    own: Option<D::Primitives>,
}

impl<D: Draw> Batch<D> {
    /// No draws, for a target with these tiles.
    pub(super) fn new(grid: Grid) -> Self {
        let mut bins = Bins::default();
        bins.clear(grid.len());
        let (draws, primitives, spare) = (Vec::new(), D::Primitives::default(), Vec::new());
        Self { grid, draws, primitives, spare, bins, bounds: Rect::EMPTY, entries: 0, work: 0, number: 0 }
    }

    /// Forgets everything, for draws to a target with these tiles.
    pub(super) fn clear(&mut self, grid: Grid) {
        for mut own in self.draws.iter_mut().filter_map(|part| part.own.take()) {
            own.empty(KEPT_PRIMITIVES);
            if self.spare.len() < MOST_SPARE {
                self.spare.push(own);
            }
        }
        empty(&mut self.draws, MOST_DRAWS);
        self.primitives.empty(KEPT_PRIMITIVES);
        self.bins.clear(grid.len());
        self.grid = grid;
        (self.bounds, self.entries, self.work) = (Rect::EMPTY, 0, 0);
    }

    /// Adds a draw with as many of the primitives from `done` on as there is room for, and moves `done` behind these; an empty
    /// batch has room for one. Where some are left, returns the draw for them. Primitives that are done may be taken away.
    pub(super) fn push(
        &mut self,
        draw: D,
        covered: Covered,
        primitives: &mut D::Primitives,
        done: &mut usize,
    ) -> Option<D> {
        let all = primitives.all().len();
        let left = primitives.all().get(*done..).unwrap_or_default();
        let room = MOST_ENTRIES.saturating_sub(self.entries);
        let tiles = self.grid.touched(covered.bounds);
        let is_taken = *done == 0 && self.takes(primitives, room as u64 / tiles.pixels().max(1));
        if !self.draws.is_empty() {
            // Also where they are taken: without memory for their entries, some of them are copied.
            let room = self.primitives.make_room(primitives).and_then(|()| self.draws.try_reserve(1));
            if room.is_err() {
                return Some(draw);
            }
        }
        let continued = self.draws.last().filter(|last| !is_taken && last.is_continued_by(&draw));
        let number = self.draws.len() - usize::from(continued.is_some());
        let before = if is_taken { 0 } else { self.primitives.all().len() };
        let added = self.bins.add(&self.grid, (number, before), left, (draw.area(), tiles), room);
        let rest = (added.primitives < left.len()).then(|| draw.clone());
        if is_taken && rest.is_none() {
            let own = std::mem::replace(primitives, self.spare.pop().unwrap_or_default());
            self.draws.push(Part { draw, range: 0..all, own: Some(own) });
        } else {
            let first = self.primitives.all().len();
            if is_taken {
                // Without memory for all of their entries, some are copied behind those of other draws.
                self.bins.shift(number, first);
            }
            if rest.is_some() || *done > 0 {
                // Not drained: the others would be moved each time.
                self.primitives.append_some(primitives, *done..*done + added.primitives);
            } else {
                self.primitives.append(primitives);
            }
            self.end_with(number, draw, first);
        }
        *done += added.primitives;
        self.bounds = self.bounds.hull(covered.bounds);
        self.entries += added.entries;
        // Of a draw in parts, about.
        let pixels = covered.pixels / all.max(1) as u64 * added.primitives as u64;
        self.work += pixels + added.primitives as u64 * PRIMITIVE_PIXELS;
        rest
    }

    /// Gives the draw of a number the primitives of the batch from `first` on. It is the last one, or new.
    fn end_with(&mut self, number: usize, draw: D, first: usize) {
        let end = self.primitives.all().len();
        match self.draws.get_mut(number) {
            Some(last) => last.range.end = end,
            None => self.draws.push(Part { draw, range: first..end, own: None }),
        }
    }

    /// True if these primitives stay where they are: there are enough of them, and there is room for so many, wherever they lie; or
    /// there is no memory for copies.
    fn takes(&mut self, primitives: &D::Primitives, room: u64) -> bool {
        let count = primitives.all().len();
        (TAKEN as u64..=room).contains(&(count as u64)) && !primitives.is_roomy()
            || self.draws.is_empty() && self.primitives.make_room(primitives).is_err()
    }

    /// Whether no more should be added.
    pub(super) const fn is_full(&self) -> bool {
        self.entries >= MOST_ENTRIES || self.draws.len() >= MOST_DRAWS
    }

    /// The tiles of the target.
    pub(super) const fn grid(&self) -> Grid {
        self.grid
    }

    /// A rectangle with all that the draws cover.
    pub(super) const fn bounds(&self) -> Rect {
        self.bounds
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

    /// Draws everything inside of rows of a tile. Returns how many fragments there were.
    pub(super) fn draw_tile(
        &self,
        (tile, rows): (usize, Rows),
        memory: &dyn Memory,
        stopper: &Stopper,
    ) -> u64 {
        let rect = self.grid.rows(tile, rows);
        let draw = |(n, order): (usize, &[u32])| {
            let part = &self.draws[n];
            let (draw, primitives) = (&part.draw, part.primitives(&self.primitives));
            let tile = rect.intersect(draw.area());
            if tile.is_empty() {
                return 0;
            }
            draw_pieces((primitives.all(), order), tile, (stopper, draw.cut()), |order, tile| {
                draw.run(primitives, order, tile, memory)
            })
        };
        self.bins.runs(tile).map(draw).sum()
    }

    /// Draws everything, draw after draw.
    pub(super) fn draw_whole(&self, memory: &dyn Memory, stopper: &Stopper) -> u64 {
        let draw = |part: &Part<D>| {
            let (draw, primitives) = (&part.draw, part.primitives(&self.primitives));
            let order = visible(primitives.all(), part.range.clone(), draw.area());
            draw_pieces((primitives.all(), &order), draw.area(), (stopper, draw.cut()), |order, tile| {
                if order.is_empty() { 0 } else { draw.run(primitives, order, tile, memory) }
            })
        };
        self.draws.iter().map(draw).sum()
    }
}

impl<D: Draw> Part<D> {
    /// Those that its own ones are among; `shared` are those of the batch.
    fn primitives<'a>(&'a self, shared: &'a D::Primitives) -> &'a D::Primitives {
        self.own.as_ref().unwrap_or(shared)
    }

    /// True if primitives of a draw may follow its own.
    fn is_continued_by(&self, draw: &D) -> bool {
        self.own.is_none() && draw.continues(&self.draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::FlatMemory;
    use crate::tile::primitives::MOST_ROOM;
    use crate::tile::{Cut, Primitive};
    use std::sync::Mutex;

    const AREA: Rect = Rect { x0: 0, y0: 0, x1: 8, y1: 8 };

    /// A primitive, and a draw, of the whole target.
    #[derive(Clone)]
    struct Whole(u64);

    impl Primitive for Whole {
        fn bounds(&self) -> Rect {
            AREA
        }
    }

    impl Draw for Whole {
        type Primitives = Vec<Self>;

        fn area(&self) -> Rect {
            AREA
        }

        fn cut(&self) -> Cut {
            Cut { pixels: 64, lead: 0, top_first: false, by_blocks: false }
        }

        fn run(&self, _: &Vec<Self>, order: &[u32], _: Rect, _: &dyn Memory) -> u64 {
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

    /// The caller gets an empty vector for it, which another one left.
    #[test]
    fn full_vectors_are_taken_as_they_are() {
        for room in [1000, 3000] {
            let (mut batch, mut full, mut next) = (batch(), primitives(1000, room), primitives(TAKEN, TAKEN));
            let place = full.as_ptr();
            push(&mut batch, &mut full);
            let own = batch.draws[0].own.as_ref().expect("a vector of its own");
            assert_eq!((own.as_ptr(), own.len(), batch.primitives.capacity()), (place, 1000, 0));
            batch.clear(batch.grid);
            push(&mut batch, &mut next);
            assert_eq!((next.as_ptr(), next.len()), (place, 0));
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
        let (mut batch, mut roomy) = (batch(), primitives(1000, 65_536));
        push(&mut batch, &mut roomy);
        (1..MOST_DRAWS).for_each(|_| push(&mut batch, &mut primitives(1, 1)));
        (0..=MOST_SPARE).for_each(|_| push(&mut batch, &mut primitives(1000, 1000)));
        assert!(matches!(cleared(&mut batch), [1000..=4096, MOST_DRAWS]));
        assert_eq!(batch.spare.iter().map(Vec::capacity).collect::<Vec<_>>(), [1000; MOST_SPARE]);
        push(&mut batch, &mut primitives(1, 1));
        assert!(matches!(cleared(&mut batch), [1..=MOST_ROOM, 1..=MOST_ROOM]));
    }

    /// Room for primitives and draws after it went from hand to hand, each of which clears it.
    fn cleared(batch: &mut Batch<Whole>) -> [usize; 2] {
        (0..3).for_each(|_| batch.clear(batch.grid));
        [batch.primitives.capacity(), batch.draws.capacity()]
    }

    /// Notes its primitives. All of them are one draw.
    #[derive(Clone)]
    struct Noted<'a>(&'a Mutex<Vec<u64>>);

    impl Draw for Noted<'_> {
        type Primitives = Vec<Whole>;

        fn area(&self) -> Rect {
            AREA
        }

        fn cut(&self) -> Cut {
            Cut { pixels: 1 << 20, lead: 0, top_first: false, by_blocks: false }
        }

        fn continues(&self, _: &Self) -> bool {
            true
        }

        fn run(&self, primitives: &Vec<Whole>, order: &[u32], _: Rect, _: &dyn Memory) -> u64 {
            self.0.lock().unwrap().extend(order.iter().map(|&n| primitives[n as usize].0));
            order.len() as u64
        }
    }

    /// Where there is no memory for the entries of a vector that was to be taken.
    #[test]
    fn primitives_that_are_taken_in_part_keep_their_order() {
        let (noted, memory, stopper) = (Mutex::default(), FlatMemory::default(), Stopper::default());
        let mut batch = Batch::new(Grid::new([8, 8], 0, [8; 2]));
        let mut first: Vec<_> = (0..3).map(Whole).collect();
        let covered = Covered::by(&first, AREA);
        assert!(batch.push(Noted(&noted), covered, &mut first, &mut 0).is_none());
        let mut taken: Vec<_> = (3..3 + TAKEN as u64).map(Whole).collect();
        let (covered, mut done) = (Covered::by(&taken, AREA), 0);
        batch.bins.is_refused = true;
        let mut rest = batch.push(Noted(&noted), covered, &mut taken, &mut done);
        assert_eq!((rest.is_some(), done), (true, 1), "one at least");
        batch.bins.is_refused = false;
        while let Some(draw) = rest.take() {
            rest = batch.push(draw, covered, &mut taken, &mut done);
        }
        let all: Vec<u64> = (0..3 + TAKEN as u64).collect();
        batch.draw_tile((0, Rows::All), &memory, &stopper);
        batch.draw_whole(&memory, &stopper);
        assert_eq!(noted.into_inner().unwrap(), [&all[..], &all[..]].concat());
    }

    /// Where a vector is taken between primitives that are copied, too.
    #[test]
    fn primitives_keep_their_order() {
        let (noted, memory, stopper) = (Mutex::default(), FlatMemory::default(), Stopper::default());
        let mut batch = Batch::new(Grid::new([8, 8], 0, [8; 2]));
        let mut numbers = 0..;
        for (count, draws) in [(1, 1), (2, 1), (TAKEN, 2), (3, 3), (1, 3), (2 * TAKEN, 4), (TAKEN, 5), (5, 6)]
        {
            let mut primitives: Vec<_> = numbers.by_ref().take(count).map(Whole).collect();
            let covered = Covered::by(&primitives, AREA);
            assert!(batch.push(Noted(&noted), covered, &mut primitives, &mut 0).is_none());
            assert_eq!(batch.draws(), draws, "after {count}");
        }
        let all: Vec<u64> = (0..numbers.start).collect();
        for drawn in [batch.draw_tile((0, Rows::All), &memory, &stopper), batch.draw_whole(&memory, &stopper)]
        {
            assert_eq!(drawn, numbers.start);
        }
        assert_eq!(noted.into_inner().unwrap(), [&all[..], &all[..]].concat());
    }
}
