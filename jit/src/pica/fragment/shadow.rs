//! Fragment operations of shadow mode, as `interp::fragment::shadow`.

use super::fragop;
use super::quad::Quad;
use crate::emit::lanes::{I32s, Scalar};
use crate::emit::pica::constants::constant;
use crate::emit::pixels::{Channel, Colour};
use cranelift_codegen::ir::condcodes::IntCC;
use picaflor_pipeline::pica::regs::framebuffer::DepthFormat;

/// The bytes of cells with those of depth turned round: in memory its highest is the first.
const TURNED: [u8; 16] = [2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15];

/// Draws into the shadow map.
pub(super) fn draw(quad: &mut Quad<'_, '_>, at: Scalar, colour: Colour) {
    let green = quad.l.plane(colour, Channel::Green);
    let depth = fragop::quantised(quad, DepthFormat::D24S8);
    let stored = quad.l.load_ints(at, 0);
    let cell = quad.l.arrange_bytes(stored, stored, TURNED);
    let low = quad.l.int(0x00ff_ffff);
    let old_depth = quad.l.int_and(cell, low);
    let softened = softened(quad, green, depth, old_depth);
    let l = &mut *quad.l;
    let nearer = l.int_compare(IntCC::SignedLessThan, depth, old_depth);
    let drawn = l.and(quad.mask, nearer);
    let old = l.int_shr(cell, 24);
    let intensity = l.int_min(old, softened);
    let intensity = l.int_shl(intensity, 24);
    let penumbra = l.int_or(intensity, old_depth);
    let old = l.int_sub(cell, old_depth);
    let occluder = l.int_or(old, depth);
    let zero = l.int(0);
    let is_occluder = l.int_compare(IntCC::Equal, green, zero);
    let new = l.int_select(is_occluder, occluder, penumbra);
    let new = l.arrange_bytes(new, new, TURNED);
    let merged = l.int_select(drawn, new, stored);
    l.store_ints(merged, at, 0);
}

/// The intensity of a penumbra, 0 to 255. A quotient that is no number is 0.
fn softened(quad: &mut Quad<'_, '_>, green: I32s, depth: I32s, old_depth: I32s) -> I32s {
    let [green, depth, old_depth] = [green, depth, old_depth].map(|value| quad.l.int_to_float(value));
    let ratio = quad.l.fdiv(depth, old_depth);
    let linear = quad.number(constant!(output.penumbra_linear));
    let product = quad.l.fmul(linear, ratio);
    let constant = quad.number(constant!(output.penumbra_constant));
    let sum = quad.l.fadd(constant, product);
    let quotient = quad.l.fdiv(green, sum);
    let (zero, most) = (quad.l.float(0.0), quad.l.float(255.0));
    let clamped = quad.l.clamp(quotient, zero, most);
    quad.l.float_to_int_loose(clamped)
}
