//! The numbers of a primitive, shared by its rows.

use super::rows::Needs;
use crate::emit::ge::span::{ChannelNumbers, DoubleSteps, Ints, Job, PrimitiveNumbers, StepNumbers};
use crate::ge::pixel::affine::{self, FARTHEST, FRACTION, Plain};
use crate::ge::pixel::perspective::Divided;
use crate::ge::raster::colour::{Gradients, Slopes};
use crate::ge::raster::texture::Coordinates;
use crate::ge::raster::triangle::{Edges, centre};
use picaflor_pipeline::ge::raster::{Corner, Primitive};

/// A triangle while its rows are made. Columns and rows are counted from a pixel that rows of it start at.
pub(crate) struct Triangle {
    /// Crossings of its edges with rows.
    pub(crate) edges: [Linear; 3],
    /// Red, green, blue, alpha; secondary red, green, blue, and fog.
    channels: [Terms; 2],
    depth: Linear,
    is_plain: bool,
    /// u and v, where the triangle is plain.
    plain: [Linear; 2],
    /// s, t and q, where they go in steps.
    divided: Option<Divided>,
    /// The row that is made.
    row: i64,
}

/// An integer that changes linearly: value at a pixel, and increments to the right and down. Overflow wraps.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Linear {
    pub(crate) at: i64,
    pub(crate) right: i64,
    pub(crate) down: i64,
}

impl Linear {
    /// The edges' values from a pixel on.
    #[inline]
    pub(crate) fn of_edges(edges: &Edges, [x, y]: [i32; 2]) -> [Self; 3] {
        let ([a, b, c], [da, db, dc]) = (edges.at(x, y), edges.steps());
        let of = |at: i64, [right, down]: [i64; 2]| Self { at, right, down };
        [of(a, da), of(b, db), of(c, dc)]
    }

    /// Applies a function to the values of three.
    #[inline]
    fn made_of([a, b, c]: &[Self; 3], of: impl Fn([i64; 3]) -> i64) -> Self {
        Self {
            at: of([a.at, b.at, c.at]),
            right: of([a.right, b.right, c.right]),
            down: of([a.down, b.down, c.down]),
        }
    }

    /// The value at an offset of columns to the right and rows down.
    pub(crate) const fn value(&self, column: i64, row: i64) -> i64 {
        self.at.wrapping_add(self.right.wrapping_mul(column)).wrapping_add(self.down.wrapping_mul(row))
    }
}

/// Four channels at the start of a row, times 2^14. They wrap, but where the triangle covers the pixel they fit: 2^14
/// times 255, and what floored slopes lose over 2^16 sixteenths.
#[derive(Debug, Clone, Copy, Default)]
struct Terms {
    at: [i32; 4],
    /// From pixel to pixel.
    right: [i32; 4],
    down: [i32; 4],
}

impl Terms {
    /// From a pixel on, whose centre is so far from the anchor.
    #[inline]
    fn new(Gradients { anchor, x, y }: &Gradients, [dx, dy]: [i32; 2]) -> Self {
        let mut terms = Self::default();
        for n in 0..4 {
            let change = x[n].wrapping_mul(dx).wrapping_add(y[n].wrapping_mul(dy));
            terms.at[n] = anchor[n].wrapping_mul(16).wrapping_add(change);
            terms.right[n] = x[n].wrapping_mul(16);
            terms.down[n] = y[n].wrapping_mul(16);
        }
        terms
    }

    fn next_row(&mut self) {
        self.at = std::array::from_fn(|n| self.at[n].wrapping_add(self.down[n]));
    }

    fn in_group(&self, group: i32) -> Ints {
        std::array::from_fn(|n| self.at[n].wrapping_add(self.right[n].wrapping_mul(4 * group)))
    }

    /// The changes from the first lane.
    fn numbers(&self) -> ChannelNumbers {
        let times = |by: i32| -> Ints {
            let [a, b, c, d] = self.right;
            [a.wrapping_mul(by), b.wrapping_mul(by), c.wrapping_mul(by), d.wrapping_mul(by)]
        };
        ChannelNumbers { lanes: [self.right, times(2), times(3)], group: times(4) }
    }
}

impl Triangle {
    /// Fills the numbers that a routine needs. Rows are made from a pixel on, where edges have these values, over so
    /// many columns and rows.
    // Otherwise edges go through memory in pieces that are loaded as a whole before they are there.
    #[inline(always)]
    pub(crate) fn new(
        corners: &[Corner; 3],
        edges: [Linear; 3],
        needs: Needs,
        origin: [i32; 2],
        size: [i32; 2],
        to: &mut PrimitiveNumbers,
    ) -> Self {
        let area = edges[0].at + edges[1].at + edges[2].at;
        let mut triangle = Self {
            edges,
            channels: Default::default(),
            depth: Linear::default(),
            is_plain: false,
            plain: Default::default(),
            divided: None,
            row: 0,
        };
        fill_flat(&corners[2], to);
        if needs.any_channel() {
            triangle.fill_channels(corners, origin, needs, to);
        }
        if needs.texture {
            to.area = [area as f64; 2];
            to.area_reciprocal = [1.0 / area as f64; 2];
        }
        if needs.depth {
            let [a, b, c] = corners;
            let [a, b, c] = [i64::from(a.z), i64::from(b.z), i64::from(c.z)];
            let sums = Linear::made_of(&triangle.edges, |edges| edges[0] * a + edges[1] * b + edges[2] * c);
            triangle.depth = affine::depths(&sums, area, size);
            to.deep = StepNumbers::new(triangle.depth.right);
        }
        if needs.texture {
            triangle.fill_texture(corners, area, size, needs, to);
        }
        triangle
    }

    #[inline]
    fn fill_channels(
        &mut self,
        corners: &[Corner; 3],
        origin: [i32; 2],
        needs: Needs,
        to: &mut PrimitiveNumbers,
    ) {
        let slopes = Slopes::new(corners);
        let from_anchor = [centre(origin[0]) - corners[0].x, centre(origin[1]) - corners[0].y];
        for half in (0..2).filter(|&half| needs.channels(half)) {
            self.channels[half] = Terms::new(&slopes.gradients(half), from_anchor);
            to.channels[half] = self.channels[half].numbers();
        }
    }

    #[inline]
    fn fill_texture(
        &mut self,
        corners: &[Corner; 3],
        area: i64,
        size: [i32; 2],
        needs: Needs,
        to: &mut PrimitiveNumbers,
    ) {
        let is_affine = corners.iter().all(|corner| corner.w == corners[0].w && corner.texture[2] == 1.0);
        to.divides = u64::from(!is_affine);
        let texels = needs.plain.filter(|_| is_affine);
        self.is_plain = texels.is_some_and(|texels| self.fill_plain(corners, area, size, texels, to));
        to.is_plain = u64::from(self.is_plain);
        to.goes_divided = 0;
        if self.is_plain {
            return;
        }
        let [a, b, c] = corners;
        let coordinates = Coordinates::new([a, b, c]);
        if let Some(texels) = needs.plain.filter(|_| !is_affine) {
            self.divided = Divided::of(&coordinates, texels, &self.edges, area, size);
        }
        if let Some(divided) = &self.divided {
            to.goes_divided = 1;
            to.divided = divided.right.map(DoubleSteps::new);
        }
        let Coordinates { s, t, q, w, .. } = coordinates;
        for (n, edge) in self.edges.iter().enumerate() {
            to.edge_steps[n] = [edge.right as f64; 2];
            to.edge_rows[n] = [edge.down as f64; 2];
            (to.s[n], to.t[n], to.q[n], to.w[n]) = ([s[n]; 2], [t[n]; 2], [q[n]; 2], [w[n]; 2]);
        }
    }

    /// Fills how u and v go, if they go in steps.
    #[inline]
    fn fill_plain(
        &mut self,
        [a, b, c]: &[Corner; 3],
        area: i64,
        size: [i32; 2],
        texels: [f64; 2],
        to: &mut PrimitiveNumbers,
    ) -> bool {
        for (n, texels) in texels.into_iter().enumerate() {
            let values = [a.texture[n], b.texture[n], c.texture[n]];
            let path = Plain::of(values, area, texels).and_then(|plain| plain.path(&self.edges, size));
            let Some(path) = path else { return false };
            self.plain[n] = path;
            to.plain[n] = StepNumbers::new(path.right);
        }
        true
    }

    /// Goes to the next row.
    pub(crate) fn next_row(&mut self) {
        self.channels.iter_mut().for_each(Terms::next_row);
        self.row += 1;
    }

    /// Fills the numbers of this row at the first lane of a job, `group` groups to the right.
    #[inline]
    pub(crate) fn fill_row(&self, needs: Needs, group: i32, job: &mut Job) {
        let (column, row) = (4 * i64::from(group), self.row);
        if needs.any_channel() {
            job.primary = self.channels[0].in_group(group);
            job.secondary = self.channels[1].in_group(group);
        }
        if needs.depth {
            job.deep = self.depth.value(column, row);
        }
        if self.is_plain {
            let [u, v] = &self.plain;
            job.plain = [u.value(column, row), v.value(column, row)];
        } else if needs.texture {
            let [a, b, c] = &self.edges;
            job.edges = [a, b, c].map(|edge| edge.value(column, row) as f64);
            if let Some(divided) = &self.divided {
                let [s, t, q] = divided.at(column, row);
                job.divided = [s, t, q, 0.0];
            }
        }
    }

    /// Fills the bounds of a block of groups, whose first row is filled, and the increments from row to row.
    #[inline]
    pub(crate) fn fill_block(&self, needs: Needs, least: [i64; 3], job: &mut Job, to: &mut PrimitiveNumbers) {
        for (n, edge) in self.edges.iter().enumerate() {
            // All of this fits, see `farthest`.
            let (at, right) = ((edge.at - least[n]) as i32, edge.right as i32);
            job.inside[n] = [at, at + right, at + 2 * right, at + 3 * right];
            to.inside_right[n] = [4 * right; 4];
            to.inside_down[n] = [edge.down as i32; 4];
        }
        if needs.any_channel() {
            to.channels_down = [self.channels[0].down, self.channels[1].down];
        }
        if needs.depth {
            to.deep_down = self.depth.down;
        }
        if needs.texture {
            let [a, b, c] = &self.edges;
            to.edges_down = [a.down as f64, b.down as f64, c.down as f64, 0.0];
            if let Some(divided) = &self.divided {
                let [s, t, q] = divided.down;
                to.divided_down = [s, t, q, 0.0];
            }
        }
        if self.is_plain {
            let [u, v] = &self.plain;
            to.plain_down = [u.down, v.down];
        }
    }
}

/// The farthest that edges are from 0 in a block, to the end of its last groups.
#[inline]
pub(crate) fn farthest([a, b, c]: &[Linear; 3], [columns, rows]: [i32; 2]) -> i64 {
    let [columns, rows] = [i64::from(columns) + 8, i64::from(rows)];
    let farthest = |edge: &Linear| edge.at.abs() + edge.right.abs() * columns + edge.down.abs() * rows;
    farthest(a).max(farthest(b)).max(farthest(c))
}

/// The rows whose centres lie between a triangle's highest and lowest corner, as far as horizontal edges cover them.
pub(crate) fn rows([a, b, c]: &[Corner; 3]) -> [i32; 2] {
    columns(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y))
}

/// Numbers that do not change.
fn fill_flat(corner: &Corner, to: &mut PrimitiveNumbers) {
    to.flat = [corner.colour.cast_signed(); 4];
    to.flat_secondary = [(corner.secondary & 0xff_ffff).cast_signed(); 4];
    to.flat_depth = [corner.z; 4];
    set_fog(corner.fog, to);
}

/// Another fog coefficient.
pub(crate) fn set_fog(fog: u32, to: &mut PrimitiveNumbers) {
    to.flat_fog = [((fog & 0xff) * 0x0101_0101).cast_signed(); 4];
}

/// A rectangle while its rows are made.
pub(crate) struct Rectangle<'a> {
    pub(crate) a: &'a Corner,
    pub(crate) b: &'a Corner,
    /// True if u runs along y.
    is_swapped: bool,
    /// u of a plain rectangle, and the factor of v.
    plain: Option<(Linear, f64)>,
    /// v, if it goes in steps too.
    steps_down: Option<Linear>,
}

impl<'a> Rectangle<'a> {
    /// Fills the numbers that a routine needs.
    pub(crate) fn new(primitive: &'a Primitive, needs: Needs, to: &mut PrimitiveNumbers) -> Self {
        let [a, b, _] = &primitive.corners;
        let mut rectangle =
            Self { a, b, is_swapped: (b.x > a.x) != (b.y > a.y), plain: None, steps_down: None };
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
            if let Some((_, texels)) = rectangle.plain {
                rectangle.steps_down = rectangle.down(texels);
                to.plain_down = [0, rectangle.steps_down.map_or(0, |path| path.down)];
            }
        }
        rectangle
    }

    /// How u goes along x, if it goes in steps: the mean of its values at A and B, with what is left of the length as
    /// weight.
    fn plain(&self, texels: [f64; 2]) -> Option<(Linear, f64)> {
        let (a, b) = (self.a, self.b);
        if [a, b].iter().any(|corner| (corner.texture[1] * texels[1]).abs() >= FARTHEST) {
            return None;
        }
        let length = (i64::from(b.x) - i64::from(a.x)).abs();
        let plain = Plain::of([a.texture[0], b.texture[0], 0.0], length, texels[0])?;
        let step = 16 * i64::from((b.x - a.x).signum());
        let from_a = step.signum() * (i64::from(centre(a.x >> 4)) - i64::from(a.x));
        let weight = |at: i64, right: i64| Linear { at, right, down: 0 };
        let weights = [weight(length - from_a, -step), weight(from_a, step), Linear::default()];
        let path = plain.path(&weights, [(length >> 4) as i32 + 4, 0])?;
        Some((path, texels[1]))
    }

    /// How v goes along y, if it goes in steps; likewise.
    fn down(&self, texels: f64) -> Option<Linear> {
        let (a, b) = (self.a, self.b);
        let length = (i64::from(b.y) - i64::from(a.y)).abs();
        let plain = Plain::of([a.texture[1], b.texture[1], 0.0], length, texels)?;
        let step = 16 * i64::from((b.y - a.y).signum());
        let from_a = step.signum() * (i64::from(centre(a.y >> 4)) - i64::from(a.y));
        let weight = |at: i64, down: i64| Linear { at, right: 0, down };
        let weights = [weight(length - from_a, -step), weight(from_a, step), Linear::default()];
        plain.path(&weights, [0, (length >> 4) as i32 + 4])
    }

    /// True if u and v both go in steps.
    pub(crate) const fn goes_in_steps(&self) -> bool {
        self.plain.is_some() && self.steps_down.is_some()
    }

    /// u and v at a pixel, where both go in steps.
    pub(crate) fn steps_at(&self, x: i32, y: i32) -> Option<[i64; 2]> {
        let ((u, _), v) = (self.plain?, self.steps_down?);
        Some([u.value(i64::from(x - (self.a.x >> 4)), 0), v.value(0, i64::from(y - (self.a.y >> 4)))])
    }

    /// u in the first lane and v of a row, where the rectangle is plain.
    pub(crate) fn plain_at(&self, x: i32, y: i32) -> Option<[i64; 2]> {
        let (path, texels) = self.plain?;
        let v = (self.across(y) * texels).floor() as i64;
        Some([path.value(i64::from(x - (self.a.x >> 4)), 0), v << FRACTION])
    }

    /// The coordinate that runs along y, in a row.
    pub(crate) fn across(&self, y: i32) -> f64 {
        let axis = usize::from(!self.is_swapped);
        let [from, to] = [self.a, self.b].map(|corner| corner.texture[axis]);
        let length = f64::from(self.b.y) - f64::from(self.a.y);
        let distance = f64::from(centre(y)) - f64::from(self.a.y);
        (from * length + (to - from) * distance) / length
    }

    /// From A to the centre of a column, in sixteenths.
    pub(crate) fn distance(&self, x: i32) -> f64 {
        f64::from(centre(x)) - f64::from(self.a.x)
    }
}

/// The pixels whose centres lie from one coordinate up to before the other.
pub(crate) const fn columns(a: i32, b: i32) -> [i32; 2] {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    [(low + 7) >> 4, (high + 7) >> 4]
}
