//! Level of detail: which levels of the chain, with which filter, in units of 1/256 level.

use super::super::vectors::{eight, set_two_integers, two, vector, words};
use super::OfUnit;
use super::coordinates::Coordinate;
use super::filter::Level;
use crate::emit::pica::constants::{Address, LevelTables, TextureConstants};
use crate::pica::key::fragment::texture::Mip;
use std::arch::x86_64::{
    __m256, __m256i, _CMP_GT_OQ, _mm256_add_epi32, _mm256_and_ps, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cmpgt_epi32, _mm256_max_epi32,
    _mm256_max_ps, _mm256_min_epi32, _mm256_mul_ps, _mm256_permutevar8x32_epi32, _mm256_permutevar8x32_ps,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_slli_epi32,
    _mm256_srai_epi32, _mm256_srli_epi32, _mm256_sub_epi32,
};
use std::ptr;

/// The levels of these numbers.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn level_of(tables: &LevelTables, numbers: __m256i, face: __m256i) -> Level {
    let ints = |table: &[i32; 8]| _mm256_permutevar8x32_epi32(vector(*table), numbers);
    let floats = |table: &[f32; 8]| _mm256_permutevar8x32_ps(eight(*table), numbers);
    Level {
        scale: [floats(&tables.scale[0]), floats(&tables.scale[1])],
        last: [ints(&tables.last[0]), ints(&tables.last[1])],
        width: ints(&tables.width),
        start: _mm256_add_epi32(ints(&tables.start), face),
    }
}

/// `log2q` of the interpreter: the logarithm in units of 1/256; -65536 unless `x` is above 0.
///
/// # Safety
/// The address is that of the logarithms.
#[target_feature(enable = "avx2")]
#[inline]
pub(in super::super) unsafe fn log2q(logarithms: Address, x: __m256) -> __m256i {
    let bits = _mm256_castps_si256(x);
    let mantissa = _mm256_and_si256(bits, _mm256_set1_epi32(0x7f_ffff));
    // From 0 to 256, whatever the bits are.
    let index = _mm256_srli_epi32::<15>(_mm256_add_epi32(mantissa, _mm256_set1_epi32(0x4000)));
    let logarithms = ptr::with_exposed_provenance(logarithms as usize);
    // SAFETY: as the caller promises: there are 257.
    let fraction = unsafe { words(logarithms, index) };
    // Of a negative number it does not matter.
    let exponent = _mm256_slli_epi32::<8>(_mm256_srli_epi32::<23>(bits));
    let exponent = _mm256_sub_epi32(exponent, _mm256_set1_epi32(127 * 256));
    let above = _mm256_cmp_ps::<_CMP_GT_OQ>(x, _mm256_setzero_ps());
    let (least, logarithm) = (_mm256_set1_epi32(-65_536), _mm256_add_epi32(exponent, fraction));
    _mm256_blendv_epi8(least, logarithm, _mm256_castps_si256(above))
}

/// Footprint of a pixel in texels of level 0, along its longer axis.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn footprint(constants: &TextureConstants, [s, t]: [Coordinate; 2]) -> __m256 {
    let [width, height] = [constants.size[0][0], constants.size[1][0]];
    let magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fff_ffff));
    let step =
        |change: __m256, size: f32| _mm256_mul_ps(_mm256_and_ps(magnitude, change), _mm256_set1_ps(size));
    // Of a NaN and a number the second is the larger one, here as in the interpreter.
    let right = _mm256_max_ps(step(s.change[0], width), step(t.change[0], height));
    let up = _mm256_max_ps(step(s.change[1], width), step(t.change[1], height));
    _mm256_max_ps(right, up)
}

impl OfUnit {
    /// Chooses levels for the footprints of so many quads.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn choose(&mut self, constants: &TextureConstants, mip: Mip, quads: usize) {
        for quad in (0..quads).step_by(2) {
            // SAFETY: it is their address.
            let logarithm = unsafe { log2q(constants.logarithms, two(&self.footprints, quad)) };
            let biased = _mm256_add_epi32(logarithm, _mm256_set1_epi32(constants.bias[0]));
            let wanted = _mm256_max_epi32(biased, _mm256_set1_epi32(constants.least[0]));
            let zero = _mm256_setzero_si256();
            // Where magnified it is level 0, wholly.
            let lod = _mm256_max_epi32(_mm256_min_epi32(wanted, _mm256_set1_epi32(constants.most[0])), zero);
            let (level, weight) = match mip {
                Mip::One => (zero, zero),
                Mip::Nearest => (_mm256_srai_epi32::<8>(_mm256_add_epi32(lod, _mm256_set1_epi32(127))), zero),
                Mip::Linear => (_mm256_srai_epi32::<8>(lod), _mm256_and_si256(lod, _mm256_set1_epi32(0xff))),
            };
            set_two_integers(&mut self.levels, quad, level);
            set_two_integers(&mut self.weights, quad, weight);
            set_two_integers(&mut self.minified, quad, _mm256_cmpgt_epi32(wanted, zero));
        }
    }
}
