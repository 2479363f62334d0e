//! Which columns of row after row a triangle covers: where its edges cross rows, stepped from row to row in whole
//! numbers.

use super::setup::Linear;
use picaflor_pipeline::rect::Rect;

/// The columns that are covered, row by row downward.
#[derive(Debug)]
pub(crate) struct Coverage {
    sides: [Side; 3],
    width: i64,
    x0: i32,
}

/// Bound of a row by an edge: the first column inside for a left edge, else the column behind the last.
#[derive(Debug, Clone, Copy)]
struct Side {
    is_left: bool,
    bound: Floored,
    down: Floored,
    divisor: i64,
}

/// A floored quotient, and its remainder.
#[derive(Debug, Clone, Copy)]
struct Floored {
    whole: i64,
    rest: i64,
}

impl Floored {
    /// Of a number below 2^50 and one from 1 to 2^25, with the reciprocal of the latter.
    ///
    /// The product is less than 2^-25, and so less than 1 / divisor, away from the quotient: truncated it is the
    /// quotient floored, or one of its neighbours.
    const fn new(number: i64, divisor: i64, reciprocal: f64) -> Self {
        let near = (number as f64 * reciprocal) as i64;
        let rest = number - near * divisor;
        let (whole, rest) = if rest < 0 { (near - 1, rest + divisor) } else { (near, rest) };
        if rest >= divisor { Self { whole: whole + 1, rest: rest - divisor } } else { Self { whole, rest } }
    }
}

impl Side {
    /// Of an edge whose value is given from a pixel on, and is at least `least` inside.
    const fn new(edge: Linear, least: i64) -> Self {
        // Horizontal edges bound rows and no columns.
        let is_left = edge.right >= 0;
        let divisor = if edge.right == 0 { 1 } else { edge.right.abs() };
        let reciprocal = 1.0 / divisor as f64;
        let spare = edge.at - least;
        let (number, down) = if edge.right == 0 {
            (0, 0)
        } else if is_left {
            (divisor - 1 - spare, -edge.down)
        } else {
            (divisor + spare, edge.down)
        };
        Self {
            is_left,
            bound: Floored::new(number, divisor, reciprocal),
            down: Floored::new(down, divisor, reciprocal),
            divisor,
        }
    }

    /// Goes to the next row.
    const fn next(&mut self) {
        let rest = self.bound.rest + self.down.rest;
        let carries = rest >= self.divisor;
        self.bound.whole += self.down.whole + carries as i64;
        self.bound.rest = if carries { rest - self.divisor } else { rest };
    }
}

impl Coverage {
    /// From the first row of `rect` on, of edges whose values are given from its first pixel on.
    #[inline]
    pub(crate) fn new(edges: [Linear; 3], least: [i64; 3], rect: Rect) -> Self {
        let side = |n: usize| Side::new(edges[n], least[n]);
        let sides = [side(0), side(1), side(2)];
        Self { sides, width: i64::from(rect.x1) - i64::from(rect.x0), x0: rect.x0 }
    }

    /// The next row: its first column, and the one behind the last; not above the first where there is none.
    #[inline]
    pub(crate) fn next(&mut self) -> [i32; 2] {
        let [mut from, mut to] = [0, self.width];
        for side in &mut self.sides {
            let bound = side.bound.whole;
            from = from.max(if side.is_left { bound } else { 0 });
            to = to.min(if side.is_left { self.width } else { bound });
            side.next();
        }
        // Both are inside the row, but for a first column behind it or a last one before it.
        [self.x0 + from.min(self.width) as i32, self.x0 + to.max(0) as i32]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::raster::triangle::{Edges, signed_area};
    use picaflor_pipeline::ge::raster::Corner;

    fn corner(x: i32, y: i32) -> Corner {
        Corner { texture: [0.0; 3], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 0 }
    }

    /// The rows of a rectangle, by the manual's way and by stepping.
    fn check(corners: &[Corner; 3], rect: Rect) -> u64 {
        let edges = Edges::new(corners);
        let mut coverage = Coverage::new(Linear::of_edges(&edges, [rect.x0, rect.y0]), edges.least(), rect);
        let mut pixels = 0;
        for y in rect.y0..rect.y1 {
            let expected: Vec<i32> = (rect.x0..rect.x1).filter(|&x| edges.covers(edges.at(x, y))).collect();
            let [from, to] = coverage.next();
            assert_eq!((from..to).collect::<Vec<_>>(), expected, "{corners:?}, row {y} of {rect:?}");
            pixels += expected.len() as u64;
        }
        pixels
    }

    /// Rows from the first to the last that a triangle may cover, in some columns.
    fn rows(corners: &[Corner; 3], columns: [i32; 2]) -> Rect {
        let [top, bottom] = super::super::setup::rows(corners);
        Rect { x0: columns[0], y0: top.max(0), x1: columns[1], y1: bottom.min(1024) }
    }

    #[test]
    fn stepping_finds_the_columns() {
        let mut seed = 7_u64;
        let mut random = move |n: u64| ((picaflor_pipeline::random::bits(&mut seed) >> 24) % n) as i32;
        let mut pixels = 0;
        for round in 0..4000 {
            let (reach, grid) = ([130, 300, 2000, 1 << 21][round % 4], [1, 8, 16][round % 3]);
            let middle = [200, 300, 900, 0][round % 4];
            let mut place = || (random(reach) - reach as i32 / 2) / grid * grid + middle;
            let mut corners = [(); 3].map(|()| corner(place(), place()));
            match signed_area(corners.map(|corner| (corner.x, corner.y))) {
                0 => continue,
                1.. => {}
                _ => corners.swap(0, 2),
            }
            let x0 = random(60);
            pixels += check(&corners, rows(&corners, [x0, x0 + 1 + random(50)]));
        }
        assert!(pixels > 100_000, "{pixels}");
    }
}
