//! Playing a capture: the machine, memory of its own, and one event after the other.

use super::format::regions_are_sound;
use super::{Capture, CaptureError, Event, Origin, Problem};
use crate::guest_slice::GuestSlice;
use crate::memory::{BlockMemory, Memory, write_bytes};
use crate::pica::command::CommandList;
use crate::pica::limits::Limits;
use crate::pica::stage::Stages;
use crate::pica::{Finished, Pica, RunError};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// Memory was left as it is: the load lies in a buffer that was rendered in this frame, whose contents
    /// the recording emulator did not have in memory.
    StaleLoad,
    /// A list ran and ended so.
    Ran(Finished),
    /// A list was given up.
    GaveUp(RunError),
}

/// An event that was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepReport<'a> {
    /// Its position among the events.
    pub index: usize,
    /// The event.
    pub event: &'a Event,
    /// What became of it.
    pub outcome: Outcome,
}

/// A frame that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameReport {
    /// Its number, from 0.
    pub frame: usize,
    /// Its events, by position; the marker that ends it is the last. The last frame may lack it.
    pub events: Range<usize>,
    /// Loads left out as stale.
    pub stale_loads: usize,
    /// Lists that were given up, by the position of their event.
    pub errors: Vec<(usize, RunError)>,
}

/// A capture being played. The [module above](super) has an example.
pub struct Player<'a> {
    capture: &'a Capture,
    pica: Pica,
    memory: BlockMemory,
    next: usize,
    frame: usize,
    skips_stale_loads: bool,
    /// Buffers rendered since the last frame marker, as (address, bytes).
    rendered: Vec<(u32, u32)>,
}

impl<'a> Player<'a> {
    /// A machine in the initial state of the capture, with zeroed memory.
    ///
    /// # Errors
    /// If the initial state is not one that this version of the machine saved, or the blocks of memory are
    /// not sound.
    pub fn new(capture: &'a Capture) -> Result<Self, CaptureError> {
        if !regions_are_sound(&capture.regions) {
            return Err(Problem::BadRegions.at(0));
        }
        let mut pica = Pica::new(capture.precision);
        pica.load(&capture.initial).map_err(|_| Problem::BadState.at(0))?;
        Ok(Self {
            capture,
            pica,
            memory: BlockMemory::zeroed(&capture.regions),
            next: 0,
            frame: 0,
            skips_stale_loads: capture.origin == Origin::CiTrace,
            rendered: Vec::new(),
        })
    }

    /// With other limits than the default; those that held during a recording are not in it.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { pica: self.pica.with_limits(limits), ..self }
    }

    /// Whether loads that lie inside a buffer rendered since the last frame marker are left out. The default
    /// is yes for CiTrace, whose recorder loaded what RAM held beside a hardware renderer, and no for own
    /// recordings.
    pub const fn skip_stale_loads(&mut self, skip: bool) {
        self.skips_stale_loads = skip;
    }

    /// The machine.
    #[must_use]
    pub const fn pica(&self) -> &Pica {
        &self.pica
    }

    /// The machine, to set its threads or an observer.
    pub const fn pica_mut(&mut self) -> &mut Pica {
        &mut self.pica
    }

    /// Guest memory.
    #[must_use]
    pub const fn memory(&self) -> &BlockMemory {
        &self.memory
    }

    /// Plays the next event; `None` after the last.
    pub fn step(&mut self, stages: &mut dyn Stages) -> Option<StepReport<'a>> {
        let index = self.next;
        let event = self.capture.events.get(index)?;
        self.next += 1;
        Some(StepReport { index, event, outcome: self.play(stages, event) })
    }

    /// Plays up to and including the next frame marker, or to the end; `None` if nothing is left.
    pub fn run_frame(&mut self, stages: &mut dyn Stages) -> Option<FrameReport> {
        let start = self.next;
        let (mut stale_loads, mut errors) = (0, Vec::new());
        while let Some(step) = self.step(stages) {
            match step.outcome {
                Outcome::StaleLoad => stale_loads += 1,
                Outcome::GaveUp(error) => errors.push((step.index, error)),
                Outcome::Done | Outcome::Ran(_) => {}
            }
            if *step.event == Event::Frame {
                break;
            }
        }
        let frame = self.frame;
        self.frame += 1;
        (self.next > start).then_some(FrameReport { frame, events: start..self.next, stale_loads, errors })
    }

    fn play(&mut self, stages: &mut dyn Stages, event: &Event) -> Outcome {
        let memory = Rendering::new(&self.memory);
        let result = match *event {
            Event::Memory { address, ref bytes } => return self.load(address, bytes),
            Event::Frame => {
                self.rendered.clear();
                return Outcome::Done;
            }
            Event::Register { id, value, mask } => {
                self.pica.write_register(stages, &memory, id, value, mask).map(|()| Outcome::Done)
            }
            Event::Mmio { address, value } => {
                // Fills and transfers are no rendering.
                self.pica.write_mmio(stages, &self.memory, address, value).map(|()| Outcome::Done)
            }
            Event::List { address, size_bytes } => {
                self.pica.run(stages, &memory, CommandList { address, size_bytes }).map(Outcome::Ran)
            }
        };
        memory.collect(&mut self.rendered);
        result.unwrap_or_else(Outcome::GaveUp)
    }

    fn load(&self, address: u32, bytes: &[u8]) -> Outcome {
        let end = |(start, length): (u32, u32)| u64::from(start) + u64::from(length);
        let load = (address, bytes.len() as u32);
        let holds = |&buffer: &(u32, u32)| buffer.0 <= address && end(load) <= end(buffer);
        if self.skips_stale_loads && self.rendered.iter().any(holds) {
            return Outcome::StaleLoad;
        }
        write_bytes(&self.memory, address, bytes);
        Outcome::Done
    }
}

/// Memory that takes note of the buffers that are rendered to.
struct Rendering<'a> {
    memory: &'a BlockMemory,
    written: Mutex<Vec<(u32, u32)>>,
}

impl<'a> Rendering<'a> {
    const fn new(memory: &'a BlockMemory) -> Self {
        Self { memory, written: Mutex::new(Vec::new()) }
    }

    /// Adds the buffers that are not known yet.
    fn collect(self, rendered: &mut Vec<(u32, u32)>) {
        rendered.extend(self.written.into_inner().unwrap_or_else(PoisonError::into_inner));
        rendered.sort_unstable();
        rendered.dedup();
    }
}

impl Memory for Rendering<'_> {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn written(&self, address: u32, length: u32) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        // A list draws to the same buffers again and again.
        if written.iter().rev().take(2).all(|&buffer| buffer != (address, length)) {
            written.push((address, length));
        }
    }
}

#[cfg(test)]
mod tests;
