//! The display-list processor: runs a list until it stops, within budgets.
//!
//! Source: psp-ge.md 2.1.

use super::control::{Flow, is_plain};
use crate::ge::Ge;
use crate::ge::capture::Event;
use crate::ge::display_list::{ADDRESS, DisplayList};
use crate::ge::draw::{Ends, FrontEnd};
use crate::ge::prices;
use crate::ge::queue::{Queue, with_queue_of};
use crate::ge::stage::Stages;
use crate::ge::stats::Stats;
use crate::ge::vram::{AddressMaps, is_vram};
use crate::guest_slice::GuestSlice;
use crate::memory::{Memory, Stoppable, read_word};
use crate::stop::StopCause;
use crate::tile::Workers;
use crate::work::Account;

/// Reason why a list stopped. Its program counter is then behind the `END`, or at the stall address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The list reached its stall address.
    Stalled,
    /// The list sent a signal; the next run continues it.
    Signal {
        /// Behaviour: 1: the list waits for the handler; 2: it does not wait; 0xF0 and 0xFF: for debuggers; others
        /// are unknown to the system software.
        behaviour: u8,
        /// Argument of the signal.
        token: u16,
    },
    /// The list paused at a `FINISH`, as requested by an earlier signal.
    Paused {
        /// Argument of that signal.
        token: u16,
    },
    /// The list is complete.
    Finished {
        /// Argument of `FINISH`.
        token: u16,
    },
}

/// Reason why a list was aborted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The list reaches memory that is not mapped.
    #[error("the display list is not mapped at {address:#010x}")]
    Unmapped {
        /// The first address that cannot be read.
        address: u32,
    },
    /// The list has more commands than the limits allow.
    #[error("more than {limit} commands")]
    Commands {
        /// The limit.
        limit: u32,
    },
    /// The run was [stopped](crate::stop::Stopper).
    #[error("the run was stopped {cause} at {address:#010x}")]
    Stopped {
        /// Address of the last command. 0 outside of lists. Effects on pixels may be missing: its own, and those of draws
        /// before it that were not complete.
        address: u32,
        /// Reason.
        cause: StopCause,
    },
    /// The list has more work than the limits allow, counted in units; see
    /// [`Limits::work`](crate::ge::limits::Limits::work).
    #[error("more than {limit} units of work")]
    Budget {
        /// The limit.
        limit: u64,
    },
    /// The list has more vertices, pixels or moved bytes than the limits allow.
    #[error("more work than a run may do: {vertices} vertices, {pixels} pixels, {bytes} bytes moved")]
    Work {
        /// Vertices of the run.
        vertices: u64,
        /// Pixels of the run, counted in the bounding boxes of primitives.
        pixels: u64,
        /// Bytes moved by transfers of the run.
        bytes: u64,
    },
}

/// Resources of a call: engines and memory of the host, and the queue that draws are submitted to.
pub(crate) struct Host<'a> {
    pub(crate) stages: &'a mut dyn Stages,
    pub(crate) memory: &'a dyn Memory,
    pub(crate) queue: &'a mut dyn Queue,
}

/// The engines of a run, to which its list ends also where a callback of the host panics.
struct Announced<'s>(&'s mut dyn Stages);

impl Drop for Announced<'_> {
    fn drop(&mut self) {
        self.0.list_ends();
    }
}

impl Ge {
    /// Runs a list until it stops.
    ///
    /// ```
    /// use picaflor_pipeline::ge::display_list::DisplayList;
    /// use picaflor_pipeline::ge::stage::NoEngines;
    /// use picaflor_pipeline::ge::{Ge, Stop};
    /// use picaflor_pipeline::memory::FlatMemory;
    /// // The colour of the fog, and the end.
    /// let words = [0xcf00_00ff_u32, 0x0f00_0007, 0x0c00_0000];
    /// let memory = FlatMemory::new(0x0880_0000, words.into_iter().flat_map(u32::to_le_bytes).collect());
    ///
    /// let mut ge = Ge::new();
    /// let mut list = DisplayList::new(0x0880_0000, 0);
    /// let mut engine = NoEngines; // picaflor's `interp` or `jit`
    /// assert_eq!(ge.run(&mut engine, &memory, &mut list)?, Stop::Finished { token: 7 });
    /// assert_eq!(ge.registers().arg(0xcf), 0xff);
    /// # Ok::<(), picaflor_pipeline::ge::RunError>(())
    /// ```
    ///
    /// # Errors
    /// If the list cannot be read, or exceeds the [`Limits`](crate::ge::limits::Limits): the effects up to that point
    /// remain. [`RunError::Stopped`] if it was [stopped](crate::stop::Stopper), or its time has passed.
    pub fn run(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        list: &mut DisplayList,
    ) -> Result<Stop, RunError> {
        self.open_account();
        self.run_on(stages, memory, list)
    }

    /// [`run`](Self::run) on the account of the runs before it.
    pub(crate) fn run_on(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        list: &mut DisplayList,
    ) -> Result<Stop, RunError> {
        let event = self.is_recording().then(|| Event::Run(list.clone()));
        self.recorded(memory, event, |ge, memory| {
            let stop = ge.hosted(stages, memory, |ge, host| ge.run_list(host, list));
            ge.unless_stopped(stop, list)
        })
    }

    /// Runs a list with a queue; draws may be pending afterwards.
    pub(super) fn run_list(&mut self, host: &mut Host<'_>, list: &mut DisplayList) -> Result<Stop, RunError> {
        self.state.stats.runs += 1;
        self.state.offset = list.offset;
        let stop = self.process(host, list);
        list.offset = self.state.offset;
        self.settle(host);
        stop
    }

    /// How a list stopped, unless the run was stopped.
    pub(super) fn unless_stopped(
        &self,
        stop: Result<Stop, RunError>,
        list: &DisplayList,
    ) -> Result<Stop, RunError> {
        stop.and_then(|stop| self.check_stop(list.pc.wrapping_sub(4)).map(|()| stop))
    }

    /// Executes words outside of any list, in order, for recordings. Words of control flow, signals and ends are
    /// stored in their registers and have no other effect.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn execute(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        words: &[u32],
    ) -> Result<(), RunError> {
        self.open_account();
        let event = self.is_recording().then(|| Event::Execute(words.into()));
        self.recorded(memory, event, |ge, memory| {
            let done = ge.hosted(stages, memory, |ge, host| ge.execute_all(host, words));
            done.and_then(|()| ge.check_stop(0))
        })
    }

    /// Executes words with a queue; draws may be pending afterwards.
    pub(super) fn execute_all(&mut self, host: &mut Host<'_>, words: &[u32]) -> Result<(), RunError> {
        let before = self.state.stats;
        let done = words.iter().try_for_each(|&word| {
            self.state.stats.commands += 1;
            self.store(host, word);
            self.account.pay(prices::COMMAND);
            self.act(host, word);
            self.check_settled(host, &before)?;
            self.look(0)
        });
        self.settle(host);
        done
    }

    /// Begins a new account, of the whole budget, and the time of the run.
    pub(crate) fn open_account(&mut self) {
        self.account = Account::new(self.limits.work);
        self.stopper.begin(self.time_limit);
    }

    /// Forgets what only concerned the run before: textures that were paid, counters.
    pub(super) fn begin_run(&mut self) {
        self.texels.clear();
        self.joined.begin(self.state.stats.pixels);
    }

    /// Looks, after about every thousandth of a millisecond of work, whether the run is to end.
    fn look(&mut self, at: u32) -> Result<(), RunError> {
        if self.account.is_due() && self.stopper.asks() {
            return self.check_stop(at);
        }
        Ok(())
    }

    /// The error of a run that was stopped at a command.
    pub(crate) fn check_stop(&self, address: u32) -> Result<(), RunError> {
        self.stopper.cause().map_or(Ok(()), |cause| Err(RunError::Stopped { address, cause }))
    }

    /// Runs work with a queue of its own, on the threads of the machine.
    pub(crate) fn hosted<R>(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        work: impl FnOnce(&mut Self, &mut Host<'_>) -> R,
    ) -> R {
        let announced = Announced(stages);
        // An observer may do to memory what it likes between two draws.
        if self.observer.is_none() {
            announced.0.list_begins();
        }
        let stages = &mut *announced.0;
        self.begin_run();
        let stopper = self.stopper.clone();
        let stoppable = Stoppable::new(memory, &stopper);
        let memory = stoppable.of_run(stopper.is_watched());
        let mut workers = Workers::take(stages.workers(), &mut self.workers);
        let (run, before) = (workers.begin(self.tiling), self.state.stats.pixels);
        let result = with_queue_of(run.tiling, &mut workers, memory, &stopper, |queue| {
            let mut host = Host { stages: &mut *stages, memory, queue: &mut *queue };
            let result = work(self, &mut host);
            self.settle(&mut host);
            queue.finish();
            self.state.stats.covered += queue.take_pixels();
            result
        });
        workers.ran(run, self.state.stats.pixels.saturating_sub(before));
        workers.give_back(stages.workers(), &mut self.workers);
        result
    }

    fn process(&mut self, host: &mut Host<'_>, list: &mut DisplayList) -> Result<Stop, RunError> {
        let before = self.state.stats;
        let most_commands = before.commands.saturating_add(self.limits.commands.into());
        let mut reader = ListReader::new(host.memory, self.state.maps);
        loop {
            if list.is_stalled() {
                return Ok(Stop::Stalled);
            }
            let at = list.pc;
            let cached = reader.cached(at);
            let word = match cached {
                Some(word) => word,
                None => self.read_elsewhere(host, &mut reader, at)?,
            };
            self.tell(host.memory, |observer, view| observer.command(view, at, word));
            list.jump(at.wrapping_add(4));
            self.state.stats.commands += 1;
            let is_all = self.store(host, word) && is_plain(word) && cached.is_some();
            // Two words of three do nothing else.
            if self.account.pay(prices::COMMAND) && is_all && self.state.stats.commands <= most_commands {
                self.look(at)?;
                continue;
            }
            match self.flow(host, &mut reader, list, word, at) {
                Flow::Next => {}
                Flow::Act => self.act(host, word),
                Flow::Stop(stop) => return Ok(stop),
            }
            self.check_settled(host, &before)?;
            self.look(at)?;
        }
    }

    /// Stores a word in its register, behind the draws that depend on the word there. True if that was all.
    #[inline]
    fn store(&mut self, host: &mut Host<'_>, word: u32) -> bool {
        let before = self.state.registers.word((word >> 24) as u8);
        let is_free = self.joined.is_idle()
            || Ends::of(before, word) == Ends::Nothing && self.account.left() >= self.joined.units();
        if !is_free {
            self.settle_before(host, Ends::of(before, word));
        }
        self.state.registers.write(word);
        is_free
    }

    /// Does what waits, as far as a word ends its state, or the command might spend what it was promised.
    #[inline(never)]
    fn settle_before(&mut self, host: &mut Host<'_>, ends: Ends) {
        match ends {
            Ends::Pixels => self.settle(host),
            Ends::Nothing | Ends::Vertices => self.front_end(host, FrontEnd::transform_gathered),
        }
        if ends != Ends::Nothing {
            self.joined.end_state();
        }
    }

    /// [`check`](Self::check), and what it reports has all draws in it.
    #[inline]
    fn check_settled(&mut self, host: &mut Host<'_>, before: &Stats) -> Result<(), RunError> {
        if self.is_within(before) {
            return Ok(());
        }
        self.settle(host);
        self.check(before)
    }

    /// A word that is not in the reader's page. Draws that wait may write to VRAM.
    #[cold]
    fn read_elsewhere(
        &mut self,
        host: &mut Host<'_>,
        reader: &mut ListReader<'_>,
        address: u32,
    ) -> Result<u32, RunError> {
        if is_vram(self.state.maps.resolve(address)) {
            self.settle(host);
        }
        reader.read_elsewhere(host.queue, address)
    }

    /// True if the work done since `before` is within the limits.
    #[inline]
    fn is_within(&self, before: &Stats) -> bool {
        let (now, limits) = (&self.state.stats, &self.limits);
        let is_less = now.commands - before.commands <= u64::from(limits.commands)
            && now.vertices - before.vertices <= limits.run_vertices
            && now.pixels - before.pixels <= limits.run_pixels
            && now.transferred - before.transferred <= limits.run_bytes;
        is_less && !self.account.is_overdrawn()
    }

    /// Checks the work done since `before` against the limits.
    pub(crate) fn check(&self, before: &Stats) -> Result<(), RunError> {
        let (now, limits) = (&self.state.stats, &self.limits);
        if now.commands - before.commands > u64::from(limits.commands) {
            return Err(RunError::Commands { limit: limits.commands });
        }
        if self.account.is_overdrawn() {
            return Err(RunError::Budget { limit: self.account.limit() });
        }
        if self.is_within(before) {
            return Ok(());
        }
        Err(RunError::Work {
            vertices: now.vertices - before.vertices,
            pixels: now.pixels - before.pixels,
            bytes: now.transferred - before.transferred,
        })
    }
}

/// Reader of the words of a list, with a cached page of memory.
pub(crate) struct ListReader<'m> {
    memory: &'m dyn Memory,
    maps: AddressMaps,
    page: GuestSlice<'m>,
    start: u32,
}

impl<'m> ListReader<'m> {
    /// Bytes of the cached page.
    const PAGE: u32 = 4096;

    fn new(memory: &'m dyn Memory, maps: AddressMaps) -> Self {
        Self { memory, maps, page: GuestSlice::from_slice(&[]), start: 0 }
    }

    /// The word at an address, which is a multiple of 4.
    #[inline]
    pub(crate) fn read(&mut self, queue: &mut dyn Queue, address: u32) -> Result<u32, RunError> {
        match self.cached(address) {
            Some(word) => Ok(word),
            None => self.read_elsewhere(queue, address),
        }
    }

    /// The word at an address in the cached page.
    #[inline]
    fn cached(&self, address: u32) -> Option<u32> {
        let offset = address.wrapping_sub(self.start) as usize;
        // On hosts of 32 bits an address before the page is an offset at the end of the address space.
        let is_inside = offset.saturating_add(4) <= self.page.len();
        is_inside.then(|| u32::from_le_bytes(self.page.read_array(offset)))
    }

    /// Reads a word outside of the cached page. Pending draws write to VRAM, so a list in VRAM waits for them.
    fn read_elsewhere(&mut self, queue: &mut dyn Queue, address: u32) -> Result<u32, RunError> {
        let place = self.maps.resolve(address);
        if is_vram(place) {
            queue.before_read((place, 4));
        } else if let Some(page) = self.memory.region(address & !(Self::PAGE - 1), Self::PAGE) {
            (self.page, self.start) = (page, address & !(Self::PAGE - 1));
        }
        match self.memory.region(place, 4) {
            Some(_) => Ok(read_word(self.memory, place)),
            None => Err(RunError::Unmapped { address }),
        }
    }

    /// The word before an address; 0 if there is none.
    pub(crate) fn read_before(&mut self, queue: &mut dyn Queue, address: u32) -> u32 {
        self.read(queue, address.wrapping_sub(4) & ADDRESS).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::queue::with_queue;
    use crate::ge::stage::NoEngines;
    use crate::memory::FlatMemory;
    use crate::tile::Tiling;

    /// What is passed over for plain words has nothing to do for them: the state stays as it is.
    #[test]
    fn plain_words_have_no_effect() {
        let memory = FlatMemory::new(0, Vec::new());
        let words =
            (0..=u8::MAX).flat_map(|command| [0, 0x12_3457, 0xff_ffff].map(|n| u32::from(command) << 24 | n));
        let plain: Vec<u32> = words.filter(|&word| is_plain(word)).collect();
        for &word in &plain {
            let (mut ge, mut list) = (Ge::new(), DisplayList::new(0, 0));
            ge.state.registers.write(word);
            let before = (ge.save(), list.clone());
            let flow = with_queue(Tiling::new(1), &memory, |queue| {
                let mut host = Host { stages: &mut NoEngines, memory: &memory, queue };
                ge.act(&mut host, word);
                let mut reader = ListReader::new(&memory, ge.state.maps);
                ge.flow(&mut host, &mut reader, &mut list, word, 0)
            });
            assert_eq!(flow, Flow::Act, "{word:#010x}");
            assert!((ge.save(), list) == before && ge.account.spent() == 0, "{word:#010x}");
        }
        assert_eq!(plain.len() / 3, 216);
    }
}
