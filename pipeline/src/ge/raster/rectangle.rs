//! Rectangles and points: coverage and interpolation.
//!
//! Source: psp-ge.md 7.3, 7.5, 8.2, 8.6, measured on a console (filtering, textures/rotate).

use super::edges::centre;
use super::fragment::{Fragment, Quad};
use super::gradient::channels;
use super::texture::reciprocal;
use super::walk::{Visit, quad_change};
use super::{Corner, Primitive};
use crate::rect::Rect;

/// A rectangle from corner A to corner B, in walking order.
struct Rectangle<'a> {
    a: &'a Corner,
    b: &'a Corner,
    /// True if u runs along y and v along x: the diagonal goes up to the right or down to the left.
    is_swapped: bool,
}

/// Calls `visit` for the pixels of `rect` that the rectangle covers.
pub(super) fn walk(primitive: &Primitive, rect: Rect, visit: &mut Visit<'_>) -> u64 {
    let rectangle = Rectangle::new(&primitive.corners);
    let rect = rectangle.pixels().intersect(rect);
    for y in rect.y0..rect.y1 {
        for x in rect.x0..rect.x1 {
            visit(&rectangle.fragment(x, y), &rectangle);
        }
    }
    rect.pixels()
}

/// Calls `visit` for the pixel of a point.
pub(super) fn walk_point(primitive: &Primitive, rect: Rect, visit: &mut Visit<'_>) -> u64 {
    let corner = &primitive.corners[0];
    let (x, y) = (corner.x >> 4, corner.y >> 4);
    if !rect.contains(x, y) {
        return 0;
    }
    let [s, t, q] = corner.texture;
    let channels = channels(corner).map(|channel| channel as u8);
    visit(
        &Fragment::new(x, y, corner.z, channels, [s * reciprocal(q), t * reciprocal(q)]),
        &Point { w: corner.w },
    );
    1
}

/// Range of the pixels whose centres lie from one coordinate (included) to the other (excluded).
const fn columns(a: i32, b: i32) -> (i32, i32) {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    ((low + 7) >> 4, (high + 7) >> 4)
}

impl<'a> Rectangle<'a> {
    const fn new([a, b, _]: &'a [Corner; 3]) -> Self {
        Self { a, b, is_swapped: (b.x > a.x) != (b.y > a.y) }
    }

    const fn pixels(&self) -> Rect {
        let (x0, x1) = columns(self.a.x, self.b.x);
        let (y0, y1) = columns(self.a.y, self.b.y);
        Rect { x0, y0, x1, y1 }
    }

    fn fragment(&self, x: i32, y: i32) -> Fragment {
        let mut channels = channels(self.b).map(|channel| channel as u8);
        channels[7] = self.fog(x);
        Fragment::new(x, y, self.b.z, channels, self.coordinates_at(x, y))
    }

    /// The half on A's side has the fog of B, the other half that of A (assumed, as is the position of the boundary).
    const fn fog(&self, x: i32) -> u8 {
        let middle = self.a.x + (self.b.x - self.a.x) / 2;
        let (from, to) = columns(self.a.x, middle);
        (if from <= x && x < to { self.b.fog } else { self.a.fog }) as u8
    }

    fn coordinates_at(&self, x: i32, y: i32) -> [f64; 2] {
        let (a, b) = (self.a, self.b);
        let [along_x, along_y] = [(a.x, b.x, x), (a.y, b.y, y)]
            .map(|(a, b, pixel)| move |from: f64, to: f64| between(from, to, a, b, centre(pixel)));
        let [[sa, ta, qa], [sb, tb, qb]] = [a.texture, b.texture];
        // Measured: q varies along x alone.
        let r = reciprocal(along_x(qa, qb));
        if self.is_swapped {
            [along_y(sa, sb) * r, along_x(ta, tb) * r]
        } else {
            [along_x(sa, sb) * r, along_y(ta, tb) * r]
        }
    }
}

/// Linear interpolation at a position between two others: one rounding if the values have few bits.
fn between(value_a: f64, value_b: f64, a: i32, b: i32, at: i32) -> f64 {
    let [length, distance] = [b, at].map(|to| f64::from(to) - f64::from(a));
    (value_a * length + (value_b - value_a) * distance) / length
}

impl Quad for Rectangle<'_> {
    fn change(&self, x: i32, y: i32) -> [f64; 2] {
        quad_change(x, y, |x, y| self.coordinates_at(x, y))
    }

    fn w(&self, _: i32, _: i32) -> f64 {
        self.b.w
    }
}

/// A point: all values are constant.
struct Point {
    w: f64,
}

impl Quad for Point {
    fn change(&self, _: i32, _: i32) -> [f64; 2] {
        [0.0; 2]
    }

    fn w(&self, _: i32, _: i32) -> f64 {
        self.w
    }
}
