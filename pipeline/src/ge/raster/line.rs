//! Lines: coverage and interpolation.
//!
//! Source: psp-ge.md 8.4, measured on a console (lines, line strips, patches of lines).

use super::edges::centre;
use super::fragment::{Fragment, Quad};
use super::gradient::{CHANNELS, LineGradient};
use super::texture::Coordinates;
use super::walk::{Visit, quad_change, quad_corner};
use super::{Corner, Primitive};
use crate::rect::Rect;

/// A line in walking order: from its lower end on the major axis to the higher end.
struct Line<'a> {
    low: &'a Corner,
    high: &'a Corner,
    /// True if x is the major axis, the one along which the line is longer; x for a diagonal (assumed).
    is_x_major: bool,
    length: i64,
    gradients: [LineGradient; CHANNELS],
    coordinates: Coordinates<2>,
}

/// Calls `visit` for the pixels of `rect` that the line covers, from the lower end to the higher.
pub(super) fn walk(primitive: &Primitive, rect: Rect, visit: &mut Visit<'_>) -> u64 {
    let line = Line::new(&primitive.corners);
    let mut covered = 0;
    // Both ends are inclusive where they are exactly on a centre.
    let first = (i64::from(line.major(line.low)) + 7) >> 4;
    let last = (i64::from(line.major(line.high)) - 8) >> 4;
    let (from, to) = if line.is_x_major { (rect.x0, rect.x1) } else { (rect.y0, rect.y1) };
    for major in first.max(i64::from(from))..=last.min(i64::from(to) - 1) {
        let (x, y) = line.pixel(major as i32);
        if rect.contains(x, y) {
            visit(&line.fragment(x, y), &line);
            covered += 1;
        }
    }
    covered
}

impl<'a> Line<'a> {
    fn new([a, b, _]: &'a [Corner; 3]) -> Self {
        let difference = |of: fn(&Corner) -> i32| i64::from(of(b)) - i64::from(of(a));
        let (dx, dy) = (difference(|corner| corner.x), difference(|corner| corner.y));
        let is_x_major = dx.abs() >= dy.abs();
        let length = if is_x_major { dx } else { dy };
        let (low, high) = if length < 0 { (b, a) } else { (a, b) };
        let gradients = LineGradient::of_line(low, high, length.abs());
        let coordinates = Coordinates::new([low, high]);
        Self { low, high, is_x_major, length: length.abs(), gradients, coordinates }
    }

    const fn major(&self, corner: &Corner) -> i32 {
        if self.is_x_major { corner.x } else { corner.y }
    }

    const fn minor(&self, corner: &Corner) -> i64 {
        (if self.is_x_major { corner.y } else { corner.x }) as i64
    }

    /// Linear interpolation, floored, at a distance from the lower end.
    const fn between(&self, low: i64, high: i64, distance: i64) -> i64 {
        if self.length == 0 {
            return low;
        }
        (low * self.length + (high - low) * distance).div_euclid(self.length)
    }

    /// Distance from the lower end to the centre of a pixel, along the major axis.
    const fn distance(&self, x: i32, y: i32) -> i64 {
        let pixel = if self.is_x_major { x } else { y };
        centre(pixel) as i64 - self.major(self.low) as i64
    }

    /// The covered pixel of column or row `major`.
    const fn pixel(&self, major: i32) -> (i32, i32) {
        let distance = self.distance(major, major);
        let minor = (self.between(self.minor(self.low), self.minor(self.high), distance) >> 4) as i32;
        if self.is_x_major { (major, minor) } else { (minor, major) }
    }

    fn fragment(&self, x: i32, y: i32) -> Fragment {
        let distance = self.distance(x, y);
        let depth = self.between(i64::from(self.low.z), i64::from(self.high.z), distance);
        let channels = self.gradients.map(|gradient| gradient.at(distance));
        Fragment::new(x, y, depth as i32, channels, self.coordinates_at(x, y))
    }

    /// The weights of the lower and the higher end.
    fn weights(&self, x: i32, y: i32) -> [f64; 2] {
        if self.length == 0 {
            return [1.0, 0.0];
        }
        let k = self.distance(x, y) as f64 / self.length as f64;
        [1.0 - k, k]
    }

    fn coordinates_at(&self, x: i32, y: i32) -> [f64; 2] {
        self.coordinates.at(self.weights(x, y), 1.0)
    }
}

impl Quad for Line<'_> {
    fn change(&self, x: i32, y: i32) -> [f64; 2] {
        quad_change(x, y, |x, y| self.coordinates_at(x, y))
    }

    fn w(&self, x: i32, y: i32) -> f64 {
        let (x, y) = quad_corner(x, y);
        self.coordinates.w_at(self.weights(x, y), 1.0)
    }
}
