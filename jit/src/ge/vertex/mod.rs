//! The GE's vertex path as native code: one function for each key, four vertices at a time.
//!
//! [`fetch`] reads records, [`transform`] takes them to the screen, [`light`] makes their colours; all of them speak
//! [`pipe`]. [`bind`] makes the constants of a batch, [`stage`] runs the routines, [`kind`] is how the core has it
//! compiled. In Rust are [`decode`] of a vertex in model space, for surfaces and the bounding box, and [`project`] of one that
//! clipping has made.

mod bind;
#[cfg(test)]
mod clif_tests;
pub(crate) mod decode;
mod fetch;
mod kind;
mod lighting;
mod pipe;
pub(crate) mod project;
mod stage;
mod transform;

use crate::emit::ge::vertices::call;
use crate::emit::lanes::{I32s, Lanes, Scalar};
use crate::emit::routine::{close_routine, open_routine};
use crate::ge::key::TransformKey;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use fetch::Records;
use picaflor_pipeline::ge::vertex::Vertex;
use pipe::Pipe;
pub(crate) use stage::Transforms;
use std::mem::offset_of;
use transform::Outcome;

/// Bytes of a vertex.
const VERTEX: i64 = size_of::<Vertex>() as i64;

/// Emits the routine of a key.
pub(crate) fn build(
    key: &TransformKey,
    func: &mut Function,
    context: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
) {
    let (mut l, call) = open_routine(func, context, isa);
    let [index_var, out_var, rare_var] = [(); 3].map(|()| l.scalar_var());
    let [group, next, done] = [(); 3].map(|()| l.block());
    for (var, field) in [(index_var, call::INDICES), (out_var, call::OUT), (rare_var, call::RARE)] {
        let first = l.load_pointer(call, field);
        l.set_scalar(var, first);
    }
    l.jump(group);

    l.switch_to(group);
    let (indices, out) = (l.get_scalar(index_var), l.get_scalar(out_var));
    let constants = l.load_pointer(call, call::CONSTANTS);
    let records = records(&mut l, key, call, indices);
    let mut pipe = Pipe::new(&mut l, constants);
    let outcome = transform::transformed(&mut pipe, key, &records);
    let rare = pipe.rare();
    store(&mut l, &outcome, out);
    if let Some(rare) = rare {
        let special = l.cold_block();
        let any = l.any_double(rare);
        l.branch(any, special, next);
        l.switch_to(special);
        let place = l.get_scalar(rare_var);
        l.store_scalar(indices, place, 0);
        let place = l.scalar_add_constant(place, 8);
        l.set_scalar(rare_var, place);
    }
    l.jump(next);

    l.switch_to(next);
    let indices = l.get_scalar(index_var);
    let indices = l.scalar_add_constant(indices, 16);
    l.set_scalar(index_var, indices);
    let out = l.get_scalar(out_var);
    let out = l.scalar_add_constant(out, 4 * VERTEX);
    l.set_scalar(out_var, out);
    let end = l.load_pointer(call, call::END);
    let more = l.scalar_below(indices, end);
    l.branch(more, group, done);

    l.switch_to(done);
    let place = l.get_scalar(rare_var);
    l.store_scalar(place, call, call::RARE);
    l.ret();
    close_routine(l, isa);
}

/// The records of a group.
fn records(l: &mut Lanes<'_>, key: &TransformKey, call: Scalar, indices: Scalar) -> Records {
    let first = l.load_pointer(call, call::RECORDS);
    let at = [0, 4, 8, 12].map(|offset| {
        let index = l.load_u32(indices, offset);
        let distance = l.scalar_times(index, i64::from(key.vertex_type.stride()));
        l.scalar_add(first, distance)
    });
    Records { vertex_type: key.vertex_type, layout: key.vertex_type.layout(), at }
}

/// Stores the vertices of a group, field by field of [`Vertex`].
fn store(l: &mut Lanes<'_>, outcome: &Outcome, out: Scalar) {
    const { assert!(offset_of!(Vertex, clip) == 0 && offset_of!(Vertex, texture) == 32) }
    const { assert!(offset_of!(Vertex, x) == 56 && offset_of!(Vertex, colour) == 68) }
    const { assert!(offset_of!(Vertex, secondary) == 72 && offset_of!(Vertex, outside) == 77) }
    let Outcome { clip: [x, y, z, w], texture: [s, t, q], .. } = *outcome;
    let places = transposed(l, [outcome.x, outcome.y, outcome.z, outcome.colour]);
    let outside = l.int_shl(outcome.outside, 8);
    let rest = l.int_or(outside, outcome.fog);
    let ends = interleaved(l, outcome.secondary, rest);
    for (n, place) in places.into_iter().enumerate() {
        let (half, lane, at) = (n / 2, (n % 2) as u8, (n as i64 * VERTEX) as i32);
        for (a, b, offset) in [(x, y, 0), (z, w, 16), (s, t, 32)] {
            let pair = l.double_zip(a[half], b[half], lane);
            l.store_doubles(pair, out, at + offset);
        }
        l.store_double(q[half], lane, out, at + 48);
        l.store_ints(place, out, at + 56);
        l.store_half(ends[half], lane, out, at + 72);
    }
}

/// `a` and `b` in turn, of the first two lanes and the last two.
fn interleaved(l: &mut Lanes<'_>, a: I32s, b: I32s) -> [I32s; 2] {
    let [a, b] = [a, b].map(|lanes| l.as_floats(lanes));
    [[0, 4, 1, 5], [2, 6, 3, 7]].map(|lanes| {
        let mixed = l.mix(a, b, lanes);
        l.as_ints(mixed)
    })
}

/// One vector for each lane.
fn transposed(l: &mut Lanes<'_>, [a, b, c, d]: [I32s; 4]) -> [I32s; 4] {
    let [ab, cd] = [interleaved(l, a, b), interleaved(l, c, d)];
    [(0, [0, 1, 4, 5]), (0, [2, 3, 6, 7]), (1, [0, 1, 4, 5]), (1, [2, 3, 6, 7])].map(|(half, lanes)| {
        let (first, second) = (l.as_floats(ab[half]), l.as_floats(cd[half]));
        let mixed = l.mix(first, second, lanes);
        l.as_ints(mixed)
    })
}
