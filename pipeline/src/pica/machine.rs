//! `Pica`: the machine, and its interface to a host.

pub(crate) mod budget;
pub(crate) mod engines;
pub(crate) mod entry;
pub(crate) mod fields;
pub(crate) mod mmio;
pub(crate) mod processor;
pub(crate) mod readback;
pub(crate) mod recording;
pub(crate) mod restore;
pub(crate) mod sense;
pub(crate) mod snapshot;
pub(crate) mod vblank;
pub(crate) mod writes;

use super::command::CommandList;
use super::display::{ScanOut, Screen};
use super::draw::FrontEnd;
use super::draw::texels::Texels;
use super::external::External;
use super::limits::{Limits, RunAccount};
use super::lut::{LutMemory, Luts};
use super::observer::{Observer, View};
use super::ports::ShaderBank;
use super::regs::Registers;
use super::shader::program::UnitKind;
use super::stats::Stats;
use super::timing::{Delay, Rates, Timing};
use crate::fault::FaultList;
use crate::memory::Memory;
use crate::pica::capture::record::Recorder;
use crate::pica::external::interrupts::{Interrupt, Interrupts};
use crate::pica::float::Precision;
use crate::pica::ports::immediate::AttributePort;
use crate::pica::queue::TileQueue;
use crate::pica::stage::Stages;
use crate::pica::stage::blit::BlitStage;
use crate::picture::{Picture, PictureBuffer, PictureError};
use crate::stop::Stopper;
use crate::tile::{Tiling, Timeline, Workers};
use std::time::Duration;

/// The PICA200 from its registers to guest memory.
///
/// Every operation completes at the write that starts it; interrupts are collected in a [set](Pica::interrupts). A
/// mistake of the guest is a [fault](Pica::faults), not an error.
///
/// Calls by a host:
///
/// | when | call |
/// |---|---|
/// | the CPU writes or reads a physical address of the GPU | [`write_mmio`](Self::write_mmio), [`read_mmio`](Self::read_mmio) |
/// | or the host has lists and register writes already taken apart | [`run`](Self::run), [`write_register`](Self::write_register) |
/// | after each of these | deliver and [`acknowledge`](Self::acknowledge) the [`interrupts`](Self::interrupts), log [`take_faults`](Self::take_faults) |
/// | a screen begins its vertical blank | [`vblank`](Self::vblank), if the program waits for blanks |
/// | the screen is refreshed | [`picture`](Self::picture), [`frame_end`](Self::frame_end) |
/// | a game is saved or loaded | [`save`](Self::save), [`load`](Self::load) |
/// | something looks wrong | [`start_recording`](Self::start_recording), [`stop_recording`](Self::stop_recording) |
///
/// ```
/// use picaflor_pipeline::memory::{BlockMemory, write_bytes};
/// use picaflor_pipeline::pica::command::CommandList;
/// use picaflor_pipeline::pica::external::interrupts::Interrupt;
/// use picaflor_pipeline::pica::{Finished, Pica, command::list_builder::ListBuilder, float::Precision};
/// use picaflor_pipeline::pica::stage::NoEngines;
///
/// let memory = BlockMemory::console();
/// let list = ListBuilder::new().write(0x040, 2).finish(); // back faces are culled
/// write_bytes(&memory, 0x2000_0000, &list);
///
/// let mut pica = Pica::new(Precision::Console);
/// let list = CommandList { address: 0x2000_0000, size_bytes: list.len() as u32 };
/// assert_eq!(pica.run(&mut NoEngines, &memory, list)?, Finished::Interrupt);
/// for interrupt in pica.interrupts().iter() {
///     assert_eq!(interrupt, Interrupt::P3d);
///     pica.acknowledge(interrupt);
/// }
/// assert_eq!(pica.registers().raw(0x040), 2);
/// # Ok::<(), picaflor_pipeline::pica::RunError>(())
/// ```
pub struct Pica {
    pub(super) state: State,
    pub(super) precision: Precision,
    pub(super) obeys_attribute_clocks: bool,
    pub(super) limits: Limits,
    pub(super) tiling: Tiling,
    pub(super) workers: Workers,
    pub(super) stopper: Stopper,
    pub(super) time_limit: Option<Duration>,
    pub(super) faults: FaultList,
    pub(super) observer: Option<Box<dyn Observer>>,
    pub(super) recorder: Option<Box<Recorder>>,
    /// Remaining budgets of the run, or of the write by the CPU.
    pub(super) account: RunAccount,
    pub(super) texels: Texels,
    pub(super) timing: Option<Timing>,
    /// Address of the latest command.
    pub(super) last_command: u32,
    /// True if anything was drawn since the last list began.
    pub(super) drawn: bool,
}

/// State that the guest can see or change: the content of a snapshot.
#[derive(Clone)]
pub(super) struct State {
    pub(super) registers: Registers,
    pub(super) luts: LutMemory,
    pub(super) vertex: ShaderBank,
    pub(super) geometry: ShaderBank,
    pub(super) front_end: FrontEnd,
    pub(super) external: External,
    pub(super) interrupts: Interrupts,
    pub(super) stats: Stats,
    /// True if a list ever ran.
    pub(super) started: bool,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            registers: Registers::new(),
            luts: LutMemory::default(),
            vertex: ShaderBank::new(UnitKind::Vertex),
            geometry: ShaderBank::new(UnitKind::Geometry),
            front_end: FrontEnd::new(),
            external: External::default(),
            interrupts: Interrupts::default(),
            stats: Stats::default(),
            started: false,
        }
    }
}

/// Resources of a call: engines and memory of the host, and the queue that draws are submitted to.
pub(crate) struct Host<'a> {
    pub(super) stages: &'a mut dyn Stages,
    pub(super) memory: &'a dyn Memory,
    pub(super) queue: &'a mut dyn TileQueue,
}

impl Pica {
    /// A machine after reset (pica-geometry.md 2.8), with the default limits.
    #[must_use]
    pub fn new(precision: Precision) -> Self {
        Self {
            state: State::new(),
            precision,
            obeys_attribute_clocks: true,
            limits: Limits::default(),
            tiling: Tiling::new(1),
            workers: Workers::default(),
            stopper: Stopper::default(),
            time_limit: None,
            faults: FaultList::new(),
            observer: None,
            recorder: None,
            account: RunAccount::new(&Limits::default()),
            texels: Texels::default(),
            timing: None,
            last_command: 0,
            drawn: false,
        }
    }

    /// Replaces the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, account: RunAccount::new(&limits), ..self }
    }

    /// Rounding of shader arithmetic.
    #[must_use]
    pub const fn precision(&self) -> Precision {
        self.precision
    }

    /// Sets the number of threads that draw fragments: 1 to 64, and no more than the system runs at once for this process; 0
    /// counts as 1, larger values as the largest. Results do not depend on it.
    ///
    /// With one thread, all work happens on the thread that calls [`run`](Self::run). With more, the engine keeps worker
    /// threads for its machines, which rest unless a run has enough work: no thread accesses guest memory between calls. For draws that
    /// share buffers, [`Memory::written`](crate::memory::Memory::written) is called once for all of them, not after
    /// each draw. An [observer](Self::set_observer) serialises the draws, because it sees the result of each one.
    pub fn set_threads(&mut self, threads: usize) {
        self.tiling = Tiling::on_host(threads);
    }

    /// Sets how fragments are distributed over threads, their number too. Results do not depend on it.
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

    /// Limits the time of each run, and of each write by the CPU; `None`: no limit. A run that was stopped ends with
    /// [`RunError::Stopped`].
    ///
    /// [`RunError::Stopped`]: crate::pica::RunError::Stopped
    pub const fn set_time_limit(&mut self, limit: Option<Duration>) {
        self.time_limit = limit;
    }

    /// Estimates the time of work from now on, or, by default, does not. Nothing that a guest can see depends on it;
    /// neither snapshots nor captures have it.
    pub fn set_timing(&mut self, rates: Option<Rates>) {
        self.timing = rates.map(|rates| Timing::new(rates, &self.state.stats));
    }

    /// Interrupts of the last runs, fills and transfers with the cycles after which a console would have raised them, in
    /// the order in which they were raised; at most 64 of them, the oldest are dropped. Empty without
    /// [timing](Self::set_timing).
    pub fn take_delays(&mut self) -> Vec<Delay> {
        self.timing.as_mut().map_or_else(Vec::new, Timing::take)
    }

    /// Estimated cycles of the latest run, or of the latest write by the CPU that drew; 0 without
    /// [timing](Self::set_timing).
    #[must_use]
    pub fn run_cycles(&self) -> u64 {
        self.timing.as_ref().map_or(0, |timing| timing.cycles(&self.state.stats))
    }

    /// Raises an interrupt: of the run, or of a unit whose cost, in parts of a cycle, follows from the rates.
    pub(super) fn raise(&mut self, interrupt: Interrupt, own: Option<&dyn Fn(&Rates) -> u64>) {
        self.state.interrupts.raise(interrupt);
        if let Some(timing) = &mut self.timing {
            let own = own.map(|cost| cost(timing.rates()));
            timing.raised(interrupt, &self.state.stats, own);
        }
    }

    /// Obeys the attribute clocks (0x06F) or ignores them; a new machine obeys, as the console does. An attribute whose
    /// clock is off reads its default, for example white. Emulators ignore the register, and a program written for one
    /// may never have set it. The setting belongs to the host: neither snapshots nor captures have it.
    pub const fn set_attribute_clocks(&mut self, obeys: bool) {
        self.obeys_attribute_clocks = obeys;
    }

    /// Replaces the observer, which is called for every event from now on; returns the previous one.
    pub fn set_observer(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        std::mem::replace(&mut self.observer, observer)
    }

    /// The stored registers. The value that the CPU reads can differ: [`read_register`](Self::read_register).
    #[must_use]
    pub const fn registers(&self) -> &Registers {
        &self.state.registers
    }

    /// The tables of the fragment units.
    #[must_use]
    pub const fn luts(&self) -> &Luts {
        self.state.luts.get()
    }

    /// The vertex units' program, uniforms and configuration.
    #[must_use]
    pub const fn vertex_bank(&self) -> &ShaderBank {
        &self.state.vertex
    }

    /// The geometry unit's program, uniforms and configuration.
    #[must_use]
    pub const fn geometry_bank(&self) -> &ShaderBank {
        &self.state.geometry
    }

    /// Fixed attributes and the immediate port.
    #[must_use]
    pub const fn attributes(&self) -> &AttributePort {
        self.state.front_end.attributes()
    }

    /// The registers outside the command processor.
    #[must_use]
    pub const fn external(&self) -> &External {
        &self.state.external
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

    /// Units of [`Limits::work`] that the latest run spent, or the latest write by the CPU.
    #[must_use]
    pub const fn work(&self) -> u64 {
        self.account.spent()
    }

    /// Pending interrupts: raised and not acknowledged.
    #[must_use]
    pub const fn interrupts(&self) -> Interrupts {
        self.state.interrupts
    }

    /// Removes an interrupt from the pending set. The request block is unchanged.
    pub fn acknowledge(&mut self, interrupt: Interrupt) {
        self.state.interrupts.acknowledge(interrupt);
    }

    /// The current picture of a screen, read by the engine; `None` if it has none, see
    /// [`BlitStage::scan_out`]. A recording includes the screens only at the [end of a frame](Pica::frame_end).
    #[must_use]
    pub fn picture(
        &self,
        engine: &mut dyn BlitStage,
        memory: &dyn Memory,
        screen: Screen,
    ) -> Option<Picture> {
        engine.scan_out(memory, &ScanOut::in_use(self.external(), screen))
    }

    /// The same picture, written to a buffer of the host in its format and with its stride; width and height in
    /// pixels.
    ///
    /// # Errors
    /// The screen shows nothing, or the buffer has no room; nothing was written then.
    pub fn picture_into(
        &self,
        engine: &mut dyn BlitStage,
        memory: &dyn Memory,
        screen: Screen,
        buffer: &mut PictureBuffer<'_>,
    ) -> Result<[u32; 2], PictureError> {
        engine.scan_out_into(memory, &ScanOut::in_use(self.external(), screen), buffer)
    }

    /// Calls the observer, if there is one.
    pub(super) fn tell(&mut self, memory: &dyn Memory, event: impl FnOnce(&mut dyn Observer, View<'_>)) {
        if let Some(observer) = &mut self.observer {
            let State { registers, external, stats, .. } = &self.state;
            event(&mut **observer, View { registers, external, memory, stats });
        }
    }

    pub(super) fn channel(&self, channel: u8) -> CommandList {
        CommandList::of_channel(&self.state.registers, channel)
    }
}
