//! `Ge`: the machine, and its interface to a host.

pub(crate) mod commands;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod entry;
pub(crate) mod fields;
pub(crate) mod processor;
pub(crate) mod readback;
pub(crate) mod recording;
pub(crate) mod session;
pub(crate) mod snapshot;

use crate::fault::FaultList;
use crate::ge::capture::record::Recorder;
use crate::ge::clut::{Clut, LoadedCluts};
use crate::ge::draw::{FrontEnd, Joined, Texels};
use crate::ge::limits::Limits;
use crate::ge::matrices::Matrices;
use crate::ge::matrix_ports::MatrixPorts;
use crate::ge::observer::{Observer, View};
use crate::ge::regs::Registers;
use crate::ge::stage::Remembered;
use crate::ge::stats::Stats;
use crate::ge::vram::AddressMaps;
use crate::memory::Memory;
use crate::stop::Stopper;
use crate::tile::{Tiling, Timeline, Workers};
use crate::work::Account;
use std::time::Duration;

/// The GE from its registers to guest memory.
///
/// A mistake of the guest is a [fault](Ge::faults), not an error. [`run`](Ge::run) executes a display list until it
/// stops; [`Lists`](crate::ge::lists::Lists) is the queue of lists that the system software keeps.
pub struct Ge {
    pub(super) state: State,
    pub(super) limits: Limits,
    /// Units that the run may still spend.
    pub(super) account: Account,
    pub(super) joined: Joined,
    pub(super) texels: Texels,
    pub(super) loaded_cluts: LoadedCluts,
    pub(super) tiling: Tiling,
    pub(super) workers: Workers,
    pub(super) stopper: Stopper,
    pub(super) time_limit: Option<Duration>,
    pub(super) faults: FaultList,
    pub(super) observer: Option<Box<dyn Observer>>,
    pub(super) recorder: Option<Box<Recorder>>,
}

/// State that the guest can see or change: the content of a snapshot.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) registers: Registers,
    pub(super) matrices: MatrixPorts,
    pub(super) clut: Clut,
    pub(super) vertex_pointer: u32,
    pub(super) index_pointer: u32,
    /// OFFSET (1.2). Each list has its own; this field holds that of the running list.
    pub(super) offset: u32,
    pub(super) remembered: Remembered,
    pub(super) front_end: FrontEnd,
    pub(super) maps: AddressMaps,
    pub(super) stats: Stats,
}

impl Default for Ge {
    fn default() -> Self {
        Self {
            state: State::default(),
            limits: Limits::DEFAULT,
            account: Account::new(Limits::DEFAULT.work),
            joined: Joined::default(),
            texels: Texels::default(),
            loaded_cluts: LoadedCluts::default(),
            tiling: Tiling::default(),
            workers: Workers::default(),
            stopper: Stopper::default(),
            time_limit: None,
            faults: FaultList::default(),
            observer: None,
            recorder: None,
        }
    }
}

impl Ge {
    /// A machine before its first list (2.1), with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the number of threads that draw pixels: 1 to 64, and no more than the system runs at once for this process; 0
    /// counts as 1, larger values as the largest. Results do not depend on it.
    ///
    /// With one thread, all work happens on the thread that calls [`run`](Self::run). With more, the engine keeps worker
    /// threads for its machines, which rest unless a run has enough work: no thread accesses guest memory between calls, but in a
    /// [session](Self::session). For draws that share buffers, [`Memory::written`](crate::memory::Memory::written) is
    /// called once for all of them, not after each draw. An [observer](Self::set_observer) serialises the draws,
    /// because it sees the result of each one.
    pub fn set_threads(&mut self, threads: usize) {
        self.tiling = Tiling::on_host(threads);
    }

    /// Sets how pixels are distributed over threads, their number too. Results do not depend on it.
    pub const fn set_tiling(&mut self, tiling: Tiling) {
        self.tiling = tiling;
    }

    /// Records what threads do, for tools; `None`: nothing. Results do not depend on it.
    pub fn set_timeline(&mut self, timeline: Option<Timeline>) {
        self.workers.timeline = timeline;
    }

    /// The handle that ends runs of this machine from any thread.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Limits the time of each run; `None`: no limit. A run that was stopped ends with [`RunError::Stopped`].
    ///
    /// [`RunError::Stopped`]: crate::ge::RunError::Stopped
    pub const fn set_time_limit(&mut self, limit: Option<Duration>) {
        self.time_limit = limit;
    }

    /// The registers.
    #[must_use]
    pub const fn registers(&self) -> &Registers {
        &self.state.registers
    }

    /// The matrices used by draws.
    #[must_use]
    pub const fn matrices(&self) -> &Matrices {
        self.state.matrices.matrices()
    }

    /// The colour look-up table.
    #[must_use]
    pub const fn clut(&self) -> &Clut {
        &self.state.clut
    }

    /// Faults of the guest since the last [`take_faults`](Self::take_faults).
    #[must_use]
    pub const fn faults(&self) -> &FaultList {
        &self.faults
    }

    /// Returns the faults of the guest and clears the list.
    pub fn take_faults(&mut self) -> FaultList {
        std::mem::take(&mut self.faults)
    }

    /// Counters.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.state.stats
    }

    /// Units of [`Limits::work`] that the latest run spent.
    #[must_use]
    pub const fn work(&self) -> u64 {
        self.account.spent()
    }

    /// Wiring of the VRAM mirrors.
    #[must_use]
    pub const fn address_maps(&self) -> AddressMaps {
        self.state.maps
    }

    /// Replaces the wiring of the VRAM mirrors; returns the previous one. Unused bits of a
    /// [`Shift`](AddressMaps::Shift) are dropped.
    pub const fn set_address_maps(&mut self, maps: AddressMaps) -> AddressMaps {
        // Wirings are compared with each other, and the size of a piece of memory follows from the shift.
        std::mem::replace(&mut self.state.maps, maps.canonical())
    }

    /// Address of the next vertex.
    #[must_use]
    pub const fn vertex_pointer(&self) -> u32 {
        self.state.vertex_pointer
    }

    /// Address of the next index.
    #[must_use]
    pub const fn index_pointer(&self) -> u32 {
        self.state.index_pointer
    }

    /// Sets the address of the next vertex, for recordings.
    pub const fn set_vertex_pointer(&mut self, address: u32) {
        self.state.vertex_pointer = address & 0x0fff_ffff;
    }

    /// Sets the address of the next index, for recordings.
    pub const fn set_index_pointer(&mut self, address: u32) {
        self.state.index_pointer = address & 0x0fff_ffff;
    }

    /// Stores a word in its register without any other effect, for recordings.
    pub const fn set_register(&mut self, word: u32) {
        self.state.registers.write(word);
    }

    /// Replaces the content of the colour look-up table, for recordings.
    pub fn set_clut(&mut self, bytes: &[u8; super::clut::CLUT_BYTES]) {
        *self.state.clut.change() = *bytes;
    }

    /// Replaces the observer, which is called for every event from now on; returns the previous one.
    pub fn set_observer(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        std::mem::replace(&mut self.observer, observer)
    }

    /// Calls the observer, if there is one.
    pub(super) fn tell(&mut self, memory: &dyn Memory, event: impl FnOnce(&mut dyn Observer, View<'_>)) {
        if let Some(observer) = &mut self.observer {
            let (registers, stats) = (&self.state.registers, &self.state.stats);
            let pointers = [self.state.vertex_pointer, self.state.index_pointer];
            event(&mut **observer, View { registers, memory, stats, pointers });
        }
    }
}
