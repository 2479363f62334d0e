//! Recordings, snapshots and faults of the PICA200.

use crate::buffer::Buffer;
use crate::fault::{self, FaultInfo};
use crate::handle::Handle;
use crate::pica::gpu::GpuHandle;
use crate::raw::{Array, Out, Room, Text};
use crate::record::{self, Range};
use crate::status::Status;

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_start_recording(
    gpu: Handle<GpuHandle>,
    ranges: Array<Range>,
    count: usize,
) -> Status {
    record::start(&gpu, &ranges, count)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_stop_recording(gpu: Handle<GpuHandle>, capture: Out<*mut Buffer>) -> Status {
    record::stop(&gpu, &capture)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_stop_recording_to(gpu: Handle<GpuHandle>, path: Text) -> Status {
    record::stop_to(&gpu, &path)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_save(gpu: Handle<GpuHandle>, state: Out<*mut Buffer>) -> Status {
    record::save(&gpu, &state)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_load(gpu: Handle<GpuHandle>, bytes: Array<u8>, length: usize) -> Status {
    record::load(&gpu, &bytes, length)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_take_faults(
    gpu: Handle<GpuHandle>,
    faults: Room<FaultInfo>,
    capacity: usize,
    count: Out<usize>,
) -> Status {
    fault::take(&gpu, &faults, capacity, &count)
}
