//! The numbers of a primitive, shared by its rows.

use super::rows::Needs;
use crate::emit::ge::span::{
    ChannelNumbers, CornerNumbers, DoubleSteps, EdgeNumbers, Ints, PrimitiveNumbers, RowNumbers, StepNumbers,
};
use crate::ge::four::Four;
use crate::ge::pixel::affine::{self, FARTHEST, FRACTION, Plain};
use crate::ge::pixel::perspective;
use crate::ge::raster::colour::{Gradients, Slopes};
use crate::ge::raster::texture::weighted_by;
use crate::ge::raster::triangle::{Edges, centre};
use picaflor_pipeline::ge::raster::{Corner, Primitive};

/// An integer that changes linearly: value at a pixel, and increments to the right and down. Overflow wraps.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Linear {
    pub(crate) at: i64,
    pub(crate) right: i64,
    pub(crate) down: i64,
}

impl Linear {
    /// The edges' values from a pixel on.
    #[inline(always)]
    pub(crate) fn of_edges(edges: &Edges, [x, y]: [i32; 2]) -> [Self; 3] {
        let ([a, b, c], [da, db, dc]) = (edges.at(x, y), edges.steps());
        let of = |at: i64, [right, down]: [i64; 2]| Self { at, right, down };
        [of(a, da), of(b, db), of(c, dc)]
    }

    /// Applies a function to the values of three.
    #[inline(always)]
    fn made_of([a, b, c]: &[Self; 3], of: impl Fn([i64; 3]) -> i64) -> Self {
        Self {
            at: of([a.at, b.at, c.at]),
            right: of([a.right, b.right, c.right]),
            down: of([a.down, b.down, c.down]),
        }
    }

    /// Value and increments as doubles: numbers of edges are below 2^51.
    #[inline(always)]
    fn doubles(&self) -> Four {
        Four::of_integers([self.at, self.right, self.down, 0])
    }

    /// As compiled code has it.
    #[inline(always)]
    const fn numbers(&self) -> StepNumbers {
        StepNumbers::new([self.at, self.right, self.down])
    }

    /// The value at an offset of columns to the right and rows down.
    #[inline(always)]
    pub(crate) const fn value(&self, column: i64, row: i64) -> i64 {
        self.at.wrapping_add(self.right.wrapping_mul(column)).wrapping_add(self.down.wrapping_mul(row))
    }
}

/// Fills the numbers of a triangle that a routine needs. `origin` is a pixel, where the edges have these values; covered
/// pixels are in so many columns and rows from there on.
// Otherwise edges go through memory in pieces that are loaded as a whole before they are there.
#[inline(always)]
pub(crate) fn fill_triangle(
    corners: &[Corner; 3],
    edges: &[Linear; 3],
    needs: Needs,
    origin: [i32; 2],
    size: [i32; 2],
    to: &mut PrimitiveNumbers,
) {
    let area = edges[0].at + edges[1].at + edges[2].at;
    let share = 1.0 / area as f64;
    fill_flat(&corners[2], to);
    if needs.any_channel() {
        fill_channels(corners, origin, share, needs, to);
    }
    to.leaves_range = u64::from(corners.iter().any(|corner| needs.rejects(corner.z)));
    if needs.depth {
        let [a, b, c] = corners;
        let [a, b, c] = [i64::from(a.z), i64::from(b.z), i64::from(c.z)];
        let sums = Linear::made_of(edges, |edges| edges[0] * a + edges[1] * b + edges[2] * c);
        to.deep = affine::depths(&sums, (area, share), size).numbers();
    }
    if needs.texture {
        to.area = [area as f64; 2];
        to.area_reciprocal = [share; 2];
        fill_texture(corners, edges, (area, share), size, needs, to);
    }
}

#[inline(always)]
fn fill_channels(
    corners: &[Corner; 3],
    origin: [i32; 2],
    share: f64,
    needs: Needs,
    to: &mut PrimitiveNumbers,
) {
    let [a, b, c] = corners;
    let changes = a.colour != b.colour || a.colour != c.colour;
    let fogs = corners.iter().any(|corner| corner.fog != NO_FOG);
    (to.changes, to.fogs) = (changes.into(), fogs.into());
    if needs.smooth && !changes {
        // Not by `map`, which would be a call.
        let (of, and_one) = (c.colour.to_le_bytes(), |channel: u8| u16::from(channel) + 1);
        let [r, g, b, a] = [and_one(of[0]), and_one(of[1]), and_one(of[2]), and_one(of[3])];
        to.flat_and_one = [r, g, b, a, r, g, b, a];
    }
    let halves = [needs.smooth && changes, needs.secondary || needs.fog && fogs];
    if halves == [false; 2] {
        return;
    }
    let slopes = Slopes::new(corners, share);
    let from_anchor = [centre(origin[0]) - a.x, centre(origin[1]) - a.y];
    for half in (0..2).filter(|&half| halves[half]) {
        to.channels[half] = channels(&slopes.gradients(half), from_anchor);
    }
}

/// Four channels from a pixel on, whose centre is so far from the anchor, times 2^14. They wrap, but where the triangle
/// covers the pixel they fit: 2^14 times 255, and what floored slopes lose over 2^16 sixteenths.
#[inline(always)]
fn channels(Gradients { anchor, x, y }: &Gradients, [dx, dy]: [i32; 2]) -> ChannelNumbers {
    let times = |of: &Ints, times: i32| -> Ints {
        let [a, b, c, d] = *of;
        [a.wrapping_mul(times), b.wrapping_mul(times), c.wrapping_mul(times), d.wrapping_mul(times)]
    };
    let plus = |a: Ints, b: Ints| -> Ints {
        [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1]), a[2].wrapping_add(b[2]), a[3].wrapping_add(b[3])]
    };
    ChannelNumbers {
        first: plus(times(anchor, 16), plus(times(x, dx), times(y, dy))),
        lanes: [times(x, 16), times(x, 32), times(x, 48)],
        group: times(x, 64),
        down: times(y, 16),
    }
}

#[inline(always)]
fn fill_texture(
    corners: &[Corner; 3],
    edges: &[Linear; 3],
    (area, share): (i64, f64),
    size: [i32; 2],
    needs: Needs,
    to: &mut PrimitiveNumbers,
) {
    let [a, b, c] = corners;
    let is_one = |corner: &Corner| corner.w == a.w && corner.texture[2] == 1.0;
    let is_affine = is_one(a) & is_one(b) & is_one(c);
    to.divides = u64::from(!is_affine);
    to.goes_divided = 0;
    let texels = needs.plain.filter(|_| is_affine);
    let by_texels =
        texels.and_then(|texels| fill_plain(corners, edges, area, size, (texels, needs.mixes), to));
    set_steps(by_texels, to);
    if by_texels.is_some() {
        return;
    }
    let at = weighted_by(corners, is_affine);
    let [d, e, f] = edges;
    let edges = [d.doubles(), e.doubles(), f.doubles()];
    if let Some(texels) = needs.divided.filter(|_| !is_affine)
        && let Some(steps) = perspective::steps(&at, texels, &edges, share, (size, needs.beside))
    {
        let [s, t, q] = steps.divided;
        to.goes_divided = 1;
        to.divided = [DoubleSteps::new(s.0), DoubleSteps::new(t.0), DoubleSteps::new(q.0)];
        if needs.beside.w {
            (to.w, to.w_error) = (DoubleSteps::new(steps.w.0), [steps.w_error; 2]);
        }
        if needs.beside.quads {
            to.least_q = [steps.least_q; 2];
        }
    }
    for n in 0..3 {
        let [first, right, down, unused] = edges[n].0;
        to.edges[n] = EdgeNumbers { first, right, down, unused };
        let [s, t, q, w] = at[n].0;
        to.corners[n] = CornerNumbers { s, t, q, w };
    }
}

/// Fills how u and v go, if they go in steps: whether even by texels.
#[inline]
fn fill_plain(
    [a, b, c]: &[Corner; 3],
    edges: &[Linear; 3],
    area: i64,
    size: [i32; 2],
    (texels, mixes): ([f64; 2], bool),
    to: &mut PrimitiveNumbers,
) -> Option<bool> {
    let mut by_texels = true;
    for (n, texels) in texels.into_iter().enumerate() {
        let values = [a.texture[n], b.texture[n], c.texture[n]];
        let path = Plain::of(values, area, texels)?.path(edges, size)?;
        to.plain[n] = path.numbers();
        let along = if n == 0 { 1 } else { 0 };
        by_texels = by_texels && affine::goes_by_texels(&path, along, with_group(size), mixes);
    }
    Some(by_texels)
}

/// How u and v go: in steps, or even by texels, which is true then; `None` in another way.
const fn set_steps(by_texels: Option<bool>, to: &mut PrimitiveNumbers) {
    to.goes_in_steps = matches!(by_texels, Some(false)) as u64;
    to.goes_by_texels = matches!(by_texels, Some(true)) as u64;
}

/// Columns up to the last lane of the last group, and rows.
const fn with_group([columns, rows]: [i32; 2]) -> [i32; 2] {
    [columns + 3, rows]
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

/// Fills the numbers of a rectangle without texture, or of a pixel.
pub(crate) fn fill_untextured(values: &Corner, needs: Needs, to: &mut PrimitiveNumbers) {
    fill_flat(values, to);
    to.leaves_range = u64::from(needs.rejects(values.z));
    set_steps(None, to);
}

/// The fog coefficient that changes no colour.
const NO_FOG: u32 = 255;

/// Another fog coefficient.
pub(crate) fn set_fog(fog: u32, to: &mut PrimitiveNumbers) {
    to.fogs = u64::from(fog & 0xff != NO_FOG);
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
    /// Fills the numbers that a routine needs, from a column on.
    pub(crate) fn new(primitive: &'a Primitive, needs: Needs, x: i32, to: &mut PrimitiveNumbers) -> Self {
        let [a, b, _] = &primitive.corners;
        let mut rectangle =
            Self { a, b, is_swapped: (b.x > a.x) != (b.y > a.y), plain: None, steps_down: None };
        fill_untextured(b, needs, to);
        if needs.texture {
            let along = usize::from(rectangle.is_swapped);
            let length = f64::from(b.x) - f64::from(a.x);
            let numbers = |from: f64, to: f64| [[from * length; 2], [to - from; 2]];
            to.along = numbers(a.texture[along], b.texture[along]);
            to.along_q = numbers(a.texture[2], b.texture[2]);
            to.area = [length; 2];
            to.swapped = [if rectangle.is_swapped { u64::MAX } else { 0 }; 2];
            to.divides = u64::from(a.texture[2] != 1.0 || b.texture[2] != 1.0);
            to.corners[0].w = b.w;
            to.distance = f64::from(centre(x)) - f64::from(a.x);
            let is_plain = to.divides == 0 && !rectangle.is_swapped;
            rectangle.plain = needs.plain.filter(|_| is_plain).and_then(|texels| rectangle.plain(texels));
            if let Some((path, texels)) = rectangle.plain {
                let first = path.value(i64::from(x - (a.x >> 4)), 0);
                let along = Linear { at: first, ..path };
                to.plain[0] = along.numbers();
                rectangle.steps_down = rectangle.down(texels);
                set_steps(Some(rectangle.goes_by_texels(&along, needs.mixes)), to);
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

    /// Predicate: all groups do.
    fn goes_by_texels(&self, along: &Linear, mixes: bool) -> bool {
        let sides = [self.b.x - self.a.x, self.b.y - self.a.y].map(|side| (side.abs() >> 4) + 4);
        let is_straight = |down: &Linear| {
            // From the upper row on, whichever corner is there.
            let above = (self.b.y - self.a.y).min(0) >> 4;
            let from = Linear { at: down.value(0, above.into()), ..*down };
            affine::goes_by_texels(&from, 0, [0, sides[1]], mixes)
        };
        affine::goes_by_texels(along, 1, [sides[0], 0], mixes)
            && (!mixes || self.steps_down.as_ref().is_some_and(is_straight))
    }

    /// The numbers of a row.
    pub(crate) fn row(&self, needs: Needs, y: i32) -> RowNumbers {
        let v = |texels: f64| match self.steps_down {
            Some(path) => path.value(0, i64::from(y - (self.a.y >> 4))),
            None => ((self.across(y) * texels).floor() as i64) << FRACTION,
        };
        let across = match &self.plain {
            Some(_) if !needs.quads => [0.0; 3],
            _ => [y, y & !1, y | 1].map(|y| self.across(y)),
        };
        RowNumbers { across, v: self.plain.map_or(0, |(_, texels)| v(texels)) }
    }

    /// The coordinate that runs along y, in a row.
    fn across(&self, y: i32) -> f64 {
        let axis = usize::from(!self.is_swapped);
        let [from, to] = [self.a, self.b].map(|corner| corner.texture[axis]);
        let length = f64::from(self.b.y) - f64::from(self.a.y);
        let distance = f64::from(centre(y)) - f64::from(self.a.y);
        (from * length + (to - from) * distance) / length
    }
}

/// The pixels whose centres lie from one coordinate up to before the other.
pub(crate) const fn columns(a: i32, b: i32) -> [i32; 2] {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    [(low + 7) >> 4, (high + 7) >> 4]
}
