//! Blending, dithering and the logic operation: red, green and blue only (10.4 to 10.7).

use crate::ge::number::mul8;
use crate::ge::raster::fragment::Fragment;
use crate::trace::{Probe, Stage, Value};
use picaflor_pipeline::ge::regs::pixel::{BlendEquation, BlendFactor, LogicOp};
use picaflor_pipeline::ge::regs::{Registers, op};

/// The colour before the write mask, from the pixel's and the stored colour.
pub(super) fn combined(
    registers: &Registers,
    at: &Fragment,
    source: [u8; 4],
    stored: [u8; 4],
    probe: &impl Probe,
) -> [u8; 3] {
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("blend"), name, value);
    note("source", &|| Value::Colour(source));
    note("destination", &|| Value::Colour(stored));
    let blended = if registers.is_on(op::ABE) {
        let blending = registers.blending();
        note("equation", &|| Value::name(blending.equation()));
        note("source factor", &|| Value::name(blending.source()));
        note("destination factor", &|| Value::name(blending.destination()));
        blend(registers, source, stored)
    } else {
        [0, 1, 2].map(|c| source[c].into())
    };
    note("blended", &|| Value::integers(blended));
    let new = dithered(registers, at, blended);
    note("dithered and clamped", &|| Value::integers(new));
    if !registers.is_on(op::LOE) {
        return new;
    }
    let result = std::array::from_fn(|c| logic(registers.logic_op(), new[c], stored[c]));
    note("logic operation", &|| Value::name(registers.logic_op()));
    note("result", &|| Value::integers(result));
    result
}

/// Adds the entry of the dither matrix, if enabled, and clamps. Values above 255 are clamped here and not earlier.
pub(super) fn dithered(registers: &Registers, at: &Fragment, colour: [i32; 3]) -> [u8; 3] {
    let added = if registers.is_on(op::DTE) { registers.dither(at.x, at.y) } else { 0 };
    colour.map(|c| (c + added).clamp(0, 255) as u8)
}

/// Blending (10.5, measured on a console). Differences of products above 255 are not cut in between (assumed).
fn blend(registers: &Registers, source: [u8; 4], destination: [u8; 4]) -> [i32; 3] {
    let blending = registers.blending();
    let [source_fixed, destination_fixed] =
        [op::SFIX, op::DFIX].map(|register| registers.arg(register).to_le_bytes());
    std::array::from_fn(|c| {
        let [s, d] = [source[c], destination[c]];
        let alphas = [source[3], destination[3]];
        let by_source = factor(blending.source(), d, source_fixed[c], alphas);
        let by_destination = factor(blending.destination(), s, destination_fixed[c], alphas);
        let products = [mul8(s.into(), by_source), mul8(d.into(), by_destination)];
        equate(blending.equation(), products.map(u32::cast_signed), [s, d].map(i32::from))
    })
}

/// Value of a factor, from the other colour, the fixed colour, and the alphas of source and destination.
fn factor(factor: BlendFactor, other: u8, fixed: u8, alphas: [u8; 2]) -> u32 {
    let [source, destination] = alphas.map(u32::from);
    match factor {
        BlendFactor::Other => other.into(),
        BlendFactor::OneMinusOther => (255 - other).into(),
        BlendFactor::SourceAlpha => source,
        BlendFactor::OneMinusSourceAlpha => 255 - source,
        BlendFactor::DestinationAlpha => destination,
        BlendFactor::OneMinusDestinationAlpha => 255 - destination,
        BlendFactor::DoubleSourceAlpha => 2 * source,
        BlendFactor::OneMinusDoubleSourceAlpha => 255 - (2 * source).min(255),
        BlendFactor::DoubleDestinationAlpha => 2 * destination,
        BlendFactor::OneMinusDoubleDestinationAlpha => 255 - (2 * destination).min(255),
        BlendFactor::Fixed => fixed.into(),
    }
}

/// The equation on the products S and D and the colours s and d.
fn equate(equation: BlendEquation, [product_s, product_d]: [i32; 2], [s, d]: [i32; 2]) -> i32 {
    match equation {
        BlendEquation::Add => (product_s + product_d).min(255),
        BlendEquation::Subtract => (product_s - product_d).max(0),
        BlendEquation::ReverseSubtract => (product_d - product_s).max(0),
        BlendEquation::Min => s.min(d),
        BlendEquation::Max => s.max(d),
        BlendEquation::AbsoluteDifference => (s - d).abs(),
        BlendEquation::Off => s,
    }
}

/// The logic operation on one channel. Narrower formats drop the lower bits afterwards, with the same result.
fn logic(operation: LogicOp, s: u8, d: u8) -> u8 {
    match operation {
        LogicOp::Clear => 0,
        LogicOp::And => s & d,
        LogicOp::AndReverse => s & !d,
        LogicOp::Copy => s,
        LogicOp::AndInverted => !s & d,
        LogicOp::NoOp => d,
        LogicOp::Xor => s ^ d,
        LogicOp::Or => s | d,
        LogicOp::Nor => !(s | d),
        LogicOp::Equivalent => !(s ^ d),
        LogicOp::Inverted => !d,
        LogicOp::OrReverse => s | !d,
        LogicOp::CopyInverted => !s,
        LogicOp::OrInverted => !s | d,
        LogicOp::Nand => !(s & d),
        LogicOp::Set => 255,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red of source over destination, both 0xAABBGGRR.
    fn red(alpha: u32, sfix: u32, dfix: u32, destination: u32, source: u32) -> i32 {
        let mut registers = Registers::default();
        for word in [0xdf00_0000 | alpha, 0xe000_0000 | sfix, 0xe100_0000 | dfix] {
            registers.write(word);
        }
        blend(&registers, source.to_le_bytes(), destination.to_le_bytes())[0]
    }

    /// The source times a factor, as 14.1 lists it.
    fn scaled(factor: u32, destination: u32, source: u32) -> i32 {
        red(0xa0 | factor, 0, 0, destination, source)
    }

    /// The first table of 14.1.
    #[test]
    fn doubled_factors_as_measured() {
        let table = [
            (6, 0x4040_4040, 0x8080_8080, 0x80),
            (6, 0x4040_4040, 0x8090_9090, 0x90),
            (6, 0x4040_4040, 0x9080_8080, 0x90),
            (6, 0x4040_4040, 0xff70_7070, 0xe0),
            (6, 0x4040_4040, 0xff90_9090, 0xff),
            (6, 0x4040_4040, 0x7fff_ffff, 0xfe),
            (6, 0x4040_4040, 0xff7f_7f7f, 0xfe),
            (7, 0x4040_4040, 0x8080_8080, 0x00),
            (7, 0x4040_4040, 0x8090_9090, 0x00),
            (7, 0x4040_4040, 0x9080_8080, 0x00),
            (7, 0x4040_4040, 0x4080_8080, 0x3f),
            (7, 0x4040_4040, 0x7fff_ffff, 0x01),
            (7, 0x4040_4040, 0xff7f_7f7f, 0x00),
            (8, 0x4040_4040, 0x8080_8080, 0x40),
            (8, 0x9040_4040, 0x8080_8080, 0x90),
            (8, 0x4040_4040, 0x8090_9090, 0x48),
            (8, 0xff40_4040, 0x7070_7070, 0xe0),
            (8, 0x7f40_4040, 0xffff_ffff, 0xfe),
            (9, 0x4040_4040, 0x8080_8080, 0x3f),
            (9, 0x7f40_4040, 0xffff_ffff, 0x01),
        ];
        for (factor, destination, source, expected) in table {
            assert_eq!(scaled(factor, destination, source), expected, "{factor} {destination:x} {source:x}");
        }
    }

    #[test]
    fn source_over_destination_as_measured() {
        let mut registers = Registers::default();
        registers.write(0xdf00_0032);
        let out = blend(&registers, 0xeedd_ccbb_u32.to_le_bytes(), [0x44; 4]);
        assert_eq!(out, [0xb2, 0xc2, 0xd2]);
    }

    /// The second table of 14.1.
    #[test]
    fn every_factor_as_measured() {
        let (destination, source) = (0x5040_4040, 0x9080_8080);
        let by_source = [0x20, 0x60, 0x48, 0x37, 0x28, 0x58, 0x90, 0x00, 0x50, 0x2f];
        let by_destination = [0x20, 0x20, 0x24, 0x1c, 0x14, 0x2c, 0x48, 0x00, 0x28, 0x18];
        for code in 0..10 {
            let expected = by_source[code as usize];
            assert_eq!(red(0xa0 | code, 0, 0, destination, source), expected, "source {code}");
            let expected = by_destination[code as usize];
            assert_eq!(red(code << 4 | 10, 0, 0, destination, source), expected, "destination {code}");
        }
        assert!((10..16).all(|code| red(0xa0 | code, 0x80_8080, 0, destination, source) == 0x40));
    }

    /// White on white with fixed factors F0 and 0F.
    #[test]
    fn equations_as_measured() {
        let with = |equation: u32, sfix, dfix| red(equation << 8 | 0xaa, sfix, dfix, u32::MAX, u32::MAX);
        let both = |equation| [with(equation, 0xf0, 0x0f), with(equation, 0x0f, 0xf0)];
        assert_eq!([both(0), both(1), both(2)], [[0xff, 0xff], [0xe1, 0], [0, 0xe1]]);
        let apart = [3, 4, 5, 6, 7].map(|equation: u32| red(equation << 8 | 0xaa, 0x80, 0x80, 0xf0, 0x0f));
        assert_eq!(apart, [0x0f, 0xf0, 0xe1, 0x0f, 0x0f]);
    }

    #[test]
    fn all_logic_operations() {
        let table = [
            0b0000, 0b1000, 0b0100, 0b1100, 0b0010, 0b1010, 0b0110, 0b1110, 0b0001, 0b1001, 0b0101, 0b1101,
            0b0011, 0b1011, 0b0111, 0b1111,
        ];
        let all =
            LogicOp::ALL.iter().map(|&operation| logic(operation, 0b1100, 0b1010) & 15).collect::<Vec<_>>();
        assert_eq!(all, table);
    }
}
