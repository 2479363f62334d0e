//! Fragment paths as native code: one function for each state key, which draws a triangle in a block of 8x8
//! pixels, quad by quad.
//!
//! The rooms are those of `interp::fragment`, file by file: [`combiner`] and so on emit a stage each,
//! [`quad`] what they share. [`setup`] makes the numbers of a triangle, [`tiles`] walks the blocks of a tile,
//! [`stage`] is the engine's side.

mod bind;
#[cfg(test)]
mod bind_speed;
mod blend;
mod combiner;
mod fog;
mod fragop;
mod known;
mod lighting;
mod lighting_bind;
mod operand;
#[cfg(test)]
mod output_tests;
mod pool;
mod proctex;
mod quad;
mod setup;
mod shadow;
mod stage;
mod texture;
pub(crate) mod tiles;

use crate::emit::block::{self, Interpolants, slot};
use crate::emit::lanes::{I32s, Lanes, Mask, Scalar};
use crate::emit::pixels::Colour;
use crate::key::fragment::FragmentKey;
use crate::key::fragment::fog::FogKey;
use crate::key::fragment::output::{MergerKey, OutputKey};
use crate::key::fragment::texture::TextureKey;
use crate::shader::{close_routine, open_routine};
pub(crate) use bind::Binder;
use cranelift_codegen::ir::{Block, Function};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use quad::{Form, Quad};

/// Quads of a block.
const QUADS: i64 = 16;

/// What the caller of a routine has to know of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FragmentFacts {
    /// The attributes that triangles have to bring.
    pub(crate) interpolants: Interpolants,
    /// Bytes of a pixel in the colour buffer, 0 when it is not touched.
    pub(crate) colour_bytes: u32,
    /// Bytes of a pixel in the depth buffer, 0 when it is not touched.
    pub(crate) depth_bytes: u32,
}

/// Emits the routine of a key.
pub(crate) fn build(
    key: &FragmentKey,
    func: &mut Function,
    context: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
) -> FragmentFacts {
    let facts = facts(key);
    let (mut l, call) = open_routine(func, context, isa);
    let [next, body, done] = [(); 3].map(|()| l.block());
    let quad = l.scalar_var();
    let zero = l.scalar(0);
    l.set_scalar(quad, zero);
    l.jump(body);

    l.switch_to(body);
    let number = l.get_scalar(quad);
    emit_quad(&mut l, key, facts, call, number, next);
    l.jump(next);

    l.switch_to(next);
    let number = l.get_scalar(quad);
    let number = l.scalar_add_constant(number, 1);
    l.set_scalar(quad, number);
    let end = l.scalar(QUADS);
    let more = l.scalar_below(number, end);
    l.branch(more, body, done);

    l.switch_to(done);
    l.ret();
    close_routine(l, isa);
    facts
}

/// What a key needs.
pub(crate) fn facts(key: &FragmentKey) -> FragmentFacts {
    FragmentFacts {
        interpolants: key.interpolants(),
        colour_bytes: key.output.colour_bytes(),
        depth_bytes: key.output.depth_bytes(),
    }
}

/// One quad; `next` is where a quad without living pixels goes.
fn emit_quad(
    l: &mut Lanes<'_>,
    key: &FragmentKey,
    facts: FragmentFacts,
    call: Scalar,
    number: Scalar,
    next: Block,
) {
    let triangle = l.load_pointer(call, block::TRIANGLE);
    let at = l.scalar_shl(number, 4);
    let row = l.scalar_add(triangle, at);
    let step = l.load_ints(row, slot::offset(slot::QUADS));
    let first = l.load_ints(call, block::EDGES);
    let base = l.int_add(first, step);
    let edges = quad::edges(l, triangle, base);
    let mask = coverage(l, call, triangle, number, edges, next);
    let form = Form {
        interpolants: facts.interpolants,
        w_buffer: key.raster.w_buffer,
        flat: key.raster.flat_colour,
    };
    let mut quad = Quad::new(l, call, form, edges, mask);
    let places = fragop::Places::of(&mut quad, call, number, facts);
    draw(&mut quad, key, &places, next);
}

/// The covered pixels of a quad; counts them, and leaves when there are none.
fn coverage(
    l: &mut Lanes<'_>,
    call: Scalar,
    triangle: Scalar,
    number: Scalar,
    edges: [I32s; 3],
    next: Block,
) -> Mask {
    let [partial, some, whole, covered] = [(); 4].map(|()| l.block());
    let mask = l.int_var();
    let is_partial = l.load_pointer(call, block::PARTIAL);
    l.branch(is_partial.0, partial, whole);

    l.switch_to(whole);
    let all = l.all();
    l.set_mask(mask, all);
    l.jump(covered);

    l.switch_to(partial);
    let inside = quad::inside(l, triangle, edges);
    let allowed = allowed(l, call, number);
    let both = l.and(inside, allowed);
    let bits = l.sign_bits(both);
    l.branch(bits.0, some, next);

    l.switch_to(some);
    l.set_mask(mask, both);
    let count = l.count_bits(bits);
    let before = l.load_pointer(call, block::COVERED);
    let sum = l.scalar_add(before, count);
    l.store_scalar(sum, call, block::COVERED);
    l.jump(covered);

    l.switch_to(covered);
    l.get_mask(mask)
}

/// The pixels of a quad that the caller allows.
fn allowed(l: &mut Lanes<'_>, call: Scalar, number: Scalar) -> Mask {
    let bits = l.load_pointer(call, block::ALLOWED);
    let shift = l.scalar_shl(number, 2);
    let bits = l.scalar_shr(bits, shift);
    let fifteen = l.scalar(15);
    let bits = l.scalar_and(bits, fifteen);
    let at = l.scalar_shl(bits, 4);
    let constants = l.load_pointer(call, block::CONSTANTS);
    let row = l.scalar_add(constants, at);
    Mask(l.load_ints(row, crate::emit::constants::constant!(masks)).0)
}

/// The stages of living pixels, in the order of `interp::fragment`; what cannot be seen is left out.
fn draw(quad: &mut Quad<'_, '_>, key: &FragmentKey, places: &fragop::Places, next: Block) {
    match &key.output {
        OutputKey::Nothing => {}
        OutputKey::Shadow => {
            let colour = combined(quad, key);
            shadow::draw(quad, places.colour, colour);
        }
        OutputKey::Normal(merger) => merge(quad, key, merger, places, next),
    }
}

/// Combiners, tests and writes. Without an alpha test, stencil and depth do not depend on colours and come
/// first, so that hidden quads end early.
fn merge(
    quad: &mut Quad<'_, '_>,
    key: &FragmentKey,
    merger: &MergerKey,
    places: &fragop::Places,
    next: Block,
) {
    let early = !merger.tests_alpha();
    if early {
        fragop::stencil_and_depth(quad, merger, places.depth, next);
    }
    let colour = key.needs().any().then(|| combined(quad, key));
    if let (false, Some(colour)) = (early, colour) {
        fragop::alpha(quad, merger.alpha_func, colour, next);
        fragop::stencil_and_depth(quad, merger, places.depth, next);
    }
    if let Some(write) = &merger.colour {
        let colour = match key.fog {
            FogKey::Gas => Some(quad.l.channel_splat(0)),
            fog => colour.map(|colour| fog::apply(quad, fog, colour)),
        };
        blend::write(quad, write, places.colour, colour);
    }
}

/// The combiners' colour, and what they read.
fn combined(quad: &mut Quad<'_, '_>, key: &FragmentKey) -> Colour {
    let sampled = |quad: &mut Quad<'_, '_>, unit: usize| {
        (key.textures[unit] != TextureKey::Dead).then(|| texture::sample(quad, &key.textures[unit], unit))
    };
    let units = [0, 1, 2].map(|unit| sampled(quad, unit));
    let procedural = key.reads_texture(3).then(|| proctex::sample(quad, key.proctex.as_ref()));
    let textures = [units[0], units[1], units[2], procedural];
    let lighting = key.lighting.as_ref().map(|lighting| lighting::light(quad, lighting, &textures));
    combiner::combine(quad, &key.combiners, &textures, lighting.unwrap_or_default())
}
