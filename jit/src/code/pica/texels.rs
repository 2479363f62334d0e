//! Colours of textures, found for all quads of some jobs before code draws them: plain code for vectors of 256 bits, which
//! compiled code does not have. Two quads are one vector.
//!
//! No state decides more of this than where coordinates come from, how a position is wrapped and which texels are mixed. So it
//! is no part of routines, but where a processor has no such vectors, and for shadows, which are compared.
//!
//! Source: pica-fragment.md 2.2 to 2.6; the order of operations is that of `interp::pica::fragment::texture`.

#[cfg(target_arch = "x86_64")]
mod coordinates;
#[cfg(target_arch = "x86_64")]
mod filter;
#[cfg(target_arch = "x86_64")]
mod levels;
#[cfg(target_arch = "x86_64")]
mod quads;
#[cfg(target_arch = "x86_64")]
mod stations;
#[cfg(target_arch = "x86_64")]
mod vectors;

use crate::cpu_level::CpuLevel;
use crate::emit::pica::block::{Interpolants, Job, QUAD_PLACES, QuadLanes, QuadNumbers, Slot, slot};
use crate::emit::pica::constants::TextureConstants;
use crate::pica::key::fragment::texture::{Filter, Kind, Sampler, W};
use std::ops::Range;

/// Most quads whose colours are found at a time: what is known of them stays in the nearest cache. There is a place more, as
/// two are found at once.
pub(crate) const MOST_QUADS: usize = QUAD_PLACES - 1;

/// Colours of a quad of one unit: four pixels in the order of memory, as texels are stored.
pub(crate) type QuadTexels = [u32; 4];

/// Integers of some quads, as [`QuadLanes`].
type Integers = [[i32; 4]; QUAD_PLACES];

/// What is known of the quads of some jobs, which lie next to each other, so that any two are vectors of eight pixels. Each
/// step goes through all of them, as a host does not look so far ahead that it would see the whole way of more than one.
#[derive(Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
pub(crate) struct Stations {
    /// Number of the quads.
    quads: usize,
    /// First slot of each triangle, and its quads.
    runs: Vec<(usize, Range<usize>)>,
    numbers: QuadNumbers,
    of_unit: OfUnit,
}

/// What is known of them in one unit.
#[derive(Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
struct OfUnit {
    /// s and t, no NaN.
    st: [QuadLanes; 2],
    /// Texels before the faces of a cube.
    faces: Integers,
    /// Footprints of pixels in texels of level 0.
    footprints: QuadLanes,
    /// Levels, or the first of two, weights of the next ones in units of 1/256, and all ones where the image is minified.
    levels: Integers,
    weights: Integers,
    minified: Integers,
}

impl Default for Stations {
    fn default() -> Self {
        let (lanes, integers) = ([[0.0; 4]; QUAD_PLACES], [[0; 4]; QUAD_PLACES]);
        let of_unit = OfUnit {
            st: [lanes; 2],
            faces: integers,
            footprints: lanes,
            levels: integers,
            weights: integers,
            minified: integers,
        };
        let numbers = QuadNumbers { edges: [lanes; 3], rd: lanes };
        Self { quads: 0, runs: Vec::new(), numbers, of_unit }
    }
}

impl Stations {
    /// What code may know of the quads.
    pub(crate) const fn numbers(&self) -> &QuadNumbers {
        &self.numbers
    }
}

/// True if colours are found here, for code of a level.
pub(crate) fn are_found(level: CpuLevel) -> bool {
    #[cfg(target_arch = "x86_64")]
    return level == CpuLevel::Host && std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = level;
        false
    }
}

/// How the colours of a draw are found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sampling {
    units: Vec<Unit>,
    /// Attributes that triangles must provide for it, behind those that code reads.
    pub(crate) interpolants: Interpolants,
    /// Where they begin, and slots of a triangle in all.
    pub(crate) behind: usize,
    pub(crate) slots: usize,
}

/// A unit whose colours are found.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
struct Unit {
    number: usize,
    sampler: Sampler,
    filter: Filter,
    /// Slots of a triangle: the first one of u, v and w, and of their changes.
    values: [usize; 3],
    changes: [usize; 3],
    slots: usize,
}

impl Sampling {
    /// For samplers by unit, of a routine that reads some attributes itself.
    pub(crate) fn new(samplers: &[Option<Sampler>; 3], of_code: Interpolants) -> Self {
        let found = || samplers.iter().enumerate().filter_map(|(unit, sampler)| Some((unit, (*sampler)?)));
        let interpolants = found()
            .map(|(_, sampler)| sampler.interpolants())
            .fold(Interpolants::default(), Interpolants::union);
        let behind = of_code.slots();
        let moved = |slot: usize| slot + behind - slot::ATTRIBUTES;
        let units = found().filter_map(|(number, sampler)| {
            let Kind::Colour(filter) = sampler.kind else { return None };
            let [u, v] = sampler.set();
            Some(Unit {
                number,
                sampler,
                filter,
                values: [u, v, W].map(|k| moved(interpolants.slot(k))),
                changes: [u, v, W].map(|k| moved(interpolants.change_slot(k))),
                slots: moved(interpolants.slots()),
            })
        });
        Self { units: units.collect(), interpolants, behind, slots: moved(interpolants.slots()) }
    }

    /// Units whose colours are found.
    pub(crate) fn units(&self) -> usize {
        self.units.len()
    }
}

/// Quads of a block that have covered pixels: bit 4n for the quad that begins with pixel 4n.
pub(crate) const fn covered_quads(covered: u64) -> u64 {
    let pairs = covered | covered >> 1;
    (pairs | pairs >> 2) & 0x1111_1111_1111_1111
}

/// Finds the colours of the quads that jobs cover, in their order; of each quad those of all units.
///
/// # Panics
/// If there are fewer places than colours and another quad's, or numbers of a triangle are not there, which is a bug of the engine.
///
/// # Safety
/// The texels of all levels up to the last one that is read are valid, with [`SPARE`](crate::emit::texels::SPARE) behind them.
pub(crate) unsafe fn sample(
    sampling: &Sampling,
    constants: &[TextureConstants; 3],
    (jobs, slots): (&[Job], &[Slot]),
    (stations, to): (&mut Stations, &mut [QuadTexels]),
) {
    #[cfg(target_arch = "x86_64")]
    {
        let has_vectors = std::arch::is_x86_feature_detected!("avx2");
        assert!(has_vectors, "keys say that colours are found where they can be");
        // SAFETY: the processor has AVX2; the rest is as the caller promises.
        unsafe {
            stations.fill(jobs, slots);
            quads::sample(sampling, constants, (stations, slots), to);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (sampling, constants, jobs, slots, stations, to);
        unreachable!("no key says that colours are found");
    }
}

#[cfg(test)]
mod tests {
    use super::covered_quads;

    /// Of each quad one pixel after the other, all, or none.
    #[test]
    fn quads_with_covered_pixels() {
        for quads in [0, 1, 0x8000, 0xffff, 0x1234_u64] {
            let of = |pixels: u64| {
                (0..16).filter(|n| quads >> n & 1 != 0).fold(0, |bits, n| bits | pixels << (4 * n))
            };
            for pixels in 1..16 {
                assert_eq!(covered_quads(of(pixels)), of(1), "{quads:#x}, {pixels:#x}");
            }
        }
    }
}
