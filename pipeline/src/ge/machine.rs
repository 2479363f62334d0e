//! `Ge`: the machine itself, and what a host may ask of it.

pub(crate) mod commands;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod processor;
pub(crate) mod readback;
pub(crate) mod recording;
pub(crate) mod snapshot;

use crate::fault::FaultList;
use crate::ge::capture::record::Recorder;
use crate::ge::clut::Clut;
use crate::ge::draw::FrontEnd;
use crate::ge::limits::Limits;
use crate::ge::matrices::Matrices;
use crate::ge::matrix_ports::MatrixPorts;
use crate::ge::observer::{Observer, View};
use crate::ge::regs::Registers;
use crate::ge::stage::Remembered;
use crate::ge::stats::Stats;
use crate::ge::vram::AddressMaps;
use crate::memory::Memory;
use crate::tile::Tiling;

/// The GE from its registers to guest memory.
///
/// What the guest does wrong is a [fault](Ge::faults) and no error. [`run`](Ge::run) executes a display list
/// until it stops; [`Lists`](crate::ge::lists::Lists) keeps the queue of lists that system software keeps.
#[derive(Default)]
pub struct Ge {
    pub(super) state: State,
    pub(super) limits: Limits,
    pub(super) tiling: Tiling,
    pub(super) faults: FaultList,
    pub(super) observer: Option<Box<dyn Observer>>,
    pub(super) recorder: Option<Box<Recorder>>,
}

/// What the guest can see or change: all that a snapshot holds.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) registers: Registers,
    pub(super) matrices: MatrixPorts,
    pub(super) clut: Clut,
    pub(super) vertex_pointer: u32,
    pub(super) index_pointer: u32,
    /// OFFSET (1.2). Each list has its own, which is here while the list runs.
    pub(super) offset: u32,
    pub(super) remembered: Remembered,
    pub(super) front_end: FrontEnd,
    pub(super) maps: AddressMaps,
    pub(super) stats: Stats,
}

impl Ge {
    /// A machine before its first list (2.1).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Chooses on how many threads pixels are drawn; 0 counts as 1, and there are never more than 64. Results do not
    /// depend on it.
    ///
    /// With one thread, everything happens on the thread that calls [`run`](Self::run). More are started by a run
    /// when there is work enough, and end with it: nobody touches guest memory between calls, and during a call the
    /// host must leave what the machine draws to and samples alone. Buffers that draws share are told to
    /// [`Memory::written`](crate::memory::Memory::written) together, not after each draw. An
    /// [observer](Self::set_observer) makes draws wait for each other, as it sees each of them done.
    pub const fn set_threads(&mut self, threads: usize) {
        self.tiling.threads = threads;
    }

    /// Chooses how pixels are shared out among threads. Results do not depend on it.
    pub const fn set_tiling(&mut self, tiling: Tiling) {
        self.tiling = tiling;
    }

    /// The registers.
    #[must_use]
    pub const fn registers(&self) -> &Registers {
        &self.state.registers
    }

    /// The matrices that drawing uses.
    #[must_use]
    pub const fn matrices(&self) -> &Matrices {
        self.state.matrices.matrices()
    }

    /// The colour look-up table.
    #[must_use]
    pub const fn clut(&self) -> &Clut {
        &self.state.clut
    }

    /// What the guest did wrong.
    #[must_use]
    pub const fn faults(&self) -> &FaultList {
        &self.faults
    }

    /// What the guest did wrong, and forgets it.
    pub fn take_faults(&mut self) -> FaultList {
        std::mem::take(&mut self.faults)
    }

    /// Counters.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.state.stats
    }

    /// How mirrors of VRAM are wired.
    #[must_use]
    pub const fn address_maps(&self) -> AddressMaps {
        self.state.maps
    }

    /// Has mirrors of VRAM wired otherwise; returns how they were.
    pub const fn set_address_maps(&mut self, maps: AddressMaps) -> AddressMaps {
        std::mem::replace(&mut self.state.maps, maps)
    }

    /// Where vertices are read next.
    #[must_use]
    pub const fn vertex_pointer(&self) -> u32 {
        self.state.vertex_pointer
    }

    /// Where indices are read next.
    #[must_use]
    pub const fn index_pointer(&self) -> u32 {
        self.state.index_pointer
    }

    /// Sets where vertices are read next, for recordings.
    pub const fn set_vertex_pointer(&mut self, address: u32) {
        self.state.vertex_pointer = address & 0x0fff_ffff;
    }

    /// Sets where indices are read next, for recordings.
    pub const fn set_index_pointer(&mut self, address: u32) {
        self.state.index_pointer = address & 0x0fff_ffff;
    }

    /// Keeps a word in its register and does nothing else, for recordings.
    pub const fn set_register(&mut self, word: u32) {
        self.state.registers.write(word);
    }

    /// Sets the contents of the colour look-up table, for recordings.
    pub fn set_clut(&mut self, bytes: &[u8; super::clut::CLUT_BYTES]) {
        *self.state.clut.change() = *bytes;
    }

    /// Has `observer` told what happens, from now on; returns the one before.
    pub fn set_observer(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        std::mem::replace(&mut self.observer, observer)
    }

    /// Tells the observer, if there is one.
    pub(super) fn tell(&mut self, memory: &dyn Memory, event: impl FnOnce(&mut dyn Observer, View<'_>)) {
        if let Some(observer) = &mut self.observer {
            let (registers, stats) = (&self.state.registers, &self.state.stats);
            event(&mut **observer, View { registers, memory, stats });
        }
    }
}
