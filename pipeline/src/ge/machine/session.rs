//! `Session`: several runs whose draws may overlap.
//!
//! A run by itself ends when its last pixel is drawn. Programs that write textures or palettes between draws, or send a
//! frame as hundreds of short lists, then never have enough work at once for a second thread. In a session draws stay
//! pending from run to run; the host says which memory it is about to read or write, and waits for no more than that.

use super::context::CONTEXT_WORDS;
use super::fields::Field;
use super::processor::{Host, RunError, Stop};
use crate::fields::StateError;
use crate::ge::Ge;
use crate::ge::display_list::{ADDRESS, DisplayList};
use crate::ge::extents;
use crate::ge::stage::Stages;
use crate::memory::{Memory, write_bytes};
use crate::work::Account;

/// Bytes of a saved context.
const CONTEXT_BYTES: u32 = 4 * CONTEXT_WORDS as u32;

/// Several runs of a machine, one after the other; see [`Ge::session`].
pub struct Session<'s> {
    ge: &'s mut Ge,
    runs: Runs<'s>,
    /// The time of a run is passing.
    is_timed: bool,
    /// There were draws to wait for in the last call.
    has_waited: bool,
}

enum Runs<'s> {
    /// Draws are pending between runs.
    Joint(Host<'s>),
    /// Every run completes its draws.
    Single { stages: &'s mut dyn Stages, memory: &'s dyn Memory },
}

impl Ge {
    /// Calls `work` with a session, in which draws overlap beyond the end of a run. Registers, memory and counters are
    /// in the end what they would be after the same runs by themselves; [covered pixels](crate::ge::stats::Stats::covered) count when
    /// they are drawn.
    ///
    /// Until the session ends, draws may read textures and draw pixels at any time. Before the host reads memory that draws
    /// may have written, or writes memory that they may use, it calls [`Session::before_read`] or
    /// [`Session::before_write`]. Memory that a run reads at once needs no call: lists, vertices, indices, palettes.
    ///
    /// While a [recording](Self::start_recording) is in progress, each run completes its draws; with an
    /// [observer](Self::set_observer), each draw is complete before the next.
    ///
    /// ```
    /// use picaflor_pipeline::ge::display_list::DisplayList;
    /// use picaflor_pipeline::ge::{Ge, stage::NoEngines, vram};
    /// use picaflor_pipeline::memory::{BlockMemory, write_bytes};
    ///
    /// const LIST: u32 = 0x0880_0000;
    /// let memory = BlockMemory::zeroed(&[(vram::VRAM, vram::VRAM_BYTES), (LIST, 4096)]);
    /// let (mut engine, mut ge) = (NoEngines, Ge::new());
    /// ge.session(&mut engine, &memory, |session| {
    ///     for token in 0..3 {
    ///         session.write(vram::VRAM + 0x10_0000, &[token; 64])?; // a palette
    ///         let words = [0x0f00_0000 | u32::from(token), 0x0c00_0000];
    ///         write_bytes(&memory, LIST, words.map(u32::to_le_bytes).as_flattened());
    ///         session.run(&mut DisplayList::new(LIST, 0))?;
    ///     }
    ///     session.before_read(vram::VRAM, 512 * 272 * 4)
    ///     // Here the host may look at the frame buffer.
    /// })??;
    /// # Ok::<(), picaflor_pipeline::ge::RunError>(())
    /// ```
    ///
    /// # Errors
    /// [`RunError::Stopped`] if the session was [stopped](crate::stop::Stopper) while draws of its last runs were completed:
    /// some of their pixels are missing. The result of `work` is lost.
    pub fn session<R>(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        work: impl FnOnce(&mut Session<'_>) -> R,
    ) -> Result<R, RunError> {
        if self.is_recording() {
            return Ok(work(&mut Session::single(self, stages, memory)));
        }
        self.open_account();
        self.hosted(stages, memory, |ge, host| {
            let Host { stages, memory, queue } = host;
            let runs = Runs::Joint(Host { stages: &mut **stages, memory: *memory, queue: &mut **queue });
            ge.stopper.limit(None);
            let mut session = Session { ge, runs, is_timed: false, has_waited: false };
            let result = work(&mut session);
            session.finish().map(|()| result)
        })
    }
}

impl Ge {
    /// The ranges of what a host names, which may be as long as the address space.
    fn extents(&self, address: u32, length: u32) -> impl Iterator<Item = (u32, u32)> + use<> {
        let whole = extents::extent(self.state.maps, address, length.min(ADDRESS + 1));
        extents::parts(whole).into_iter().filter(|&(_, length)| length > 0)
    }
}

impl<'s> Session<'s> {
    /// Runs that complete their draws.
    pub(crate) const fn single(ge: &'s mut Ge, stages: &'s mut dyn Stages, memory: &'s dyn Memory) -> Self {
        Self { ge, runs: Runs::Single { stages, memory }, is_timed: false, has_waited: false }
    }

    /// The machine.
    #[must_use]
    pub const fn ge(&self) -> &Ge {
        self.ge
    }

    /// True if there were draws to wait for in the last call.
    pub(crate) const fn has_waited(&self) -> bool {
        self.has_waited
    }

    /// Runs a list until it stops, as [`Ge::run`]. Draws may stay pending.
    ///
    /// # Errors
    /// As [`Ge::run`]; [`RunError::Stopped`] also if draws of runs before were stopped. What those drew may be missing.
    pub fn run(&mut self, list: &mut DisplayList) -> Result<Stop, RunError> {
        self.begin_run();
        let stop = self.run_on(list);
        self.rest(stop)
    }

    /// Begins a new account, and the time of a run.
    pub(crate) fn begin_run(&mut self) {
        match self.runs {
            Runs::Single { .. } => self.ge.open_account(),
            Runs::Joint(_) => {
                self.ge.account = Account::new(self.ge.limits.work);
                self.ge.stopper.limit(self.ge.time_limit);
                self.is_timed = true;
            }
        }
    }

    /// A run: `alone` completes its draws, those of `joint` may be pending afterwards.
    pub(super) fn perform<R>(
        &mut self,
        alone: impl FnOnce(&mut Ge, &mut dyn Stages, &dyn Memory) -> Result<R, RunError>,
        joint: impl FnOnce(&mut Ge, &mut Host<'_>) -> Result<R, RunError>,
    ) -> Result<R, RunError> {
        self.has_waited = false;
        self.begin_run();
        let result = match &mut self.runs {
            Runs::Single { stages, memory } => alone(self.ge, &mut **stages, *memory),
            Runs::Joint(host) => {
                self.ge.begin_run();
                joint(self.ge, host)
            }
        };
        self.rest(result)
    }

    /// [`Ge::read_field`].
    ///
    /// # Errors
    /// As [`Ge::read_field`].
    pub fn read_field(&mut self, field: Field, first: usize, words: &mut [u32]) -> Result<(), StateError> {
        self.ge.read_field(field, first, words)
    }

    /// [`Ge::write_field`]: pending draws keep the state in which they were submitted.
    ///
    /// # Errors
    /// As [`Ge::write_field`].
    pub fn write_field(&mut self, field: Field, first: usize, words: &[u32]) -> Result<(), StateError> {
        self.ge.write_field(field, first, words)
    }

    /// [`run`](Self::run) on the account and in the time of the runs before it.
    pub(crate) fn run_on(&mut self, list: &mut DisplayList) -> Result<Stop, RunError> {
        self.has_waited = false;
        let ge = &mut *self.ge;
        match &mut self.runs {
            Runs::Single { stages, memory } => ge.run_on(&mut **stages, *memory, list),
            Runs::Joint(host) => {
                ge.begin_run();
                let stop = ge.run_list(host, list);
                ge.unless_stopped(stop, list)
            }
        }
    }

    /// Waits for the draws that may write these bytes. Then the host may read them.
    ///
    /// # Errors
    /// [`RunError::Stopped`] if they were stopped: some of their pixels are missing.
    pub fn before_read(&mut self, address: u32, length: u32) -> Result<(), RunError> {
        self.wait(|ge, host| ge.extents(address, length).for_each(|part| host.queue.before_read(part)))
    }

    /// Waits for the draws that may use these bytes, and announces a change of them to the engines. Then the host may write
    /// them, until the next run.
    ///
    /// Memory with [versions](Memory::version) has another one after the write: a host with
    /// [`Tracked`](crate::memory::Tracked) announces the write to it too, as [`write`](Self::write) does. An image counts as
    /// current while its version is.
    ///
    /// # Errors
    /// As [`before_read`](Self::before_read).
    pub fn before_write(&mut self, address: u32, length: u32) -> Result<(), RunError> {
        self.wait(|ge, host| {
            for (address, length) in ge.extents(address, length) {
                host.queue.before_write((address, length));
                host.stages.changed(address, length);
            }
        })
    }

    /// Writes bytes at an address of the host's memory, after [`before_write`](Self::before_write). If they are there already, nothing changes, and only draws that
    /// may write there are waited for.
    ///
    /// # Errors
    /// As [`before_read`](Self::before_read).
    pub fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), RunError> {
        let length = bytes.len() as u32;
        self.before_read(address, length)?;
        let has_waited = self.has_waited;
        if !self.holds(address, bytes) {
            self.before_write(address, length)?;
            write_bytes(self.memory(), address, bytes);
            // A new version, in memory that knows versions: also for the resolved addresses, by which engines ask for it.
            let parts = self.ge.extents(address, length).filter(|&part| part != (address, length));
            for (address, length) in parts.chain([(address, length)]) {
                self.memory().written(address, length);
            }
        }
        self.has_waited |= has_waited;
        Ok(())
    }

    /// Completes all draws.
    ///
    /// # Errors
    /// As [`before_read`](Self::before_read).
    pub fn finish(&mut self) -> Result<(), RunError> {
        self.wait(|_, host| host.queue.finish())
    }

    /// [`Ge::save_context`].
    pub(crate) fn save_context(&mut self, address: u32) -> Result<(), RunError> {
        self.before_write(address, CONTEXT_BYTES)?;
        let memory = self.memory();
        self.ge.save_context(memory, address);
        Ok(())
    }

    /// [`Ge::restore_context`]. If draws are stopped that may write there, the state is what memory holds without their pixels.
    ///
    /// # Errors
    /// As [`before_read`](Self::before_read).
    pub(crate) fn restore_context(&mut self, address: u32) -> Result<(), RunError> {
        let waited = self.before_read(address, CONTEXT_BYTES);
        let memory = self.memory();
        self.ge.restore_context(memory, address);
        waited
    }

    /// True if memory holds these bytes.
    fn holds(&self, address: u32, bytes: &[u8]) -> bool {
        let held = self.memory().region(address, bytes.len() as u32);
        held.is_some_and(|held| held.equals(bytes))
    }

    fn memory(&self) -> &'s dyn Memory {
        match &self.runs {
            Runs::Joint(host) => host.memory,
            Runs::Single { memory, .. } => *memory,
        }
    }

    /// Does something that may complete draws, within the time of a run.
    fn wait(&mut self, work: impl FnOnce(&Ge, &mut Host<'_>)) -> Result<(), RunError> {
        self.has_waited = false;
        let Runs::Joint(host) = &mut self.runs else { return Ok(()) };
        if !self.is_timed {
            self.ge.stopper.limit(self.ge.time_limit);
        }
        let was_pending = host.queue.is_pending();
        work(self.ge, host);
        self.has_waited = was_pending && !host.queue.is_pending();
        let stopped = self.ge.check_stop(0);
        if self.is_timed { stopped } else { self.rest(stopped) }
    }

    /// Ends the time of a run, and returns its result. If draws were stopped, nothing is pending any more.
    pub(crate) fn rest<R>(&mut self, result: Result<R, RunError>) -> Result<R, RunError> {
        self.is_timed = false;
        let Runs::Joint(host) = &mut self.runs else { return result };
        let stopped = self.ge.check_stop(0);
        if stopped.is_err() {
            host.queue.finish();
            self.ge.stopper.begin(None);
        }
        self.ge.stopper.limit(None);
        result.and_then(|result| stopped.map(|()| result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::vram::{VRAM, VRAM_BYTES};

    /// A host may name everything, and more than there is.
    #[test]
    fn ranges_as_long_as_the_address_space() {
        let ge = Ge::new();
        let ranges = |address, length| ge.extents(address, length).collect::<Vec<_>>();
        assert_eq!(ranges(0, u32::MAX), [(0, 0x1000_0000)]);
        assert_eq!(ranges(0x0880_0000, u32::MAX), [(0x0880_0000, 0x0780_0000), (0, 0x0880_0000)]);
        assert_eq!(ranges(0x0fff_fff0, 32), [(0x0fff_fff0, 16), (0, 16)]);
        assert_eq!(ranges(VRAM, VRAM_BYTES), [(VRAM, VRAM_BYTES)]);
        assert_eq!(ranges(0x0880_0000, 0), []);
    }
}
