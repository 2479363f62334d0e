//! From the numbers of a triangle to s and t: projection, cube maps, each with its change per pixel where that matters.

use super::super::eight::Eight;
use super::super::stations::Pixels;
use super::super::vectors::{set_two, set_two_integers};
use super::super::{Slot, Stations, Unit};
use super::levels::footprint;
use crate::emit::pica::constants::TextureConstants;
use crate::pica::key::fragment::texture::{Coordinates, Kind};
use std::arch::x86_64::{
    __m256, __m256i, _CMP_EQ_OQ, _CMP_GT_OQ, _mm256_add_ps, _mm256_and_ps, _mm256_andnot_ps,
    _mm256_blendv_epi8, _mm256_blendv_ps, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmp_ps,
    _mm256_div_ps, _mm256_mul_ps, _mm256_or_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_setzero_si256, _mm256_sub_epi32, _mm256_sub_ps, _mm256_xor_ps,
};

/// A coordinate, and how it changes to the right and upward, if that matters.
#[derive(Clone, Copy)]
pub(super) struct Coordinate {
    pub(super) value: __m256,
    pub(super) change: [__m256; 2],
}

/// s and t, of cubes the face, and of shadows the depth.
#[derive(Clone, Copy)]
struct At {
    st: [Coordinate; 2],
    face: Option<__m256i>,
    depth: __m256,
}

impl Unit {
    /// s and t of all quads, faces, depths of shadows, and footprints where levels of detail matter.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn place<const LOD: bool>(
        &self,
        constants: &TextureConstants,
        stations: &mut Stations,
        slots: &[Slot],
    ) {
        let is_shadow = self.sampler.kind == Kind::Shadow;
        for (triangle, quads) in &stations.runs {
            let triangle = &slots[triangle.clone()];
            // Behind the last quad of a triangle comes one of the next, which is placed later.
            for quad in quads.clone().step_by(2) {
                let at = self.at::<LOD>(stations.pixels(triangle, quad));
                let to = &mut stations.of_unit;
                let [s, t] = numbers(at.st);
                set_two(&mut to.st[0], quad, s);
                set_two(&mut to.st[1], quad, t);
                if LOD {
                    set_two(&mut to.footprints, quad, footprint(constants, at.st));
                }
                if is_shadow {
                    set_two(&mut to.depths, quad, at.depth);
                }
                if let Some(face) = at.face {
                    set_two_integers(&mut to.faces, quad, face);
                }
            }
        }
    }
}

impl Unit {
    /// Where it samples.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn at<const CHANGES: bool>(&self, pixels: Pixels<'_>) -> At {
        let ([u, v, w], [du, dv, dw]) = (self.values, self.changes);
        let uv = [coordinate::<CHANGES>(pixels, u, du), coordinate::<CHANGES>(pixels, v, dv)];
        match (self.sampler.coordinates, self.sampler.kind) {
            (Coordinates::Plain(_), Kind::Colour(_)) => At { st: uv, face: None, depth: _mm256_setzero_ps() },
            (Coordinates::Plain(_), Kind::Shadow) => {
                At { st: uv, face: None, depth: magnitude(coordinate::<CHANGES>(pixels, w, dw)) }
            }
            (Coordinates::Divided, _) => {
                let w = coordinate::<CHANGES>(pixels, w, dw);
                At { st: divided::<CHANGES>(uv, w), face: None, depth: magnitude(w) }
            }
            (Coordinates::Direction, _) => {
                on_cube::<CHANGES>([uv[0], uv[1], coordinate::<CHANGES>(pixels, w, dw)])
            }
        }
    }
}

/// The attribute with these slots, and its changes if they matter.
#[target_feature(enable = "avx2")]
#[inline]
fn coordinate<const CHANGES: bool>(pixels: Pixels<'_>, first: usize, changes: usize) -> Coordinate {
    let value = pixels.value(first);
    let change = if CHANGES {
        [pixels.change(value, changes, 0).0, pixels.change(value, changes, 1).0]
    } else {
        [_mm256_setzero_ps(); 2]
    };
    Coordinate { value: value.0, change }
}

/// The value without its sign.
#[target_feature(enable = "avx2")]
#[inline]
fn magnitude(a: Coordinate) -> __m256 {
    Eight(a.value).magnitude().0
}

/// The values, with 0 for a NaN.
#[target_feature(enable = "avx2")]
#[inline]
fn numbers([s, t]: [Coordinate; 2]) -> [__m256; 2] {
    [Eight(s.value).unless_nan().0, Eight(t.value).unless_nan().0]
}

/// u / w and v / w, by way of 1 / w.
#[target_feature(enable = "avx2")]
#[inline]
fn divided<const CHANGES: bool>([u, v]: [Coordinate; 2], w: Coordinate) -> [Coordinate; 2] {
    let r = _mm256_div_ps(_mm256_set1_ps(1.0), w.value);
    [quotient::<CHANGES>(u, w, r), quotient::<CHANGES>(v, w, r)]
}

/// `n / m`, `r` being `1 / m`.
#[target_feature(enable = "avx2")]
#[inline]
fn quotient<const CHANGES: bool>(n: Coordinate, m: Coordinate, r: __m256) -> Coordinate {
    let value = _mm256_mul_ps(n.value, r);
    if !CHANGES {
        return Coordinate { value, change: n.change };
    }
    let change = |n: __m256, m: __m256| _mm256_mul_ps(_mm256_sub_ps(n, _mm256_mul_ps(value, m)), r);
    Coordinate { value, change: [change(n.change[0], m.change[0]), change(n.change[1], m.change[1])] }
}

/// Face, s and t of a direction.
// Apart, so that its caller is small enough to be inlined for textures that are no cubes.
#[target_feature(enable = "avx2")]
#[inline(never)]
fn on_cube<const CHANGES: bool>([x, y, z]: [Coordinate; 3]) -> At {
    let (ax, ay, az) = (magnitude(x), magnitude(y), magnitude(z));
    let above = |a: __m256, b: __m256| _mm256_cmp_ps::<_CMP_GT_OQ>(a, b);
    let is_x = _mm256_and_ps(above(ax, ay), above(ax, az));
    let is_y = _mm256_andnot_ps(is_x, above(ay, az));
    let axis = selected::<CHANGES>(is_x, x, selected::<CHANGES>(is_y, y, z));
    let zero = _mm256_setzero_ps();
    let positive = above(axis.value, zero);
    // True of a NaN.
    let negative = _mm256_xor_ps(positive, ones());
    let m = negated::<CHANGES>(negative, axis);
    let rm = _mm256_div_ps(_mm256_set1_ps(1.0), m.value);
    let is_zero = _mm256_cmp_ps::<_CMP_EQ_OQ>(axis.value, zero);
    // s: -z on +X, z on -X, x on both Y and on +Z, -x on -Z.
    let beside_z = _mm256_or_ps(_mm256_or_ps(is_x, is_y), positive);
    let flips = _mm256_or_ps(_mm256_and_ps(is_x, positive), _mm256_xor_ps(beside_z, ones()));
    let s = negated::<CHANGES>(flips, selected::<CHANGES>(is_x, z, x));
    // t: z on +Y, -z on -Y, -y elsewhere.
    let flips = _mm256_xor_ps(_mm256_and_ps(is_y, positive), ones());
    let t = negated::<CHANGES>(flips, selected::<CHANGES>(is_y, z, y));
    let st = [across::<CHANGES>(s, m, rm, is_zero), across::<CHANGES>(t, m, rm, is_zero)];
    let first = _mm256_blendv_epi8(_mm256_set1_epi32(4), _mm256_set1_epi32(2), _mm256_castps_si256(is_y));
    let first = _mm256_blendv_epi8(first, _mm256_setzero_si256(), _mm256_castps_si256(is_x));
    // A set lane is -1.
    At { st, face: Some(_mm256_sub_epi32(first, _mm256_castps_si256(negative))), depth: magnitude(m) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn ones() -> __m256 {
    _mm256_castsi256_ps(_mm256_set1_epi32(-1))
}

/// `0.5 * n / m + 0.5`, by way of 1 / m; the middle, at rest, where the major axis is 0.
#[target_feature(enable = "avx2")]
#[inline]
fn across<const CHANGES: bool>(n: Coordinate, m: Coordinate, rm: __m256, is_zero: __m256) -> Coordinate {
    let half = _mm256_set1_ps(0.5);
    let Coordinate { value, change } = quotient::<CHANGES>(n, m, rm);
    let value = _mm256_blendv_ps(_mm256_add_ps(_mm256_mul_ps(half, value), half), half, is_zero);
    if !CHANGES {
        return Coordinate { value, change };
    }
    let [dx, dy] = change;
    let at_rest = |d: __m256| _mm256_andnot_ps(is_zero, _mm256_mul_ps(half, d));
    Coordinate { value, change: [at_rest(dx), at_rest(dy)] }
}

/// `a` where the mask is set, else `b`.
#[target_feature(enable = "avx2")]
#[inline]
fn selected<const CHANGES: bool>(mask: __m256, a: Coordinate, b: Coordinate) -> Coordinate {
    let of = |a: __m256, b: __m256| _mm256_blendv_ps(b, a, mask);
    let change =
        if CHANGES { [of(a.change[0], b.change[0]), of(a.change[1], b.change[1])] } else { a.change };
    Coordinate { value: of(a.value, b.value), change }
}

/// The opposite where the mask is set.
#[target_feature(enable = "avx2")]
#[inline]
fn negated<const CHANGES: bool>(mask: __m256, a: Coordinate) -> Coordinate {
    let flip = _mm256_and_ps(mask, _mm256_set1_ps(-0.0));
    let change =
        if CHANGES { [_mm256_xor_ps(a.change[0], flip), _mm256_xor_ps(a.change[1], flip)] } else { a.change };
    Coordinate { value: _mm256_xor_ps(a.value, flip), change }
}
