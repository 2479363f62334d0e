//! The numbers of a primitive: what its rows share.

use super::plain::Plain;
use super::rows::Needs;
use crate::emit::span::{ChannelNumbers, PrimitiveNumbers};
use picaflor_pipeline::ge::raster::edges::{Edges, centre};
use picaflor_pipeline::ge::raster::gradient::{CHANNELS, Gradient};
use picaflor_pipeline::ge::raster::texture::Coordinates;
use picaflor_pipeline::ge::raster::{Corner, Primitive};

/// How far positions go, in 1/256 texels.
const FARTHEST: f64 = (1 << 30) as f64;

/// A triangle while its rows are made.
pub(super) struct Triangle {
    anchor: [i64; 2],
    gradients: [Gradient; CHANNELS],
    /// The edges at pixel (0, 0), and their changes from column to column and row to row.
    pub(super) edges: [Edge; 3],
    z: [i64; 3],
    /// u and v, where the triangle is plain.
    pub(super) plain: Option<[Plain; 2]>,
}

/// An edge: its value at the centre of a pixel is linear.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) origin: i64,
    pub(super) right: i64,
    pub(super) down: i64,
    /// Least value inside: 0 or 1.
    pub(super) least: i64,
}

impl Edge {
    pub(super) const fn at(&self, x: i32, y: i32) -> i64 {
        self.origin + self.right * x as i64 + self.down * y as i64
    }
}

impl Triangle {
    /// Fills the numbers that a routine needs.
    pub(super) fn new(primitive: &Primitive, needs: Needs, to: &mut PrimitiveNumbers) -> Self {
        let corners = &primitive.corners;
        let edges = Edges::new(corners);
        let [origin, right, down] = [(0, 0), (1, 0), (0, 1)].map(|(x, y)| edges.at(x, y));
        let least = |n: usize| {
            let mut values = [1; 3];
            values[n] = 0;
            i64::from(!edges.covers(values))
        };
        let area = edges.area();
        let edges = [0, 1, 2].map(|n| Edge {
            origin: origin[n],
            right: right[n] - origin[n],
            down: down[n] - origin[n],
            least: least(n),
        });
        let anchor = [corners[0].x, corners[0].y].map(i64::from);
        let gradients = if needs.any_channel() {
            Gradient::of_triangle(corners)
        } else {
            [Gradient::default(); CHANNELS]
        };
        let z = corners.map(|corner| i64::from(corner.z));
        let mut triangle = Self { anchor, gradients, edges, z, plain: None };
        triangle.fill(corners, area, needs, to);
        triangle.plain =
            needs.plain.filter(|_| to.divides == 0).and_then(|t| triangle.plain(corners, area, t));
        let steps = triangle.edges.map(|edge| edge.right);
        fill_plain(triangle.plain, |axis: &Plain| axis.sum(steps), to);
        triangle
    }

    /// How u and v go, if nothing is rounded.
    fn plain(&self, corners: &[Corner; 3], area: i64, texels: [f64; 2]) -> Option<[Plain; 2]> {
        let step = self.edges.iter().map(|edge| edge.right.abs()).max()?;
        // The first lane lies up to three columns outside.
        let reach = [area + 3 * step, step];
        let axis = |n: usize| Plain::of(corners.map(|corner| corner.texture[n]), area, reach, texels[n]);
        Some([axis(0)?, axis(1)?])
    }

    fn fill(&self, corners: &[Corner; 3], area: i64, needs: Needs, to: &mut PrimitiveNumbers) {
        for n in needs.channels() {
            let gradient = &self.gradients[n];
            let slope = gradient.x as i32;
            to.channels[n] = ChannelNumbers {
                anchor: [gradient.anchor as i32; 4],
                lanes: [0, 16, 32, 48].map(|sixteenths| slope.wrapping_mul(sixteenths)),
                step: [slope.wrapping_mul(64); 4],
            };
        }
        fill_flat(&corners[2], to);
        let area = area as f64;
        to.area = [area; 2];
        to.area_reciprocal = [1.0 / area; 2];
        if needs.depth {
            to.depth_step = [self.depth_change(|edge| edge.right) as f64; 2];
        }
        if needs.texture {
            let [a, b, c] = corners;
            let Coordinates { s, t, q, w, is_affine } = Coordinates::new([a, b, c]);
            for (n, edge) in self.edges.iter().enumerate() {
                to.edge_steps[n] = [edge.right as f64; 2];
                to.edge_rows[n] = [edge.down as f64; 2];
                (to.s[n], to.t[n], to.q[n], to.w[n]) = ([s[n]; 2], [t[n]; 2], [q[n]; 2], [w[n]; 2]);
            }
            to.divides = u64::from(!is_affine);
        }
    }

    fn depth_change(&self, of: impl Fn(&Edge) -> i64) -> i64 {
        self.edges.iter().zip(self.z).map(|(edge, z)| of(edge) * z).sum()
    }

    /// Twice 2^13 times the difference from the anchor, of channel `n` at a pixel. It wraps, but where the triangle
    /// covers the pixel it fits: 2^14 times 255, and what floored slopes lose over 2^16 sixteenths.
    pub(super) fn term(&self, n: usize, x: i32, y: i32) -> i32 {
        let Gradient { x: right, y: down, .. } = self.gradients[n];
        let [dx, dy] = [i64::from(centre(x)) - self.anchor[0], i64::from(centre(y)) - self.anchor[1]];
        right.wrapping_mul(dx).wrapping_add(down.wrapping_mul(dy)) as i32
    }

    /// Sum of the products of edges and depths at a pixel.
    pub(super) fn depth(&self, x: i32, y: i32) -> f64 {
        self.depth_change(|edge| edge.at(x, y)) as f64
    }
}

/// The numbers of plain coordinates.
fn fill_plain(plain: Option<[Plain; 2]>, mut step: impl FnMut(&Plain) -> f64, to: &mut PrimitiveNumbers) {
    to.is_plain = u64::from(plain.is_some());
    for (n, axis) in plain.iter().flatten().enumerate() {
        to.plain_steps[n] = [step(axis); 2];
        to.plain_scales[n] = [axis.scale; 2];
        to.plain_nudges[n] = [axis.nudge; 2];
    }
}

/// Numbers that do not change.
fn fill_flat(corner: &Corner, to: &mut PrimitiveNumbers) {
    to.flat = [corner.colour.cast_signed(); 4];
    to.flat_secondary = [(corner.secondary & 0xff_ffff).cast_signed(); 4];
    to.flat_depth = [corner.z; 4];
    set_fog(corner.fog, to);
}

/// Another fog coefficient.
pub(super) fn set_fog(fog: u32, to: &mut PrimitiveNumbers) {
    to.flat_fog = [((fog & 0xff) * 0x0101_0101).cast_signed(); 4];
}

/// A rectangle while its rows are made.
pub(super) struct Rectangle<'a> {
    pub(super) a: &'a Corner,
    pub(super) b: &'a Corner,
    /// Whether u runs along y.
    is_swapped: bool,
    /// The coordinate that runs along x, where the rectangle is plain, and what positions are multiplied with along
    /// y.
    plain: Option<(Plain, f64)>,
}

impl<'a> Rectangle<'a> {
    /// Fills the numbers that a routine needs.
    pub(super) fn new(primitive: &'a Primitive, needs: Needs, to: &mut PrimitiveNumbers) -> Self {
        let [a, b, _] = &primitive.corners;
        let mut rectangle = Self { a, b, is_swapped: (b.x > a.x) != (b.y > a.y), plain: None };
        fill_flat(b, to);
        to.is_plain = 0;
        if needs.texture {
            let along = usize::from(rectangle.is_swapped);
            let length = f64::from(b.x) - f64::from(a.x);
            let numbers = |from: f64, to: f64| [[from * length; 2], [to - from; 2]];
            to.along = numbers(a.texture[along], b.texture[along]);
            to.along_q = numbers(a.texture[2], b.texture[2]);
            to.area = [length; 2];
            to.swapped = [if rectangle.is_swapped { u64::MAX } else { 0 }; 2];
            to.divides = u64::from(a.texture[2] != 1.0 || b.texture[2] != 1.0);
            to.w[0] = [b.w; 2];
            rectangle.plain = needs.plain.filter(|_| to.divides == 0).and_then(|t| rectangle.plain(along, t));
            rectangle.fill_plain(to);
        }
        rectangle
    }

    /// How the coordinate along x goes, if nothing is rounded: the mean of its values at A and B, with what is left
    /// of the length as weight.
    fn plain(&self, along: usize, texels: [f64; 2]) -> Option<(Plain, f64)> {
        let length = (i64::from(self.b.x) - i64::from(self.a.x)).abs();
        let values = [self.a.texture[along], self.b.texture[along], 0.0];
        let plain = Plain::of(values, length, [length + 64, 16], texels[along])?;
        Some((plain, texels[1 - along]))
    }

    fn fill_plain(&self, to: &mut PrimitiveNumbers) {
        let Some((along, _)) = self.plain else { return };
        let step = if self.b.x < self.a.x { -16 } else { 16 };
        let across = Plain::constant(0.0);
        let axes = if self.is_swapped { [across, along] } else { [along, across] };
        let steps = if self.is_swapped { [0, step] } else { [step, 0] };
        let mut n = 0;
        fill_plain(
            Some(axes),
            |axis| {
                n += 1;
                axis.sum([-steps[n - 1], steps[n - 1], 0])
            },
            to,
        );
    }

    /// u and v in the first lane of a row, where the rectangle is plain.
    pub(super) fn plain_at(&self, x: i32, y: i32) -> Option<[f64; 2]> {
        let (along, texels) = self.plain?;
        let direction = if self.b.x < self.a.x { -1 } else { 1 };
        let from_a = direction * (i64::from(centre(x)) - i64::from(self.a.x));
        let length = (i64::from(self.b.x) - i64::from(self.a.x)).abs();
        let along = along.sum([length - from_a, from_a, 0]);
        let across = limited((self.across(y) * texels).floor());
        Some(if self.is_swapped { [across, along] } else { [along, across] })
    }

    /// The coordinate that runs along y, in a row.
    pub(super) fn across(&self, y: i32) -> f64 {
        let axis = usize::from(!self.is_swapped);
        let [from, to] = [self.a, self.b].map(|corner| corner.texture[axis]);
        let length = f64::from(self.b.y) - f64::from(self.a.y);
        let distance = f64::from(centre(y)) - f64::from(self.a.y);
        (from * length + (to - from) * distance) / length
    }

    /// From A to the centre of a column, in sixteenths.
    pub(super) fn distance(&self, x: i32) -> f64 {
        f64::from(centre(x)) - f64::from(self.a.x)
    }
}

/// A position as the reference limits it: a NaN is as far as the least.
const fn limited(position: f64) -> f64 {
    let above = if position > -FARTHEST { position } else { -FARTHEST };
    if above < FARTHEST { above } else { FARTHEST }
}

/// The pixels whose centres lie from one coordinate up to before the other.
pub(super) const fn columns(a: i32, b: i32) -> [i32; 2] {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    [(low + 7) >> 4, (high + 7) >> 4]
}
