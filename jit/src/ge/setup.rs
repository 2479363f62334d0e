//! The numbers of a primitive: what its rows share.

use super::plain::{FARTHEST, FRACTION, Path, Plain};
use super::rows::Needs;
use crate::emit::span::{ChannelNumbers, PrimitiveNumbers, StepNumbers};
use picaflor_pipeline::ge::raster::edges::{Edges, centre};
use picaflor_pipeline::ge::raster::gradient::{CHANNELS, Gradient};
use picaflor_pipeline::ge::raster::texture::Coordinates;
use picaflor_pipeline::ge::raster::{Corner, Primitive};

/// A triangle while its rows are made.
pub(super) struct Triangle {
    anchor: [i64; 2],
    gradients: [Gradient; CHANNELS],
    /// The edges at pixel (0, 0), and their changes from column to column and row to row.
    pub(super) edges: [Edge; 3],
    z: [i64; 3],
    /// u and v, where the triangle is plain.
    plain: Option<[Path; 2]>,
    /// The pixel that paths start from.
    origin: [i32; 2],
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
        let origin = [corners[0].x >> 4, corners[0].y >> 4];
        let mut triangle = Self { anchor, gradients, edges, z, plain: None, origin };
        triangle.fill(corners, area, needs, to);
        triangle.plain =
            needs.plain.filter(|_| to.divides == 0).and_then(|t| triangle.plain(primitive, area, t));
        fill_plain(triangle.plain, to);
        triangle
    }

    /// How u and v go, if nothing is rounded.
    fn plain(&self, primitive: &Primitive, area: i64, texels: [f64; 2]) -> Option<[Path; 2]> {
        let step = self.edges.iter().map(|edge| edge.right.abs()).max()?;
        // The first lane lies up to three columns outside.
        let reach = [area + 3 * step, step];
        let [x, y] = self.origin;
        let weights = [
            self.edges.map(|edge| edge.at(x, y)),
            self.edges.map(|edge| edge.right),
            self.edges.map(|edge| edge.down),
        ];
        let bounds = primitive.bounds();
        let size = [bounds.x1 - bounds.x0 + 1, bounds.y1 - bounds.y0 + 1];
        let path = |n: usize| {
            let values = primitive.corners.map(|corner| corner.texture[n]);
            Plain::of(values, area, reach, texels[n])?.path(weights, size)
        };
        Some([path(0)?, path(1)?])
    }

    /// u and v at a pixel, where they go on in steps.
    pub(super) fn plain_at(&self, x: i32, y: i32) -> Option<[i64; 2]> {
        let [from_x, from_y] = self.origin;
        self.plain.map(|axes| axes.map(|axis| axis.value(x - from_x, y - from_y)))
    }

    fn fill(&self, corners: &[Corner; 3], area: i64, needs: Needs, to: &mut PrimitiveNumbers) {
        for n in needs.channels() {
            let gradient = &self.gradients[n];
            let slope = gradient.x as i32;
            to.channels[n] = ChannelNumbers {
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

    /// 2^14 times channel `n` at a pixel. It wraps, but where the triangle covers the pixel it fits: 2^14 times 255,
    /// and what floored slopes lose over 2^16 sixteenths.
    pub(super) fn term(&self, n: usize, x: i32, y: i32) -> i32 {
        let Gradient { anchor, x: right, y: down } = self.gradients[n];
        let [dx, dy] = [i64::from(centre(x)) - self.anchor[0], i64::from(centre(y)) - self.anchor[1]];
        (anchor * 16).wrapping_add(right.wrapping_mul(dx)).wrapping_add(down.wrapping_mul(dy)) as i32
    }

    /// Sum of the products of edges and depths at a pixel.
    pub(super) fn depth(&self, x: i32, y: i32) -> f64 {
        self.depth_change(|edge| edge.at(x, y)) as f64
    }
}

/// The numbers of plain coordinates.
fn fill_plain(plain: Option<[Path; 2]>, to: &mut PrimitiveNumbers) {
    to.is_plain = u64::from(plain.is_some());
    if let Some(axes) = plain {
        to.plain = axes.map(|axis| StepNumbers::new(axis.right));
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
    /// u, where the rectangle is plain, and what v is multiplied with.
    plain: Option<(Path, f64)>,
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
            let is_plain = to.divides == 0 && !rectangle.is_swapped;
            rectangle.plain = needs.plain.filter(|_| is_plain).and_then(|texels| rectangle.plain(texels));
            if let Some((path, _)) = rectangle.plain {
                to.is_plain = 1;
                to.plain[0] = StepNumbers::new(path.right);
            }
        }
        rectangle
    }

    /// How u goes along x, if it goes in steps: the mean of its values at A and B, with what is left of the length as
    /// weight.
    fn plain(&self, texels: [f64; 2]) -> Option<(Path, f64)> {
        let (a, b) = (self.a, self.b);
        if [a, b].iter().any(|corner| (corner.texture[1] * texels[1]).abs() >= FARTHEST) {
            return None;
        }
        let length = (i64::from(b.x) - i64::from(a.x)).abs();
        let plain = Plain::of([a.texture[0], b.texture[0], 0.0], length, [length + 64, 16], texels[0])?;
        let step = 16 * i64::from((b.x - a.x).signum());
        let from_a = step.signum() * (i64::from(centre(a.x >> 4)) - i64::from(a.x));
        let weights = [[length - from_a, from_a, 0], [-step, step, 0], [0; 3]];
        let path = plain.path(weights, [(length >> 4) as i32 + 4, 0])?;
        Some((path, texels[1]))
    }

    /// u in the first lane and v of a row, where the rectangle is plain.
    pub(super) fn plain_at(&self, x: i32, y: i32) -> Option<[i64; 2]> {
        let (path, texels) = self.plain?;
        let v = (self.across(y) * texels).floor() as i64;
        Some([path.value(x - (self.a.x >> 4), 0), v << FRACTION])
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

/// The pixels whose centres lie from one coordinate up to before the other.
pub(super) const fn columns(a: i32, b: i32) -> [i32; 2] {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    [(low + 7) >> 4, (high + 7) >> 4]
}
