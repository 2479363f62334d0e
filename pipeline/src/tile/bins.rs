//! Which primitives of which draws may touch which tile, in the order of submission.

use super::Primitive;
use super::grid::Grid;
use crate::rect::Rect;
use std::ops::Range;

/// Entries that a tile keeps room for when it is cleared, so that a tile that was crowded once does not hold
/// on to its memory.
const KEPT_ENTRIES: usize = 4096;

/// The bins of all tiles of a target.
#[derive(Debug, Clone, Default)]
pub(super) struct Bins {
    tiles: Vec<Bin>,
    /// The tiles that are not empty.
    touched: Vec<usize>,
    /// As if the system had no memory.
    #[cfg(test)]
    pub(super) is_refused: bool,
}

/// What waits for one tile.
#[derive(Debug, Clone, Default)]
struct Bin {
    /// Primitives, as indices into those that their draw's are among.
    order: Vec<u32>,
    /// Which of them belong to which draw.
    runs: Vec<Run>,
}

/// Primitives of one draw.
#[derive(Debug, Clone, Copy)]
struct Run {
    draw: u32,
    /// Where they end in the bin.
    end: usize,
}

impl Bin {
    #[inline]
    fn extend(&mut self, draw: u32, primitives: Range<u32>) {
        self.order.extend(primitives);
        let end = self.order.len();
        match self.runs.last_mut() {
            Some(run) if run.draw == draw => run.end = end,
            _ => self.runs.push(Run { draw, end }),
        }
    }

    fn clear(&mut self) {
        if self.order.capacity() > KEPT_ENTRIES {
            *self = Self::default();
        }
        self.order.clear();
        self.runs.clear();
    }
}

/// What [`Bins::add`] took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Added {
    /// How many primitives.
    pub(super) primitives: usize,
    /// Entries in tiles; one that touches none counts as one.
    pub(super) entries: usize,
}

impl Bins {
    /// Empties all tiles, and makes them as many as the grid has.
    pub(super) fn clear(&mut self, tiles: usize) {
        for tile in self.touched.drain(..) {
            self.tiles[tile].clear();
        }
        self.tiles.resize_with(tiles, Bin::default);
    }

    /// Adds primitives of a draw, as far as they touch `area`, all in columns and rows of tiles that are known: until there are
    /// `room` more entries or no memory, but at least one primitive. `draw`: its number, and the index
    /// of its first primitive.
    pub(super) fn add(
        &mut self,
        grid: &Grid,
        (draw, before): (usize, usize),
        primitives: &[impl Primitive],
        (area, all): (Rect, Rect),
        room: usize,
    ) -> Added {
        let numbers = |first: usize, count: usize| {
            let first = (before + first) as u32;
            (draw as u32, first..first + count as u32)
        };
        let count = primitives.len();
        // Half of a game's draws touch one tile: nobody has to look at their primitives.
        if all.pixels() == 1 && count <= room && self.have_room(grid, all, count) {
            self.put(grid, all, numbers(0, count));
            return Added { primitives: count, entries: count };
        }
        let mut added = Added { primitives: 0, entries: 0 };
        let mut touched = primitives.iter().map(|primitive| grid.touched(primitive.bounds().intersect(area)));
        let mut next = touched.next();
        while let Some(tiles) = next {
            let (each, least) = ((tiles.pixels() as usize).max(1), usize::from(added.primitives == 0));
            let most = (room.saturating_sub(added.entries) / each).max(least);
            // Neighbours touch the same tiles more often than not.
            let mut count = 1;
            next = loop {
                match touched.next() {
                    Some(same) if same == tiles && count < most => count += 1,
                    other => break other,
                }
            };
            let fitting = count.min(most);
            let taken = if self.have_room(grid, tiles, fitting) { fitting } else { least };
            self.put(grid, tiles, numbers(added.primitives, taken));
            added.primitives += taken;
            added.entries += taken * each;
            if taken < count {
                break;
            }
        }
        added
    }

    /// False if the system has no memory for so many more entries in each of these tiles.
    #[inline]
    fn have_room(&mut self, grid: &Grid, tiles: Rect, count: usize) -> bool {
        #[cfg(test)]
        if self.is_refused {
            return false;
        }
        grid.all(tiles, |tile| self.tiles[tile].order.try_reserve(count).is_ok())
    }

    /// Puts primitives of a draw into each of these tiles.
    #[inline]
    fn put(&mut self, grid: &Grid, tiles: Rect, (draw, primitives): (u32, Range<u32>)) {
        if primitives.is_empty() {
            return;
        }
        grid.all(tiles, |tile| {
            let bin = &mut self.tiles[tile];
            if bin.order.is_empty() {
                self.touched.push(tile);
            }
            bin.extend(draw, primitives.clone());
            true
        });
    }

    /// Moves the indices of the primitives of a draw, the last one that was added.
    pub(super) fn shift(&mut self, draw: usize, by: usize) {
        for &tile in &self.touched {
            let Bin { order, runs } = &mut self.tiles[tile];
            if let Some((last, before)) = runs.split_last()
                && last.draw as usize == draw
            {
                let start = before.last().map_or(0, |run| run.end);
                order[start..].iter_mut().for_each(|n| *n += by as u32);
            }
        }
    }

    /// The tiles that are not empty.
    pub(super) fn touched(&self) -> &[usize] {
        &self.touched
    }

    /// The draws that touch a tile, in order, each with its primitives, in order.
    pub(super) fn runs(&self, tile: usize) -> impl Iterator<Item = (usize, &[u32])> {
        let bin = &self.tiles[tile];
        bin.runs.iter().scan(0, |start, run| {
            let order = &bin.order[*start..run.end];
            *start = run.end;
            Some((run.draw as usize, order))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const AREA: Rect = Rect { x0: 0, y0: 0, x1: 32, y1: 16 };
    /// The tiles of all of it.
    const ALL: Rect = Rect { x0: 0, y0: 0, x1: 2, y1: 1 };

    /// Something that covers its bounds.
    #[derive(Clone)]
    struct Piece(Rect);

    impl Primitive for Piece {
        fn bounds(&self) -> Rect {
            self.0
        }
    }

    /// Four rows of four pixels or five, from a column in sixteenths of a pixel on.
    fn at(x: i32) -> Piece {
        Piece(Rect { x0: x >> 4, y0: 0, x1: (x + 64 + 15) >> 4, y1: 4 })
    }

    fn runs(bins: &Bins, tile: usize) -> Vec<(usize, Vec<u32>)> {
        bins.runs(tile).map(|(draw, order)| (draw, order.to_vec())).collect()
    }

    #[test]
    fn runs_keep_the_order_of_submission() {
        let grid = Grid::new([32, 16], 0, [16; 2]);
        let mut bins = Bins::default();
        bins.clear(grid.len());
        bins.add(&grid, (0, 0), &[at(0), at(300), at(224), at(16)], (AREA, ALL), 100);
        bins.add(&grid, (1, 0), &[at(300)], (AREA, ALL), 100);
        bins.add(&grid, (2, 0), &[at(1)], (AREA, ALL), 100);
        assert_eq!(runs(&bins, 0), [(0, vec![0, 2, 3]), (2, vec![0])]);
        assert_eq!(runs(&bins, 1), [(0, vec![1, 2]), (1, vec![0])]);
        assert_eq!(bins.touched(), [0, 1]);
        bins.clear(grid.len());
        assert!(bins.touched().is_empty() && runs(&bins, 0).is_empty());
    }

    /// A tile that has all of a draw gets it in one go, or as far as there is room.
    #[test]
    fn one_tile_takes_a_draw_at_once() {
        let grid = Grid::new([32, 16], 0, [16; 2]);
        let (mut bins, draw) = (Bins::default(), [at(256), at(300), at(320)]);
        bins.clear(grid.len());
        let mut add = |n, room| {
            let Added { primitives, entries } =
                bins.add(&grid, (n, 0), &draw, (AREA, grid.touched(Rect { x0: 16, ..AREA })), room);
            (primitives, entries)
        };
        assert_eq!([add(0, 3), add(1, 2)], [(3, 3), (2, 2)]);
        assert_eq!(runs(&bins, 1), [(0, vec![0, 1, 2]), (1, vec![0, 1])]);
        assert_eq!((bins.touched(), runs(&bins, 0)), (&[1][..], vec![]));
    }

    #[test]
    fn entries_are_bounded_but_one_triangle_always_fits() {
        let grid = Grid::new([32, 16], 0, [16; 2]);
        let mut bins = Bins::default();
        bins.clear(grid.len());
        // One tile, none, two, one.
        let triangles = [at(0), at(9000), at(224), at(300)];
        let mut add = |from: usize, room| {
            let Added { primitives, entries, .. } =
                bins.add(&grid, (0, 0), &triangles[from..], (AREA, ALL), room);
            (primitives, entries)
        };
        assert_eq!(add(0, 0), (1, 1));
        assert_eq!(add(0, 3), (2, 2));
        assert_eq!(add(2, 1), (1, 2));
        assert_eq!(add(0, 5), (4, 5));
    }
}
