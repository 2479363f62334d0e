//! Colours of the procedural texture: coordinates, noise, functions and their maps, entries of the colour table, each step a loop
//! over all quads, two at a time.
//!
//! Source: pica-fragment.md 3; the order of operations is that of `interp::pica::fragment::proctex`. In pixels that are drawn every
//! number is finite; in the others anything can be, so each index into a table is limited where it is made.

mod coordinates;
mod entries;
mod noise;

use super::eight::Eight;
use super::vectors::{neighbours, set_two_integers};
use super::{Integers, Procedural, QuadColours, Slot, Stations};
use crate::emit::pica::block::{QUAD_PLACES, QuadLanes};
use crate::emit::pica::constants::{Address, ProctexConstants};
use coordinates::function;
use std::arch::x86_64::{
    __m256i, _mm256_castsi256_ps, _mm256_cvtepi32_ps, _mm256_min_epu32, _mm256_set1_epi32, _mm256_slli_epi32,
};
use std::ptr;

/// What is known of quads in unit 3.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct OfProcedural {
    /// Magnitudes of u and v, and those with noise.
    uv: [QuadLanes; 2],
    moved: [QuadLanes; 2],
    /// Levels of detail in units of 1/256.
    lods: Integers,
    /// Places in the colour table, 0 to 1.
    selectors: QuadLanes,
    /// Alpha by its own map, 0 to 255.
    alphas: Integers,
}

impl Default for OfProcedural {
    fn default() -> Self {
        let (lanes, integers) = ([[0.0; 4]; QUAD_PLACES], [[0; 4]; QUAD_PLACES]);
        Self { uv: [lanes; 2], moved: [lanes; 2], lods: integers, selectors: lanes, alphas: integers }
    }
}

impl Procedural {
    /// The colours of all quads, at their place.
    ///
    /// # Safety
    /// As [`find`](super::find).
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn sample(
        &self,
        constants: &ProctexConstants,
        (stations, slots): (&mut Stations, &[Slot]),
        to: &mut [QuadColours],
    ) {
        let quads = stations.quads;
        let mut triangles = stations.runs.iter().map(|(triangle, _)| &slots[triangle.clone()]);
        if self.key.is_constant_at_origin() && triangles.all(|triangle| self.is_at_origin(triangle)) {
            let [a, b, g, r, ..] = constants.at_origin.map(|channel| channel as u8);
            let colour = _mm256_set1_epi32(i32::from_le_bytes([a, b, g, r]));
            (0..quads).step_by(2).for_each(|quad| self.to.set_two(to, quad, colour));
            return;
        }
        let mut of = stations.of_procedural.take().unwrap_or_default();
        of.place(self, constants, stations, slots);
        // SAFETY: as the caller promises.
        unsafe {
            if self.key.noise {
                of.disturb(&self.key, constants, quads);
            }
            of.select(self, constants, quads);
            of.colours(self, constants, to, quads);
        }
        stations.of_procedural = Some(of);
    }
}

impl OfProcedural {
    /// Places in the colour table and alphas, by the functions and their maps.
    ///
    /// # Safety
    /// The maps are there.
    #[target_feature(enable = "avx2")]
    unsafe fn select(&mut self, procedural: &Procedural, constants: &ProctexConstants, quads: usize) {
        let (key, looks_up) = (&procedural.key, procedural.looks_up);
        let (colours, alphas) = (Map::new(constants.colour_map), Map::new(constants.alpha_map));
        for quad in (0..quads).step_by(2) {
            let uv = [self.coordinate(key, 0, quad), self.coordinate(key, 1, quad)];
            if looks_up {
                // SAFETY: as the caller promises.
                unsafe { colours.look_up(function(key.colour, uv)) }.put(&mut self.selectors, quad);
            }
            if let Some(by) = key.alpha {
                // SAFETY: as the caller promises.
                let alpha = unsafe { alphas.look_up(function(by, uv)) };
                set_two_integers(&mut self.alphas, quad, rounded(alpha.times(Eight::all(255.0))));
            }
        }
    }
}

/// A table of 128 entries, value and difference, with the end of the last one behind it.
#[derive(Clone, Copy)]
struct Map(*const u32);

impl Map {
    const fn new(address: Address) -> Self {
        Self(ptr::with_exposed_provenance(address as usize))
    }

    /// The value at `at`, 0 to 1.
    ///
    /// # Safety
    /// The table is there.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn look_up(self, at: Eight) -> Eight {
        let (entry, f) = parts(at.times(Eight::all(128.0)));
        let entry = _mm256_min_epu32(entry, _mm256_set1_epi32(128));
        // SAFETY: as the caller promises: an entry is two words, and 128 the last one that counts.
        let [value, difference] = unsafe { neighbours(self.0, _mm256_slli_epi32::<1>(entry)) };
        let [value, difference] = [Eight(_mm256_castsi256_ps(value)), Eight(_mm256_castsi256_ps(difference))];
        value.plus(f.times(difference)).clamp(0.0, 1.0)
    }
}

/// Integer part and fraction of numbers that are not negative.
#[target_feature(enable = "avx2")]
#[inline]
fn parts(x: Eight) -> (__m256i, Eight) {
    let whole = x.whole();
    (whole, x.minus(Eight(_mm256_cvtepi32_ps(whole))))
}

/// The integers closest to numbers that are not negative.
#[target_feature(enable = "avx2")]
#[inline]
fn rounded(x: Eight) -> __m256i {
    x.plus(Eight::all(0.5)).whole()
}
