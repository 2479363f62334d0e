//! Constants of the lighting unit, from registers and tables.

use crate::emit::pica::constants::{LightConstants, LightingConstants, Splat};
use crate::pica::fragment::light_tables::{LightTable, LightTables};
use crate::pica::key::fragment::lighting::LightingKey;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::lighting::{LightColour, LightingScale, LightingTable};
use picaflor_pipeline::pica::stage::FragmentState;
use std::sync::Arc;

/// Ids of the spot and the distance attenuation table of light 0.
const SPOT_TABLES: usize = 8;
const DISTANCE_TABLES: usize = 16;

/// Fills the constants; the tables that they point to go to `owners`.
pub(super) fn bind(
    constants: &mut LightingConstants,
    key: &LightingKey,
    state: &FragmentState<'_>,
    tables: &mut LightTables,
    owners: &mut Vec<Arc<LightTable>>,
) {
    let registers = state.registers;
    let mut address = |id: usize| {
        let table = tables.get(state.luts, id);
        let address = table.as_ptr() as u64;
        owners.push(table);
        address
    };
    for (slot, light) in key.slots().iter().enumerate() {
        let id = registers.light_permutation().light(slot);
        let bound = &mut constants.lights[slot];
        bind_light(bound, registers, id);
        if light.spot {
            bound.spot_table = address(SPOT_TABLES + id);
        }
        if light.distance {
            bound.distance_table = address(DISTANCE_TABLES + id);
        }
    }
    constants.ambient = colour(registers.lighting_ambient());
    for (n, &table) in LightingTable::ALL.iter().enumerate() {
        if key.get(table).is_none() {
            continue;
        }
        constants.scales[n] = [multiplier(registers.lut_input_scale().scale(table)); 4];
        if table != LightingTable::Spot {
            constants.tables[n] = address(n);
        }
    }
}

fn bind_light(bound: &mut LightConstants, registers: &Registers, id: usize) {
    bound.specular0 = colour(registers.light_specular0(id));
    bound.specular1 = colour(registers.light_specular1(id));
    bound.diffuse = colour(registers.light_diffuse(id));
    bound.ambient = colour(registers.light_ambient(id));
    let (xy, z) = (registers.light_xy(id), registers.light_z(id));
    let position = [xy.x(), xy.y(), z.z()].map(|component| component.to_f32());
    bound.position = position.map(|component| [component; 4]);
    let [x, y, z] = position;
    let squared = (x * x + y * y) + z * z;
    bound.length = [squared.sqrt(); 4];
    let has_direction = squared > 0.0 && squared < f32::INFINITY;
    let k = 1.0 / squared.sqrt();
    bound.direction = position.map(|component| [if has_direction { component * k } else { 0.0 }; 4]);
    let (xy, z) = (registers.spot_direction_xy(id), registers.spot_direction_z(id));
    bound.spot = [xy.x(), xy.y(), z.z()].map(|component| [component.units() as f32 / 2047.0; 4]);
    bound.attenuation_scale = [registers.attenuation_scale(id).scale().to_f32(); 4];
    bound.attenuation_bias = [registers.attenuation_bias(id).bias().to_f32(); 4];
}

fn colour(register: LightColour) -> [Splat; 3] {
    register.channels().map(|channel| [f32::from(channel) / 255.0; 4])
}

/// Codes 4 and 5 are unknown; 0 is assumed.
const fn multiplier(scale: LightingScale) -> f32 {
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
