//! Colours of the procedural texture: levels of its table, and how entries are weighted.

use super::super::eight::Eight;
use super::super::vectors::{between, indices, neighbours, two_fours, two_integers, words};
use super::super::{Procedural, QuadColours};
use super::{OfProcedural, parts, rounded};
use crate::emit::pica::constants::ProctexConstants;
use crate::pica::key::fragment::texture::Mip;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_castsi256_ps, _mm256_min_epi32, _mm256_or_si256,
    _mm256_packs_epi32, _mm256_packus_epi16, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_shuffle_ps,
    _mm256_slli_epi32, _mm256_srli_epi32,
};
use std::ptr;

/// Levels of the colour table.
#[derive(Clone, Copy)]
struct Level {
    /// Their last entries.
    last: Eight,
    /// Where they start.
    start: __m256i,
}

/// A colour, and its difference to the next one.
type Step = [[f32; 4]; 2];

impl OfProcedural {
    /// The colours of so many quads.
    ///
    /// # Safety
    /// The tables are there.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn colours(
        &self,
        procedural: &Procedural,
        constants: &ProctexConstants,
        to: &mut [QuadColours],
        quads: usize,
    ) {
        let (key, place) = (&procedural.key, procedural.to);
        // SAFETY: as the caller promises.
        unsafe {
            match (procedural.looks_up, key.is_linear()) {
                (false, _) => {
                    let none = _mm256_setzero_si256();
                    (0..quads).step_by(2).for_each(|quad| place.set_two(to, quad, none));
                }
                (true, false) => self.by_table::<false>(procedural, constants, to, quads),
                (true, true) => self.by_table::<true>(procedural, constants, to, quads),
            }
        }
        if key.alpha.is_some() {
            for quad in (0..quads).step_by(2) {
                // Alpha is the lowest byte of a pixel.
                let others = _mm256_and_si256(place.two(to, quad), _mm256_set1_epi32(!255));
                place.set_two(to, quad, _mm256_or_si256(others, two_integers(&self.alphas, quad)));
            }
        }
    }

    /// # Safety
    /// The table is there.
    #[target_feature(enable = "avx2")]
    unsafe fn by_table<const LINEAR: bool>(
        &self,
        procedural: &Procedural,
        constants: &ProctexConstants,
        to: &mut [QuadColours],
        quads: usize,
    ) {
        let mip = procedural.key.mip();
        // In loops, as a function with one call is inlined, however large it is.
        for is_next in [false, true] {
            if is_next && mip != Mip::Linear {
                break;
            }
            for quad in (0..quads).step_by(2) {
                let lod = two_integers(&self.lods, quad);
                let level = match mip {
                    Mip::One => Level {
                        last: Eight::constant(&constants.last),
                        start: _mm256_set1_epi32(constants.start[0]),
                    },
                    Mip::Nearest => level(constants, _mm256_add_epi32(lod, _mm256_set1_epi32(128))),
                    Mip::Linear if is_next => level(constants, _mm256_add_epi32(lod, _mm256_set1_epi32(256))),
                    Mip::Linear => level(constants, lod),
                };
                let position = Eight::of(&self.selectors, quad).times(level.last);
                // SAFETY: as the caller promises.
                let colours = unsafe {
                    if LINEAR {
                        linear(constants, position, level.start)
                    } else {
                        nearest(constants, position, level.start)
                    }
                };
                let colours = if is_next {
                    let weight = _mm256_and_si256(lod, _mm256_set1_epi32(255));
                    between(procedural.to.two(to, quad), colours, weight)
                } else {
                    colours
                };
                procedural.to.set_two(to, quad, colours);
            }
        }
    }
}

/// The levels of details in units of 1/256, up to the last one.
#[target_feature(enable = "avx2")]
#[inline]
fn level(constants: &ProctexConstants, lod: __m256i) -> Level {
    // Shifted in this way, no number is negative.
    let number = _mm256_min_epi32(_mm256_srli_epi32::<8>(lod), _mm256_set1_epi32(7));
    // SAFETY: there are eight levels of two words.
    let [last, start] =
        unsafe { neighbours(constants.levels.as_ptr().cast(), _mm256_slli_epi32::<1>(number)) };
    Level { last: Eight(_mm256_castsi256_ps(last)), start }
}

/// # Safety
/// The colours are there.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn nearest(constants: &ProctexConstants, position: Eight, start: __m256i) -> __m256i {
    // SAFETY: as the caller promises: there are 256.
    unsafe {
        words(ptr::with_exposed_provenance(constants.colours as usize), index(start, rounded(position)))
    }
}

/// Each pixel moves from one entry toward the next; colours have half of a unit more, so that integer parts are rounded.
/// Saturation after rounding gives what the clamp before does.
///
/// # Safety
/// The entries are there.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn linear(constants: &ProctexConstants, position: Eight, start: __m256i) -> __m256i {
    let steps: *const Step = ptr::with_exposed_provenance(constants.steps as usize);
    let (i, f) = parts(position);
    let at = indices(index(start, i));
    // SAFETY: as the caller promises: there are 256.
    let entry = |n: usize| unsafe { *steps.add(at[n]) };
    // The first pixel of either quad, and so on.
    let first = moved::<0b00_00_00_00>(entry(0), entry(4), f);
    let second = moved::<0b01_01_01_01>(entry(1), entry(5), f);
    let third = moved::<0b10_10_10_10>(entry(2), entry(6), f);
    let fourth = moved::<0b11_11_11_11>(entry(3), entry(7), f);
    _mm256_packus_epi16(_mm256_packs_epi32(first, second), _mm256_packs_epi32(third, fourth))
}

/// The channels of a pixel of each quad, with the fractions of these lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn moved<const LANES: i32>([colour, step]: Step, [other_colour, other_step]: Step, f: Eight) -> __m256i {
    let f = Eight(_mm256_shuffle_ps::<LANES>(f.0, f.0));
    let part = f.times(Eight(two_fours(step, other_step)));
    Eight(two_fours(colour, other_colour)).plus(part).whole()
}

/// Indices into the 256 entries of a table: eight bits of them count.
#[target_feature(enable = "avx2")]
#[inline]
fn index(start: __m256i, i: __m256i) -> __m256i {
    _mm256_and_si256(_mm256_add_epi32(start, i), _mm256_set1_epi32(255))
}
