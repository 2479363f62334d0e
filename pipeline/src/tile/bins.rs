//! Which primitives of which draws may touch which tile, in the order of submission.

use super::Primitive;
use super::grid::Grid;
use crate::rect::Rect;

/// Entries that a tile keeps room for when it is cleared, so that a tile that was crowded once does not hold
/// on to its memory.
const KEPT_ENTRIES: usize = 4096;

/// The bins of all tiles of a target.
#[derive(Debug, Clone, Default)]
pub(super) struct Bins {
    tiles: Vec<Bin>,
    /// The tiles that are not empty.
    touched: Vec<usize>,
}

/// What waits for one tile.
#[derive(Debug, Clone, Default)]
struct Bin {
    /// Primitives, as indices into those of their draw.
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
    fn push(&mut self, draw: u32, primitive: u32) {
        self.order.push(primitive);
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
    /// Pixels in their bounding boxes.
    pub(super) pixels: u64,
}

impl Bins {
    /// Empties all tiles, and makes them as many as the grid has.
    pub(super) fn clear(&mut self, tiles: usize) {
        for tile in self.touched.drain(..) {
            self.tiles[tile].clear();
        }
        self.tiles.resize_with(tiles, Bin::default);
    }

    /// Adds primitives of a draw, as far as they touch `area`: until there are `room` more entries or no memory, but at
    /// least one primitive. `draw`: its number, and how many primitives of it were added before.
    pub(super) fn add(
        &mut self,
        grid: &Grid,
        (draw, before): (usize, usize),
        primitives: &[impl Primitive],
        area: Rect,
        room: usize,
    ) -> Added {
        let mut added = Added { primitives: 0, entries: 0, pixels: 0 };
        for (n, bounds) in primitives.iter().map(|primitive| primitive.bounds().intersect(area)).enumerate() {
            let tiles = grid.touched(bounds);
            let entries = (tiles.pixels() as usize).max(1);
            if n > 0 && (added.entries + entries > room || !self.have_room(grid, tiles)) {
                break;
            }
            self.push(grid, tiles, (draw as u32, (before + n) as u32));
            added.primitives += 1;
            added.entries += entries;
            added.pixels += bounds.pixels();
        }
        added
    }

    /// False if the system has no memory for another entry in each of these tiles.
    #[inline]
    fn have_room(&mut self, grid: &Grid, tiles: Rect) -> bool {
        grid.all(tiles, |tile| self.tiles[tile].order.try_reserve(1).is_ok())
    }

    #[inline]
    fn push(&mut self, grid: &Grid, tiles: Rect, (draw, primitive): (u32, u32)) {
        grid.all(tiles, |tile| {
            let bin = &mut self.tiles[tile];
            if bin.order.is_empty() {
                self.touched.push(tile);
            }
            bin.push(draw, primitive);
            true
        });
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
        let grid = Grid::new([32, 16], 0, 16);
        let mut bins = Bins::default();
        bins.clear(grid.len());
        bins.add(&grid, (0, 0), &[at(0), at(300), at(224), at(16)], AREA, 100);
        bins.add(&grid, (1, 0), &[at(300)], AREA, 100);
        bins.add(&grid, (2, 0), &[at(1)], AREA, 100);
        assert_eq!(runs(&bins, 0), [(0, vec![0, 2, 3]), (2, vec![0])]);
        assert_eq!(runs(&bins, 1), [(0, vec![1, 2]), (1, vec![0])]);
        assert_eq!(bins.touched(), [0, 1]);
        bins.clear(grid.len());
        assert!(bins.touched().is_empty() && runs(&bins, 0).is_empty());
    }

    #[test]
    fn entries_are_bounded_but_one_triangle_always_fits() {
        let grid = Grid::new([32, 16], 0, 16);
        let mut bins = Bins::default();
        bins.clear(grid.len());
        // One tile, none, two, one.
        let triangles = [at(0), at(9000), at(224), at(300)];
        let mut add = |from: usize, room| {
            let Added { primitives, entries, .. } = bins.add(&grid, (0, 0), &triangles[from..], AREA, room);
            (primitives, entries)
        };
        assert_eq!(add(0, 0), (1, 1));
        assert_eq!(add(0, 3), (2, 2));
        assert_eq!(add(2, 1), (1, 2));
        assert_eq!(add(0, 5), (4, 5));
    }
}
