//! Fragment paths as native code: one function for each state key, which draws triangles in blocks of 8x8
//! pixels, quad by quad.
//!
//! The rooms are those of `interp::fragment`, file by file: [`combiner`] and so on emit a stage each, [`quad`] their
//! shared state. [`setup`] makes the numbers of a triangle, [`coverage`] the pixels that it covers, [`tiles`] walks
//! the blocks of a tile; [`stage`] draws with the routines, [`draw_states`] remembers the states of draws, [`kind`]
//! is how the core has routines compiled.

mod bind;
#[cfg(test)]
mod bind_speed;
mod blend;
#[cfg(test)]
mod clif_tests;
mod combiner;
mod common;
mod coverage;
mod draw_states;
mod fog;
mod fragop;
mod kind;
pub(crate) mod light_tables;
mod lighting;
mod lighting_bind;
mod operand;
#[cfg(test)]
mod output_tests;
mod pixels;
mod pool;
mod proctex;
mod quad;
mod setup;
mod shadow;
pub(crate) mod stage;
mod texture;
pub(crate) mod tiles;
mod walk;

use crate::code::pica::facts::{Common, FragmentFacts};
use crate::emit::lanes::Lanes;
use crate::emit::pixels::Colour;
use crate::emit::routine::{close_routine, open_routine};
use crate::pica::key::fragment::FragmentKey;
use crate::pica::key::fragment::fog::FogKey;
use crate::pica::key::fragment::output::{MergerKey, OutputKey};
use crate::pica::key::fragment::proctex::ProctexKey;
use crate::pica::key::fragment::texture::TextureKey;
pub(crate) use bind::Binder;
use cranelift_codegen::ir::{Block, Function};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use quad::{Form, Quad};
pub(crate) use texture::ImageKey;
use walk::{Pair, Places, Walk};

/// Emits the routine of a key.
pub(crate) fn build(
    key: &FragmentKey,
    func: &mut Function,
    context: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
) {
    let facts = facts(key);
    let (mut l, call) = open_routine(func, context, isa);
    let form = Form {
        interpolants: facts.interpolants,
        w_buffer: key.raster.w_buffer,
        flat: key.raster.flat_colour,
        common: facts.common,
    };
    // The procedural texture is a chain of operations that is longer than what a host looks ahead.
    let walk = Walk::open(&mut l, call, facts, key.proctex().is_some());
    if let (Some(proctex), Some(pair)) = (key.proctex(), walk.pair(&mut l)) {
        sample_pair(&mut l, key, proctex, form, &pair);
        walk.close_pair(&mut l);
    }
    let here = walk.quad(&mut l);
    let mut quad = Quad::new(&mut l, here.constants, here.triangle, form, here.edges, here.mask);
    quad.ahead = here.ahead;
    quad.found = here.found;
    draw(&mut quad, key, &here.places, walk.next_quad);
    l.jump(walk.next_quad);
    walk.close(&mut l);
    close_routine(l, isa);
}

/// The procedural texture of two quads.
fn sample_pair(l: &mut Lanes<'_>, key: &FragmentKey, proctex: &ProctexKey, form: Form, pair: &Pair) {
    let mask = l.none();
    let rds = pair.edges.map(|edges| Quad::new(l, pair.constants, pair.triangle, form, edges, mask).rd());
    let mask = l.none();
    let pixels = l.in_turns(|l, n| {
        let quad = Quad::new(l, pair.constants, pair.triangle, form, pair.edges[n], mask);
        let mut quad = quad.with_rd(rds[n]);
        let colour = proctex::sample_ahead(&mut quad, proctex, key.proctex_needs());
        l.pack(colour)
    });
    for (n, pixels) in (0..).zip(pixels) {
        l.store_ints(pixels, pair.results, 16 * n);
    }
}

/// Facts that follow from a key.
pub(crate) fn facts(key: &FragmentKey) -> FragmentFacts {
    FragmentFacts {
        interpolants: key.interpolants(),
        colour_bytes: key.output.colour_bytes(),
        depth_bytes: key.output.depth_bytes(),
        common: common(key),
        found: key.colours_found(),
    }
}

fn common(key: &FragmentKey) -> Common {
    let depth = match &key.output {
        // Fog needs the number itself.
        OutputKey::Normal(merger) if !key.raster.w_buffer && !matches!(key.fog, FogKey::Fog { .. }) => {
            merger.used_depth()
        }
        _ => None,
    };
    let most_depth = depth.map_or(0, |format| (1 << format.depth_bits()) - 1);
    let origin = key.proctex().filter(|proctex| proctex.is_constant_at_origin());
    let inside = [0, 1, 2].map(|unit| texture::inside(&key.textures[unit]));
    Common { most_depth, origin: origin.map_or(0, |unit| unit.interpolants().values), inside }
}

/// The stages of living pixels, in the order of `interp::fragment`; stages without a visible effect are left out.
fn draw(quad: &mut Quad<'_, '_>, key: &FragmentKey, places: &Places, next: Block) {
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
fn merge(quad: &mut Quad<'_, '_>, key: &FragmentKey, merger: &MergerKey, places: &Places, next: Block) {
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

/// The colour of the combiners, with their inputs.
fn combined(quad: &mut Quad<'_, '_>, key: &FragmentKey) -> Colour {
    // Levels of detail are loops, across which edges and 1 / w would wait in memory for the vertex colour.
    if key.combiners.reads_vertex_colour() && key.textures.iter().any(TextureKey::reads_changes) {
        quad.vertex_colour();
    }
    let mut so_far = 0..;
    let mut found = |quad: &mut Quad<'_, '_>| quad.found(so_far.next().unwrap_or_default());
    let mut sampled = |quad: &mut Quad<'_, '_>, unit: usize| match &key.textures[unit] {
        TextureKey::Dead => None,
        TextureKey::Found => Some(found(quad)),
        of_unit => Some(texture::sample(quad, of_unit, unit)),
    };
    let units = [0, 1, 2].map(|unit| sampled(quad, unit));
    let procedural = key.reads_texture(3).then(|| match key.finds_procedural() {
        true => found(quad),
        false => proctex::sample(quad),
    });
    let textures = [units[0], units[1], units[2], procedural];
    let lit = match key.lighting() {
        Some(lighting) => lighting::light(quad, lighting, &textures),
        None => key.lights_found().map(|live| live.then(|| found(quad))),
    };
    combiner::combine(quad, &key.combiners, &textures, lit)
}
