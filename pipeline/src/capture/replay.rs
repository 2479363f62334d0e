//! Playing a capture: the machine, memory of its own, and one event after the other.
//!
//! [`Player`] is the same for every machine; what an event does is behind [`Replay`]. A machine names its player
//! [`pica::capture::replay::Player`](crate::pica::capture::replay::Player), say.

use super::format::regions_are_sound;
use super::{CaptureError, Problem};
use crate::memory::BlockMemory;
use std::ops::Range;

/// What became of an event: a list ends in an `R`, or is given up with an `E`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<R, E> {
    /// It was done.
    Done,
    /// Memory was left as it is: the load lies in a buffer that was rendered in this frame, whose contents
    /// the recording emulator did not have in memory.
    StaleLoad,
    /// A list ran and ended so.
    Ran(R),
    /// A list was given up.
    GaveUp(E),
}

/// An event that was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepReport<'a, V, O> {
    /// Its position among the events.
    pub index: usize,
    /// The event.
    pub event: &'a V,
    /// What became of it.
    pub outcome: O,
}

/// A frame that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameReport<E> {
    /// Its number, from 0.
    pub frame: usize,
    /// Its events, by position; the one that ends it is the last. The last frame may lack it.
    pub events: Range<usize>,
    /// Loads left out as stale.
    pub stale_loads: usize,
    /// Lists that were given up, by the position of their event.
    pub errors: Vec<(usize, E)>,
}

pub(crate) mod sealed {
    /// Both machines are, and nothing else.
    pub trait Sealed {}
}

/// A machine that plays its captures, with what a replay remembers beside it.
pub trait Replay: sealed::Sealed + Sized {
    /// A recording.
    type Capture;
    /// Something that happened to the machine.
    type Event;
    /// How a list ends.
    type Finished;
    /// Why a list is given up.
    type Error;
    /// The engines that the machine works with.
    type Stages<'s>: ?Sized;

    /// The machine in the initial state of the capture.
    ///
    /// # Errors
    /// If a state is not one that this version of the machine saved.
    fn start(capture: &Self::Capture) -> Result<Self, CaptureError>;

    /// The blocks of memory that the machine reaches, as address and bytes.
    fn regions(capture: &Self::Capture) -> &[(u32, u32)];

    /// What happened, in order.
    fn events(capture: &Self::Capture) -> &[Self::Event];

    /// Whether this event is the end of a frame.
    fn ends_frame(event: &Self::Event) -> bool;

    /// Does it again.
    fn play(
        &mut self,
        stages: &mut Self::Stages<'_>,
        memory: &BlockMemory,
        event: &Self::Event,
    ) -> Outcome<Self::Finished, Self::Error>;
}

/// An event of a machine that was played.
type Step<'a, M> =
    StepReport<'a, <M as Replay>::Event, Outcome<<M as Replay>::Finished, <M as Replay>::Error>>;

/// A capture being played. [`pica::capture`](crate::pica::capture) has an example.
pub struct Player<'a, M: Replay> {
    pub(crate) machine: M,
    events: &'a [M::Event],
    memory: BlockMemory,
    next: usize,
    frame: usize,
}

impl<'a, M: Replay> Player<'a, M> {
    /// A machine in the initial state of the capture, with zeroed memory.
    ///
    /// # Errors
    /// If a state is not one that this version of the machine saved, or the blocks of memory are not sound.
    pub fn new(capture: &'a M::Capture) -> Result<Self, CaptureError> {
        let regions = M::regions(capture);
        if !regions_are_sound(regions) {
            return Err(Problem::BadRegions.at(0));
        }
        let machine = M::start(capture)?;
        let memory = BlockMemory::zeroed(regions);
        Ok(Self { machine, events: M::events(capture), memory, next: 0, frame: 0 })
    }

    /// Guest memory.
    #[must_use]
    pub const fn memory(&self) -> &BlockMemory {
        &self.memory
    }

    /// How many events were played.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.next
    }

    /// Plays the next event; `None` after the last.
    pub fn step(&mut self, stages: &mut M::Stages<'_>) -> Option<Step<'a, M>> {
        let index = self.next;
        let event = self.events.get(index)?;
        self.next += 1;
        Some(StepReport { index, event, outcome: self.machine.play(stages, &self.memory, event) })
    }

    /// Plays up to and including the next frame's end, or to the end; `None` if nothing is left.
    pub fn run_frame(&mut self, stages: &mut M::Stages<'_>) -> Option<FrameReport<M::Error>> {
        let start = self.next;
        let (mut stale_loads, mut errors) = (0, Vec::new());
        while let Some(step) = self.step(stages) {
            match step.outcome {
                Outcome::StaleLoad => stale_loads += 1,
                Outcome::GaveUp(error) => errors.push((step.index, error)),
                Outcome::Done | Outcome::Ran(_) => {}
            }
            if M::ends_frame(step.event) {
                break;
            }
        }
        let frame = self.frame;
        self.frame += 1;
        (self.next > start).then_some(FrameReport { frame, events: start..self.next, stale_loads, errors })
    }
}
