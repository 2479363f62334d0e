//! The functions of the header on the GE's state and on changes of its memory.

use super::session::{Joint, joint};
use super::{GeHandle, named};
use crate::buffer::Buffer;
use crate::handle::Handle;
use crate::raw::{Array, Out, Room};
use crate::record::Range;
use crate::state::{self, refused};
use crate::status::{Status, guard};

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
        let read = |joint: &mut Joint<'_, '_>| joint.session.read_field(named(field)?, first, words);
        match joint(&ge, read)? {
            Some(read) => read.map_err(refused),
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
        let write = |joint: &mut Joint<'_, '_>| joint.session.write_field(named(field)?, first, words);
        match joint(&ge, write)? {
            Some(written) => written.map_err(refused),
            None => state::write(&ge, field, first, words),
        }
    })
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
