//! u and v of the procedural texture: from the numbers of triangles to functions of both.

use super::super::eight::Eight;
use super::super::texels::log2q;
use super::super::vectors::set_two_integers;
use super::super::{Procedural, Slot, Stations};
use super::OfProcedural;
use crate::emit::pica::constants::ProctexConstants;
use crate::emit::pica::lattice::FAR;
use crate::pica::key::fragment::proctex::{AxisKey, ProctexKey};
use picaflor_pipeline::pica::regs::texture::{ProctexClamp, ProctexFunction, ProctexShift};
use std::arch::x86_64::{
    _CMP_LE_OQ, _CMP_LT_OQ, _mm256_add_epi32, _mm256_and_ps, _mm256_blendv_ps, _mm256_castsi256_ps,
    _mm256_cmp_ps, _mm256_max_epi32, _mm256_min_epi32, _mm256_set1_epi32, _mm256_slli_epi32,
    _mm256_srai_epi32,
};

impl Procedural {
    /// True if all coordinates of a triangle that matter are 0.
    pub(super) fn is_at_origin(&self, triangle: &[Slot]) -> bool {
        let is_zero = |first: usize| triangle[first..first + 3].iter().all(|slot| slot[0] << 1 == 0);
        (0..2).filter(|&axis| self.key.reads(axis)).all(|axis| is_zero(self.values[axis]))
    }
}

impl OfProcedural {
    /// Magnitudes of u and v, where they matter, and levels of detail.
    #[target_feature(enable = "avx2")]
    pub(super) fn place(
        &mut self,
        procedural: &Procedural,
        constants: &ProctexConstants,
        stations: &Stations,
        slots: &[Slot],
    ) {
        let key = &procedural.key;
        for (triangle, quads) in &stations.runs {
            let triangle = &slots[triangle.clone()];
            // Behind the last quad of a triangle comes one of the next, whose turn is later.
            for quad in quads.clone().step_by(2) {
                let pixels = stations.pixels(triangle, quad);
                let value = |axis: usize| pixels.value(procedural.values[axis]);
                for axis in (0..2).filter(|&axis| key.reads(axis)) {
                    value(axis).magnitude().clamp(0.0, FAR).put(&mut self.uv[axis], quad);
                }
                if key.has_levels() {
                    // Coordinates count as they are before noise.
                    let change = |axis: usize, direction: usize| {
                        pixels.change(value(axis), procedural.changes[axis], direction).magnitude()
                    };
                    let du = change(0, 0).max(change(0, 1));
                    let dv = change(1, 0).max(change(1, 1));
                    let rho = Eight::constant(&constants.lod_scale).times(du.plus(dv));
                    // SAFETY: it is their address.
                    let lod = unsafe { log2q(constants.logarithms, rho.0) };
                    let lod = _mm256_max_epi32(lod, _mm256_set1_epi32(constants.least_lod[0]));
                    let lod = _mm256_min_epi32(lod, _mm256_set1_epi32(constants.most_lod[0]));
                    set_two_integers(&mut self.lods, quad, lod);
                }
            }
        }
    }

    /// u (0) or v (1) after noise, shift and clamp; 0 where nothing reads it. Shifts go by u and v before noise.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn coordinate(&self, key: &ProctexKey, axis: usize, quad: usize) -> Eight {
        let Some(AxisKey { clamp, shift }) = key.axes[axis] else { return Eight::all(0.0) };
        let x = Eight::of(if key.noise { &self.moved[axis] } else { &self.uv[axis] }, quad);
        let x = match shift {
            ProctexShift::None => x,
            shift => x.plus(step(Eight::of(&self.uv[1 - axis], quad), shift, clamp)),
        };
        clamped(x, clamp)
    }
}

/// What a coordinate is moved by where the `other` one is in an odd, or even, row.
#[target_feature(enable = "avx2")]
#[inline]
fn step(other: Eight, shift: ProctexShift, clamp: ProctexClamp) -> Eight {
    let row = other.whole();
    let row = if shift == ProctexShift::Even { _mm256_add_epi32(row, _mm256_set1_epi32(1)) } else { row };
    // Bit 1 of what is not negative: half of it is odd.
    let odd = _mm256_srai_epi32::<31>(_mm256_slli_epi32::<30>(row));
    let step = Eight::all(if clamp == ProctexClamp::Mirror { 1.0 } else { 0.5 });
    Eight(_mm256_and_ps(_mm256_castsi256_ps(odd), step.0))
}

#[target_feature(enable = "avx2")]
#[inline]
fn clamped(x: Eight, mode: ProctexClamp) -> Eight {
    let one = Eight::all(1.0);
    match mode {
        ProctexClamp::ToZero => Eight(_mm256_and_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(x.0, one.0), x.0)),
        ProctexClamp::ToEdge => x.min(one),
        ProctexClamp::Repeat => fraction(x),
        ProctexClamp::Mirror => {
            let f = fraction(x);
            // The lowest bit of the integer part, where a blend looks.
            let odd = _mm256_castsi256_ps(_mm256_slli_epi32::<31>(x.whole()));
            Eight(_mm256_blendv_ps(f.0, one.minus(f).0, odd))
        }
        ProctexClamp::Pulse => {
            let high = _mm256_cmp_ps::<_CMP_LT_OQ>(Eight::all(0.5).0, x.0);
            Eight(_mm256_and_ps(high, one.0))
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn fraction(x: Eight) -> Eight {
    x.minus(x.floor())
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn function(function: ProctexFunction, [u, v]: [Eight; 2]) -> Eight {
    let (one, half) = (Eight::all(1.0), Eight::all(0.5));
    let squares = u.times(u).plus(v.times(v));
    match function {
        ProctexFunction::U => u,
        ProctexFunction::USquared => u.times(u),
        ProctexFunction::V => v,
        ProctexFunction::VSquared => v.times(v),
        ProctexFunction::Add => u.plus(v).times(half),
        ProctexFunction::AddSquared => squares.times(half),
        ProctexFunction::Distance => squares.root().min(one),
        ProctexFunction::Min => u.min(v),
        ProctexFunction::Max => u.max(v),
        ProctexFunction::RMax => u.plus(v).times(half).plus(squares.root()).times(half).min(one),
        ProctexFunction::Unknown => Eight::all(0.0),
    }
}
