//! Ends of runs: from another thread, and after a time.

use crate::handle::Handle;
use crate::machine::Ended;
use crate::pica::gpu::GpuHandle;
use crate::status::Status;
use crate::stop::{limit, request};
use picaflor_pipeline::pica::RunError;

impl Ended for RunError {
    fn is_stopped(&self) -> bool {
        matches!(self, Self::Stopped { .. })
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_stop(gpu: Handle<GpuHandle>, stops: u32) -> Status {
    request(&gpu, stops)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_gpu_set_time_limit(gpu: Handle<GpuHandle>, microseconds: u64) -> Status {
    limit(&gpu, microseconds)
}
