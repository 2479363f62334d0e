//! Colours of textures: places, footprints, levels and texels of all quads, two at a time.
//!
//! Source: pica-fragment.md 2.2 to 2.6; the order of operations is that of `interp::pica::fragment::texture`.

mod closest;
mod coordinates;
mod filter;
mod levels;
mod shadow;

use super::vectors::{between, two, two_integers};
use super::{Integers, QuadColours, Slot, Stations, Unit};
use crate::emit::pica::block::{QUAD_PLACES, QuadLanes};
use crate::emit::pica::constants::{LevelConstants, TextureConstants};
use crate::pica::key::fragment::texture::{Coordinates, Filter, Kind, Mip};
use filter::{ANY, CLAMPED, Image, Level, REPEATED, wraps};
use levels::level_of;
pub(super) use levels::log2q;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_blendv_epi8, _mm256_min_epi32, _mm256_mullo_epi32, _mm256_set1_epi32,
    _mm256_set1_ps, _mm256_setzero_si256, _mm256_testz_si256,
};

/// What is known of quads in one unit.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct OfUnit {
    /// s and t, no NaN.
    st: [QuadLanes; 2],
    /// Of shadows, depths to compare with: magnitudes of w, or of the major axis of a cube.
    depths: QuadLanes,
    /// Faces of a cube, 0 to 5 for whatever image: behind the last quad may be one of an earlier draw.
    faces: Integers,
    /// Footprints of pixels in texels of level 0.
    footprints: QuadLanes,
    /// Levels, or the first of two, weights of the next ones in units of 1/256, and all ones where the image is minified.
    levels: Integers,
    weights: Integers,
    minified: Integers,
}

impl Default for OfUnit {
    fn default() -> Self {
        let (lanes, integers) = ([[0.0; 4]; QUAD_PLACES], [[0; 4]; QUAD_PLACES]);
        Self {
            st: [lanes; 2],
            depths: lanes,
            faces: integers,
            footprints: lanes,
            levels: integers,
            weights: integers,
            minified: integers,
        }
    }
}

impl OfUnit {
    /// Texels before the faces of a quad and the next one.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn before_faces(&self, constants: &TextureConstants, quad: usize) -> __m256i {
        _mm256_mullo_epi32(two_integers(&self.faces, quad), _mm256_set1_epi32(constants.face[0]))
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
    /// The colours of all quads, at their place.
    ///
    /// # Safety
    /// As [`find`](super::find).
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn sample(
        &self,
        constants: &TextureConstants,
        known: (&mut Stations, &[Slot]),
        to: &mut [QuadColours],
    ) {
        // SAFETY: as the caller promises.
        unsafe {
            match self.sampler.kind {
                Kind::Shadow => self.shadows(constants, known, to),
                Kind::Colour(filter) if self.sampler.is_closest() => match wraps(filter) {
                    CLAMPED => self.closest::<CLAMPED>((filter, constants), known, to),
                    REPEATED => self.closest::<REPEATED>((filter, constants), known, to),
                    _ => self.closest::<ANY>((filter, constants), known, to),
                },
                Kind::Colour(filter) => match (filter.needs_lod(), wraps(filter)) {
                    (false, CLAMPED) => self.colours::<false, CLAMPED>((filter, constants), known, to),
                    (false, REPEATED) => self.colours::<false, REPEATED>((filter, constants), known, to),
                    (false, _) => self.colours::<false, ANY>((filter, constants), known, to),
                    (true, CLAMPED) => self.colours::<true, CLAMPED>((filter, constants), known, to),
                    (true, REPEATED) => self.colours::<true, REPEATED>((filter, constants), known, to),
                    (true, _) => self.colours::<true, ANY>((filter, constants), known, to),
                },
            }
        }
    }

    /// # Safety
    /// As [`find`](super::find).
    #[target_feature(enable = "avx2")]
    unsafe fn colours<const LOD: bool, const WRAPS: u8>(
        &self,
        (filter, constants): (Filter, &TextureConstants),
        (stations, slots): (&mut Stations, &[Slot]),
        to: &mut [QuadColours],
    ) {
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
                let face = if is_cube { of_unit.before_faces(constants, quad) } else { zero };
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
                let before = self.to.two(to, quad);
                let colours = match step {
                    Step::First => colours,
                    Step::Next => between(before, colours, weight),
                    Step::Magnified => {
                        _mm256_blendv_epi8(colours, before, two_integers(&of_unit.minified, quad))
                    }
                };
                self.to.set_two(to, quad, colours);
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

#[cfg(test)]
mod tests {
    use super::super::vectors::set_two_integers;
    use super::super::{Behind, Place};
    use super::*;
    use crate::emit::pica::block::Interpolants;
    use crate::pica::key::fragment::texture::Sampler;
    use std::array;

    /// Texels before the faces of all quads, and of the one behind them. Attributes are all 0, which is a direction to
    /// the last face.
    #[target_feature(enable = "avx2")]
    fn before_faces(stations: &mut Stations, face: i32, runs: &[usize]) -> Vec<i32> {
        let sampler = Sampler { coordinates: Coordinates::Direction, kind: Kind::Shadow };
        let numbers = Behind { interpolants: Interpolants::default(), by: 0 };
        let unit = Unit { values: [0; 3], ..Unit::new(0, sampler, &numbers, Place { first: 0, step: 1 }) };
        let constants = TextureConstants { face: [face; 4], ..TextureConstants::default() };
        stations.runs.clear();
        stations.quads = 0;
        for quads in runs {
            stations.runs.push((0..64, stations.quads..stations.quads + quads));
            stations.quads += quads;
        }
        unit.place::<false>(&constants, stations, &[[0; 4]; 64]);
        let (quads, of_unit) = (stations.quads, &stations.of_unit);
        let before = |quad| integers(of_unit.before_faces(&constants, quad));
        (0..quads).step_by(2).flat_map(before).collect()
    }

    #[target_feature(enable = "avx2")]
    fn integers(a: __m256i) -> [i32; 8] {
        let mut places = [[0; 4]; QUAD_PLACES];
        set_two_integers(&mut places, 0, a);
        array::from_fn(|n| places[n / 4][n % 4])
    }

    /// Where the last triangle has the quads of whole pairs, behind an odd number of others, nothing is placed behind the
    /// last one: a face of a larger image once lay there, and texels far behind this one were read.
    #[test]
    fn faces_behind_the_last_quad_are_in_the_image() {
        if !std::arch::is_x86_feature_detected!("avx2") {
            return;
        }
        let mut stations = Stations::default();
        for (face, runs) in [(4_000_000, &[4][..]), (64, &[1, 2]), (64, &[3]), (16, &[1, 1, 1, 2])] {
            // SAFETY: the processor has it.
            let before = unsafe { before_faces(&mut stations, face, runs) };
            assert_eq!(before.len(), runs.iter().sum::<usize>().div_ceil(2) * 8);
            assert!(before.iter().all(|texels| (0..=5 * face).contains(texels)), "{runs:?}: {before:?}");
        }
    }
}
