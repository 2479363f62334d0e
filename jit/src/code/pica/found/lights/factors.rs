//! What tables give for a light.

use super::super::eight::Eight;
use super::super::vectors::neighbours;
use super::{Light, OfLight, one_side};
use crate::emit::pica::block::QuadLanes;
use crate::emit::pica::constants::{Address, LightingConstants, Splat};
use picaflor_pipeline::pica::regs::lighting::LightingTable;
use std::arch::x86_64::{_mm256_and_si256, _mm256_castsi256_ps, _mm256_set1_epi32, _mm256_slli_epi32};
use std::ptr;

/// A table of 256 entries, value and difference, for inputs of 0 to 1, or -1 to 1.
#[derive(Clone, Copy)]
struct Table {
    at: *const u32,
    /// Entries for an input of 1, and the least and the last entry.
    scale: f32,
    least: f32,
    last: f32,
}

impl Table {
    const fn new(address: Address, signed: bool) -> Self {
        let at = ptr::with_exposed_provenance(address as usize);
        if signed {
            Self { at, scale: 128.0, least: -128.0, last: 127.0 }
        } else {
            Self { at, scale: 256.0, least: 0.0, last: 255.0 }
        }
    }

    /// `v[i] + m[i] d`.
    ///
    /// # Safety
    /// The table is there.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn look_up(self, x: Eight) -> Eight {
        let p = x.times(Eight::all(self.scale));
        let i = p.floor().clamp(self.least, self.last);
        let delta = p.minus(i);
        let entry = _mm256_and_si256(i.whole(), _mm256_set1_epi32(255));
        // SAFETY: as the caller promises: an entry is two words, and 255 the last one.
        let [value, difference] = unsafe { neighbours(self.at, _mm256_slli_epi32::<1>(entry)) };
        let [value, difference] = [Eight(_mm256_castsi256_ps(value)), Eight(_mm256_castsi256_ps(difference))];
        value.plus(difference.times(delta))
    }
}

impl OfLight {
    /// The factors that matter for all pixels of a light, and the attenuation.
    ///
    /// # Safety
    /// The tables of the light are there.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn look_up(&mut self, light: Light<'_>, constants: &LightingConstants, quads: usize) {
        for &table in LightingTable::ALL.iter().filter(|&&table| table != LightingTable::Fresnel) {
            if light.has(table) {
                // SAFETY: as the caller promises.
                unsafe { self.look_up_one(light, constants, table, quads) };
            }
        }
        if light.key.distance {
            let table = Table::new(light.constants.distance_table, false);
            let [scale, bias] = [light.constants.attenuation_scale, light.constants.attenuation_bias];
            let (scale, bias) = (Eight::constant(&scale), Eight::constant(&bias));
            for quad in (0..quads).step_by(2) {
                let x = scale.times(Eight::of(&self.distance, quad)).plus(bias).clamp(0.0, 1.0);
                // SAFETY: as the caller promises.
                unsafe { table.look_up(x) }.put(&mut self.attenuation, quad);
            }
        }
    }

    /// The factor of a table that there is.
    ///
    /// # Safety
    /// As [`look_up`](Self::look_up).
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn look_up_one(
        &mut self,
        light: Light<'_>,
        constants: &LightingConstants,
        table: LightingTable,
        quads: usize,
    ) {
        let Some(of_table) = light.of_all.get(table) else { return };
        let address = match table {
            LightingTable::Spot => light.constants.spot_table,
            _ => constants.tables[table as usize],
        };
        let scale = &constants.scales[table as usize];
        let (from, to) = (&self.inputs[of_table.input as usize], &mut self.factors[table as usize]);
        // SAFETY: as the caller promises.
        unsafe { scaled_values(light, Table::new(address, of_table.signed), (from, scale), (to, quads)) };
    }
}

/// # Safety
/// The table is there.
#[target_feature(enable = "avx2")]
unsafe fn scaled_values(
    light: Light<'_>,
    table: Table,
    (from, scale): (&QuadLanes, &Splat),
    (to, quads): (&mut QuadLanes, usize),
) {
    let (scale, signed) = (Eight::constant(scale), table.least < 0.0);
    for quad in (0..quads).step_by(2) {
        let x = Eight::of(from, quad);
        let x = if signed { x } else { one_side(light.key, x) };
        // SAFETY: as the caller promises.
        scale.times(unsafe { table.look_up(x) }).put(to, quad);
    }
}
