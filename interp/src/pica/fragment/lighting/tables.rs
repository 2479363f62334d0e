//! Lookup tables: availability, position of an input, interpolated value. pica-fragment.md 4.2, 4.5 and 4.6.

use super::frame::{LitBy, positive};
use crate::pica::fragment::clamp;
use crate::trace::{Probe, Stage, Value};
use picaflor_pipeline::pica::regs::lighting::{
    LightingConfig1, LightingLutData, LightingScale, LightingTable,
};
use picaflor_pipeline::pica::stage::FragmentState;

/// Id of the spot table of light 0.
const SPOT_TABLES: usize = 8;
/// Id of the distance attenuation table of light 0.
const DISTANCE_TABLES: usize = 16;

/// The scaled result of a table for a light, or nothing where the table is disabled or not there.
pub(super) fn factor(
    state: &FragmentState<'_>,
    table: LightingTable,
    by: &LitBy,
    probe: &impl Probe,
) -> Option<f32> {
    let registers = state.registers;
    let environment = registers.lighting_config0().environment();
    if !available(environment, table) || disabled(registers.lighting_config1(), table, by.light) {
        return None;
    }
    let x = by.input(registers.lut_input_select().input(table));
    let place = if registers.lut_input_abs().signed(table) {
        Place::signed(x)
    } else {
        Place::unsigned(if by.config.two_sided() { x.abs() } else { positive(x) })
    };
    let id = if table == LightingTable::Spot { SPOT_TABLES + by.light } else { table as usize };
    let factor =
        multiplier(registers.lut_input_scale().scale(table)) * place.look_up(&state.luts.lighting[id]);
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::numbered("light", by.light), name, value);
    note("table", &|| Value::name(table));
    note("table's input", &|| Value::Float(x));
    note("table's entry", &|| Value::Integer(place.entry as i64));
    note("table's factor", &|| Value::Float(factor));
    Some(factor)
}

/// DA: attenuation by distance, which every environment has.
pub(super) fn distance_attenuation(state: &FragmentState<'_>, by: &LitBy) -> f32 {
    let registers = state.registers;
    if has_bit(registers.lighting_config1().distance_disabled(), by.light) {
        return 1.0;
    }
    let scale = registers.attenuation_scale(by.light).scale().to_f32();
    let bias = registers.attenuation_bias(by.light).bias().to_f32();
    let place = Place::unsigned(clamp(scale * by.distance + bias, 0.0, 1.0));
    place.look_up(&state.luts.lighting[DISTANCE_TABLES + by.light])
}

/// True if an environment has a table. Environments 7 and from 9 on are unknown: as in one emulator.
pub(super) fn available(environment: u8, table: LightingTable) -> bool {
    use LightingTable::{D0, D1, Fresnel, ReflectionB, ReflectionG, ReflectionR, Spot};
    match table {
        D0 => environment != 1,
        D1 => !matches!(environment, 0 | 1 | 5),
        Spot => !matches!(environment, 2 | 3),
        Fresnel => !matches!(environment, 0 | 2 | 4),
        ReflectionR => environment != 3,
        ReflectionG | ReflectionB => matches!(environment, 4 | 5 | 8),
    }
}

/// Spot attenuation is disabled light by light, everything else for all of them.
fn disabled(config: LightingConfig1, table: LightingTable, light: usize) -> bool {
    match table {
        LightingTable::D0 => config.d0_disabled(),
        LightingTable::D1 => config.d1_disabled(),
        LightingTable::Spot => has_bit(config.spot_disabled(), light),
        LightingTable::Fresnel => config.fresnel_disabled(),
        LightingTable::ReflectionB => config.rb_disabled(),
        LightingTable::ReflectionG => config.rg_disabled(),
        LightingTable::ReflectionR => config.rr_disabled(),
    }
}

/// True if the bit of a light is set.
pub(super) fn has_bit(lights: u8, light: usize) -> bool {
    lights >> (light % 8) & 1 == 1
}

/// Codes 4 and 5 are unknown; 0 is assumed.
fn multiplier(scale: LightingScale) -> f32 {
    match scale {
        LightingScale::One => 1.0,
        LightingScale::Two => 2.0,
        LightingScale::Four => 4.0,
        LightingScale::Eight => 8.0,
        LightingScale::Unknown4 | LightingScale::Unknown5 => 0.0,
        LightingScale::Quarter => 0.25,
        LightingScale::Half => 0.5,
    }
}

/// A place in a table: an entry, and the distance of the input from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) entry: usize,
    /// Past 1 beyond the last entry, where the table is continued.
    pub(super) delta: f32,
}

impl Place {
    /// The whole table for 0 to 1.
    pub(super) fn unsigned(y: f32) -> Self {
        let p = y * 256.0;
        let i = clamp(p.floor(), 0.0, 255.0);
        Self { entry: i as usize, delta: p - i }
    }

    /// The lower half for 0 to 1, the upper half for -1 to 0.
    pub(super) fn signed(x: f32) -> Self {
        let p = x * 128.0;
        let k = clamp(p.floor(), -128.0, 127.0);
        Self { entry: (k as i32 & 255) as usize, delta: p - k }
    }

    pub(super) fn look_up(self, table: &[u32; 256]) -> f32 {
        let entry = LightingLutData(table[self.entry]);
        let value = f32::from(entry.value()) / 4095.0;
        let magnitude = f32::from(entry.difference()) / 2047.0;
        let difference = if entry.negative() { -magnitude } else { magnitude };
        value + difference * self.delta
    }
}
