//! Depth range, alpha, colour, stencil and depth test, and fog (5.5, 10.1 to 10.3).

use super::framebuffer::Pixel;
use crate::trace::{Probe, Stage, Value, rejected};
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::pixel::{ColourTestFunc, StencilOp};
use picaflor_pipeline::ge::regs::{Registers, op};

/// Result of the tests for a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nothing is written.
    Dropped,
    /// Only this stencil value is written.
    Alpha(u8),
    /// Its colour is written, and this stencil value.
    Drawn(u8),
}

/// True if the depth is in the range that is kept. Through mode has no range.
pub(super) fn is_in_depth_range(registers: &Registers, z: i32) -> bool {
    let [least, greatest] = registers.depth_range();
    registers.is_through() || (least <= z && z <= greatest)
}

/// The alpha test (10.1).
pub(super) fn alpha_passes(registers: &Registers, alpha: u8, probe: &impl Probe) -> bool {
    let test = registers.alpha_test();
    let masked = |value: u8| u32::from(value & test.mask());
    let is_on = registers.is_on(op::ATE);
    let passes = !is_on || test.func().passes(masked(alpha), masked(test.reference()));
    if is_on {
        let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("alpha test"), name, value);
        note("alpha", &|| Value::Integer(alpha.into()));
        note("function", &|| Value::name(test.func()));
        note("reference", &|| Value::Integer(test.reference().into()));
        note("mask", &|| Value::Integer(test.mask().into()));
        note("passes", &|| Value::Flag(passes));
    }
    if !passes {
        rejected(probe, "alpha test");
    }
    passes
}

/// Fog (10.2, measured on a console); alpha stays.
pub(super) fn fogged(
    registers: &Registers,
    is_immediate: bool,
    colour: [u8; 4],
    fog: u8,
    probe: &impl Probe,
) -> [u8; 4] {
    if !registers.has_fog(is_immediate) {
        return colour;
    }
    let [fog_colour, f] = [registers.arg(op::FCOL).to_le_bytes(), [fog; 4]];
    let result =
        std::array::from_fn(|c| if c == 3 { colour[c] } else { mix(colour[c], fog_colour[c], f[c]) });
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("fog"), name, value);
    note("colour", &|| Value::Colour(colour));
    note("fog colour", &|| Value::integers([fog_colour[0], fog_colour[1], fog_colour[2]]));
    note("factor / 255", &|| Value::Integer(fog.into()));
    note("result", &|| Value::Colour(result));
    result
}

/// `c` at f = 255, the fog colour at f = 0.
fn mix(c: u8, fog_colour: u8, f: u8) -> u8 {
    let [c, fog_colour, f] = [c, fog_colour, f].map(u32::from);
    ((c * f + fog_colour * (255 - f) + 255) >> 8) as u8
}

/// The colour test (10.3).
pub(super) fn colour_passes(registers: &Registers, [r, g, b, _]: [u8; 4], probe: &impl Probe) -> bool {
    let mask = registers.arg(op::CMSK);
    let differs = (u32::from_le_bytes([r, g, b, 0]) ^ registers.arg(op::CREF)) & mask != 0;
    let passes = match registers.colour_test() {
        ColourTestFunc::Never => false,
        ColourTestFunc::Always => true,
        ColourTestFunc::Equal => !differs,
        ColourTestFunc::NotEqual => differs,
    };
    if registers.is_on(op::CTE) {
        let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("colour test"), name, value);
        note("colour", &|| Value::integers([r, g, b]));
        note("function", &|| Value::name(registers.colour_test()));
        note("reference", &|| Value::Integer(registers.arg(op::CREF).into()));
        note("mask", &|| Value::Integer(mask.into()));
        note("passes", &|| Value::Flag(passes));
    }
    let passes = !registers.is_on(op::CTE) || passes;
    if !passes {
        rejected(probe, "colour test");
    }
    passes
}

/// Stencil test, depth test and depth write (10.3). Without a stencil test the stored value stays.
pub(super) fn stencil_and_depth(registers: &Registers, pixel: &Pixel<'_>, probe: &impl Probe) -> Fate {
    let stored = pixel.colour()[3];
    let tests_stencil = registers.is_on(op::STE);
    let (test, ops) = (registers.stencil_test(), registers.stencil_ops());
    let operated = |operation| operate(operation, pixel.format(), stored, test.reference());
    let masked = |value: u8| u32::from(value & test.mask());
    let passes = !tests_stencil || test.func().passes(masked(test.reference()), masked(stored));
    if tests_stencil {
        let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("stencil test"), name, value);
        note("stored", &|| Value::Integer(stored.into()));
        note("function", &|| Value::name(test.func()));
        note("reference", &|| Value::Integer(test.reference().into()));
        note("mask", &|| Value::Integer(test.mask().into()));
        note("passes", &|| Value::Flag(passes));
    }
    if !passes {
        rejected(probe, "stencil test");
        return Fate::Alpha(operated(ops.fail()));
    }
    if !depth_passes(registers, pixel, probe) {
        rejected(probe, "depth test");
        return if tests_stencil { Fate::Alpha(operated(ops.depth_fail())) } else { Fate::Dropped };
    }
    Fate::Drawn(if tests_stencil { operated(ops.pass()) } else { stored })
}

/// The depth test; passing depths are stored. Without the test, no depth is stored (read off console results).
fn depth_passes(registers: &Registers, pixel: &Pixel<'_>, probe: &impl Probe) -> bool {
    if !registers.is_on(op::ZTE) {
        return true;
    }
    let passes = registers.depth_func().passes(pixel.new_depth as u32, pixel.depth.into());
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("depth test"), name, value);
    note("depth", &|| Value::Integer(pixel.new_depth.into()));
    note("stored", &|| Value::Integer(pixel.depth.into()));
    note("function", &|| Value::name(registers.depth_func()));
    note("passes", &|| Value::Flag(passes));
    if passes && registers.stores_depth() {
        pixel.write_depth(pixel.new_depth, probe);
    }
    passes
}

/// Applies a stencil operation to a value. The step depends on the format: 5551 has one bit, 5650 none.
fn operate(operation: StencilOp, format: PixelFormat, stored: u8, reference: u8) -> u8 {
    let step = match format {
        PixelFormat::Rgba8888 => 1,
        PixelFormat::Rgba4444 => 0x10,
        PixelFormat::Rgba5551 => 0xff,
        PixelFormat::Rgb5650 => 0,
    };
    match operation {
        StencilOp::Keep => stored,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::Invert => 255 - stored,
        StencilOp::Increment => stored.saturating_add(step),
        StencilOp::Decrement => stored.saturating_sub(step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 256 coefficients of 14.4.
    #[test]
    fn fog_as_measured() {
        assert_eq!([0, 0x80, 0xff].map(|f| mix(0x88, 0xff, f)), [0xff, 0xc3, 0x88]);
        assert!((0..=255).all(|c| mix(c, 0x12, 255) == c && mix(0x12, c, 0) == c));
    }

    #[test]
    fn steps_of_stencil_values() {
        use PixelFormat::{Rgba4444, Rgba5551, Rgba8888};
        let up = |format, value| operate(StencilOp::Increment, format, value, 0);
        let down = |format, value| operate(StencilOp::Decrement, format, value, 0);
        assert_eq!(
            [up(Rgba8888, 7), up(Rgba8888, 255), down(Rgba8888, 7), down(Rgba8888, 0)],
            [8, 255, 6, 0]
        );
        let nibbles = [up(Rgba4444, 0x11), up(Rgba4444, 0xee), down(Rgba4444, 0x11), down(Rgba4444, 0xff)];
        assert_eq!(nibbles.map(|value| value >> 4), [2, 15, 0, 14]);
        assert_eq!([up(Rgba5551, 0), up(Rgba5551, 255), down(Rgba5551, 255)], [255, 255, 0]);
    }

    #[test]
    fn other_operations() {
        let of = |operation| operate(operation, PixelFormat::Rgba8888, 0x35, 0xa7);
        let ops = [StencilOp::Keep, StencilOp::Zero, StencilOp::Replace, StencilOp::Invert];
        assert_eq!(ops.map(of), [0x35, 0, 0xa7, 0xca]);
    }

    #[test]
    fn the_colour_test_masks_both_sides() {
        let mut registers = Registers::default();
        for word in [0x2700_0001, 0xd9ff_34ff, 0xda00_ff00] {
            registers.write(word);
        }
        let passing = |registers: &mut Registers, func: u32| {
            registers.write(0xd800_0000 | func);
            [[9, 0x34, 9, 9], [9, 0x35, 9, 9]].map(|colour| colour_passes(registers, colour, &()))
        };
        let table = [0, 1, 2, 3, 6].map(|func| passing(&mut registers, func));
        assert_eq!(table, [[false; 2], [true; 2], [true, false], [false, true], [true, false]]);
        registers.write(0x2700_0000);
        assert_eq!(passing(&mut registers, 0), [true; 2]);
    }

    #[test]
    fn the_alpha_test_masks_both_sides() {
        let mut registers = Registers::default();
        for word in [0x2200_0001, 0xdbf0_8704] {
            registers.write(word);
        }
        assert_eq!(
            [0x7f, 0x80, 0x8f, 0x90].map(|alpha| alpha_passes(&registers, alpha, &())),
            [true, false, false, false]
        );
    }
}
