//! Which columns of row after row a triangle covers: where its edges cross rows, stepped from row to row.

use super::setup::Linear;
use crate::ge::four::Four;
use picaflor_pipeline::rect::Rect;

/// The columns that are covered, row by row downward.
// Two types to go through rows with, not one that asks in each: the numbers of ordinary triangles stay in registers.
#[derive(Debug)]
pub(crate) enum Coverage {
    Near(Near),
    Far(Far),
}

/// Those of ordinary triangles: first columns inside by the left edges, and columns behind the last ones by the right edges, with
/// what they change by from row to row. Places of other edges bound nothing.
// A place for each edge on both sides: sorted by sides, numbers are stored one by one and loaded as a whole, which waits.
#[derive(Debug)]
pub(crate) struct Near {
    at: [Four; 2],
    down: [Four; 2],
    area: Columns,
}

/// Those of any triangle.
#[derive(Debug)]
pub(crate) struct Far {
    sides: [Side; 3],
    area: Columns,
}

/// Columns that are drawn.
#[derive(Debug, Clone, Copy)]
struct Columns {
    x0: i32,
    width: f64,
}

/// Bound of a row by an edge, a floored quotient: the first column inside for a left edge, else the column behind the last.
#[derive(Debug, Clone, Copy)]
struct Side {
    number: i64,
    /// What the number changes by from row to row.
    down: i64,
    divisor: i64,
    /// None for horizontal edges, which bound rows and no columns.
    is_left: Option<bool>,
}

/// Numbers of ordinary triangles are below this one, in all rows.
///
/// A number below it and a half more, divided by a divisor and then less half, is off by a 2^-52th of the quotient; each row
/// adds what the step is off by, half as much of the quotient, and one rounding. In up to 2^11 - 4 rows that is less than
/// 2^-42 (2^40 + divisor) / divisor, with a divisor of 2^25 at most less than half of 1 / divisor. That is how far the exact
/// one stays away from the middle between two whole numbers, so that rounding gives the floored quotient.
const NEAR: i64 = 1 << 40;
const MOST_ROWS: i64 = (1 << 11) - 4;

impl Side {
    /// Of an edge whose value is given from a pixel on, and is at least `least` inside.
    const fn new(edge: Linear, least: i64) -> Self {
        let (divisor, spare) = (edge.right.abs(), edge.at - least);
        if edge.right > 0 {
            Self { number: divisor - 1 - spare, down: -edge.down, divisor, is_left: Some(true) }
        } else if edge.right < 0 {
            Self { number: divisor + spare, down: edge.down, divisor, is_left: Some(false) }
        } else {
            Self { number: 0, down: 0, divisor: 1, is_left: None }
        }
    }

    /// The bound of this row. Goes to the next one.
    const fn next(&mut self) -> i64 {
        let bound = self.number.div_euclid(self.divisor);
        self.number += self.down;
        bound
    }
}

/// A number of at most 2^31 in whole numbers: the nearest one to it.
const fn nearest(number: f64) -> i32 {
    /// The last bit of numbers near to this one is 1, and their low half counts from 0 on.
    const UNITS: f64 = (3_u64 << 51) as f64;
    (number + UNITS).to_bits() as i32
}

/// The larger one of two numbers, in one instruction.
const fn above(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller one, likewise.
const fn below(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

impl Columns {
    /// Some of them, from one up to before the other. Both are inside the row, but for a first column behind it or a last one
    /// before it.
    #[inline(always)]
    fn between(self, [from, to]: [f64; 2]) -> [i32; 2] {
        let [from, to] = [below(above(from, 0.0), self.width), above(below(to, self.width), 0.0)];
        [self.x0 + nearest(from), self.x0 + nearest(to)]
    }
}

impl Near {
    /// Those of a triangle in so many rows, if all numbers are below [`NEAR`] in them. They are those of [`Side`], but for
    /// horizontal edges, which have no place.
    #[inline(always)]
    fn of([a, b, c]: &[Linear; 3], least: [i64; 3], (area, rows): (Columns, i64)) -> Option<Self> {
        let spare = Four::of_integers([a.at - least[0], b.at - least[1], c.at - least[2], 0]);
        let right = Four::of_integers([a.right, b.right, c.right, 0]);
        let step = Four::of_integers([a.down, b.down, c.down, 0]);
        let divisor = right.magnitude();
        let if_left = |of: Four, other: Four| {
            let one = |n: usize| if right.0[n] > 0.0 { of.0[n] } else { other.0[n] };
            Four([one(0), one(1), one(2), one(3)])
        };
        let number = divisor + if_left(Four::splat(-1.0) - spare, spare);
        let step = if_left(Four::default() - step, step);
        let [most, most_step] = [NEAR / 2, NEAR / 2 / MOST_ROWS].map(|most| most as f64);
        let is_near = |n: usize| (number.0[n].abs() < most) & (step.0[n].abs() < most_step);
        if !(is_near(0) & is_near(1) & is_near(2) & (rows <= MOST_ROWS)) {
            return None;
        }
        // For rounding.
        let half = Four::splat(0.5);
        let reciprocal = Four::splat(1.0) / divisor;
        let bound = (number + half) * reciprocal - half;
        let change = step * reciprocal;
        let on_left = |of: Four, other: f64| {
            let one = |n: usize| if right.0[n] > 0.0 { of.0[n] } else { other };
            Four([one(0), one(1), one(2), other])
        };
        let on_right = |of: Four, other: f64| {
            let one = |n: usize| if right.0[n] < 0.0 { of.0[n] } else { other };
            Four([one(0), one(1), one(2), other])
        };
        let at = [on_left(bound, 0.0), on_right(bound, area.width)];
        let down = [on_left(change, 0.0), on_right(change, 0.0)];
        Some(Self { at, down, area })
    }

    /// The next row: its first column, and the one behind the last; not above the first where there is none.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> [i32; 2] {
        let [left, right] = self.at;
        let ([a, b, c, _], [d, e, f, _]) = (left.0, right.0);
        self.at = [left + self.down[0], right + self.down[1]];
        self.area.between([above(above(a, b), c), below(below(d, e), f)])
    }
}

impl Far {
    /// Likewise.
    #[cold]
    pub(crate) fn next(&mut self) -> [i32; 2] {
        let bounds = self.sides.iter_mut().fold([0.0, self.area.width], |[from, to], side| {
            let bound = side.next() as f64;
            match side.is_left {
                Some(true) => [from.max(bound), to],
                Some(false) => [from, to.min(bound)],
                None => [from, to],
            }
        });
        self.area.between(bounds)
    }
}

impl Coverage {
    /// From the first row of `rect` on, of edges whose values are given from its first pixel on.
    #[inline(always)]
    pub(crate) fn new(edges: &[Linear; 3], least: [i64; 3], rect: Rect) -> Self {
        let area = Columns { x0: rect.x0, width: f64::from(rect.x1 - rect.x0) };
        let rows = i64::from(rect.y1) - i64::from(rect.y0);
        Near::of(edges, least, (area, rows)).map_or_else(|| far(edges, least, area), Self::Near)
    }

    /// The next row.
    pub(crate) fn next(&mut self) -> [i32; 2] {
        match self {
            Self::Near(near) => near.next(),
            Self::Far(far) => far.next(),
        }
    }
}

#[cold]
fn far([a, b, c]: &[Linear; 3], least: [i64; 3], area: Columns) -> Coverage {
    let sides = [Side::new(*a, least[0]), Side::new(*b, least[1]), Side::new(*c, least[2])];
    Coverage::Far(Far { sides, area })
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
        let edges_at = Linear::of_edges(&edges, [rect.x0, rect.y0]);
        let mut coverage = Coverage::new(&edges_at, edges.least(), rect);
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
