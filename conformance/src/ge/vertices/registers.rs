//! Random registers of the vertex path.

use super::numbers::{Style, short_single};
use crate::random::Random;
use picaflor_pipeline::ge::regs::{Registers, op};

fn set(registers: &mut Registers, command: u8, argument: u32) {
    registers.write(u32::from(command) << 24 | argument & 0xff_ffff);
}

fn set_float(registers: &mut Registers, command: u8, value: f32) {
    set(registers, command, value.to_bits() >> 8);
}

/// A state.
pub(in crate::ge) fn registers(random: &mut Random) -> Registers {
    let mut registers = Registers::default();
    let r = &mut registers;
    set(r, op::VTYPE, vertex_type(random));
    for (enable, percent) in [(op::TME, 75), (op::FGE, 40), (op::LTE, 55), (op::RNORM, 20), (op::LMODE, 40)] {
        set(r, enable, u32::from(random.chance(percent)));
    }
    set(r, op::TMAP, random.below(4) | random.below(4) << 8);
    set(r, op::TSHADE, random.below(4) | random.below(4) << 8);
    set(r, op::CMAT, random.below(8));
    for n in 0..4 {
        set(r, op::LTE0 + n, u32::from(random.chance(45)));
        set(r, op::LT0 + n, random.below(4) | random.below(4) << 8);
    }
    registers
}

fn vertex_type(random: &mut Random) -> u32 {
    let through = u32::from(random.chance(25)) << 23;
    let position = random.pick(&[1, 2, 2, 3, 3, 3]) << 7;
    let weights = if random.chance(30) { random.between(1, 3) << 9 | random.below(8) << 14 } else { 0 };
    let morph = if random.chance(20) { random.below(8) << 18 } else { 0 };
    let rest = random.below(4) | random.below(8) << 2 | random.below(4) << 5 | random.below(4) << 11;
    through | position | weights | morph | rest
}

/// Changes the data of a state, which differ from case to case.
pub(in crate::ge) fn vary(random: &mut Random, r: &mut Registers) {
    let style = if random.chance(85) { Style::Usual } else { Style::Wide };
    for colour in [op::AMC, op::AMA, op::DMC, op::SMC, op::EMC, op::ALC, op::ALA] {
        set(r, colour, random.word());
    }
    for n in 0..4 {
        for component in 0..3 {
            let third = 3 * n + component;
            for float in [op::LXP0 + third, op::LXD0 + third, op::LCA0 + third] {
                set_float(r, float, short_single(random, style));
            }
            for colour in [op::ALC0, op::DLC0, op::SLC0] {
                set(r, colour + 3 * n, random.word());
            }
        }
        set_float(r, op::LSE0 + n, exponent(random));
        set_float(r, op::LSC0 + n, short_single(random, style));
    }
    for weight in 0..8 {
        set_float(r, op::MW0 + weight, short_single(random, style));
    }
    for float in [op::USCALE, op::VSCALE, op::UOFFSET, op::VOFFSET, op::FFAR, op::FDIST] {
        set_float(r, float, short_single(random, style));
    }
    set_float(r, op::SPOW, exponent(random));
    viewport(random, r, style);
}

fn exponent(random: &mut Random) -> f32 {
    match random.below(12) {
        0 => random.pick(&[0.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN, 1e30]),
        _ => random.below(1 << 12) as f32 / 64.0,
    }
}

fn viewport(random: &mut Random, r: &mut Registers, style: Style) {
    if style == Style::Usual {
        for (command, value) in [
            (op::XSCALE, 240.0),
            (op::YSCALE, -136.0),
            (op::ZSCALE, -32767.5),
            (op::XPOS, 2048.0),
            (op::YPOS, 2048.0),
            (op::ZPOS, 32767.5),
        ] {
            set_float(r, command, value);
        }
    } else {
        for command in [op::XSCALE, op::YSCALE, op::ZSCALE, op::XPOS, op::YPOS, op::ZPOS] {
            set_float(r, command, short_single(random, style));
        }
    }
    set(r, op::OFFSETX, random.below(1 << 16));
    set(r, op::OFFSETY, random.below(1 << 16));
}
