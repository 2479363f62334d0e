//! Common parts of the machines: the memory and engine they borrow, and the functions that the header has for both.

use crate::buffer::Buffer;
use crate::engine::{Bench, EngineHandle, threads};
use crate::handle::{Handle, Owned};
use crate::hooks::{self, Callback, Hooks, HooksConfig, Watched};
use crate::later::{DoneFn, Hold};
use crate::memory::{Changes, HostMemory, MemoryConfig};
use crate::raw::{In, Out, User};
use crate::slot::Slot;
use crate::status::{Failure, Status, guard};
use crate::textures::{self, TexturesConfig};
use crate::trace::{self, NoteFn, Requested, TraceConfig};
use picaflor_jit::Engine;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::fields::StateError;
use picaflor_pipeline::snapshot::SnapshotError;
use picaflor_pipeline::stop::Stopper;
use std::convert::Infallible;
use std::fmt::Display;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// A machine with a C interface.
pub(crate) trait Machine: Send + 'static {
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
    /// Calls a host's callback for events, or none.
    fn set_hooks(&mut self, hooks: Option<Hooks>);
    /// The complete state visible to a guest, without memory.
    fn save(&self) -> Result<Buffer, Failure>;
    /// Restores a saved state; without any effect, and with the reason, for other data.
    fn load(&mut self, words: &[u32]) -> Result<(), SnapshotError>;
    /// Number of words of a field of the state.
    fn field_words(&mut self, field: u32) -> Result<usize, StateError>;
    /// Reads words of a field from `first` on.
    fn read_field(&mut self, field: u32, first: usize, words: &mut [u32]) -> Result<(), StateError>;
    /// Replaces words of a field from `first` on.
    fn write_field(&mut self, field: u32, first: usize, words: &[u32]) -> Result<(), StateError>;
    /// The state in the documented layout.
    fn export(&mut self) -> Vec<u32>;
    /// Replaces the state by an exported one.
    fn import(&mut self, words: &[u32]) -> Result<(), StateError>;
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

/// `picaflor_gpu` or `picaflor_ge`, what it knows of changes of its memory, and what ends its runs: any thread may use
/// the latter two.
pub(crate) struct MachineHandle<M>(pub(crate) Hold<Hosted<M>>, pub(crate) Arc<Changes>, pub(crate) Stopper);

/// A machine, its memory and its engine.
pub(crate) struct Hosted<M> {
    pub(crate) machine: M,
    pub(crate) memory: HostMemory,
    engine: Arc<Slot<Bench>>,
    /// With hooks: where they look for what the engine left to the interpreter.
    watched: Option<Watched>,
    /// The callback of the hooks.
    callback: Option<Callback>,
    /// The draw that is to be traced.
    requested: Requested,
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
        let changes = Arc::<Changes>::default();
        let memory = HostMemory::new(memory, &changes)?;
        let hosted = Hosted {
            machine,
            memory,
            engine: Arc::clone(&engine.0),
            watched: None,
            callback: None,
            requested: Requested::default(),
        };
        Ok(Self(Hold::new(hosted), changes, stopper))
    }
}

impl<M: Machine> Hosted<M> {
    /// Observes the machine for the callback and the trace, or no longer.
    fn observe(&mut self) {
        let (hooks, watched) = Hooks::new(self.callback, &self.requested).unzip();
        self.watched = watched;
        self.machine.set_hooks(hooks);
    }
}

impl<M> Hosted<M> {
    /// Runs `work` on the machine with its engine and memory.
    pub(crate) fn work<R, E: Ended>(
        &mut self,
        work: impl FnOnce(&mut M, &mut Engine, &HostMemory) -> Result<R, E>,
    ) -> Result<R, Failure> {
        let Self { machine, memory, engine, watched, .. } = self;
        let outcome = engine.with(|bench| {
            if let Some(watched) = watched {
                *watched.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some((bench.engine.watch(), bench.engine.tracer()));
            }
            Ok(work(machine, &mut bench.engine, memory))
        })?;
        outcome.map_err(failure)
    }
}

/// The failure of a run.
pub(crate) fn failure(error: impl Ended) -> Failure {
    let status = if error.is_stopped() { Status::Stopped } else { Status::List };
    Failure::new(status, error.to_string())
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
    guard(|| handle.destroy_by(M::NAME, |machine, end| machine.0.close(end)))
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
        let machine = handle.get(M::NAME)?;
        let changes = &machine.1;
        let mut memory = HostMemory::new(memory, changes)?;
        with(handle, |hosted| {
            changes.versions.invalidate(0, u32::MAX);
            memory.textures = hosted.memory.textures;
            hosted.memory = memory;
            Ok(())
        })
    })
}

/// Sets the callback of a machine, or removes it.
pub(crate) fn set_hooks<M: Machine>(handle: &Handle<MachineHandle<M>>, hooks: &In<HooksConfig>) -> Status {
    guard(|| {
        let callback = hooks::read(hooks)?;
        with(handle, |hosted| {
            hosted.callback = callback;
            hosted.observe();
            Ok(())
        })
    })
}

/// Sets the draw that is to be traced, or none.
pub(crate) fn trace<M: Machine>(handle: &Handle<MachineHandle<M>>, config: &In<TraceConfig>) -> Status {
    guard(|| {
        let wanted = trace::read(config)?;
        with(handle, |hosted| {
            *trace::lock(&hosted.requested) = wanted;
            hosted.observe();
            Ok(())
        })
    })
}

/// Hands what was found to a callback, and ends the trace.
pub(crate) fn take_trace<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    (callback, user): (Option<NoteFn>, User),
    count: &Out<usize>,
) -> Status {
    guard(|| {
        count.put_if_wanted(0);
        let callback = callback.ok_or_else(|| Failure::null("callback"))?;
        let wanted = with(handle, |hosted| {
            let wanted = trace::lock(&hosted.requested).take();
            hosted.observe();
            wanted.ok_or_else(|| Failure::new(Status::State, "no draw is to be traced"))
        })?;
        count.put_if_wanted(trace::hand_over(&wanted.found, callback, user));
        Ok(())
    })
}

/// Sets who sees the textures of a machine, or removes it.
pub(crate) fn set_textures<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    config: &In<TexturesConfig>,
) -> Status {
    guard(|| {
        let textures = textures::read(config)?;
        with(handle, |hosted| {
            hosted.memory.textures = textures;
            Ok(())
        })
    })
}

/// Submits a run to the thread of the machine.
pub(crate) fn submit<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    run: impl FnOnce(&mut Hosted<M>) -> Result<(), Failure> + Send + 'static,
    done: (Option<DoneFn>, User),
    fence: &Out<u64>,
) -> Status {
    guard(|| {
        fence.put_if_wanted(0);
        fence.put_if_wanted(handle.get(M::NAME)?.0.submit(run, done)?);
        Ok(())
    })
}

/// Waits for a fence.
pub(crate) fn wait<M: Machine>(handle: &Handle<MachineHandle<M>>, fence: u64) -> Status {
    guard(|| handle.get(M::NAME)?.0.wait(fence))
}

/// The last fence that is complete.
pub(crate) fn complete<M: Machine>(handle: &Handle<MachineHandle<M>>, fence: &Out<u64>) -> Status {
    guard(|| {
        fence.put(0, "fence")?;
        fence.put(handle.get(M::NAME)?.0.complete(), "fence")
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
