//! The display-list processor: runs a list until it stops, within budgets.
//!
//! Source: psp-ge.md 2.1.

use super::control::Flow;
use crate::ge::Ge;
use crate::ge::capture::Event;
use crate::ge::display_list::{ADDRESS, DisplayList};
use crate::ge::queue::{Queue, with_queue};
use crate::ge::stage::Stages;
use crate::ge::stats::Stats;
use crate::ge::vram::AddressMaps;
use crate::guest_slice::GuestSlice;
use crate::memory::{Memory, read_word};

/// Why a list stopped. Its pc is behind the `END` then, or at the stall address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It arrived at its stall address.
    Stalled,
    /// It signalled, and goes on when it is run again.
    Signal {
        /// What is to happen: 1 the list waits for the handler, 2 it does not, 0xF0 and 0xFF are for debuggers,
        /// others are not known to the system software.
        behaviour: u8,
        /// What the signal carries.
        token: u16,
    },
    /// It paused at a `FINISH`, as a signal before had asked.
    Paused {
        /// What that signal carried.
        token: u16,
    },
    /// It is complete.
    Finished {
        /// What `FINISH` carries.
        token: u16,
    },
}

/// Why a list was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The list reaches memory that is not mapped.
    #[error("the display list is not mapped at {address:#010x}")]
    Unmapped {
        /// The first address that cannot be read.
        address: u32,
    },
    /// More commands than the limits allow.
    #[error("more than {limit} commands")]
    Commands {
        /// The limit.
        limit: u32,
    },
    /// More vertices, pixels or bytes than the limits allow.
    #[error("more work than a run may do: {vertices} vertices, {pixels} pixels, {bytes} bytes moved")]
    Work {
        /// Vertices so far.
        vertices: u64,
        /// Pixels so far, in the bounds of primitives.
        pixels: u64,
        /// Bytes that transfers moved so far.
        bytes: u64,
    },
}

/// What the host lends for a call, engines and memory, and where draws go meanwhile.
pub(crate) struct Host<'a> {
    pub(crate) stages: &'a mut dyn Stages,
    pub(crate) memory: &'a dyn Memory,
    pub(crate) queue: &'a mut dyn Queue,
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
    /// If the list cannot be read, or does more than the [`Limits`](crate::ge::limits::Limits) allow. What it did
    /// until then stays done.
    pub fn run(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        list: &mut DisplayList,
    ) -> Result<Stop, RunError> {
        let event = self.is_recording().then(|| Event::Run(list.clone()));
        self.recorded(memory, event, |ge, memory| {
            ge.hosted(stages, memory, |ge, host| {
                ge.state.stats.runs += 1;
                ge.state.offset = list.offset;
                let stop = ge.process(host, list);
                list.offset = ge.state.offset;
                stop
            })
        })
    }

    /// Executes words that are in no list, one after the other, for recordings. What changes the order of
    /// execution, signals and ends only go to their registers.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn execute(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        words: &[u32],
    ) -> Result<(), RunError> {
        let event = self.is_recording().then(|| Event::Execute(words.into()));
        self.recorded(memory, event, |ge, memory| {
            ge.hosted(stages, memory, |ge, host| {
                let before = ge.state.stats;
                for &word in words {
                    ge.state.stats.commands += 1;
                    ge.state.registers.write(word);
                    ge.act(host, word);
                    ge.check(&before)?;
                }
                Ok(())
            })
        })
    }

    fn hosted<R>(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        work: impl FnOnce(&mut Self, &mut Host<'_>) -> R,
    ) -> R {
        // An observer may do to memory what it likes between two draws.
        if self.observer.is_none() {
            stages.list_begins();
        }
        let result = with_queue(self.tiling, memory, |queue| {
            let result = work(self, &mut Host { stages: &mut *stages, memory, queue: &mut *queue });
            queue.finish();
            self.state.stats.covered += queue.take_pixels();
            result
        });
        stages.list_ends();
        result
    }

    fn process(&mut self, host: &mut Host<'_>, list: &mut DisplayList) -> Result<Stop, RunError> {
        let before = self.state.stats;
        let mut reader = ListReader::new(host.memory, self.state.maps);
        loop {
            if list.is_stalled() {
                return Ok(Stop::Stalled);
            }
            let at = list.pc;
            let word = reader.read(host.queue, at)?;
            list.jump(at.wrapping_add(4));
            self.state.stats.commands += 1;
            self.state.registers.write(word);
            match self.flow(host, &mut reader, list, word, at) {
                Flow::Next => {}
                Flow::Act => self.act(host, word),
                Flow::Stop(stop) => return Ok(stop),
            }
            self.check(&before)?;
        }
    }

    /// Whether what was done since `before` keeps to the limits.
    pub(crate) fn check(&self, before: &Stats) -> Result<(), RunError> {
        let (now, limits) = (&self.state.stats, &self.limits);
        if now.commands - before.commands > u64::from(limits.commands) {
            return Err(RunError::Commands { limit: limits.commands });
        }
        let vertices = now.vertices - before.vertices;
        let pixels = now.pixels - before.pixels;
        let bytes = now.transferred - before.transferred;
        if vertices > limits.run_vertices || pixels > limits.run_pixels || bytes > limits.run_bytes {
            return Err(RunError::Work { vertices, pixels, bytes });
        }
        Ok(())
    }
}

/// Reads the words of a list, most of them from a piece of memory that it keeps at hand.
pub(crate) struct ListReader<'m> {
    memory: &'m dyn Memory,
    maps: AddressMaps,
    page: GuestSlice<'m>,
    start: u32,
}

impl<'m> ListReader<'m> {
    /// Bytes of the piece.
    const PAGE: u32 = 4096;

    fn new(memory: &'m dyn Memory, maps: AddressMaps) -> Self {
        Self { memory, maps, page: GuestSlice::from_slice(&[]), start: 0 }
    }

    /// The word at an address, which is a multiple of 4.
    pub(crate) fn read(&mut self, queue: &mut dyn Queue, address: u32) -> Result<u32, RunError> {
        let offset = address.wrapping_sub(self.start) as usize;
        if offset + 4 <= self.page.len() {
            return Ok(u32::from_le_bytes(self.page.read_array(offset)));
        }
        self.read_elsewhere(queue, address)
    }

    /// Draws go to VRAM, so a list there is looked at only when they are done.
    fn read_elsewhere(&mut self, queue: &mut dyn Queue, address: u32) -> Result<u32, RunError> {
        let place = self.maps.resolve(address);
        if place >> 26 == 1 {
            queue.before_read((place, 4));
        } else if let Some(page) = self.memory.region(address & !(Self::PAGE - 1), Self::PAGE) {
            (self.page, self.start) = (page, address & !(Self::PAGE - 1));
        }
        match self.memory.region(place, 4) {
            Some(_) => Ok(read_word(self.memory, place)),
            None => Err(RunError::Unmapped { address }),
        }
    }

    /// The word before an address; 0 where there is none.
    pub(crate) fn read_before(&mut self, queue: &mut dyn Queue, address: u32) -> u32 {
        self.read(queue, address.wrapping_sub(4) & ADDRESS).unwrap_or(0)
    }
}
