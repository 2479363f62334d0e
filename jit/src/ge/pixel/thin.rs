//! Points and lines as rectangles of one pixel each, which is how compiled code draws them: what of their values is read is computed
//! here, one pixel after the other.
//!
//! Source: psp-ge.md 7.5, 8.4, 8.6, 8.7; lines measured on a console (spline line patches).

use super::rows::Painter;
use super::setup;
use crate::code::ge::rows::Place;
use crate::ge::key::PixelKey;
use crate::ge::raster::texture::{Coordinates, reciprocal};
use crate::ge::raster::triangle::centre;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::rect::Rect;

/// Weighted sums of coordinates below this are numbers.
const LARGE: f64 = f64::MAX / 4.0;

/// Which values of pixels a draw reads; others are of no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) texture: bool,
    pub(super) colour: bool,
    pub(super) secondary: bool,
    pub(super) fog: bool,
    pub(super) depth: bool,
}

impl Wanted {
    /// What a state reads.
    pub(super) const fn of(key: &PixelKey) -> Self {
        Self {
            texture: key.texture.is_some(),
            colour: key.reads_colour(),
            secondary: key.secondary,
            fog: key.fog,
            depth: key.reads_depth(),
        }
    }

    /// True if coordinates of a primitive that are read may be no numbers. Rectangles treat these in another way.
    pub(super) fn may_be_no_number(self, primitive: &Primitive) -> bool {
        let ends = &primitive.corners[..2];
        let is_plain = |corner: &Corner| {
            let [s, t, q] = corner.texture;
            s.abs() < LARGE && t.abs() < LARGE && q == 1.0 && corner.w == ends[0].w
        };
        self.texture && !ends.iter().all(is_plain)
    }
}

impl Painter<'_> {
    /// Draws the pixels of a point or a line. Returns their number.
    // Apart from the loop over triangles, which it would make longer.
    #[inline(never)]
    pub(super) fn thin(&mut self, primitive: &Primitive) -> u64 {
        let (tile, wanted) = (self.tile, self.wanted);
        let mut last = None;
        visit(primitive, tile, wanted, |place, values| {
            if wanted.texture {
                let pixel = pixel(place, *values);
                self.rectangle(&pixel, pixel.bounds());
            } else {
                self.flat_pixel(place, values, &mut last);
            }
        })
    }

    /// Draws a pixel without texture, with the numbers of the last one if its values are the same.
    fn flat_pixel(&mut self, [x, y]: [i32; 2], values: &Corner, last: &mut Option<(Place, [u32; 4])>) {
        let read = [values.colour, values.secondary, values.fog, values.z.cast_unsigned()];
        // Nobody else adds numbers meanwhile, so that the last ones are still there.
        let known = last.filter(|(_, known)| *known == read);
        let (place, _) = *last.insert(known.unwrap_or_else(|| {
            let (place, numbers) = self.spans.primitive();
            setup::fill_untextured(values, self.needs, numbers);
            (place, read)
        }));
        self.spans.straight(place, [x & !3, y & !3], y..y + 1, [x, x + 1]);
    }
}

/// The pixels of some primitives in a tile, in their order; `None` if a coordinate that is read is no number.
pub(super) fn pixels<'a>(
    primitives: impl Iterator<Item = &'a Primitive>,
    tile: Rect,
    wanted: Wanted,
) -> Option<Vec<Primitive>> {
    let mut pixels = Vec::new();
    for primitive in primitives {
        visit(primitive, tile, wanted, |place, values| pixels.push(pixel(place, *values)));
    }
    let is_known = |pixel: &Primitive| pixel.corners[0].texture.iter().all(|number| number.is_finite());
    (!wanted.texture || pixels.iter().all(is_known)).then_some(pixels)
}

/// Visits the pixels of a primitive in a tile with what is wanted of their values, in their order. Returns their number.
#[inline(always)]
fn visit(primitive: &Primitive, tile: Rect, wanted: Wanted, mut visit: impl FnMut([i32; 2], &Corner)) -> u64 {
    if primitive.shape == Shape::Line {
        return Line::of(&primitive.corners).visit(tile, wanted, visit);
    }
    let corner = &primitive.corners[0];
    let place = [corner.x >> 4, corner.y >> 4];
    if !tile.contains(place[0], place[1]) {
        return 0;
    }
    let texture = if wanted.texture { interpolated([corner], [1.0]) } else { corner.texture };
    visit(place, &Corner { texture, ..*corner });
    1
}

/// A pixel with the values of a corner, whose q is 1.
const fn pixel([x, y]: [i32; 2], values: Corner) -> Primitive {
    let (from, to) =
        (Corner { x: 16 * x, y: 16 * y, ..values }, Corner { x: 16 * x + 16, y: 16 * y + 16, ..values });
    Primitive { corners: [from, to, to], shape: Shape::Rectangle, reserved: 0 }
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

    /// Visits a pixel for each centre along the major axis, both ends included.
    #[inline(always)]
    fn visit(&self, tile: Rect, wanted: Wanted, mut visit: impl FnMut([i32; 2], &Corner)) -> u64 {
        let [length, across] = self.way;
        let [from, to] = if self.is_x_major { [tile.x0, tile.x1] } else { [tile.y0, tile.y1] };
        let first = ((self.start[0] + 7) >> 4).max(i64::from(from)) as i32;
        let end = (((self.start[0] + length - 8) >> 4) + 1).min(i64::from(to)) as i32;
        let [low, high] = self.ends;
        let slopes = |wanted: bool, of: fn(&Corner) -> u32| Slopes::new(wanted, [of(low), of(high)], length);
        let colours = slopes(wanted.colour, |corner| corner.colour);
        let secondary = slopes(wanted.secondary, |corner| corner.secondary);
        let fog = slopes(wanted.fog, |corner| corner.fog & 0xff);
        let (mut values, mut visited) = (*low, 0);
        for major in first..end {
            let distance = self.distance(major);
            let weighted = self.start[1] * length.max(1) + across * distance;
            let minor = weighted.div_euclid(16 * length.max(1)) as i32;
            let [x, y] = if self.is_x_major { [major, minor] } else { [minor, major] };
            if !tile.contains(x, y) {
                continue;
            }
            if wanted.texture {
                values.texture = interpolated(self.ends, self.weights(major));
                values.w = self.w(major);
            }
            if wanted.depth && low.z != high.z {
                let [from, to] = [low.z, high.z].map(i64::from);
                values.z = (from + ((to - from) * distance).div_euclid(length.max(1))) as i32;
            }
            values.colour = colours.at(distance);
            values.secondary = secondary.at(distance);
            values.fog = fog.at(distance);
            visit([x, y], &values);
            visited += 1;
        }
        visited
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

/// Four channels along a line: with 10 bits below, slopes and products floored (8.4).
#[derive(Clone, Copy)]
struct Slopes {
    low: u32,
    /// 1024 times the change over a pixel; `None` where nothing changes, or nobody asks.
    steps: Option<[i64; 4]>,
}

impl Slopes {
    fn new(is_wanted: bool, [low, high]: [u32; 2], length: i64) -> Self {
        let steps = (is_wanted && low != high && length > 0).then(|| {
            let (low, high) = (low.to_le_bytes(), high.to_le_bytes());
            std::array::from_fn(|n| {
                let [from, to] = [low[n], high[n]].map(i64::from);
                (1024 * 16 * (to - from)).div_euclid(length)
            })
        });
        Self { low, steps }
    }

    /// The channels at a distance from the lower end.
    #[inline(always)]
    fn at(&self, distance: i64) -> u32 {
        let Some(steps) = self.steps else { return self.low };
        let low = self.low.to_le_bytes();
        u32::from_le_bytes(std::array::from_fn(|n| {
            ((i64::from(low[n]) * 1024 + ((steps[n] * distance) >> 4)) >> 10).clamp(0, 255) as u8
        }))
    }
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

    const EVERYTHING: Wanted =
        Wanted { texture: true, colour: true, secondary: true, fog: true, depth: true };
    const SCREEN: Rect = Rect { x0: 0, y0: 0, x1: 480, y1: 272 };

    fn corner(x: i32, y: i32) -> Corner {
        Corner { texture: [0.0, 0.0, 1.0], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 0 }
    }

    fn drawn(shape: Shape, corners: [Corner; 2]) -> Vec<Primitive> {
        let [a, b] = corners;
        let primitive = Primitive { corners: [a, b, b], shape, reserved: 0 };
        pixels([primitive].iter(), SCREEN, EVERYTHING).expect("all are numbers")
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

    /// Those that are no numbers are left to the interpreter, where somebody reads them.
    #[test]
    fn coordinates_that_are_no_numbers() {
        let mut point = corner(16, 16);
        for (texture, is_known) in
            [([0.5, 0.25, 1.0], true), ([0.5, 0.25, 2.0], true), ([0.5, 0.25, 0.0], false)]
        {
            point.texture = texture;
            let primitive = Primitive { corners: [point; 3], shape: Shape::Point, reserved: 0 };
            let found = |wanted: Wanted| {
                (wanted.may_be_no_number(&primitive), pixels([primitive].iter(), SCREEN, wanted).is_some())
            };
            assert_eq!(found(EVERYTHING), (texture[2] != 1.0, is_known));
            assert_eq!(found(Wanted { texture: false, ..EVERYTHING }), (false, true));
        }
    }
}
