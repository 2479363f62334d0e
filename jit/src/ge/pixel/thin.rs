//! Points and lines as rectangles of one pixel each, which is how compiled code draws them: their values are computed
//! here, one pixel after the other.
//!
//! Source: psp-ge.md 7.5, 8.4, 8.6, 8.7; lines measured on a console (spline line patches).

use crate::ge::raster::texture::{Coordinates, reciprocal};
use crate::ge::raster::triangle::centre;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::rect::Rect;

/// True of shapes that are drawn so.
pub(super) const fn is_thin(shape: Shape) -> bool {
    matches!(shape, Shape::Point | Shape::Line)
}

/// Pixels of a primitive in a tile, at most.
pub(super) fn most_pixels(primitive: &Primitive, tile: Rect) -> usize {
    let bounds = primitive.bounds().intersect(tile);
    if bounds.is_empty() { 0 } else { (bounds.x1 - bounds.x0).max(bounds.y1 - bounds.y0) as usize }
}

/// The pixels of some primitives in a tile, in their order; `None` if a coordinate is no number, which rectangles treat
/// in another way.
pub(super) fn pixels<'a>(
    primitives: impl Iterator<Item = &'a Primitive>,
    tile: Rect,
) -> Option<Vec<Primitive>> {
    let mut pixels = Vec::new();
    for primitive in primitives {
        match primitive.shape {
            Shape::Point => pixels.extend(point(&primitive.corners[0], tile)),
            Shape::Line => Line::of(&primitive.corners).append_to(tile, &mut pixels),
            _ => pixels.push(*primitive),
        }
    }
    let is_known = |pixel: &Primitive| pixel.corners[0].texture.iter().all(|number| number.is_finite());
    pixels.iter().all(is_known).then_some(pixels)
}

/// A pixel with the values of a corner, whose q is 1.
const fn pixel([x, y]: [i32; 2], values: Corner) -> Primitive {
    let (from, to) =
        (Corner { x: 16 * x, y: 16 * y, ..values }, Corner { x: 16 * x + 16, y: 16 * y + 16, ..values });
    Primitive { corners: [from, to, to], shape: Shape::Rectangle, reserved: 0 }
}

/// The pixel that a point is in.
fn point(corner: &Corner, tile: Rect) -> Option<Primitive> {
    let place = [corner.x >> 4, corner.y >> 4];
    let texture = interpolated([corner], [1.0]);
    tile.contains(place[0], place[1]).then(|| pixel(place, Corner { texture, ..*corner }))
}

/// A line, from its lower to its higher end on the major axis.
struct Line<'a> {
    ends: [&'a Corner; 2],
    is_x_major: bool,
    /// Where the lower end is, on the major and on the minor axis, and how far away the other one.
    start: [i64; 2],
    way: [i64; 2],
}

impl<'a> Line<'a> {
    /// The line between the first two corners; of two ends that are equal on the major axis the first is the lower one.
    fn of([a, b, _]: &'a [Corner; 3]) -> Self {
        let is_x_major = (b.x - a.x).abs() >= (b.y - a.y).abs();
        let is_forward = if is_x_major { a.x <= b.x } else { a.y <= b.y };
        let ends = if is_forward { [a, b] } else { [b, a] };
        let [start, end] = ends.map(|corner| {
            let [x, y] = [i64::from(corner.x), i64::from(corner.y)];
            if is_x_major { [x, y] } else { [y, x] }
        });
        Self { ends, is_x_major, start, way: [end[0] - start[0], end[1] - start[1]] }
    }

    fn distance(&self, major: i32) -> i64 {
        i64::from(centre(major)) - self.start[0]
    }

    /// Appends a pixel for each centre along the major axis, both ends included.
    fn append_to(&self, tile: Rect, pixels: &mut Vec<Primitive>) {
        let [length, across] = self.way;
        let [from, to] = if self.is_x_major { [tile.x0, tile.x1] } else { [tile.y0, tile.y1] };
        let first = ((self.start[0] + 7) >> 4).max(i64::from(from)) as i32;
        let end = (((self.start[0] + length - 8) >> 4) + 1).min(i64::from(to)) as i32;
        for major in first..end {
            let weighted = self.start[1] * length.max(1) + across * self.distance(major);
            let minor = weighted.div_euclid(16 * length.max(1)) as i32;
            let [x, y] = if self.is_x_major { [major, minor] } else { [minor, major] };
            if tile.contains(x, y) {
                pixels.push(pixel([x, y], self.values(major)));
            }
        }
    }

    /// The values at a pixel.
    fn values(&self, major: i32) -> Corner {
        let [low, high] = self.ends;
        let (distance, length) = (self.distance(major), self.way[0]);
        let colours = |low: u32, high: u32| mixed(low, high, distance, length);
        let [from, to] = [low.z, high.z].map(i64::from);
        Corner {
            texture: interpolated(self.ends, self.weights(major)),
            w: self.w(major),
            z: (from + ((to - from) * distance).div_euclid(length.max(1))) as i32,
            colour: colours(low.colour, high.colour),
            secondary: colours(low.secondary, high.secondary),
            fog: colours(low.fog, high.fog) & 0xff,
            ..*low
        }
    }

    /// Clip w in the quad that the pixel is in: that of its upper left pixel.
    fn w(&self, major: i32) -> f64 {
        let [a, b] = self.weights(major & !1);
        let [low, high] = self.ends.map(|corner| corner.w);
        (a * low + b * high) / (a + b)
    }

    /// Those of both ends.
    fn weights(&self, major: i32) -> [f64; 2] {
        let length = self.way[0];
        let k = if length == 0 { 0.0 } else { self.distance(major) as f64 / length as f64 };
        [1.0 - k, k]
    }
}

/// Four channels at a distance from the lower end: with 10 bits below, slopes and products floored (8.4).
fn mixed(low: u32, high: u32, distance: i64, length: i64) -> u32 {
    if length == 0 {
        return low;
    }
    let (low, high) = (low.to_le_bytes(), high.to_le_bytes());
    u32::from_le_bytes(std::array::from_fn(|n| {
        let [from, to] = [low[n], high[n]].map(i64::from);
        let slope = (1024 * 16 * (to - from)).div_euclid(length);
        ((from * 1024 + ((slope * distance) >> 4)) >> 10).clamp(0, 255) as u8
    }))
}

/// u and v of weighted corners (8.6), with 1 as q.
fn interpolated<const N: usize>(corners: [&Corner; N], weights: [f64; N]) -> [f64; 3] {
    let Coordinates { s, t, q, w } = Coordinates::new(corners);
    let is_affine = corners.iter().all(|corner| corner.texture[2] == 1.0 && corner.w == w[0]);
    let weighted =
        |values: &[f64; N]| (1..N).fold(weights[0] * values[0], |sum, n| sum + weights[n] * values[n]);
    let sum = weighted(&[1.0; N]);
    let [u, v] = if is_affine {
        [weighted(&s) / sum, weighted(&t) / sum]
    } else {
        let share = 1.0 / sum;
        let reciprocal = reciprocal(weighted(&q) * share);
        [&s, &t].map(|values| weighted(values) * share * reciprocal)
    };
    [u, v, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Rect = Rect { x0: 0, y0: 0, x1: 480, y1: 272 };

    fn corner(x: i32, y: i32) -> Corner {
        Corner { texture: [0.0, 0.0, 1.0], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 0 }
    }

    fn drawn(shape: Shape, corners: [Corner; 2]) -> Vec<Primitive> {
        let [a, b] = corners;
        let primitive = Primitive { corners: [a, b, b], shape, reserved: 0 };
        pixels([primitive].iter(), SCREEN).expect("all are numbers")
    }

    fn places(shape: Shape, from: [i32; 2], to: [i32; 2]) -> Vec<[i32; 2]> {
        let drawn = drawn(shape, [corner(from[0], from[1]), corner(to[0], to[1])]);
        drawn.iter().map(|pixel| [pixel.corners[0].x / 16, pixel.corners[0].y / 16]).collect()
    }

    /// Centres at both ends are inside; the corner where a line ends is not.
    #[test]
    fn covered_pixels() {
        assert_eq!(places(Shape::Line, [8, 0], [40, 0]), [[0, 0], [1, 0], [2, 0]]);
        assert_eq!(places(Shape::Line, [9, 0], [39, 0]), [[1, 0]]);
        assert_eq!(places(Shape::Line, [32, 64], [0, 0]), [[0, 0], [0, 1], [1, 2], [1, 3]]);
        assert_eq!(places(Shape::Line, [16, 160], [16, 192]), [[1, 10], [1, 11]]);
        assert_eq!(places(Shape::Line, [24, 8], [24, 8]), [[1, 0]]);
        assert!(places(Shape::Line, [0, 0], [48, -16]).is_empty());
        assert_eq!(places(Shape::Line, [-32, 8], [40, 8]), [[0, 0], [1, 0], [2, 0]]);
        assert_eq!(places(Shape::Point, [31, 32], [0, 0]), [[1, 2]]);
        assert!(places(Shape::Point, [-1, 0], [0, 0]).is_empty());
    }

    /// From the second corner, which is the lower one: values at 1/8, 3/8, 5/8, 7/8.
    #[test]
    fn values_along_a_line() {
        let mut ends = [corner(64, 0), corner(0, 0)];
        (ends[1].z, ends[1].colour, ends[1].texture[0]) = (100, 200, 8.0);
        let drawn = drawn(Shape::Line, ends);
        let of = |value: fn(&Corner) -> f64| drawn.iter().map(|p| value(&p.corners[0])).collect::<Vec<_>>();
        assert_eq!(of(|at| f64::from(at.z)), [87.0, 62.0, 37.0, 12.0]);
        assert_eq!(of(|at| f64::from(at.colour)), [175.0, 125.0, 75.0, 25.0]);
        assert_eq!(of(|at| at.texture[0]), [7.0, 5.0, 3.0, 1.0]);
    }

    /// w = 1 and 2 in the middle, as in `interp`: S = 2, Q = 3/4, T16(4/3) = 43690/32768.
    #[test]
    fn divided_coordinates() {
        let mut ends = [corner(0, 0), corner(16, 0)];
        (ends[1].w, ends[1].texture[0]) = (2.0, 8.0);
        let at = drawn(Shape::Line, ends)[0].corners[0];
        assert_eq!((at.texture, at.w), ([2.0 * 43690.0 / 32768.0, 0.0, 1.0], 1.5));
        let mut point = corner(16, 16);
        point.texture = [0.5, 0.25, 2.0];
        assert_eq!(drawn(Shape::Point, [point; 2])[0].corners[0].texture, [0.25, 0.125, 1.0]);
    }

    /// Those that are no numbers are left to the interpreter.
    #[test]
    fn coordinates_that_are_no_numbers() {
        let mut point = corner(16, 16);
        point.texture = [0.5, 0.25, 0.0];
        let primitive = Primitive { corners: [point; 3], shape: Shape::Point, reserved: 0 };
        assert!(pixels([primitive].iter(), SCREEN).is_none());
    }
}
