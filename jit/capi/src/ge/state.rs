//! The functions of the header on the GE's state and on changes of its memory.

use super::session::{Joint, in_use, joint};
use super::{GeHandle, LISTS, named};
use crate::buffer::Buffer;
use crate::handle::Handle;
use crate::raw::{Array, Out, Room};
use crate::record::Range;
use crate::state::{self, refused};
use crate::status::{Failure, Status, guard};
use picaflor_pipeline::ge::Field;

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_field_size(ge: Handle<GeHandle>, field: u32, words: Out<usize>) -> Status {
    state::size(&ge, field, &words)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_read_field(
    ge: Handle<GeHandle>,
    field: u32,
    first: usize,
    mut words: Room<u32>,
    count: usize,
) -> Status {
    guard(|| {
        let words = words.slice(count, "words")?;
        let read = |joint: &mut Joint<'_, '_>| {
            joint.session.read_field(of_session(field)?, first, words).map_err(refused)
        };
        match joint(&ge, read)? {
            Some(read) => read,
            None => state::read(&ge, field, first, words),
        }
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_write_field(
    ge: Handle<GeHandle>,
    field: u32,
    first: usize,
    words: Array<u32>,
    count: usize,
) -> Status {
    guard(|| {
        let words = words.slice(count, "words")?;
        let write = |joint: &mut Joint<'_, '_>| {
            joint.session.write_field(of_session(field)?, first, words).map_err(refused)
        };
        match joint(&ge, write)? {
            Some(written) => written,
            None => state::write(&ge, field, first, words),
        }
    })
}

/// The field of a number in a session, which has the queue.
fn of_session(field: u32) -> Result<Field, Failure> {
    if field == LISTS { Err(in_use()) } else { named(field).map_err(refused) }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_export(ge: Handle<GeHandle>, state: Out<*mut Buffer>) -> Status {
    state::export(&ge, &state)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_import(ge: Handle<GeHandle>, bytes: Array<u8>, length: usize) -> Status {
    state::import(&ge, &bytes, length)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_invalidate(ge: Handle<GeHandle>, address: u32, length: u32) -> Status {
    state::invalidate(&ge, address, length)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_take_written(
    ge: Handle<GeHandle>,
    ranges: Room<Range>,
    capacity: usize,
    count: Out<usize>,
) -> Status {
    state::take_written(&ge, &ranges, capacity, &count)
}
