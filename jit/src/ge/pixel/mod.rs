//! The GE's pixel path as native code: one function for each state key, which draws rows of primitives, four
//! pixels at a time.
//!
//! The rooms are those of `interp::ge::pixel`: [`texture`] has the images, whose texels are found
//! [before](crate::code::ge::texels) code runs, [`function`] combines,
//! [`fragop`] holds the tests, [`blend`], [`formats`] and [`framebuffer`] the following stages. [`group`] is their shared state,
//! [`walk`] goes from run to run, [`depth`] goes in steps. [`setup`] makes the numbers of
//! a primitive, [`affine`] and [`perspective`] prove that steps are exact, [`coverage`] finds the columns of each row. [`rows`]
//! makes runs of them, and [`rectangles`] does, with copies where [`fill`] knows that pixels are alike; points and lines are the
//! pixels that [`thin`] finds. What [`feedback`] demands is drawn in [`pieces`], and [`mapping`] knows their texels. [`stage`] draws
//! with the routines, [`kind`] is how the core has routines compiled.

mod affine;
mod bind;
mod blend;
#[cfg(test)]
mod clif_tests;
mod coverage;
mod depth;
mod feedback;
mod fill;
mod formats;
mod fragop;
mod framebuffer;
mod function;
mod group;
mod kind;
mod mapping;
mod perspective;
mod pieces;
mod rectangles;
mod rows;
mod setup;
#[cfg(test)]
mod side_by_side;
pub(crate) mod stage;
pub(crate) mod texture;
mod thin;
mod walk;

use crate::emit::routine::{close_routine, open_routine};
use crate::ge::key::PixelKey;
use cranelift_codegen::ir::{Block, Function};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use group::Group;
use walk::Walk;

/// Emits the routine of a key.
pub(crate) fn build(
    key: &PixelKey,
    func: &mut Function,
    context: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
) {
    let (mut l, call) = open_routine(func, context, isa);
    let walk = Walk::open(&mut l, call, *key);
    let mut group = walk.group(&mut l);
    draw(&mut group, key, walk.next_group);
    l.jump(walk.next_group);
    walk.close(&mut l);
    close_routine(l, isa);
}

/// The stages in the order of the manual (10.0), except that tests that discard pixels run as early as possible
/// without a visible difference.
fn draw(g: &mut Group<'_, '_>, key: &PixelKey, next: Block) {
    if key.depth_range {
        fragop::depth_range(g, key, next);
    }
    let late = key.tests_colour();
    let early = (!late).then(|| fragop::stencil_and_depth(g, key, next));
    if late {
        fragop::depth_before_colour(g, key, next);
    }
    let mut colour = key.reads_colour().then(|| textured(g, key));
    if let Some(shaded) = colour {
        fragop::alpha(g, key, shaded, next);
        let fogged = if key.fog { function::fog(g, shaded) } else { shaded };
        fragop::colour(g, key, fogged, next);
        colour = Some(fogged);
    }
    let stencil = early.unwrap_or_else(|| fragop::stencil_and_depth(g, key, next));
    framebuffer::write(g, key, colour, &stencil);
}

/// The primitive's colour with texture and secondary colour.
fn textured(g: &mut Group<'_, '_>, key: &PixelKey) -> crate::emit::pixels::Colour {
    let colour = match &key.texture {
        None => g.primary(),
        Some(texture) => {
            let texel = g.texel();
            function::apply(g, texture, texel)
        }
    };
    if key.secondary { function::add_secondary(g, colour) } else { colour }
}
