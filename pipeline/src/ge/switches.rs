//! Switches: what selects how pixels and vertices are computed, in contrast to the numbers that they are computed from.
//!
//! Source: psp-ge.md, the chapters on the registers. What is switched off counts as nothing, so that leftovers of other
//! draws make no state of their own.
//!
//! A run pays when it first draws with some switches. So what an engine makes for a state, code above all, must not depend on
//! more than its switches: a guest would not pay for the rest.

use crate::bits::Field;
use crate::ge::raster::Shape;
use crate::ge::regs::pixel::PixelFormat;
use crate::ge::regs::{Registers, op};
use crate::ge::stage::PixelState;
use crate::ge::vertex_type::VertexType;

/// The words of a kind of switches; the first one tells the kinds apart.
pub type Switches = [u32; 16];

/// Bits of an argument, or 0 where something else is off.
fn under(registers: &Registers, is_on: bool, command: u8, mask: u32) -> u32 {
    if is_on { 1 << 31 | registers.arg(command) & mask } else { 0 }
}

/// The switches of a list of commands, a bit each.
fn on(registers: &Registers, commands: &[u8]) -> u32 {
    commands.iter().fold(0, |bits, &command| bits << 1 | u32::from(registers.is_on(command)))
}

/// A word of flags.
fn flags<const N: usize>(flags: [bool; N]) -> u32 {
    flags.into_iter().fold(0, |word, flag| word << 1 | u32::from(flag))
}

/// The bits of a colour that a format stores.
const fn stored(format: PixelFormat) -> u32 {
    match format {
        PixelFormat::Rgb5650 => 0x00f8_fcf8,
        PixelFormat::Rgba5551 => 0x80f8_f8f8,
        PixelFormat::Rgba4444 => 0xf0f0_f0f0,
        PixelFormat::Rgba8888 => 0xffff_ffff,
    }
}

/// Switches of pixels.
#[must_use]
pub fn of_pixels(state: &PixelState<'_>, shape: Shape) -> Switches {
    let r = state.registers;
    let is_normal = !r.clear_mode().enable();
    let test = |enable, command, mask| under(r, is_normal && r.is_on(enable), command, mask);
    let (written, range) = (!r.write_mask() & stored(r.pixel_format()), r.depth_range());
    let is_dithered = r.is_on(op::DTE) && (0..4).any(|row| r.arg(op::DTH0 + row) != 0);
    let common = flags([
        shape == Shape::Triangle,
        state.is_immediate,
        r.is_through(),
        written & 0xff_ffff != 0,
        written >> 24 != 0,
        range != [0, 0xffff],
        is_dithered,
        r.has_secondary(state.is_immediate),
    ]);
    let detail = flags([r.texture_bias().bias() <= 0, r.sampled_levels().len() == 1]);
    let (is_textured, has_stencil) = (is_normal && r.is_on(op::TME), is_normal && r.is_on(op::STE));
    [
        common,
        r.arg(op::CLEAR) & 0x701 | (r.arg(op::PSM) & 3) << 16,
        if is_normal { on(r, &[op::FGE, op::SHADE, op::ZMSK]) } else { 0 },
        test(op::TME, op::TFUNC, 0x1_0107),
        test(op::TME, op::TFLT, 0x107),
        test(op::TME, op::TWRAP, 0x101),
        test(op::TME, op::TBIAS, 3),
        if is_textured { detail | u32::from(r.texture_mode().max_level() > 0) << 2 } else { 0 },
        if is_normal && r.is_on(op::ATE) { 8 | r.alpha_test().effective().to_bits() } else { 0 },
        test(op::CTE, op::CTST, 3),
        test(op::STE, op::STST, 7),
        under(r, has_stencil, op::SOP, 0x7_0707),
        test(op::ZTE, op::ZTST, 7),
        test(op::ABE, op::ALPHA, 0x7ff),
        test(op::LOE, op::LOP, 15),
        // No state has the switches of none.
        1,
    ]
}

/// The kinds of exponents: without effect, with one, beyond all numbers.
fn exponent(value: f32) -> u32 {
    match value {
        _ if value.is_finite() => 1 + u32::from(value > 0.0),
        _ => 3 + u32::from(value.is_sign_negative()),
    }
}

/// Switches of vertices.
#[must_use]
pub fn of_vertices(registers: &Registers) -> Switches {
    /// Bits that say how indices are stored.
    const INDEX: u32 = 3 << 11;
    let r = registers;
    let VertexType(vertex_type) = r.vertex_type();
    let is_lit = r.is_on(op::LTE) && !r.is_through();
    let lights = [0, 1, 2, 3].map(|n| is_lit && r.is_on(op::LTE0 + n));
    let light = |n: u8| under(r, lights[usize::from(n)], op::LT0 + n, 0x303);
    let power = |n: u8| if lights[usize::from(n)] { exponent(r.light(n).exponent) } else { 0 };
    let powers = (0..4).fold(0, |word, n| word << 4 | power(n));
    let mut switches = Switches::default();
    switches[..11].copy_from_slice(&[
        1 << 30,
        vertex_type & !INDEX,
        on(r, &[op::TME, op::FGE, op::LMODE, op::RNORM]),
        under(r, r.is_on(op::TME), op::TMAP, 0x303),
        under(r, is_lit, op::CMAT, 7),
        light(0),
        light(1),
        light(2),
        light(3),
        powers | if is_lit { exponent(r.float(op::SPOW)) << 16 } else { 0 },
        u32::from(r.is_on(op::FGE) && r.float(op::FFAR).is_finite()),
    ]);
    switches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[(u8, u32)]) -> Switches {
        let mut registers = Registers::default();
        words.iter().for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
        of_vertices(&registers)
    }

    #[test]
    fn what_is_off_is_no_switch() {
        let unlit = of(&[(op::VTYPE, 3 << 7)]);
        assert_eq!(of(&[(op::VTYPE, 3 << 7 | 1 << 11), (op::LT0, 2 << 8), (op::CMAT, 3)]), unlit);
        let lit = of(&[(op::VTYPE, 3 << 7), (op::LTE, 1), (op::LTE0, 1)]);
        assert_ne!(lit, unlit);
        assert_ne!(of(&[(op::VTYPE, 3 << 7), (op::LTE, 1), (op::LTE0, 1), (op::LT0, 2 << 8)]), lit);
        let spot = [(op::VTYPE, 3 << 7), (op::LTE, 1), (op::LTE0, 1), (op::LT0, 2 << 8)];
        let infinite = [&spot[..], &[(op::LSE0, 0x7f_8000)]].concat();
        assert_ne!(of(&infinite), of(&spot));
        // Numbers of a light.
        assert_eq!(of(&[(op::VTYPE, 3 << 7), (op::LTE, 1), (op::LTE0, 1), (op::LXP0, 9)]), lit);
    }
}
