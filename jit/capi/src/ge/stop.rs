//! Ends of runs: from another thread, and after a time.

use crate::ge::GeHandle;
use crate::handle::Handle;
use crate::machine::Ended;
use crate::status::Status;
use crate::stop::{limit, request};
use picaflor_pipeline::ge::RunError;

impl Ended for RunError {
    fn is_stopped(&self) -> bool {
        matches!(self, Self::Stopped { .. })
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_stop(ge: Handle<GeHandle>, stops: u32) -> Status {
    request(&ge, stops)
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_set_time_limit(ge: Handle<GeHandle>, microseconds: u64) -> Status {
    limit(&ge, microseconds)
}
