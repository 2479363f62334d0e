//! Closest texels of one level at interpolated coordinates. Mostly all pixels are inside of the image, where nothing is wrapped.

use super::super::eight::Eight;
use super::super::vectors::words;
use super::super::{QuadColours, Slot, Stations, Unit};
use super::filter::Image;
use super::only_level;
use crate::emit::pica::constants::{LevelConstants, TextureConstants};
use crate::pica::key::fragment::texture::Filter;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256, _mm256_castps_si256,
    _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_madd_epi16, _mm256_min_epu32, _mm256_movemask_ps,
    _mm256_or_ps, _mm256_set1_epi32, _mm256_setzero_si256,
};

impl Unit {
    /// The colours of all quads.
    ///
    /// # Safety
    /// As [`find`](super::super::find).
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn closest<const WRAPS: u8>(
        &self,
        (filter, constants): (Filter, &TextureConstants),
        (stations, slots): (&mut Stations, &[Slot]),
        to: &mut [QuadColours],
    ) {
        let (image, level) = (Image::<false, WRAPS> { filter, constants }, &constants.levels[0]);
        let [u, v, _] = self.values;
        for (triangle, quads) in &stations.runs {
            let triangle = &slots[triangle.clone()];
            // Behind the last quad of a triangle comes one of the next, whose turn is later.
            for quad in quads.clone().step_by(2) {
                let pixels = stations.pixels(triangle, quad);
                let [width, height] = [Eight::constant(&level.scale[0]), Eight::constant(&level.scale[1])];
                let at = [pixels.value(u).times(width), pixels.value(v).times(height)];
                // SAFETY: as the caller promises; an index inside is that of a texel.
                let colours = unsafe {
                    match inside(level, at) {
                        Some(index) => words(image.texels(), index),
                        None => {
                            let level = only_level(level, _mm256_setzero_si256());
                            image.nearest(&level, at[0].unless_nan().0, at[1].unless_nan().0)
                        }
                    }
                };
                self.to.set_two(to, quad, colours);
            }
        }
    }
}

/// Indices of the texels at positions, if all are inside of the image.
#[target_feature(enable = "avx2")]
#[inline]
fn inside(level: &LevelConstants, [x, y]: [Eight; 2]) -> Option<__m256i> {
    let (i, j) = (x.whole(), y.whole());
    let [right, top] = [level.last[0][0], level.last[1][0]];
    // What is no number, or far away, has an index below 0; a sign, that of a position whose index is cut to 0.
    let i_is_inside = _mm256_cmpeq_epi32(_mm256_min_epu32(i, _mm256_set1_epi32(right)), i);
    let j_is_inside = _mm256_cmpeq_epi32(_mm256_min_epu32(j, _mm256_set1_epi32(top)), j);
    let signs = _mm256_castps_si256(_mm256_or_ps(x.0, y.0));
    let are_inside = _mm256_andnot_si256(signs, _mm256_and_si256(i_is_inside, j_is_inside));
    if _mm256_movemask_ps(_mm256_castsi256_ps(are_inside)) != 0xff {
        return None;
    }
    // Rows and columns are below 2^11.
    let before = _mm256_madd_epi16(j, _mm256_set1_epi32(level.width[0]));
    Some(_mm256_add_epi32(before, i))
}
