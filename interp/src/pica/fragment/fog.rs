//! Fog, and the places where gas would be computed.
//!
//! Source: pica-fragment.md 6.1 and 6.2.

use super::{Inputs, clamp};
use crate::pica::surface::Surface;
use crate::trace::{Probe, Stage, Value};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::fog::{FogEntry, FogMode};
use picaflor_pipeline::pica::stage::FragmentState;

/// Entries of the fog table.
const ENTRIES: f32 = 128.0;

/// The colour of a fragment that passed the alpha test, after fog or gas shading. Unknown modes do nothing (assumed).
pub(crate) fn apply(
    state: &FragmentState<'_>,
    inputs: &Inputs,
    colour: [u8; 4],
    probe: &impl Probe,
) -> [u8; 4] {
    match state.registers.texenv_update_buffer().fog_mode() {
        FogMode::Fog => fog(state, inputs.depth, colour, probe),
        FogMode::Gas => shade_gas(state, inputs, colour),
        _ => colour,
    }
}

/// Fog: the colour's share comes from the table, alpha stays.
fn fog(state: &FragmentState<'_>, depth: f32, [r, g, b, a]: [u8; 4], probe: &impl Probe) -> [u8; 4] {
    let fog = state.registers.fog_colour();
    let k = factor(state, depth, probe);
    let fogged = [mix(k, r, fog.r()), mix(k, g, fog.g()), mix(k, b, fog.b()), a];
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("fog"), name, value);
    note("colour", &|| Value::Colour([r, g, b, a]));
    note("fog colour", &|| Value::integers([fog.r(), fog.g(), fog.b()]));
    note("factor", &|| Value::Float(k));
    note("result", &|| Value::Colour(fogged));
    fogged
}

/// The share of the fragment's colour at a depth. That it is clamped was measured on a console.
fn factor(state: &FragmentState<'_>, depth: f32, probe: &impl Probe) -> f32 {
    let z = if state.registers.texenv_update_buffer().z_flip() { 1.0 - depth } else { depth };
    let p = z * ENTRIES;
    let i = clamp(p.floor(), 0.0, ENTRIES - 1.0);
    let f = p - i;
    let entry = FogEntry(state.luts.fog[i as usize]);
    let v = entry.value().units() as f32 / 2047.0;
    let d = entry.difference().units() as f32 / 2047.0;
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("fog"), name, value);
    note("entry", &|| Value::Integer(i as i64));
    note("distance from the entry", &|| Value::Float(f));
    note("entry's value", &|| Value::Float(v));
    note("entry's difference", &|| Value::Float(d));
    clamp(v + d * f, 0.0, 1.0)
}

/// One channel; assumed to be rounded to nearest.
fn mix(k: f32, colour: u8, fog: u8) -> u8 {
    (k * f32::from(colour) + (1.0 - k) * f32::from(fog) + 0.5).floor() as u8
}

/// Hook: a fragment of a gas accumulation pass (0x100 mode 1), after the combiners. The format of the density buffer
/// and the equation are unknown, so nothing is written, neither density nor depth nor stencil, and the feedback in
/// 0x125 stays 0. `_colour` is the output of the combiners.
pub(crate) fn accumulate_gas(
    _registers: &Registers,
    _surface: &Surface<'_>,
    _inputs: &Inputs,
    _colour: [u8; 4],
) {
}

/// Hook: gas shading (0x0E0 mode 7) of a fragment that passed the alpha test. The equation is unknown;
/// transparent black in all four channels hides what would be an opaque rectangle in games that use it.
fn shade_gas(_state: &FragmentState<'_>, _inputs: &Inputs, _colour: [u8; 4]) -> [u8; 4] {
    [0; 4]
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::FlatMemory;
    use picaflor_pipeline::pica::lut::Luts;

    /// The fogged colour at a depth, with entry (V, D) in the whole table.
    fn fogged(word: u32, entry: (u32, i32), depth: f32, colour: [u8; 4], fog: u32) -> [u8; 4] {
        let (memory, mut regs, mut luts) = (FlatMemory::default(), Registers::new(), Luts::default());
        regs.set_raw(0x0e0, word);
        regs.set_raw(0x0e1, fog);
        luts.fog.fill(entry.0 << 13 | entry.1 as u32 & 0x1fff);
        let state = FragmentState { registers: &regs, luts: &luts, memory: &memory };
        apply(&state, &Inputs { depth, ..Inputs::default() }, colour, &())
    }

    #[test]
    fn fog_half() {
        assert_eq!(fogged(5, (1024, 0), 0.5, [200, 100, 0, 9], 0xff_0000), [100, 50, 127, 9]);
    }

    #[test]
    fn fog_with_a_difference() {
        let out = fogged(5, (1024, -1024), 0.503_906_25, [200, 100, 0, 9], 0xff_0000);
        assert_eq!(out, [50, 25, 191, 9]);
    }

    #[test]
    fn fog_at_depth_1() {
        assert_eq!(fogged(5, (100, 50), 1.0, [0, 0, 0, 9], 0xff_ffff), [236, 236, 236, 9]);
    }

    /// Entry n holds n * 8, so the index shows in the factor.
    fn index_at(word: u32, depth: f32) -> f32 {
        let (memory, mut regs, mut luts) = (FlatMemory::default(), Registers::new(), Luts::default());
        regs.set_raw(0x0e0, word);
        for (n, entry) in luts.fog.iter_mut().enumerate() {
            *entry = (n as u32 * 8) << 13;
        }
        let state = FragmentState { registers: &regs, luts: &luts, memory: &memory };
        factor(&state, depth, &()) * 2047.0 / 8.0
    }

    #[test]
    fn fog_index() {
        for (depth, index) in [(0.0, 0.0), (0.5, 64.0), (0.007, 0.0), (0.008, 1.0), (1.0, 127.0)] {
            assert!((index_at(5, depth) - index).abs() < 1e-3, "{depth}");
        }
    }

    #[test]
    fn fog_flip_reads_the_table_from_the_other_end() {
        for (depth, index) in [(0.0, 127.0), (0.25, 96.0), (1.0, 0.0)] {
            assert!((index_at(5 | 1 << 16, depth) - index).abs() < 1e-3, "{depth}");
        }
    }

    #[test]
    fn fog_factor_is_clamped() {
        assert_eq!(fogged(5, (2047, 2047), 0.99, [10, 20, 30, 40], 0xff_ffff), [10, 20, 30, 40]);
        assert_eq!(fogged(5, (0, -4096), 0.99, [10, 20, 30, 40], 0xc864), [0x64, 0xc8, 0, 40]);
    }

    /// With equal colours no factor changes anything.
    #[test]
    fn fog_between_equals() {
        for v in 0..2048 {
            for c in [0, 1, 127, 128, 254, 255] {
                assert_eq!(mix(v as f32 / 2047.0, c, c), c);
            }
        }
    }

    #[test]
    fn modes_without_fog() {
        for mode in [0, 1, 2, 3, 4, 6] {
            assert_eq!(fogged(mode, (0, 0), 0.5, [1, 2, 3, 4], 0xff_ffff), [1, 2, 3, 4], "{mode}");
        }
    }

    #[test]
    fn gas_shading_is_transparent_black() {
        assert_eq!(fogged(7, (2047, 0), 0.5, [1, 2, 3, 4], 0xff_ffff), [0; 4]);
    }
}
