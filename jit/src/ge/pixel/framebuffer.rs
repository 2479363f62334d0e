//! Frame buffer writes: blending, dithering, formats, logic operations, masks.
//!
//! Source: psp-ge.md 1.5, 10.4-10.9.

use super::blend;
use super::group::Group;
use super::walk::ints;
use crate::emit::ge::span::of_draw;
use crate::emit::lanes::I32s;
use crate::emit::pixels::Colour;
use crate::ge::key::PixelKey;
use crate::ge::pixel::fragop::Stencil;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::pixel::{BlendEquation, LogicOp};

/// Writes the pixels of a group that are alive, and the stencil values of those that were reached.
pub(crate) fn write(g: &mut Group<'_, '_>, key: &PixelKey, colour: Option<Colour>, stencil: &Stencil) {
    if !key.written.colour && !key.written.alpha {
        return;
    }
    let format = key.format;
    let old = g.old(format.bytes());
    let zero = g.l.int(0);
    let (mut new, mut written) = (zero, zero);
    if let Some(colour) = colour.filter(|_| key.written.colour) {
        let colour = finished(g, key, colour, old);
        let pixels = stored(g, format, colour);
        new = logic(g, key.logic, pixels, old);
        let bits = g.integer(of_draw!(written));
        written = g.l.int_and(bits, ints(g.mask));
    }
    if key.written.alpha {
        let (alpha, reached) = match (stencil.value, colour) {
            (Some(value), _) => (g.l.int_shl(value, 24), stencil.reached),
            // In clear mode.
            (None, Some(colour)) => (g.l.pack(colour), g.mask),
            (None, None) => (zero, g.mask),
        };
        let alpha = stored(g, format, alpha);
        let bits = g.integer(of_draw!(written) + 16);
        let bits = g.l.int_and(bits, ints(reached));
        new = g.l.int_bits(bits, alpha, new);
        written = g.l.int_or(written, bits);
    }
    let pixels = g.l.int_bits(written, new, old);
    let at = g.places.colour.expect("the code touches colours");
    match format.bytes() {
        4 => g.l.store_ints(pixels, at, 0),
        _ => g.l.store_halves(pixels, at, 0),
    }
}

/// Blended and dithered, 0xAABBGGRR.
fn finished(g: &mut Group<'_, '_>, key: &PixelKey, colour: Colour, old: I32s) -> I32s {
    let mut colour = colour;
    if let Some(key_blend) = key.blend {
        let expanded = expanded(g, key.format, old);
        let expanded = g.l.unpack(expanded);
        colour = blend::blend(g, key_blend, colour, expanded);
    }
    if key.dither {
        let row = g.row();
        let row = g.l.scalar_mask(row, 3);
        let row = g.l.scalar_shl(row, 5);
        let row = g.l.scalar_add(g.constants, row);
        let matrix = g.l.load_four(row, of_draw!(dither));
        if key.blend.is_some_and(|blend| blend.equation == BlendEquation::Add) {
            // Only sums are cut before they are dithered (10.5).
            let most = g.l.channel_splat(255);
            colour = g.l.colour_min(colour, most);
        }
        let sum = g.l.colour_add(colour, matrix);
        let zero = g.l.channel_splat(0);
        colour = g.l.colour_signed_max(sum, zero);
    }
    g.l.pack(colour)
}

/// Colours of the buffer as 0xAABBGGRR (1.5); 5650 has alpha 0.
fn expanded(g: &mut Group<'_, '_>, format: PixelFormat, old: I32s) -> I32s {
    let parts: &[(i8, u32)] = match format {
        PixelFormat::Rgba8888 => return old,
        PixelFormat::Rgb5650 => {
            &[(3, 0xf8), (-2, 0x07), (5, 0xfc00), (-1, 0x300), (8, 0x00f8_0000), (3, 0x0007_0000)]
        }
        PixelFormat::Rgba5551 => {
            &[(3, 0xf8), (-2, 0x07), (6, 0xf800), (1, 0x700), (9, 0x00f8_0000), (4, 0x0007_0000)]
        }
        PixelFormat::Rgba4444 => {
            let nibbles = joined(g, old, &[(0, 0xf), (4, 0xf00), (8, 0x000f_0000), (12, 0x0f00_0000)]);
            let high = g.l.int_shl(nibbles, 4);
            return g.l.int_or(nibbles, high);
        }
    };
    let colour = joined(g, old, parts);
    if format == PixelFormat::Rgb5650 {
        return colour;
    }
    let top = g.l.int_shl(old, 16);
    let sign = g.l.int_sar(top, 31);
    let alpha = g.l.moved(sign, 0, 0xff00_0000);
    g.l.int_or(colour, alpha)
}

/// Pixels 0xAABBGGRR as the format keeps them.
fn stored(g: &mut Group<'_, '_>, format: PixelFormat, pixels: I32s) -> I32s {
    let parts: &[(i8, u32)] = match format {
        PixelFormat::Rgba8888 => return pixels,
        PixelFormat::Rgb5650 => &[(-3, 0x1f), (-5, 0x7e0), (-8, 0xf800)],
        PixelFormat::Rgba5551 => &[(-3, 0x1f), (-6, 0x3e0), (-9, 0x7c00), (-16, 0x8000)],
        PixelFormat::Rgba4444 => &[(-4, 0xf), (-8, 0xf0), (-12, 0xf00), (-16, 0xf000)],
    };
    joined(g, pixels, parts)
}

/// Fields moved to their places.
fn joined(g: &mut Group<'_, '_>, pixels: I32s, parts: &[(i8, u32)]) -> I32s {
    let mut all = None;
    for &(by, mask) in parts {
        let field = g.l.moved(pixels, by, mask);
        all = Some(match all {
            Some(all) => g.l.int_or(all, field),
            None => field,
        });
    }
    all.expect("a format has fields")
}

/// A logic operation on pixels as they are kept; alpha is of no meaning afterwards.
fn logic(g: &mut Group<'_, '_>, op: LogicOp, s: I32s, d: I32s) -> I32s {
    let all = g.l.int(-1);
    let not = |g: &mut Group<'_, '_>, a| g.l.int_xor(a, all);
    match op {
        LogicOp::Copy => s,
        LogicOp::NoOp => d,
        LogicOp::Clear => g.l.int(0),
        LogicOp::Set => all,
        LogicOp::And => g.l.int_and(s, d),
        LogicOp::Or => g.l.int_or(s, d),
        LogicOp::Xor => g.l.int_xor(s, d),
        LogicOp::AndReverse => g.l.int_and_not(s, d),
        LogicOp::AndInverted => g.l.int_and_not(d, s),
        LogicOp::Inverted => not(g, d),
        LogicOp::CopyInverted => not(g, s),
        LogicOp::Nor => {
            let or = g.l.int_or(s, d);
            not(g, or)
        }
        LogicOp::Equivalent => {
            let xor = g.l.int_xor(s, d);
            not(g, xor)
        }
        LogicOp::Nand => {
            let and = g.l.int_and(s, d);
            not(g, and)
        }
        LogicOp::OrReverse => {
            let inverted = not(g, d);
            g.l.int_or(s, inverted)
        }
        LogicOp::OrInverted => {
            let inverted = not(g, s);
            g.l.int_or(inverted, d)
        }
    }
}
