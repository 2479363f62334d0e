//! The functions of the header on the PICA200's state and on changes of its memory.

use crate::buffer::Buffer;
use crate::handle::Handle;
use crate::pica::gpu::GpuHandle;
use crate::raw::{Array, Out, Room};
use crate::record::Range;
use crate::state;
use crate::status::{Status, guard};

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_field_size(gpu: Handle<GpuHandle>, field: u32, words: Out<usize>) -> Status {
    state::size(&gpu, field, &words)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_read_field(
    gpu: Handle<GpuHandle>,
    field: u32,
    first: usize,
    mut words: Room<u32>,
    count: usize,
) -> Status {
    guard(|| state::read(&gpu, field, first, words.slice(count, "words")?))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_write_field(
    gpu: Handle<GpuHandle>,
    field: u32,
    first: usize,
    words: Array<u32>,
    count: usize,
) -> Status {
    guard(|| state::write(&gpu, field, first, words.slice(count, "words")?))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_export(gpu: Handle<GpuHandle>, state: Out<*mut Buffer>) -> Status {
    state::export(&gpu, &state)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_import(gpu: Handle<GpuHandle>, bytes: Array<u8>, length: usize) -> Status {
    state::import(&gpu, &bytes, length)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_invalidate(gpu: Handle<GpuHandle>, address: u32, length: u32) -> Status {
    state::invalidate(&gpu, address, length)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_take_written(
    gpu: Handle<GpuHandle>,
    ranges: Room<Range>,
    capacity: usize,
    count: Out<usize>,
) -> Status {
    state::take_written(&gpu, &ranges, capacity, &count)
}
