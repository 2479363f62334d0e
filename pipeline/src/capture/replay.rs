//! Playing a capture: a machine, its own memory, and one event after the other.
//!
//! [`Player`] is the same for every machine; [`Replay`] has the effects of events. Each machine has an alias for its
//! player, for example [`pica::capture::replay::Player`](crate::pica::capture::replay::Player).

use super::format::regions_are_sound;
use super::{CaptureError, Problem};
use crate::memory::BlockMemory;
use crate::snapshot::{Snapshot, SnapshotError};
use std::ops::Range;

/// Outcome of an event: a list ends with an `R`, or is aborted with an `E`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<R, E> {
    /// The event was applied.
    Done,
    /// The load was skipped: it lies in a buffer that was rendered in this frame, whose contents the recording
    /// emulator did not have in memory.
    StaleLoad,
    /// A list ran to its end.
    Ran(R),
    /// A list was aborted.
    GaveUp(E),
}

/// Report of a played event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepReport<'a, V, O> {
    /// Index of the event.
    pub index: usize,
    /// The event.
    pub event: &'a V,
    /// Its outcome.
    pub outcome: O,
    /// True if the event changes nothing in the machine, but completed draws of runs before it.
    pub has_waited: bool,
}

/// Report of a played frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameReport<E> {
    /// Number of the frame, from 0.
    pub frame: usize,
    /// Indices of its events; the last one ends the frame. The last frame may lack it.
    pub events: Range<usize>,
    /// Number of loads skipped as stale.
    pub stale_loads: usize,
    /// The first aborted lists, at most [`MOST_ERRORS`]: index of the event, and error.
    pub errors: Vec<(usize, E)>,
    /// Number of aborted lists.
    pub error_count: usize,
}

/// Errors that the report of a frame keeps: a small file may have millions of lists, all of which fail.
pub const MOST_ERRORS: usize = 20;

pub(crate) mod sealed {
    /// Sealed: implemented by both machines and nothing else.
    pub trait Sealed {}
}

/// The counters of a machine.
pub trait Counters: Copy + Default {
    /// Each counter after `change`, which gets it and the one of `other`.
    #[must_use]
    fn with(self, other: Self, change: impl Fn(u64, u64) -> u64) -> Self;
}

/// Counters of a replay: what its machine counts from the beginning on. A state that the machine takes over changes the
/// machine's own, not these. Replays have thousands of events a frame, so little is done for each.
#[derive(Debug, Clone, Copy)]
struct Counted<S> {
    total: S,
    /// `total` less the machine's own.
    offset: S,
}

impl<S: Counters> Counted<S> {
    fn new(first: S) -> Self {
        Self { total: S::default(), offset: S::default().with(first, u64::wrapping_sub) }
    }

    /// The machine's own are `now`, after an event that counts or that takes over a state.
    #[inline]
    fn go_on(&mut self, now: S, is_state: bool) {
        match is_state {
            true => self.offset = self.total.with(now, u64::wrapping_sub),
            false => self.total = now.with(self.offset, u64::wrapping_add),
        }
    }
}

/// A machine that plays its captures, with the additional state of a replay.
pub trait Replay: sealed::Sealed + Sized {
    /// A recording.
    type Capture;
    /// An event of the machine.
    type Event;
    /// Result of a list that ended.
    type Finished;
    /// Error of an aborted list.
    type Error: Clone;
    /// The engines of the machine.
    type Stages<'s>: ?Sized;
    /// The state of a replay beside that of the machine.
    type Extra: Clone + std::fmt::Debug + Send;
    /// The counters of the machine.
    type Stats: Counters;

    /// The machine in the initial state of the capture.
    ///
    /// # Errors
    /// If the state was not saved by this version of the machine.
    fn start(capture: &Self::Capture) -> Result<Self, CaptureError>;

    /// The state of machine and replay, without guest memory.
    fn save(&self) -> (Snapshot, Self::Extra);

    /// Takes over a saved state.
    ///
    /// # Errors
    /// If the state was not saved by this version of the machine.
    fn restore(&mut self, machine: &Snapshot, extra: &Self::Extra) -> Result<(), SnapshotError>;

    /// The memory blocks that the machine can access, as (address, bytes).
    fn regions(capture: &Self::Capture) -> &[(u32, u32)];

    /// The events, in order.
    fn events(capture: &Self::Capture) -> &[Self::Event];

    /// True if this event ends a frame.
    fn ends_frame(event: &Self::Event) -> bool;

    /// True if the machine takes over a state, counters included, with this event.
    fn takes_over(event: &Self::Event) -> bool;

    /// The counters of the machine.
    fn stats(&self) -> Self::Stats;

    /// Applies an event to the machine.
    fn play(
        &mut self,
        stages: &mut Self::Stages<'_>,
        memory: &BlockMemory,
        event: &Self::Event,
    ) -> Outcome<Self::Finished, Self::Error>;

    /// Applies events up to the first end of a frame; `done` is called after each, with its index and the counters. A
    /// machine that can has draws overlap beyond the end of a run; all are complete in the end.
    fn play_frame(
        &mut self,
        stages: &mut Self::Stages<'_>,
        memory: &BlockMemory,
        events: &[Self::Event],
        done: &mut Done<'_, Self>,
    ) {
        for (index, event) in events.iter().enumerate() {
            let outcome = self.play(stages, memory, event);
            done(index, outcome, false, self.stats());
            if Self::ends_frame(event) {
                break;
            }
        }
    }
}

/// What is called after each event of a frame: its index, its outcome, whether it
/// [waited](StepReport::has_waited), and the counters.
pub type Done<'d, M> =
    dyn FnMut(usize, Outcome<<M as Replay>::Finished, <M as Replay>::Error>, bool, <M as Replay>::Stats) + 'd;

/// Report of a played event of a machine.
type Step<'a, M> =
    StepReport<'a, <M as Replay>::Event, Outcome<<M as Replay>::Finished, <M as Replay>::Error>>;

/// A capture being played. [`pica::capture`](crate::pica::capture) has an example.
pub struct Player<'a, M: Replay> {
    pub(crate) machine: M,
    events: &'a [M::Event],
    memory: BlockMemory,
    next: usize,
    frame: usize,
    counted: Counted<M::Stats>,
}

/// A point of a replay between two events: everything but guest memory, counters and faults.
#[derive(Debug, Clone)]
pub struct Mark<X> {
    machine: Snapshot,
    extra: X,
    next: usize,
    frame: usize,
}

impl<'a, M: Replay> Player<'a, M> {
    /// A machine in the initial state of the capture, with zeroed memory.
    ///
    /// # Errors
    /// If the state was not saved by this version of the machine, the memory blocks are invalid, or the host has no
    /// memory for them.
    pub fn new(capture: &'a M::Capture) -> Result<Self, CaptureError> {
        let regions = M::regions(capture);
        if !regions_are_sound(regions) {
            return Err(Problem::BadRegions.at(0));
        }
        let machine = M::start(capture)?;
        let memory = BlockMemory::try_zeroed(regions);
        let memory = memory.map_err(|bytes| Problem::NoMemory { bytes }.at(0))?;
        let counted = Counted::new(machine.stats());
        Ok(Self { machine, events: M::events(capture), memory, next: 0, frame: 0, counted })
    }

    /// Guest memory.
    #[must_use]
    pub const fn memory(&self) -> &BlockMemory {
        &self.memory
    }

    /// Number of events played.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.next
    }

    /// Counters of the replay, from its beginning on. What the recorded machine had counted before is not in them, although
    /// it is in those of the machine, which a guest may see; nor do they change with a state that the machine takes over.
    #[must_use]
    pub const fn stats(&self) -> &M::Stats {
        &self.counted.total
    }

    /// The point that is reached. With the content of [`memory`](Self::memory), a replay can [go on](Self::resume) from it.
    #[must_use]
    pub fn mark(&self) -> Mark<M::Extra> {
        let (machine, extra) = self.machine.save();
        Mark { machine, extra, next: self.next, frame: self.frame }
    }

    /// A replay of the same capture that goes on from a point. Memory is zeroed: the caller writes what it held there.
    /// [Counters](Self::stats) begin at 0, and faults before the point are forgotten.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn resume(capture: &'a M::Capture, mark: &Mark<M::Extra>) -> Result<Self, CaptureError> {
        let mut player = Self::new(capture)?;
        player.machine.restore(&mark.machine, &mark.extra).map_err(|error| Problem::from(error).at(0))?;
        (player.next, player.frame) = (mark.next, mark.frame);
        player.counted = Counted::new(player.machine.stats());
        Ok(player)
    }

    /// Plays the next event; `None` after the last.
    pub fn step(&mut self, stages: &mut M::Stages<'_>) -> Option<Step<'a, M>> {
        let index = self.next;
        let event = self.events.get(index)?;
        self.next += 1;
        let outcome = self.machine.play(stages, &self.memory, event);
        self.counted.go_on(self.machine.stats(), M::takes_over(event));
        Some(StepReport { index, event, outcome, has_waited: false })
    }

    /// Plays up to and including the next end of a frame, or to the end; `None` if no events are left. On several threads
    /// draws overlap beyond the end of a run, on a machine that can.
    pub fn run_frame(&mut self, stages: &mut M::Stages<'_>) -> Option<FrameReport<M::Error>> {
        self.watch_frame(stages, &mut |_, _| {})
    }

    /// [`run_frame`](Self::run_frame); `done` is called after each event, with the [counters](Self::stats) of the replay.
    pub fn watch_frame(
        &mut self,
        stages: &mut M::Stages<'_>,
        done: &mut dyn FnMut(Step<'a, M>, M::Stats),
    ) -> Option<FrameReport<M::Error>> {
        let (start, all) = (self.next, self.events);
        let (mut stale_loads, mut errors, mut error_count, mut next) = (0, Vec::new(), 0, start);
        let counted = &mut self.counted;
        self.machine.play_frame(stages, &self.memory, &all[start..], &mut |n, outcome, has_waited, stats| {
            let index = start + n;
            next = index + 1;
            match &outcome {
                Outcome::StaleLoad => stale_loads += 1,
                Outcome::GaveUp(error) => {
                    error_count += 1;
                    if errors.len() < MOST_ERRORS {
                        errors.push((index, error.clone()));
                    }
                }
                Outcome::Done | Outcome::Ran(_) => {}
            }
            let event = &all[index];
            counted.go_on(stats, M::takes_over(event));
            done(StepReport { index, event, outcome, has_waited }, counted.total);
        });
        self.next = next;
        let frame = self.frame;
        self.frame += 1;
        let events = start..self.next;
        (self.next > start).then_some(FrameReport { frame, events, stale_loads, errors, error_count })
    }
}
