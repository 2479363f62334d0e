//! Blending, logic operation, colour mask and the colour write.
//!
//! Source: pica-fragment.md 7.2, 7.7 and 7.8.

use super::{Inputs, div255r};
use crate::pica::surface::Surface;
use crate::trace::{Probe, Stage, Value, rejected};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::fragop::{BlendEquation, BlendFactor, LogicOp};

/// Channel number of alpha.
const ALPHA: usize = 3;

/// Combines the colour with the stored one and writes the channels enabled by the mask.
pub(crate) fn write(
    registers: &Registers,
    surface: &Surface<'_>,
    inputs: &Inputs,
    colour: [u8; 4],
    probe: &impl Probe,
) {
    if !registers.colorbuffer_write().is_allowed() {
        rejected(probe, "writes of colours off");
        return;
    }
    let [x, y] = inputs.pixel();
    let stored = surface.colour(x, y);
    // Blending and logic operation see 0 where reading is not allowed (assumed, as measured for depth).
    let seen = if registers.colorbuffer_read().is_allowed() { stored } else { [0; 4] };
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("blend"), name, value);
    let operation = registers.colour_operation().blend();
    note("source", &|| Value::Colour(colour));
    note("destination", &|| Value::Colour(seen));
    if operation {
        note_factors(registers, colour, seen, probe);
    } else {
        note("logic operation", &|| Value::name(registers.logic_operation().op()));
    }
    let result = combined(registers, colour, seen);
    note("result", &|| Value::Colour(result));
    let mask = registers.depth_colour_mask().colour_mask();
    let channel = |c| if mask >> c & 1 == 1 { result[c] } else { stored[c] };
    let new = std::array::from_fn(channel);
    surface.set_colour(x, y, new);
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("store"), name, value);
    note("mask", &|| Value::Integer(mask.into()));
    note("colour", &|| Value::Colour(new));
    let bytes = || surface.encoded(surface.colour(x, y));
    note("bytes", &|| Value::Integers(bytes().iter().map(|&byte| byte.into()).collect()));
}

/// Hands equations and factors to a probe.
fn note_factors(registers: &Registers, s: [u8; 4], d: [u8; 4], probe: &impl Probe) {
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("blend"), name, value);
    let (func, constant) = (registers.blend_func(), registers.blend_colour().channels());
    let values = |rgb: BlendFactor, alpha: BlendFactor| {
        let value = |c| factor(if c == ALPHA { alpha } else { rgb }, c, s, d, constant) as u8;
        Value::Colour(std::array::from_fn(value))
    };
    note("equation rgb", &|| Value::name(func.rgb_equation()));
    note("equation alpha", &|| Value::name(func.alpha_equation()));
    note("source factor rgb", &|| Value::name(func.rgb_source()));
    note("source factor alpha", &|| Value::name(func.alpha_source()));
    note("source factor", &|| values(func.rgb_source(), func.alpha_source()));
    note("destination factor rgb", &|| Value::name(func.rgb_destination()));
    note("destination factor alpha", &|| Value::name(func.alpha_destination()));
    note("destination factor", &|| values(func.rgb_destination(), func.alpha_destination()));
}

/// Source and destination, blended or by the logic operation.
fn combined(registers: &Registers, s: [u8; 4], d: [u8; 4]) -> [u8; 4] {
    if registers.colour_operation().blend() {
        blend(registers, s, d)
    } else {
        let op = registers.logic_operation().op();
        std::array::from_fn(|c| logic(op, s[c], d[c]))
    }
}

/// Blending, RGB and alpha by their own equations and factors.
fn blend(registers: &Registers, s: [u8; 4], d: [u8; 4]) -> [u8; 4] {
    let func = registers.blend_func();
    let constant = registers.blend_colour().channels();
    std::array::from_fn(|c| {
        let (equation, by_source, by_destination) = match c {
            ALPHA => (func.alpha_equation(), func.alpha_source(), func.alpha_destination()),
            _ => (func.rgb_equation(), func.rgb_source(), func.rgb_destination()),
        };
        let p = factor(by_source, c, s, d, constant) * u32::from(s[c]);
        let q = factor(by_destination, c, s, d, constant) * u32::from(d[c]);
        equate(equation, p, q)
    })
}

/// Value of a factor in channel `c`.
fn factor(factor: BlendFactor, c: usize, s: [u8; 4], d: [u8; 4], constant: [u8; 4]) -> u32 {
    let value = match factor {
        BlendFactor::Zero => 0,
        BlendFactor::One => 255,
        BlendFactor::Source => s[c],
        BlendFactor::OneMinusSource => 255 - s[c],
        BlendFactor::Destination => d[c],
        BlendFactor::OneMinusDestination => 255 - d[c],
        BlendFactor::SourceAlpha => s[ALPHA],
        BlendFactor::OneMinusSourceAlpha => 255 - s[ALPHA],
        BlendFactor::DestinationAlpha => d[ALPHA],
        BlendFactor::OneMinusDestinationAlpha => 255 - d[ALPHA],
        BlendFactor::Constant => constant[c],
        BlendFactor::OneMinusConstant => 255 - constant[c],
        BlendFactor::ConstantAlpha => constant[ALPHA],
        BlendFactor::OneMinusConstantAlpha => 255 - constant[ALPHA],
        BlendFactor::SourceAlphaSaturate if c == ALPHA => 255,
        BlendFactor::SourceAlphaSaturate => s[ALPHA].min(255 - d[ALPHA]),
        // Unknown; emulators disagree.
        BlendFactor::Unknown15 => 255,
    };
    value.into()
}

/// The equation on s × S and d × D. Minimum and maximum take the factors along (measured on a console). That
/// the sum is rounded once, to nearest, is assumed.
fn equate(equation: BlendEquation, p: u32, q: u32) -> u8 {
    let result = match equation {
        BlendEquation::Add => div255r(p + q).min(255),
        BlendEquation::Subtract => div255r(p.saturating_sub(q)),
        BlendEquation::ReverseSubtract => div255r(q.saturating_sub(p)),
        BlendEquation::Min => div255r(p.min(q)),
        BlendEquation::Max => div255r(p.max(q)),
    };
    result as u8
}

/// The logic operation on one channel.
fn logic(op: LogicOp, s: u8, d: u8) -> u8 {
    match op {
        LogicOp::Clear => 0,
        LogicOp::And => s & d,
        LogicOp::AndReverse => s & !d,
        LogicOp::Copy => s,
        LogicOp::Set => 255,
        LogicOp::CopyInverted => !s,
        LogicOp::NoOp => d,
        LogicOp::Invert => !d,
        LogicOp::Nand => !(s & d),
        LogicOp::Or => s | d,
        LogicOp::Nor => !(s | d),
        LogicOp::Xor => s ^ d,
        LogicOp::Equivalent => !(s ^ d),
        LogicOp::AndInverted => !s & d,
        LogicOp::OrReverse => s | !d,
        LogicOp::OrInverted => !s | d,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::bits::Field;

    fn blended(func: u32, constant: u32, s: [u8; 4], d: [u8; 4]) -> [u8; 4] {
        let mut regs = Registers::new();
        regs.set_raw(0x100, 0x100);
        regs.set_raw(0x101, func);
        regs.set_raw(0x103, constant);
        combined(&regs, s, d)
    }

    #[test]
    fn blend_source_alpha_over() {
        assert_eq!(blended(0x7676_0000, 0, [200, 200, 200, 128], [50; 4])[0], 125);
    }

    #[test]
    fn min_and_max_apply_the_factors() {
        // Factors: the constant for the source, one for the destination.
        let with =
            |equation: u32| blended(0x1a1a_0000 | equation << 8 | equation, 0x8080_8080, [200; 4], [50; 4]);
        assert_eq!((with(3), with(4)), ([50; 4], [100; 4]));
    }

    #[test]
    fn equation_6_adds() {
        for equation in [0, 5, 6, 7] {
            let func = 0x1111_0000 | equation << 8 | equation;
            assert_eq!(blended(func, 0, [100; 4], [60; 4]), [160; 4], "{equation}");
        }
    }

    #[test]
    fn sum_saturates_and_differences_stop_at_zero() {
        let with =
            |equation: u32, s, d| blended(0x1111_0000 | equation << 8 | equation, 0, [s; 4], [d; 4])[0];
        assert_eq!([with(0, 200, 200), with(0, 255, 255), with(0, 5, 6)], [255, 255, 11]);
        assert_eq!([with(1, 200, 50), with(1, 50, 200)], [150, 0]);
        assert_eq!([with(2, 200, 50), with(2, 50, 200)], [0, 150]);
    }

    /// s a + d (255 - a) gives s for s = d, and in general the nearest integer of the exact quotient.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn blend_is_exact_and_rounded_once() {
        for a in 0..=255_u32 {
            for s in 0..=255_u32 {
                assert_eq!(u32::from(equate(BlendEquation::Add, s * a, s * (255 - a))), s);
                let d = s * 7 % 256;
                let sum = s * a + d * (255 - a);
                let result = u32::from(equate(BlendEquation::Add, s * a, d * (255 - a)));
                assert!((result * 255).abs_diff(sum) <= 127, "{s} {d} {a}");
            }
        }
    }

    #[test]
    fn every_factor() {
        let (s, d, k) = ([10, 20, 30, 40], [50, 60, 70, 80], [90, 100, 110, 120]);
        let rgb = [0, 255, 20, 235, 60, 195, 40, 215, 80, 175, 100, 155, 120, 135, 40, 255];
        let alpha = [0, 255, 40, 215, 80, 175, 40, 215, 80, 175, 120, 135, 120, 135, 255, 255];
        for code in 0..16_usize {
            let f = BlendFactor::from_bits(code as u32);
            assert_eq!(factor(f, 1, s, d, k), rgb[code], "{f:?}");
            assert_eq!(factor(f, ALPHA, s, d, k), alpha[code], "{f:?}");
        }
        assert_eq!(factor(BlendFactor::SourceAlphaSaturate, 0, [255; 4], [0, 0, 0, 200], k), 55);
    }

    /// Each group has its own equation and both of its factors, from the fields of the register.
    #[test]
    fn groups_are_apart() {
        // RGB: constant - zero; alpha: zero reverse-subtracted from one: d.
        let out = blended(0x100a_0201, 0x0000_80ff, [255; 4], [9, 9, 9, 77]);
        assert_eq!(out, [255, 128, 0, 77]);
    }

    #[test]
    fn all_logic_operations() {
        let with = |op| {
            let mut regs = Registers::new();
            regs.set_raw(0x102, op);
            combined(&regs, [0b1100; 4], [0b1010; 4]).map(|v| v & 15)
        };
        let table = [
            0b0000, 0b1000, 0b0100, 0b1100, 0b1111, 0b0011, 0b1010, 0b0101, 0b0111, 0b1110, 0b0001, 0b0110,
            0b1001, 0b0010, 0b1101, 0b1011,
        ];
        for (op, expected) in table.into_iter().enumerate() {
            assert_eq!(with(op as u32), [expected; 4], "{op}");
        }
        let mut regs = Registers::new();
        regs.set_raw(0x102, 4);
        assert_eq!(combined(&regs, [1, 2, 3, 4], [0; 4]), [255; 4]);
    }

    #[test]
    fn no_blending_in_both_ways() {
        let mut regs = Registers::new();
        regs.set_raw(0x102, 3);
        assert_eq!(combined(&regs, [1, 2, 3, 4], [9; 4]), [1, 2, 3, 4]);
        assert_eq!(blended(0x0101_0000, 0, [1, 2, 3, 4], [9; 4]), [1, 2, 3, 4]);
    }
}
