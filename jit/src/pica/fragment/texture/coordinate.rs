//! From texture coordinates to s and t: projection, cube maps, each with its change per pixel.

use super::super::quad::Quad;
use crate::emit::lanes::{F32s, I32s, Lanes, Mask};
use cranelift_codegen::ir::condcodes::FloatCC;

/// A coordinate, and how it changes to the right and upward, where that matters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coordinate {
    pub(super) value: F32s,
    pub(super) change: Option<[F32s; 2]>,
}

impl Coordinate {
    /// Semantic `k`.
    pub(super) fn of(quad: &mut Quad<'_, '_>, k: usize, changes: bool) -> Self {
        Self { value: quad.value(k), change: changes.then(|| quad.change(k)) }
    }

    /// Another coordinate made of these numbers and those of `other`, one by one.
    fn zip(self, other: Self, mut f: impl FnMut(F32s, F32s) -> F32s) -> Self {
        let value = f(self.value, other.value);
        let change = self.change.zip(other.change);
        Self { value, change: change.map(|(a, b)| [f(a[0], b[0]), f(a[1], b[1])]) }
    }
}

/// u / w and v / w, by way of 1 / w.
pub(super) fn divided(l: &mut Lanes<'_>, uv: [Coordinate; 2], w: Coordinate) -> [Coordinate; 2] {
    let one = l.float(1.0);
    let r = l.fdiv(one, w.value);
    uv.map(|u| {
        let value = l.fmul(u.value, r);
        Coordinate { value, change: quotient_change(l, u, w, value, r) }
    })
}

/// `(dn - quotient * dm) * r` for each direction: how `n / m` changes, `r` being `1 / m`.
fn quotient_change(
    l: &mut Lanes<'_>,
    n: Coordinate,
    m: Coordinate,
    quotient: F32s,
    r: F32s,
) -> Option<[F32s; 2]> {
    let (n, m) = n.change.zip(m.change)?;
    Some([0, 1].map(|k| {
        let part = l.fmul(quotient, m[k]);
        let difference = l.fsub(n[k], part);
        l.fmul(difference, r)
    }))
}

/// Intersection of a direction with the cube.
#[derive(Debug, Clone, Copy)]
pub(super) struct OnCube {
    /// +X, -X, +Y, -Y, +Z, -Z.
    pub(super) face: I32s,
    /// s and t on the face.
    pub(super) st: [Coordinate; 2],
    /// Magnitude of the major axis.
    pub(super) major: F32s,
}

/// Face, s and t of a direction.
pub(super) fn on_cube(l: &mut Lanes<'_>, [x, y, z]: [Coordinate; 3]) -> OnCube {
    let [ax, ay, az] = [x, y, z].map(|c| l.magnitude(c.value));
    let above_y = l.compare(FloatCC::GreaterThan, ax, ay);
    let above_z = l.compare(FloatCC::GreaterThan, ax, az);
    let is_x = l.and(above_y, above_z);
    let y_above_z = l.compare(FloatCC::GreaterThan, ay, az);
    let is_y = l.and_not(y_above_z, is_x);
    let axis = select(l, is_y, y, z);
    let axis = select(l, is_x, x, axis);
    let zero = l.float(0.0);
    let positive = l.compare(FloatCC::GreaterThan, axis.value, zero);
    let negative = l.not(positive);
    let m = negated(l, negative, axis);
    let one = l.float(1.0);
    let rm = l.fdiv(one, m.value);
    let is_zero = l.compare(FloatCC::Equal, axis.value, zero);
    let st = numerators(l, [x, y, z], [is_x, is_y], positive).map(|n| across(l, n, (m, rm), is_zero));
    OnCube { face: face(l, [is_x, is_y], negative), st, major: l.magnitude(m.value) }
}

/// Numerators of s and t, to be divided by the major axis.
fn numerators(
    l: &mut Lanes<'_>,
    [x, y, z]: [Coordinate; 3],
    [is_x, is_y]: [Mask; 2],
    positive: Mask,
) -> [Coordinate; 2] {
    // s: -z on +X, z on -X, x on both Y and on +Z, -x on -Z.
    let s = select(l, is_x, z, x);
    let x_flips = l.and(is_x, positive);
    let beside_z = l.or(is_x, is_y);
    let beside_z = l.or(beside_z, positive);
    let z_flips = l.not(beside_z);
    let flips = l.or(x_flips, z_flips);
    let s = negated(l, flips, s);
    // t: z on +Y, -z on -Y, -y elsewhere.
    let t = select(l, is_y, z, y);
    let up = l.and(is_y, positive);
    let flips = l.not(up);
    [s, negated(l, flips, t)]
}

/// The number of the face.
fn face(l: &mut Lanes<'_>, [is_x, is_y]: [Mask; 2], negative: Mask) -> I32s {
    let [zero, two, four] = [0, 2, 4].map(|n| l.int(n));
    let first = l.int_select(is_y, two, four);
    let first = l.int_select(is_x, zero, first);
    // A set lane is -1.
    l.int_sub(first, I32s(negative.0))
}

/// `0.5 * n / m + 0.5`, by way of 1 / m; the middle, at rest, where the major axis is 0.
fn across(l: &mut Lanes<'_>, n: Coordinate, (m, rm): (Coordinate, F32s), is_zero: Mask) -> Coordinate {
    let (half, zero) = (l.float(0.5), l.float(0.0));
    let quotient = l.fmul(n.value, rm);
    let part = l.fmul(half, quotient);
    let value = l.fadd(part, half);
    let value = l.select(is_zero, half, value);
    let change = quotient_change(l, n, m, quotient, rm).map(|change| {
        change.map(|d| {
            let d = l.fmul(half, d);
            l.select(is_zero, zero, d)
        })
    });
    Coordinate { value, change }
}

fn select(l: &mut Lanes<'_>, mask: Mask, a: Coordinate, b: Coordinate) -> Coordinate {
    a.zip(b, |a, b| l.blend(mask, a, b))
}

/// The opposite where the mask is set.
fn negated(l: &mut Lanes<'_>, mask: Mask, c: Coordinate) -> Coordinate {
    c.zip(c, |c, _| l.negate_where(mask, c))
}

/// The values, with 0 for a NaN.
pub(super) fn numbers(l: &mut Lanes<'_>, st: [Coordinate; 2]) -> [F32s; 2] {
    st.map(|c| {
        let ordered = l.ordered(c.value);
        l.keep(ordered, c.value)
    })
}
