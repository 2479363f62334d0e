//! Frame buffer writes: blending, dithering, formats, logic operations, masks.
//!
//! Source: psp-ge.md 1.5, 10.4-10.9.

use super::blend;
use super::formats;
use super::group::Group;
use super::walk::ints;
use crate::emit::ge::span::of_draw;
use crate::emit::lanes::I32s;
use crate::emit::pixels::Colour;
use crate::ge::key::PixelKey;
use crate::ge::key::pixel::BlendKey;
use crate::ge::pixel::fragop::Stencil;
use picaflor_pipeline::ge::regs::pixel::LogicOp;

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
        let pixels = formats::stored(g.l, format, colour);
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
        let alpha = formats::stored(g.l, format, alpha);
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

/// Blended with what is there.
fn blended(g: &mut Group<'_, '_>, key: &PixelKey, blend: BlendKey, colour: Colour, old: I32s) -> Colour {
    let expanded = formats::expanded(g.l, key.format, old);
    blend::blend(g, blend, colour, expanded)
}

/// The colour itself where all pixels that are alive have an alpha of 255, otherwise that of `emit`.
fn unless_opaque(
    g: &mut Group<'_, '_>,
    colour: Colour,
    emit: impl FnOnce(&mut Group<'_, '_>) -> Colour,
) -> Colour {
    let found = g.l.colour_var();
    let [translucent, done] = [(); 2].map(|()| g.l.block());
    let alpha = g.alpha(colour);
    let most = g.l.int(255);
    let opaque = g.l.int_equal(alpha, most);
    let others = g.l.and_not(g.mask, opaque);
    let is_translucent = g.l.any(others);
    g.l.set_colour(found, colour);
    g.l.branch(is_translucent, translucent, done);

    g.l.switch_to(translucent);
    let blended = emit(g);
    g.l.set_colour(found, blended);
    g.l.jump(done);

    g.l.switch_to(done);
    g.l.get_colour(found)
}

/// Blended and dithered, 0xAABBGGRR.
fn finished(g: &mut Group<'_, '_>, key: &PixelKey, colour: Colour, old: I32s) -> I32s {
    let mut colour = colour;
    if let Some(key_blend) = key.blend {
        colour = match key_blend.covers() {
            true => unless_opaque(g, colour, |g| blended(g, key, key_blend, colour, old)),
            false => blended(g, key, key_blend, colour, old),
        };
    }
    if key.dither {
        let row = g.row();
        let row = g.l.scalar_mask(row, 3);
        let row = g.l.scalar_shl(row, 5);
        let row = g.l.scalar_add(g.constants, row);
        let matrix = g.l.load_four(row, of_draw!(dither));
        if key.blend.is_some_and(blend::exceeds_bytes) {
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
