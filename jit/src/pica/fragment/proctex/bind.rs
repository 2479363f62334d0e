//! Constants of the procedural texture, from registers and tables.

use super::super::texture::LOGARITHMS;
use crate::emit::pica::constants::ProctexConstants;
use crate::pica::fragment::proctex::tables::{ColourSteps, Colours, LATTICE, ProctexMap, ProctexTables};
use crate::pica::key::fragment::proctex::{ProctexKey, common_level};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::FragmentState;
use std::sync::Arc;

/// Owners of the memory that the constants point to.
#[derive(Debug, Default)]
pub(in super::super) struct Owners {
    maps: Vec<Arc<ProctexMap>>,
    colours: Option<Arc<Colours>>,
    steps: Option<Arc<ColourSteps>>,
}

/// Fills the constants; the result owns the tables that they point to.
pub(in super::super) fn bind(
    constants: &mut ProctexConstants,
    key: &ProctexKey,
    state: &FragmentState<'_>,
    tables: &mut ProctexTables,
) -> Owners {
    let (registers, luts) = (state.registers, state.luts);
    let mut owners = Owners::default();
    let mut map = |table: Arc<ProctexMap>| {
        let address = table.as_ptr() as u64;
        owners.maps.push(table);
        address
    };
    constants.colour_map = map(tables.colour_map(luts));
    if key.alpha.is_some() {
        constants.alpha_map = map(tables.alpha_map(luts));
    }
    if key.noise {
        constants.noise = map(tables.noise(luts));
        bind_noise(constants, registers);
    }
    if key.is_linear() {
        let steps = owners.steps.insert(tables.steps(luts));
        constants.steps = steps.as_ptr() as u64;
    } else {
        let colours = owners.colours.insert(tables.colours(luts));
        constants.colours = colours.as_ptr() as u64;
    }
    bind_levels(constants, registers);
    owners
}

fn bind_noise(constants: &mut ProctexConstants, registers: &Registers) {
    constants.lattice = std::ptr::from_ref(&*LATTICE) as u64;
    let frequency = registers.proctex_frequency();
    constants.frequency = [frequency.u(), frequency.v()].map(|frequency| [9.0 * frequency.to_f32(); 4]);
    let axes = registers.proctex_noise();
    constants.phase = axes.map(|axis| [axis.phase().to_f32(); 4]);
    constants.amplitude = axes.map(|axis| [axis.amplitude().units() as f32 / 4095.0; 4]);
}

fn bind_levels(constants: &mut ProctexConstants, registers: &Registers) {
    let unit = registers.proctex4();
    if let Some(level) = common_level(registers) {
        let (last, start) = level_of(registers, usize::from(level));
        constants.last = [last; 4];
        constants.start = [start; 4];
        return;
    }
    for (number, level) in constants.levels.iter_mut().enumerate() {
        let (last, start) = level_of(registers, number);
        *level = [last.to_bits(), start as u32];
    }
    constants.logarithms = LOGARITHMS.as_ptr() as u64;
    constants.lod_scale = [(f32::from(unit.width()) * registers.proctex_bias().to_f32()).abs(); 4];
    constants.least_lod = [256 * i32::from(unit.lod_min()); 4];
    constants.most_lod = [256 * i32::from(unit.lod_max().min(7)); 4];
}

/// The last entry of a level, 0 to 7, and where it starts. Levels 4 to 7 are wired.
fn level_of(registers: &Registers, level: usize) -> (f32, i32) {
    let last = (u32::from(registers.proctex4().width()) >> level).saturating_sub(1);
    let set = registers.proctex_offsets();
    let starts = [set.level0(), set.level1(), set.level2(), set.level3(), 0xf0, 0xf8, 0xfc, 0xfe];
    (last as f32, i32::from(starts[level]))
}
