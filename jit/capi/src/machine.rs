//! Common parts of the machines: the memory and engine they borrow, and the functions that the header has for both.

use crate::engine::{Bench, EngineHandle, threads};
use crate::memory::{HostMemory, MemoryConfig};
use crate::raw::{Handle, In, Owned};
use crate::slot::Slot;
use crate::status::{Failure, Status, guard};
use picaflor_jit::Engine;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::stop::Stopper;
use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

/// A machine with a C interface.
pub(crate) trait Machine: Send {
    /// Name of a parameter of this type in the header.
    const NAME: &'static str;

    /// Sets the number of threads that draw.
    fn set_threads(&mut self, count: usize);
    /// The handle that ends its runs.
    fn stopper(&self) -> Stopper;
    /// Limits the time of each run.
    fn set_time_limit(&mut self, limit: Option<Duration>);
    /// Takes the faults of the guest.
    fn take_faults(&mut self) -> FaultList;
    /// The complete state visible to a guest, without memory.
    fn save(&self) -> Vec<u32>;
    /// Restores a saved state; returns false, without any effect, for other data.
    fn load(&mut self, words: &[u32]) -> bool;
    /// Starts a recording.
    fn start_recording(&mut self, memory: &HostMemory, ranges: &[(u32, u32)]) -> Result<(), CaptureError>;
    /// Ends a recording and returns the capture file; `None` without a recording.
    fn stop_recording(&mut self) -> Option<Vec<u8>>;
}

/// How work on a machine may fail.
pub(crate) trait Ended: Display {
    /// True if somebody stopped it.
    fn is_stopped(&self) -> bool;
}

impl Ended for Infallible {
    fn is_stopped(&self) -> bool {
        match *self {}
    }
}

/// `picaflor_gpu` or `picaflor_ge`.
pub(crate) struct MachineHandle<M>(pub(crate) Slot<Hosted<M>>, pub(crate) Stopper);

/// A machine, its memory and its engine.
pub(crate) struct Hosted<M> {
    pub(crate) machine: M,
    pub(crate) memory: HostMemory,
    engine: Arc<Slot<Bench>>,
}

impl<M: Machine> MachineHandle<M> {
    /// A machine with the given number of threads.
    pub(crate) fn new(
        mut machine: M,
        engine: &EngineHandle,
        memory: &In<MemoryConfig>,
        count: u32,
    ) -> Result<Self, Failure> {
        machine.set_threads(threads(count)?);
        let stopper = machine.stopper();
        let hosted = Hosted { machine, memory: HostMemory::new(memory)?, engine: Arc::clone(&engine.0) };
        Ok(Self(Slot::new("machine", hosted), stopper))
    }
}

impl<M> Hosted<M> {
    /// Runs `work` on the machine with its engine and memory.
    pub(crate) fn work<R, E: Ended>(
        &mut self,
        work: impl FnOnce(&mut M, &mut Engine, &HostMemory) -> Result<R, E>,
    ) -> Result<R, Failure> {
        let Self { machine, memory, engine } = self;
        let outcome = engine.with(|bench| Ok(work(machine, &mut bench.engine, memory)))?;
        let status = |error: &E| if error.is_stopped() { Status::Stopped } else { Status::List };
        outcome.map_err(|error| Failure::new(status(&error), error.to_string()))
    }
}

/// Runs `work` with exclusive access to the machine.
pub(crate) fn with<M: Machine, R>(
    handle: &Handle<MachineHandle<M>>,
    work: impl FnOnce(&mut Hosted<M>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    handle.get(M::NAME)?.0.with(work)
}

/// Sets a limit; 0 keeps the default.
pub(crate) fn set<T: Default + PartialEq>(limit: &mut T, value: T) {
    if value != T::default() {
        *limit = value;
    }
}

pub(crate) fn destroy<M: Machine>(handle: &Owned<MachineHandle<M>>) -> Status {
    guard(|| handle.destroy(M::NAME, |machine| machine.0.idle()))
}

pub(crate) fn set_engine<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    engine: &Handle<EngineHandle>,
) -> Status {
    guard(|| {
        let engine = Arc::clone(&engine.get("engine")?.0);
        with(handle, |hosted| {
            hosted.engine = engine;
            Ok(())
        })
    })
}

pub(crate) fn set_memory<M: Machine>(handle: &Handle<MachineHandle<M>>, memory: &In<MemoryConfig>) -> Status {
    guard(|| {
        let memory = HostMemory::new(memory)?;
        with(handle, |hosted| {
            hosted.memory = memory;
            Ok(())
        })
    })
}

pub(crate) fn set_threads<M: Machine>(handle: &Handle<MachineHandle<M>>, count: u32) -> Status {
    guard(|| {
        let count = threads(count)?;
        with(handle, |hosted| {
            hosted.machine.set_threads(count);
            Ok(())
        })
    })
}
