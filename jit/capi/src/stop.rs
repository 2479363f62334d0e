//! Ends of runs: from another thread, and after a time. Both machines use it.

use crate::handle::Handle;
use crate::machine::{Machine, MachineHandle, with};
use crate::status::{Status, guard};
use std::time::Duration;

/// Stops or resumes runs. Not bound to the rule of one call at a time: it is for calls that are under way.
pub(crate) fn request<M: Machine>(handle: &Handle<MachineHandle<M>>, stops: u32) -> Status {
    guard(|| {
        let machine = handle.get(M::NAME)?;
        let stopper = &machine.2;
        if stops == 0 {
            stopper.resume()
        } else {
            stopper.stop()
        }
        Ok(())
    })
}

/// Limits the time of each run; 0: no limit.
pub(crate) fn limit<M: Machine>(handle: &Handle<MachineHandle<M>>, microseconds: u64) -> Status {
    guard(|| {
        with(handle, |hosted| {
            hosted.machine.set_time_limit((microseconds > 0).then(|| Duration::from_micros(microseconds)));
            Ok(())
        })
    })
}
