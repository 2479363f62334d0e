//! Coverage of a block by a triangle.
//!
//! Everything is counted as in memory: rows from the first one there, pixels of a block by their place.

use crate::code::pica::coverage::{Steps, inside};
use crate::pica::tiling::unmorton;
use picaflor_pipeline::rect::Rect;

/// Pixels on the side of a block.
pub(super) const SIDE: i32 = 8;

/// Edge values up to here fit the code's 32-bit integers, with room for steps inside a block.
const LIMIT: i64 = 1 << 30;

/// x and y of a triangle's corners in sixteenths of a pixel.
pub(super) type Places<'a> = [&'a [i32; 3]; 2];

/// An edge of a triangle: value and change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// At the sample of the target's first pixel.
    origin: i64,
    /// Change per pixel to the right.
    pub(super) right: i64,
    /// Change per row.
    pub(super) down: i64,
    /// Change per pixel upward in the window.
    up: i64,
    /// Least value inside: 0 or 1.
    least: i64,
}

/// The edges of a triangle in a target, each opposite to the vertex of its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edges {
    pub(super) all: [Edge; 3],
    /// The values do not fit 32 bits.
    pub(super) is_far: bool,
    /// Most and least change from the first pixel of a block to another one.
    reach: [[i64; 2]; 3],
}

/// Height of a target, and whether its rows start at the top: how rows of the window turn into rows in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    pub(super) height: i32,
    pub(super) top_first: bool,
}

impl Rows {
    /// The window's y of a row in memory, and back.
    pub(super) const fn flip(self, row: i32) -> i32 {
        if self.top_first { self.height - 1 - row } else { row }
    }

    /// A rectangle of the window with rows as in memory.
    pub(super) const fn flip_rect(self, rect: Rect) -> Rect {
        let (y0, y1) =
            if self.top_first { (self.height - rect.y1, self.height - rect.y0) } else { (rect.y0, rect.y1) };
        Rect { y0, y1, ..rect }
    }
}

impl Edge {
    /// The edge opposite to vertex `n`; pica-geometry.md 6.2.
    fn opposite([x, y]: Places<'_>, n: usize, rows: Rows) -> Self {
        let (a, b) = ((n + 1) % 3, (n + 2) % 3);
        let [ax, ay, bx, by] = [x[a], y[a], x[b], y[b]].map(i64::from);
        let (dx, dy) = (bx - ax, by - ay);
        let is_open = dy > 0 || dy == 0 && dx < 0;
        let y = i64::from(rows.flip(0));
        let up = 16 * dx;
        Self {
            origin: dx * (8 + 16 * y - ay) - dy * (8 - ax),
            right: -16 * dy,
            down: if rows.top_first { -up } else { up },
            up,
            least: i64::from(is_open),
        }
    }

    /// The value at the sample of a pixel.
    pub(super) fn at(&self, x: i32, row: i32) -> i64 {
        self.origin + self.right * i64::from(x) + self.down * i64::from(row)
    }

    /// Most and least change from the first pixel of a block to another one.
    fn reach(&self) -> [i64; 2] {
        let last = i64::from(SIDE - 1);
        let (along, across) = (self.right * last, self.down * last);
        [along.max(0) + across.max(0), along.min(0) + across.min(0)]
    }

    /// The value at a pixel of a block, from that at the block's first pixel.
    fn inside(&self, first: i64, place: u32) -> i64 {
        let (x, row) = unmorton(place);
        first + self.right * i64::from(x) + self.down * i64::from(row)
    }
}

impl Edges {
    /// The edges of a triangle in a target of this size.
    pub(super) fn of(places: Places<'_>, rows: Rows, width: i32) -> Self {
        let edge = |n| Edge::opposite(places, n, rows);
        let all = [edge(0), edge(1), edge(2)];
        let is_far = !is_near(places, rows.height.max(width)) && !fits(&all, width, rows.height);
        Self { all, is_far, reach: [all[0].reach(), all[1].reach(), all[2].reach()] }
    }

    /// The power of two, by its exponent, that divides all values.
    pub(super) fn zeros(&self) -> u32 {
        let bits = self.all.iter().fold(0, |bits, edge| bits | edge.origin | edge.right | edge.down);
        bits.trailing_zeros()
    }

    /// The sum of the values, twice the area.
    pub(super) fn sum(&self) -> i64 {
        self.all.iter().map(|edge| edge.at(0, 0)).sum()
    }

    /// The change of the values per pixel of the window, to the right and upward, exact and then rounded once.
    pub(super) fn steps(&self) -> [[f32; 3]; 2] {
        [self.all.map(|edge| edge.right as f32), self.all.map(|edge| edge.up as f32)]
    }

    /// The values at a block's first pixel.
    pub(super) fn at(&self, x: i32, row: i32) -> [i64; 3] {
        let [a, b, c] = &self.all;
        [a.at(x, row), b.at(x, row), c.at(x, row)]
    }

    /// The pixels of a block that are inside, by their place in memory, from the values at its first pixel.
    pub(super) fn covered(&self, first: [i64; 3]) -> u64 {
        let mut whole = true;
        for ((edge, first), [most, least]) in self.all.iter().zip(first).zip(self.reach) {
            let spare = first - edge.least;
            if spare + most < 0 {
                return 0;
            }
            whole &= spare + least >= 0;
        }
        match (whole, self.is_far) {
            (true, _) => u64::MAX,
            (false, false) => self.covered_near(first),
            (false, true) => self.covered_far(first),
        }
    }

    fn covered_near(&self, first: [i64; 3]) -> u64 {
        let steps = |n: usize| {
            let Edge { right, down, least, .. } = self.all[n];
            Steps { spare: (first[n] - least) as i32, right: right as i32, down: down as i32 }
        };
        inside([steps(0), steps(1), steps(2)])
    }

    fn covered_far(&self, first: [i64; 3]) -> u64 {
        let is_inside = |place: u32| {
            let mut edges = self.all.iter().zip(first);
            edges.all(|(edge, first)| edge.inside(first, place) >= edge.least)
        };
        (0..64).filter(|&place| is_inside(place)).fold(0, |mask, place| mask | 1 << place)
    }

    /// The values at each place of a block, edge by edge.
    pub(super) fn values(&self, first: [i64; 3], place: u32) -> [f32; 3] {
        [0, 1, 2].map(|n| self.all[n].inside(first[n], place) as f32)
    }
}

/// The pixels whose samples, their centres, lie in the bounds of a triangle: none in those of many small ones.
pub(super) fn centres([x, y]: Places<'_>) -> Rect {
    let first = |[a, b, c]: &[i32; 3]| (a.min(b).min(c) + 7) >> 4;
    let end = |[a, b, c]: &[i32; 3]| (a.max(b).max(c) + 8) >> 4;
    Rect { x0: first(x), y0: first(y), x1: end(x), y1: end(y) }
}

/// True if triangle and target are so small that the values surely [fit](fits): edges of up to 768 pixels and
/// distances of up to 768 make 2^29 at most.
fn is_near([x, y]: Places<'_>, side: i32) -> bool {
    let near = -(256 << 4)..=(512 << 4);
    side <= 512 && x.iter().chain(y).all(|place| near.contains(place))
}

/// True if the values fit, in a target of this size.
fn fits(edges: &[Edge; 3], width: i32, height: i32) -> bool {
    edges.iter().all(|edge| {
        let corners = [(0, 0), (0, height), (width, 0), (width, height)].map(|(x, row)| edge.at(x, row));
        corners.iter().all(|value| value.abs() < LIMIT)
    })
}

/// Pixels of a block in a rectangle, rows as in memory, by their place.
pub(super) fn in_rect(rect: Rect, x: i32, row: i32) -> u64 {
    if rect.x0 <= x && rect.y0 <= row && rect.x1 >= x + SIDE && rect.y1 >= row + SIDE {
        return u64::MAX;
    }
    band(0, rect.x0 - x, rect.x1 - x) & band(1, rect.y0 - row, rect.y1 - row)
}

/// Pixels of a block in rows `low .. high`.
pub(super) fn lines(low: i32, high: i32) -> u64 {
    band(1, low, high)
}

/// `BELOW[0][n]`: the pixels in columns below `n`, by their place in memory; `BELOW[1][n]`: in rows below `n`.
const BELOW: [[u64; 9]; 2] = {
    let mut below = [[0; 9]; 2];
    let mut place = 0;
    while place < 64 {
        let (x, row) = unmorton(place);
        let mut n = 0;
        while n < 9 {
            below[0][n] |= ((x < n as u32) as u64) << place;
            below[1][n] |= ((row < n as u32) as u64) << place;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::raster::Pixels as _;
    use picaflor_pipeline::pica::raster::Triangle;
    use picaflor_pipeline::pica::tiling::morton;
    use picaflor_pipeline::pica::vertex::SEMANTICS;

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

    /// A counter-clockwise triangle, if these points have an area.
    fn triangle(points: [[i32; 2]; 3]) -> Option<Triangle> {
        let [[ax, ay], [bx, by], [cx, cy]] = points.map(|point| point.map(i64::from));
        let area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
        let [a, b, c] = if area > 0 { points } else { [points[0], points[2], points[1]] };
        let (x, y) = ([a[0], b[0], c[0]], [a[1], b[1], c[1]]);
        let p = [[0.0; SEMANTICS]; 3];
        (area != 0).then_some(Triangle { x, y, z: [0.0; 3], r: [1.0; 3], p, flat_colour: None })
    }

    /// The pixels that blocks give are those of the reference, with its edge values.
    fn check(triangle: &Triangle, rows: Rows, width: i32) -> (bool, usize) {
        let edges = Edges::of([&triangle.x, &triangle.y], rows, width);
        let mut found = Vec::new();
        for (x, row) in
            (0..rows.height).step_by(8).flat_map(|row| (0..width).step_by(8).map(move |x| (x, row)))
        {
            let first = edges.at(x, row);
            let covered = edges.covered(first);
            for place in (0..64).filter(|place| covered >> place & 1 != 0) {
                let (column, line) = unmorton(place);
                let (x, y) = (x + column as i32, rows.flip(row + line as i32));
                found.push((y, x, edges.values(first, place).map(f32::to_bits)));
            }
        }
        found.sort_unstable();
        let rect = Rect { x0: 0, y0: 0, x1: width, y1: rows.height };
        let expected: Vec<_> =
            triangle.samples(rect).map(|at| (at.y, at.x, at.e.map(f32::to_bits))).collect();
        assert_eq!(found, expected, "{triangle:?} {rows:?}");
        let bounds = centres([&triangle.x, &triangle.y]);
        assert!(found.iter().all(|&(y, x, _)| bounds.contains(x, y)), "{triangle:?} {rows:?}");
        (edges.is_far, found.len())
    }

    #[test]
    fn blocks_cover_what_the_reference_covers() {
        let mut seed = 1_u64;
        let mut random = |n: i32| (picaflor_pipeline::random::bits(&mut seed) >> 33) as i32 % n;
        let (mut far, mut pixels) = (0, 0);
        for round in 0..4000 {
            let (width, rows) =
                (8 * (random(8) + 1), Rows { height: 8 * (random(8) + 1), top_first: round % 2 == 0 });
            let (grid, reach) = [(1, 1500), (16, 90), (8, 180), (1, 1 << 19)][round % 4];
            let points = [(); 3].map(|()| [(); 2].map(|()| (random(reach) - reach / 3) * grid));
            let points = points.map(|point| point.map(|place| place.clamp(-(1 << 18), 1 << 18)));
            let Some(triangle) = triangle(points) else { continue };
            let (is_far, covered) = check(&triangle, rows, width);
            far += u32::from(is_far);
            pixels += covered;
        }
        assert!(far > 200 && pixels > 500_000, "{far} far, {pixels} pixels");
    }

    /// Samples lie at 8 sixteenths; those on a side may be inside.
    #[test]
    fn centres_of_small_triangles() {
        let of = |points| triangle(points).map(|triangle| centres([&triangle.x, &triangle.y]));
        let rect = |x0, y0, x1, y1| Some(Rect { x0, y0, x1, y1 });
        assert_eq!(of([[8, 24], [40, 25], [9, 56]]), rect(0, 1, 3, 4));
        assert_eq!(of([[9, 25], [39, 25], [9, 55]]), rect(1, 2, 2, 3));
        assert_eq!(of([[-8, -9], [7, 7], [-7, 0]]), rect(-1, -1, 0, 0));
        assert!(of([[9, 9], [23, 90], [10, 90]]).is_some_and(Rect::is_empty));
    }
}
