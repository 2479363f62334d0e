//! Depth maps that shadow rendering wrote, compared and filtered.

use super::super::eight::Eight;
use super::super::vectors::{bilinear, in_all_channels, two, words};
use super::super::{QuadColours, Slot, Stations, Unit};
use super::filter::{Wrapped, pair, start_of};
use super::only_level;
use crate::emit::pica::constants::TextureConstants;
use crate::pica::key::fragment::texture::Coordinates;
use std::arch::x86_64::{
    __m256, __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpgt_epi32,
    _mm256_max_epi32, _mm256_mul_ps, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_srli_epi32,
    _mm256_sub_epi32,
};
use std::ptr;

impl Unit {
    /// The shadows of all quads, in all channels: a percentage-closer filter of four taps. Taps outside a face are those at its
    /// edge; taps outside another image are lit.
    ///
    /// # Safety
    /// As [`find`](super::super::find).
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn shadows(
        &self,
        constants: &TextureConstants,
        (stations, slots): (&mut Stations, &[Slot]),
        to: &mut [QuadColours],
    ) {
        self.place::<false>(constants, stations, slots);
        let of_unit = &stations.of_unit;
        let is_cube = self.sampler.coordinates == Coordinates::Direction;
        let texels = ptr::with_exposed_provenance(constants.levels[0].texels as usize);
        let one = _mm256_set1_epi32(1);
        for quad in (0..stations.quads).step_by(2) {
            let face = if is_cube { of_unit.before_faces(constants, quad) } else { _mm256_setzero_si256() };
            let level = only_level(&constants.levels[0], face);
            let (s, t) = (two(&of_unit.st[0], quad), two(&of_unit.st[1], quad));
            let (i, gx) = pair(_mm256_mul_ps(s, level.scale[0]));
            let (j, gy) = pair(_mm256_mul_ps(t, level.scale[1]));
            let reference = reference(constants, two(&of_unit.depths, quad));
            let lit = |i: __m256i, j: __m256i| {
                let column = Wrapped::closest(i, level.last[0]);
                let row = Wrapped::closest(j, level.last[1]);
                let at = _mm256_add_epi32(column.index, start_of(&level, row));
                // SAFETY: as the caller promises: column and row are in the level.
                let lit = lit(unsafe { words(texels, at) }, reference);
                if is_cube {
                    return lit;
                }
                let inside = _mm256_and_si256(column.inside, row.inside);
                _mm256_blendv_epi8(_mm256_set1_epi32(255), lit, inside)
            };
            let (right, up) = (_mm256_add_epi32(i, one), _mm256_add_epi32(j, one));
            let taps = [[lit(i, j), lit(right, j)], [lit(i, up), lit(right, up)]];
            self.to.set_two(to, quad, in_all_channels(bilinear(taps, [gx, gy])));
        }
    }
}

/// The depths to compare with: quantised, and less the bias.
#[target_feature(enable = "avx2")]
#[inline]
fn reference(constants: &TextureConstants, depth: __m256) -> __m256i {
    // A magnitude, and a NaN becomes 1.
    let limited = Eight(depth).min(Eight::all(1.0));
    let quantised = limited.times(Eight::all(16_777_215.0)).whole();
    let reference = _mm256_sub_epi32(quantised, _mm256_set1_epi32(constants.shadow_bias[0]));
    _mm256_max_epi32(reference, _mm256_setzero_si256())
}

/// Intensities of texels whose depth is above the reference, else 0.
#[target_feature(enable = "avx2")]
#[inline]
fn lit(texels: __m256i, reference: __m256i) -> __m256i {
    let above = _mm256_cmpgt_epi32(_mm256_srli_epi32::<8>(texels), reference);
    _mm256_and_si256(above, _mm256_and_si256(texels, _mm256_set1_epi32(255)))
}
