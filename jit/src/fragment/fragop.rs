//! Tests and writes, as `interp::fragment::fragop` and `blend`.

use super::FragmentFacts;
use super::quad::Quad;
use crate::emit::block;
use crate::emit::lanes::{Mask, Scalar};
use crate::emit::pixels::Colour;
use crate::key::fragment::output::OutputKey;
use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::condcodes::IntCC;
use picaflor_pipeline::pica::regs::CompareFunc;

/// Where the pixels of a quad lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    colour: Scalar,
    depth: Scalar,
}

impl Places {
    pub(super) fn of(quad: &mut Quad<'_, '_>, call: Scalar, number: Scalar, facts: FragmentFacts) -> Self {
        let mut place = |field, bytes: u32| {
            let start = quad.l.load_pointer(call, field);
            let size = quad.l.scalar(i64::from(4 * bytes));
            let offset = quad.l.scalar_mul(number, size);
            quad.l.scalar_add(start, offset)
        };
        Self {
            colour: place(block::COLOUR, facts.colour_bytes),
            depth: place(block::DEPTH, facts.depth_bytes),
        }
    }
}

/// The alpha test.
pub(super) fn alpha(_quad: &mut Quad<'_, '_>, _key: &OutputKey, _colour: Colour, _next: Block) {}

/// Stencil and depth test and their writes; goes to `next` when no pixel is left.
pub(super) fn stencil_and_depth(quad: &mut Quad<'_, '_>, key: &OutputKey, places: &Places, next: Block) {
    if !key.reads_depth() {
        return;
    }
    let depth = quad.depth();
    let l = &mut *quad.l;
    let scale = l.float(16_777_215.0);
    let scaled = l.fmul(depth, scale);
    let z = l.float_to_int_loose(scaled);
    let old = l.load_ints(places.depth, 0);
    let low = l.int(0x00ff_ffff);
    let stored = l.int_and(old, low);
    let mut mask = quad.mask;
    if let Some(cc) = condition(key.depth_func) {
        let pass = quad.l.int_compare(cc, z, stored);
        mask = quad.l.and(mask, pass);
    }
    quad.mask = mask;
    let alive = quad.l.block();
    let bits = quad.l.sign_bits(mask);
    quad.l.branch(bits.0, alive, next);
    quad.l.switch_to(alive);
    if key.writes_depth {
        let l = &mut *quad.l;
        let high = l.int(!0x00ff_ffff);
        let stencil = l.int_and(old, high);
        let new = l.int_or(z, stencil);
        let merged = l.int_select(mask, new, old);
        l.store_ints(merged, places.depth, 0);
    }
}

/// The comparison, `None` where all pass.
const fn condition(func: CompareFunc) -> Option<IntCC> {
    Some(match func {
        CompareFunc::Always => return None,
        CompareFunc::Never => IntCC::SignedLessThan,
        CompareFunc::Equal => IntCC::Equal,
        CompareFunc::NotEqual => IntCC::NotEqual,
        CompareFunc::Less => IntCC::SignedLessThan,
        CompareFunc::LessEqual => IntCC::SignedLessThanOrEqual,
        CompareFunc::Greater => IntCC::SignedGreaterThan,
        CompareFunc::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
    })
}

/// Blending or logic operation, masks, and the write.
pub(super) fn write(quad: &mut Quad<'_, '_>, _key: &OutputKey, places: &Places, colour: Colour) {
    let mask: Mask = quad.mask;
    let l = &mut *quad.l;
    let new = l.pack(colour);
    let old = l.load_ints(places.colour, 0);
    let merged = l.int_select(mask, new, old);
    l.store_ints(merged, places.colour, 0);
}
