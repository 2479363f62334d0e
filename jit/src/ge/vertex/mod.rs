//! The GE's vertex path as native code: one function for each key, four vertices at a time.
//!
//! [`fetch`] reads records, [`transform`] keeps what is read; both speak [`pipe`]. The rest is Rust, the same for all types of
//! records: [`model`] moves vertices by bones, [`place`] takes them to the screen, by the numbers of a [`way`]; [`lights`] light
//! them; all speak [`sums`].
//! [`finish`](crate::code::ge::finish) makes vertices of the fields. [`bind`] makes the constants of a batch, [`stage`] runs the
//! steps, [`kind`] is how the core has the code compiled. In Rust are also [`decode`] of a vertex in model space, for surfaces
//! and the bounding box, and [`project`] of one that clipping has made.

mod bind;
#[cfg(test)]
mod clif_tests;
pub(crate) mod decode;
mod fetch;
mod kind;
mod lights;
mod model;
mod pipe;
mod place;
#[cfg(test)]
mod place_tests;
pub(crate) mod project;
mod stage;
mod sums;
#[cfg(test)]
mod test_numbers;
mod transform;
mod way;

use crate::emit::ge::vertices::call;
use crate::emit::lanes::{Lanes, Scalar};
use crate::emit::routine::{close_routine, open_routine};
use crate::ge::key::TransformKey;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use fetch::Records;
use pipe::Pipe;
pub(crate) use stage::Transforms;

/// Emits the routine of a key.
pub(crate) fn build(
    key: &TransformKey,
    func: &mut Function,
    context: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
) {
    let (mut l, call) = open_routine(func, context, isa);
    for_each_group(&mut l, key, call);
    l.ret();
    close_routine(l, isa);
}

/// Where the numbers of a group lie in the stations, and its integers: addresses of those of the first field.
#[derive(Clone, Copy)]
struct Group {
    numbers: Scalar,
    integers: Scalar,
}

/// Emits a loop over the groups of the call.
fn for_each_group(l: &mut Lanes<'_>, key: &TransformKey, call: Scalar) {
    let vars = [(); 3].map(|()| l.scalar_var());
    let stations = l.load_pointer(call, call::STATIONS);
    let indices = l.load_pointer(call, call::INDICES);
    for (var, first) in vars.into_iter().zip([indices, stations, stations]) {
        l.set_scalar(var, first);
    }
    let [group, done] = [(); 2].map(|()| l.block());
    l.jump(group);

    l.switch_to(group);
    let [indices, numbers, integers] = vars.map(|var| l.get_scalar(var));
    let constants = l.load_pointer(call, call::CONSTANTS);
    let records = records(l, key, call, indices);
    transform::group(&mut Pipe::new(l, constants), key, &records, Group { numbers, integers });
    for (var, bytes) in vars.into_iter().zip([16, 32, 16]) {
        let place = l.get_scalar(var);
        let next = l.scalar_add_constant(place, bytes);
        l.set_scalar(var, next);
    }
    let (indices, end) = (l.get_scalar(vars[0]), l.load_pointer(call, call::END));
    let more = l.scalar_below(indices, end);
    l.branch(more, group, done);

    l.switch_to(done);
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
