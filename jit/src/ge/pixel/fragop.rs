//! The tests of a pixel: depth range, alpha, colour, stencil and depth.
//!
//! Source: psp-ge.md 5.5, 10.1, 10.3.

use super::group::Group;
use super::walk::ints;
use crate::emit::ge::span::{of_draw, of_primitive};
use crate::emit::lanes::{I32s, Mask};
use crate::emit::pixels::Colour;
use crate::ge::key::PixelKey;
use crate::ge::key::pixel::DepthKey;
use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::condcodes::IntCC;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::pixel::{ColourTestFunc, CompareFunc, StencilOp};

/// Result of the stencil operations on a group.
pub(crate) struct Stencil {
    /// Pixels whose stencil value may change, those that the tests drop among them.
    pub(crate) reached: Mask,
    /// Their values.
    pub(crate) value: Option<I32s>,
}

/// Drops pixels whose depth is out of range. Where no depth of the primitive is, none is looked at.
pub(crate) fn depth_range(g: &mut Group<'_, '_>, key: &PixelKey, next: Block) {
    if key.depth.is_some() {
        // Otherwise it is not known after the branch.
        g.depth();
    }
    let inside = g.where_nonzero(of_primitive!(leaves_range), |g| ints(in_range(g, next)), |g| ints(g.mask));
    g.mask = Mask(inside.0);
}

fn in_range(g: &mut Group<'_, '_>, next: Block) -> Mask {
    let depth = g.depth();
    let [least, most] = [0, 1].map(|n| g.integer(of_draw!(depth_range) + n * 16));
    let below = g.l.int_compare(IntCC::SignedGreaterThan, least, depth);
    let above = g.l.int_compare(IntCC::SignedGreaterThan, depth, most);
    let out = g.l.or(below, above);
    let inside = g.l.and_not(g.mask, out);
    g.end_if_none(inside, next);
    inside
}

/// Pixels that are alive and pass a comparison; `None` where all do. Numbers are not negative.
fn passing(g: &mut Group<'_, '_>, func: CompareFunc, new: I32s, stored: I32s) -> Option<Mask> {
    let (code, a, b, inverted) = match func {
        CompareFunc::Always => return None,
        CompareFunc::Never => return Some(g.l.none()),
        CompareFunc::Equal => (IntCC::Equal, new, stored, false),
        CompareFunc::NotEqual => (IntCC::Equal, new, stored, true),
        CompareFunc::Less => (IntCC::SignedGreaterThan, stored, new, false),
        CompareFunc::LessEqual => (IntCC::SignedGreaterThan, new, stored, true),
        CompareFunc::Greater => (IntCC::SignedGreaterThan, new, stored, false),
        CompareFunc::GreaterEqual => (IntCC::SignedGreaterThan, stored, new, true),
    };
    let found = g.l.int_compare(code, a, b);
    Some(if inverted { g.l.and_not(g.mask, found) } else { g.l.and(g.mask, found) })
}

/// Drops pixels by their alpha.
pub(crate) fn alpha(g: &mut Group<'_, '_>, key: &PixelKey, colour: Colour, next: Block) {
    if key.alpha_test == CompareFunc::Always {
        return;
    }
    let alpha = g.alpha(colour);
    let [reference, mask] = [0, 1].map(|n| g.integer(of_draw!(alpha_test) + n * 16));
    let alpha = g.l.int_and(alpha, mask);
    if let Some(passed) = passing(g, key.alpha_test, alpha, reference) {
        g.mask = passed;
        g.end_if_none(g.mask, next);
    }
}

/// Drops pixels by their colour.
pub(crate) fn colour(g: &mut Group<'_, '_>, key: &PixelKey, colour: Colour, next: Block) {
    let func = match key.colour_test {
        ColourTestFunc::Always => return,
        ColourTestFunc::Never => CompareFunc::Never,
        ColourTestFunc::Equal => CompareFunc::Equal,
        ColourTestFunc::NotEqual => CompareFunc::NotEqual,
    };
    let pixels = g.l.pack(colour);
    let [reference, mask] = [0, 1].map(|n| g.integer(of_draw!(colour_test) + n * 16));
    let pixels = g.l.int_and(pixels, mask);
    if let Some(passed) = passing(g, func, pixels, reference) {
        g.mask = passed;
        g.end_if_none(g.mask, next);
    }
}

/// Drops pixels by their depth before their colours are known, if a pixel whose depth fails has no effect at all.
pub(crate) fn depth_before_colour(g: &mut Group<'_, '_>, key: &PixelKey, next: Block) {
    let is_early = |depth: &DepthKey| key.fails_without_effect() && depth.func != CompareFunc::Always;
    if let Some(depth) = key.depth.filter(is_early) {
        depth_test(g, depth);
        g.end_if_none(g.mask, next);
        g.is_depth_tested = true;
    }
}

/// Both tests, and their writes to the depth buffer. Ends the group if no write remains.
pub(crate) fn stencil_and_depth(g: &mut Group<'_, '_>, key: &PixelKey, next: Block) -> Stencil {
    let reached = g.mask;
    let old = key.stencil.map(|_| stored_stencil(g, key.format));
    let stencil = key.stencil.zip(old);
    let passed = stencil.and_then(|(stencil, old)| {
        let [reference, mask] = [0, 1].map(|n| g.integer(of_draw!(stencil_test) + n * 16));
        let stored = g.l.int_and(old, mask);
        passing(g, stencil.func, reference, stored)
    });
    if let Some(passed) = passed {
        g.mask = passed;
    }
    let after_stencil = g.mask;
    let is_depth_tested = key.depth.is_some_and(|depth| depth_test(g, depth));
    let value = stencil.filter(|(stencil, _)| stencil.writes()).map(|(stencil, old)| {
        let [fail, depth_fail, pass] = stencil.ops.map(|op| operate(g, op, old, key.format));
        let dropped = g.l.int_select(after_stencil, depth_fail, fail);
        g.l.int_select(g.mask, pass, dropped)
    });
    // Somewhere stencil values change, whatever the tests say.
    if value.is_none() && (passed.is_some() || is_depth_tested) {
        g.end_if_none(g.mask, next);
    }
    if key.depth.is_some_and(|depth| depth.writes) {
        write_depth(g);
    }
    Stencil { reached, value }
}

/// Drops pixels by their depth, unless that was done before; false if nothing was.
fn depth_test(g: &mut Group<'_, '_>, key: DepthKey) -> bool {
    if key.func == CompareFunc::Always || g.is_depth_tested {
        return false;
    }
    let at = g.places.depth.expect("the code touches depth");
    let depth = g.depth();
    let stored = g.l.load_halves(at, 0);
    if let Some(passed) = passing(g, key.func, depth, stored) {
        g.mask = passed;
    }
    true
}

fn write_depth(g: &mut Group<'_, '_>) {
    let at = g.places.depth.expect("the code touches depth");
    let depth = g.depth();
    let stored = g.l.load_halves(at, 0);
    let value = g.l.int_select(g.mask, depth, stored);
    g.l.store_halves(value, at, 0);
}

/// Stencil values as they are stored, 0 to 255.
pub(crate) fn stored_stencil(g: &mut Group<'_, '_>, format: PixelFormat) -> I32s {
    if format == PixelFormat::Rgb5650 {
        return g.l.int(0);
    }
    let old = g.old(format.bytes());
    match format {
        PixelFormat::Rgb5650 => old,
        PixelFormat::Rgba5551 => {
            let bit = g.l.int_shr(old, 15);
            let all = g.l.int(255);
            g.l.int_mul(bit, all)
        }
        PixelFormat::Rgba4444 => {
            let nibble = g.l.int_shr(old, 12);
            let high = g.l.int_shl(nibble, 4);
            g.l.int_or(nibble, high)
        }
        PixelFormat::Rgba8888 => g.l.int_shr(old, 24),
    }
}

/// Applies a stencil operation to stencil values.
fn operate(g: &mut Group<'_, '_>, op: StencilOp, old: I32s, format: PixelFormat) -> I32s {
    let (step, low, high) = (step(format), g.l.int(0), g.l.int(255));
    match op {
        StencilOp::Keep => old,
        StencilOp::Zero => low,
        StencilOp::Replace => g.integer(of_draw!(stencil_replace)),
        StencilOp::Invert => g.l.int_xor(old, high),
        StencilOp::Increment => {
            let step = g.l.int(step);
            let sum = g.l.int_add(old, step);
            g.l.int_min(sum, high)
        }
        StencilOp::Decrement => {
            let step = g.l.int(step);
            let difference = g.l.int_sub(old, step);
            g.l.int_max(difference, low)
        }
    }
}

/// One step of a stencil value in the resolution of the format.
const fn step(format: PixelFormat) -> i32 {
    match format {
        PixelFormat::Rgba8888 => 1,
        PixelFormat::Rgba4444 => 16,
        _ => 255,
    }
}
