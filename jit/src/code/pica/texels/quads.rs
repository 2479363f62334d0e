//! From quad to quad, two at a time, unit by unit.

use super::filter::{ANY, CLAMPED, Image, Level, REPEATED, wraps};
use super::levels::level_of;
use super::vectors::{between, of_quads, two, two_integers, two_quads};
use super::{QuadTexels, Sampling, Slot, Stations, Unit};
use crate::emit::pica::constants::{LevelConstants, TextureConstants};
use crate::pica::key::fragment::texture::{Coordinates, Mip};
use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_blendv_epi8, _mm256_min_epi32, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_setzero_si256, _mm256_testz_si256,
};

/// [`super::sample`].
///
/// # Safety
/// As there.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn sample(
    sampling: &Sampling,
    constants: &[TextureConstants; 3],
    (stations, slots): (&mut Stations, &[Slot]),
    to: &mut [QuadTexels],
) {
    let units = sampling.units.len();
    for (n, unit) in sampling.units.iter().enumerate() {
        let (constants, to) = (&constants[unit.number], (&mut to[n..], units));
        // SAFETY: as the caller promises.
        unsafe {
            match (unit.filter.needs_lod(), wraps(unit.filter)) {
                (false, CLAMPED) => unit.quads::<false, CLAMPED>(constants, (&mut *stations, slots), to),
                (false, REPEATED) => unit.quads::<false, REPEATED>(constants, (&mut *stations, slots), to),
                (false, _) => unit.quads::<false, ANY>(constants, (&mut *stations, slots), to),
                (true, CLAMPED) => unit.quads::<true, CLAMPED>(constants, (&mut *stations, slots), to),
                (true, REPEATED) => unit.quads::<true, REPEATED>(constants, (&mut *stations, slots), to),
                (true, _) => unit.quads::<true, ANY>(constants, (&mut *stations, slots), to),
            }
        }
    }
}

/// What is mixed of the levels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    First,
    Next,
    /// The first one by the other filter, for pixels whose image is magnified.
    Magnified,
}

impl Unit {
    /// The colours of all quads, which are so far from each other in `to`.
    ///
    /// # Safety
    /// As [`sample`].
    #[target_feature(enable = "avx2")]
    unsafe fn quads<const LOD: bool, const WRAPS: u8>(
        &self,
        constants: &TextureConstants,
        (stations, slots): (&mut Stations, &[Slot]),
        (to, units): (&mut [QuadTexels], usize),
    ) {
        let filter = self.filter;
        self.place::<LOD>(constants, stations, slots);
        let (quads, of_unit) = (stations.quads, &mut stations.of_unit);
        if LOD {
            of_unit.choose(constants, filter.mip, quads);
        }
        let steps = match (LOD && filter.mip == Mip::Linear, LOD && filter.magnified != filter.minified) {
            (false, false) => &[Step::First][..],
            (true, false) => &[Step::First, Step::Next],
            (false, true) => &[Step::First, Step::Magnified],
            (true, true) => &[Step::First, Step::Next, Step::Magnified],
        };
        let is_cube = self.sampler.coordinates == Coordinates::Direction;
        let image = Image::<LOD, WRAPS> { filter, constants };
        let last = _mm256_set1_epi32(constants.most[0] >> 8);
        // In loops, as a function with one call is inlined, however large it is.
        for &step in steps {
            let linear = if step == Step::Magnified { filter.magnified } else { filter.minified };
            for quad in (0..quads).step_by(2) {
                let weight = two_integers(&of_unit.weights, quad);
                if step == Step::Next && _mm256_testz_si256(weight, weight) == 1 {
                    continue;
                }
                let zero = _mm256_setzero_si256();
                let face = if is_cube { two_integers(&of_unit.faces, quad) } else { zero };
                let level = if LOD {
                    let first = two_integers(&of_unit.levels, quad);
                    // Where it is the last one, the next one has no weight.
                    let next = _mm256_min_epi32(_mm256_add_epi32(first, _mm256_set1_epi32(1)), last);
                    level_of(&constants.tables, if step == Step::Next { next } else { first }, face)
                } else {
                    only_level(&constants.levels[0], face)
                };
                let at = [two(&of_unit.st[0], quad), two(&of_unit.st[1], quad)];
                // SAFETY: as the caller promises: levels are those that are there.
                let colours = unsafe { image.of_level(&level, at, linear) };
                let quads = &mut to[quad * units..][..units + 1];
                let before = of_quads([quads[0], quads[units]]);
                let colours = match step {
                    Step::First => colours,
                    Step::Next => between(before, colours, weight),
                    Step::Magnified => {
                        _mm256_blendv_epi8(colours, before, two_integers(&of_unit.minified, quad))
                    }
                };
                [quads[0], quads[units]] = two_quads(colours);
            }
        }
    }
}

/// A level that all pixels read.
#[target_feature(enable = "avx2")]
#[inline]
fn only_level(level: &LevelConstants, start: __m256i) -> Level {
    let ([width, height], [right, top]) = (level.scale, level.last);
    Level {
        scale: [_mm256_set1_ps(width[0]), _mm256_set1_ps(height[0])],
        last: [_mm256_set1_epi32(right[0]), _mm256_set1_epi32(top[0])],
        width: _mm256_set1_epi32(level.width[0]),
        start,
    }
}
