//! Constants of the procedural texture, from registers and tables.

use super::super::texture::LOGARITHMS;
use crate::emit::pica::constants::{ProctexConstants, pair};
use crate::pica::fragment::proctex::tables::{ColourSteps, Colours, ProctexMap, ProctexTables};
use crate::pica::key::fragment::proctex::{ProctexKey, common_level};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::FragmentState;
use std::array::from_fn;
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
    let (colour_map, alpha_map) = (tables.colour_map(luts), key.alpha.map(|_| tables.alpha_map(luts)));
    let firsts = [colour_map[0][0], alpha_map.as_ref().map_or(0.0, |map| map[0][0])];
    constants.colour_map = map(colour_map);
    if let Some(alpha_map) = alpha_map {
        constants.alpha_map = map(alpha_map);
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
    if key.is_constant_at_origin() {
        constants.at_origin = pair(at_origin(constants, key, &owners, firsts));
    }
    owners
}

/// The colour where all coordinates are 0: clamps, shifts and functions leave them at 0, so that it follows from the first
/// entries of the maps, of colour and of alpha. In the arithmetic of compiled code.
fn at_origin(constants: &ProctexConstants, key: &ProctexKey, owners: &Owners, firsts: [f32; 2]) -> [u8; 4] {
    let [selector, alpha] = firsts;
    let position = selector * constants.last[0];
    let entry = |i: f32| (constants.start[0] as usize + i as usize) & 255;
    let [a, b, g, r] = match (&owners.steps, &owners.colours) {
        (Some(steps), _) => {
            let [colour, difference] = steps[entry(position)];
            let f = position - position.floor();
            from_fn(|c| (colour[c] + f * difference[c]) as u8)
        }
        (None, Some(colours)) => colours[entry(position + 0.5)].to_le_bytes(),
        (None, None) => [0; 4],
    };
    [r, g, b, if key.alpha.is_some() { (255.0 * alpha + 0.5) as u8 } else { a }]
}

fn bind_noise(constants: &mut ProctexConstants, registers: &Registers) {
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
