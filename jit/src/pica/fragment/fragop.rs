//! Alpha, stencil and depth test with their writes, as `interp::fragment::fragop`.

use super::quad::Quad;
use crate::emit::lanes::{I32s, Lanes, Mask, Scalar};
use crate::emit::pica::block::slot;
use crate::emit::pica::constants::{OutputConstants, constant, pair};
use crate::emit::pixels::{Channel, Colour};
use crate::pica::key::fragment::output::{MergerKey, StencilKey};
use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::condcodes::IntCC;
use picaflor_pipeline::pica::regs::fragop::StencilOp;
use picaflor_pipeline::pica::regs::framebuffer::DepthFormat;
use picaflor_pipeline::pica::regs::{CompareFunc, Registers};

/// The alpha test; goes to `next` when no pixel is left.
pub(super) fn alpha(quad: &mut Quad<'_, '_>, func: CompareFunc, colour: Colour, next: Block) {
    let alpha = quad.l.plane(colour, Channel::Alpha);
    let reference = quad.integer(constant!(output.alpha_reference));
    quad.mask = passing(quad.l, quad.mask, func, alpha, reference);
    leave_when_none(quad, next);
}

/// Stencil and depth test and their writes; goes to `next` when no pixel is left.
pub(super) fn stencil_and_depth(quad: &mut Quad<'_, '_>, key: &MergerKey, at: Scalar, next: Block) {
    let bytes = key.depth.format.bytes();
    let old = if key.touches_depth() { quad.l.load_pixels(at, bytes) } else { quad.l.int(0) };
    let covered = quad.mask;
    let passed = key.stencil.map_or(covered, |stencil| stencil_passes(quad, &stencil, covered, old));
    let depth = key.used_depth().map(|format| quantised(quad, format));
    let drawn = depth_passes(quad, key, passed, depth, old);
    quad.mask = drawn;
    let stencil = key.stencil.filter(StencilKey::writes);
    // Stencils also change where no pixel is left.
    let new = stencil.map_or(old, |stencil| updated(quad, &stencil, [covered, passed, drawn], old));
    let writes_depth = depth.filter(|_| key.depth.writes);
    if stencil.is_some() {
        let new = writes_depth.map_or(new, |depth| with_depth(quad, key, depth, new));
        quad.l.store_pixels(new, at, bytes);
    }
    if drawn != covered && (key.colour.is_some() || key.depth.writes) {
        leave_when_none(quad, next);
    }
    if let (None, Some(depth)) = (stencil, writes_depth) {
        let new = with_depth(quad, key, depth, old);
        quad.l.store_pixels(new, at, bytes);
    }
}

/// Goes on with `next` when no pixel is left.
fn leave_when_none(quad: &mut Quad<'_, '_>, next: Block) {
    let alive = quad.l.block();
    let bits = quad.l.sign_bits(quad.mask);
    quad.l.branch(bits.0, alive, next);
    quad.l.switch_to(alive);
}

/// Depth as an integer of the buffer's width.
pub(super) fn quantised(quad: &mut Quad<'_, '_>, format: DepthFormat) -> I32s {
    if quad.common().most_depth == 0 {
        return computed(quad, format);
    }
    quad.common_or(slot::DEPTH, |quad| quad.common_integer(slot::COMMON_DEPTH), |quad| computed(quad, format))
}

/// Depth of each pixel is 0 to 1, so the truncation fits.
fn computed(quad: &mut Quad<'_, '_>, format: DepthFormat) -> I32s {
    let depth = quad.depth();
    let scale = quad.l.float(((1_u32 << format.depth_bits()) - 1) as f32);
    let scaled = quad.l.fmul(depth, scale);
    quad.l.float_to_int_loose(scaled)
}

fn stencil_passes(quad: &mut Quad<'_, '_>, key: &StencilKey, mask: Mask, old: I32s) -> Mask {
    if matches!(key.func, CompareFunc::Always | CompareFunc::Never) {
        let nothing = quad.l.int(0);
        return passing(quad.l, mask, key.func, nothing, nothing);
    }
    let seen = seen_stencil(quad.l, key, old);
    let input = quad.integer(constant!(output.stencil_input));
    let seen = quad.l.int_and(seen, input);
    let reference = quad.integer(constant!(output.stencil_compared));
    passing(quad.l, mask, key.func, reference, seen)
}

/// The stencil that test and operations see.
fn seen_stencil(l: &mut Lanes<'_>, key: &StencilKey, old: I32s) -> I32s {
    if key.reads { l.int_shr(old, 24) } else { l.int(0) }
}

fn depth_passes(
    quad: &mut Quad<'_, '_>,
    key: &MergerKey,
    mask: Mask,
    depth: Option<I32s>,
    old: I32s,
) -> Mask {
    let func = key.depth.func;
    let (true, Some(depth)) = (key.depth.is_compared(), depth) else {
        let nothing = quad.l.int(0);
        return passing(quad.l, mask, func, nothing, nothing);
    };
    let stored = if !key.depth.reads {
        quad.l.int(0)
    } else if key.depth.format == DepthFormat::D24S8 {
        let low = quad.l.int(0x00ff_ffff);
        quad.l.int_and(old, low)
    } else {
        old
    };
    passing(quad.l, mask, func, depth, stored)
}

/// The pixels of a mask that pass a comparison of values below 2^31.
fn passing(l: &mut Lanes<'_>, mask: Mask, func: CompareFunc, a: I32s, b: I32s) -> Mask {
    let cc = match func {
        CompareFunc::Always => return mask,
        CompareFunc::Never => return l.none(),
        CompareFunc::Equal => IntCC::Equal,
        CompareFunc::NotEqual => IntCC::NotEqual,
        CompareFunc::Less => IntCC::SignedLessThan,
        CompareFunc::LessEqual => IntCC::SignedLessThanOrEqual,
        CompareFunc::Greater => IntCC::SignedGreaterThan,
        CompareFunc::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
    };
    let pass = l.int_compare(cc, a, b);
    l.and(mask, pass)
}

/// Pixels of the depth buffer with depth where a pixel is left.
fn with_depth(quad: &mut Quad<'_, '_>, key: &MergerKey, depth: I32s, old: I32s) -> I32s {
    let l = &mut *quad.l;
    if key.depth.format != DepthFormat::D24S8 {
        return l.int_select(quad.mask, depth, old);
    }
    let high = l.int(0xff00_0000_u32 as i32);
    let stencil = l.int_and(old, high);
    let new = l.int_or(stencil, depth);
    l.int_select(quad.mask, new, old)
}

/// Pixels of the depth buffer after the stencil operations: of those that fail the stencil test, of those
/// that fail the depth test, of those that are drawn. `masks`: those that each step leaves.
fn updated(quad: &mut Quad<'_, '_>, key: &StencilKey, masks: [Mask; 3], old: I32s) -> I32s {
    let seen = seen_stencil(quad.l, key, old);
    let mut value = quad.l.int_shr(old, 24);
    for (n, &op) in key.ops.iter().enumerate().filter(|&(_, &op)| op != StencilOp::Keep) {
        let result = stencil_result(quad, op, seen);
        let l = &mut *quad.l;
        let happens = if n < 2 { l.and_not(masks[n], masks[n + 1]) } else { masks[n] };
        value = l.int_select(happens, result, value);
    }
    // Bits that are masked off keep what memory holds, even where it cannot be seen.
    let writable = quad.integer(constant!(output.stencil_write));
    let high = quad.l.int_shl(value, 24);
    quad.l.int_bits_select(writable, high, old)
}

/// A stencil operation; bits above the eighth are undefined.
fn stencil_result(quad: &mut Quad<'_, '_>, op: StencilOp, seen: I32s) -> I32s {
    if op == StencilOp::Replace {
        return quad.integer(constant!(output.stencil_reference));
    }
    let l = &mut *quad.l;
    let [zero, one, most] = [0, 1, 255].map(|n| l.int(n));
    match op {
        StencilOp::Keep | StencilOp::Replace => seen,
        StencilOp::Zero => zero,
        StencilOp::Invert => l.int_xor(seen, most),
        StencilOp::IncrementWrap => l.int_add(seen, one),
        StencilOp::DecrementWrap => l.int_sub(seen, one),
        StencilOp::Increment => {
            let sum = l.int_add(seen, one);
            l.int_min(sum, most)
        }
        StencilOp::Decrement => {
            let difference = l.int_sub(seen, one);
            l.int_max(difference, zero)
        }
    }
}

/// The constants of a draw.
pub(super) fn bind(constants: &mut OutputConstants, registers: &Registers) {
    let stencil = registers.stencil_test();
    let (reference, input) = (stencil.reference(), stencil.input_mask());
    let splat = |value: u8| [i32::from(value); 4];
    let penumbra = registers.fragop_shadow();
    *constants = OutputConstants {
        alpha_reference: splat(registers.alpha_test().reference()),
        stencil_reference: splat(reference),
        stencil_compared: splat(reference & input),
        stencil_input: splat(input),
        stencil_write: [(u32::from(stencil.write_mask()) << 24) as i32; 4],
        blend: pair(registers.blend_colour().channels()),
        penumbra_constant: [penumbra.constant().to_f32(); 4],
        penumbra_linear: [penumbra.linear().to_f32(); 4],
    };
}
