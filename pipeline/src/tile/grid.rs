//! The tiles of a target.

use crate::rect::Rect;

/// Tiles that cover a target, in rows. Their corners are multiples of their sides, but that the rows begin `lead`
/// pixels above the target: the tiles of the first one are that much lower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grid {
    pixels: Rect,
    /// Width and height, as powers of two.
    shifts: [u32; 2],
    lead: i32,
    columns: i32,
    rows: i32,
}

/// Rows of a tile that are drawn together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    All,
    /// Those with smaller y than this one.
    Before(i32),
    /// The others.
    From(i32),
}

impl Grid {
    /// Tiles of `tile` pixels, powers of two from 8 on, for a target of this size. The lead is less than 8.
    pub(super) const fn new([width, height]: [u32; 2], lead: u32, tile: [u32; 2]) -> Self {
        let pixels = Rect { x0: 0, y0: 0, x1: width as i32, y1: height as i32 };
        let [columns, rows] = [width.div_ceil(tile[0]) as i32, (height + lead).div_ceil(tile[1]) as i32];
        let shifts = [tile[0].trailing_zeros(), tile[1].trailing_zeros()];
        Self { pixels, shifts, lead: lead as i32, columns, rows }
    }

    /// No tiles.
    pub(super) const fn empty(tile: [u32; 2]) -> Self {
        Self::new([0; 2], 0, tile)
    }

    /// How many tiles there are.
    pub(super) const fn len(&self) -> usize {
        (self.columns * self.rows) as usize
    }

    /// The pixels of tile `n`.
    pub(super) fn tile(&self, n: usize) -> Rect {
        let ([x_shift, y_shift], n) = (self.shifts, n as i32);
        let [x0, y0] = [(n % self.columns) << x_shift, ((n / self.columns) << y_shift) - self.lead];
        Rect { x0, y0, x1: x0 + (1 << x_shift), y1: y0 + (1 << y_shift) }.intersect(self.pixels)
    }

    /// The pixels in rows of tile `n`.
    pub(super) fn rows(&self, n: usize, rows: Rows) -> Rect {
        let tile = self.tile(n);
        match rows {
            Rows::All => tile,
            Rows::Before(y) => Rect { y1: tile.y1.min(y), ..tile },
            Rows::From(y) => Rect { y0: tile.y0.max(y), ..tile },
        }
    }

    /// A row in the middle of what lies in tile `n` of `bounds`, where blocks of 8 rows begin. None if these are one row of blocks.
    pub(super) fn middle(&self, n: usize, bounds: Rect) -> Option<i32> {
        let drawn = self.tile(n).intersect(bounds);
        let middle = ((drawn.y0 + drawn.y1) / 2 + self.lead) / 8 * 8 - self.lead;
        (!drawn.is_empty() && drawn.y0 < middle && middle < drawn.y1).then_some(middle)
    }

    /// The number of the tile in a column and a row.
    #[inline]
    pub(super) const fn number(&self, [x, y]: [i32; 2]) -> usize {
        (y * self.columns + x) as usize
    }

    /// The columns and rows of the tiles that something with these bounds, which lie in the target, may touch.
    #[inline]
    pub(super) const fn touched(&self, bounds: Rect) -> Rect {
        if bounds.is_empty() {
            return Rect { x0: 0, y0: 0, x1: 0, y1: 0 };
        }
        let ([x_shift, y_shift], lead) = (self.shifts, self.lead);
        Rect {
            x0: bounds.x0 >> x_shift,
            y0: (bounds.y0 + lead) >> y_shift,
            x1: ((bounds.x1 - 1) >> x_shift) + 1,
            y1: ((bounds.y1 - 1 + lead) >> y_shift) + 1,
        }
    }

    /// True if something is true of the numbers of all tiles in these columns and rows; row by row.
    #[inline]
    pub(super) fn all(&self, tiles: Rect, mut is: impl FnMut(usize) -> bool) -> bool {
        let row = |y| (tiles.x0..tiles.x1).all(|x| is(self.number([x, y])));
        (tiles.y0..tiles.y1).all(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn tiles_are_aligned_and_share_no_pixel() {
        for lead in [0, 5, 7] {
            let grid = Grid::new([200, 219], lead, [128, 64]);
            assert_eq!(grid.len(), 2 * 4);
            let mut times = BTreeMap::new();
            for tile in (0..grid.len()).map(|n| grid.tile(n)) {
                assert!(
                    tile.x0 % 128 == 0 && (tile.y0 == 0 || (tile.y0 + lead as i32) % 64 == 0),
                    "{tile:?}"
                );
                for y in tile.y0..tile.y1 {
                    (tile.x0..tile.x1).for_each(|x| *times.entry((x, y)).or_insert(0) += 1);
                }
            }
            assert_eq!(times.len(), 200 * 219);
            assert!(times.values().all(|&n| n == 1));
        }
    }

    /// Also of the last row of tiles, which the target ends early, or what is drawn.
    #[test]
    fn halves_of_tiles_are_whole_blocks() {
        for (size, lead, height, end) in [
            ([480, 1024], 0, 32, 272),
            ([240, 400], 0, 32, 400),
            ([200, 219], 5, 32, 219),
            ([200, 219], 7, 8, 219),
        ] {
            let grid = Grid::new(size, lead, [128, height]);
            let bounds = Rect { x0: 3, y0: 0, x1: 90, y1: end };
            let mut halves = 0;
            for n in 0..grid.len() {
                let all = grid.rows(n, Rows::All);
                assert_eq!(all, grid.tile(n));
                let drawn = all.intersect(bounds);
                let Some(y) = grid.middle(n, bounds) else {
                    assert!(drawn.is_empty() || drawn.y1 - drawn.y0 <= 8 + lead as i32, "{drawn:?}");
                    continue;
                };
                let [before, from] = [Rows::Before(y), Rows::From(y)].map(|rows| grid.rows(n, rows));
                assert_eq!((before.y0, before.y1, from.y0, from.y1), (all.y0, y, y, all.y1));
                assert!(
                    (y + lead as i32) % 8 == 0
                        && [before, from].iter().all(|half| !half.intersect(bounds).is_empty())
                );
                halves += 1;
            }
            assert_eq!(halves > 0, height > 8, "{size:?}");
        }
    }

    #[test]
    fn touched_tiles_are_those_that_meet_the_bounds() {
        let grids = [(0, [16; 2]), (3, [64, 8])].map(|(lead, tile)| Grid::new([200, 219], lead, tile));
        let area = Rect { x0: 20, y0: 5, x1: 190, y1: 200 };
        for corner in [[-400, -400], [0, 0], [255, 256], [1000, 700], [3300, 3000], [9000, 0]] {
            let [x, y] = corner;
            // Of a triangle, whose corners are in sixteenths of a pixel.
            let whole = Rect { x0: x >> 4, y0: y >> 4, x1: (x + 515) >> 4, y1: (y + 915) >> 4 };
            let bounds = whole.intersect(area);
            for grid in grids {
                let meets = |&n: &usize| !grid.tile(n).intersect(bounds).is_empty();
                let expected: Vec<usize> = (0..grid.len()).filter(meets).collect();
                let mut touched = Vec::new();
                grid.all(grid.touched(bounds), |tile| {
                    touched.push(tile);
                    true
                });
                assert_eq!(touched, expected, "{corner:?} {grid:?}");
            }
        }
    }
}
