//! Playing a capture of the PICA200.

use super::{Capture, Event, Origin};
use crate::capture::replay::sealed::Sealed;
use crate::capture::replay::{self, Replay};
use crate::capture::{CaptureError, Problem};
use crate::guest_slice::GuestSlice;
use crate::memory::{BlockMemory, Memory, write_bytes};
use crate::pica::command::CommandList;
use crate::pica::limits::Limits;
use crate::pica::stage::Stages;
use crate::pica::stats::Stats;
use crate::pica::{Finished, Pica, RunError};
use crate::snapshot::{Snapshot, SnapshotError};
use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

/// Outcome of an event.
pub type Outcome = replay::Outcome<Finished, RunError>;
/// Report of a played event.
pub type StepReport<'a> = replay::StepReport<'a, Event, Outcome>;
/// Report of a played frame.
pub type FrameReport = replay::FrameReport<RunError>;
/// A capture being played. The [module above](super) has an example.
pub type Player<'a> = replay::Player<'a, Played>;

/// The machine in a replay.
pub struct Played {
    pica: Pica,
    skips_stale_loads: bool,
    /// Buffers rendered since the last frame marker, as (address, bytes), while stale loads are skipped: in ascending order,
    /// none inside another, at most [`MOST_RENDERED`].
    rendered: Vec<(u32, u32)>,
}

/// Rendered buffers of a frame that are known; loads into further ones are not skipped. Games have a few.
const MOST_RENDERED: usize = 1024;

impl Player<'_> {
    /// Replaces the default limits; a recording does not contain the limits of its machine.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.machine.pica = self.machine.pica.with_limits(limits);
        self
    }

    /// Enables the skipping of stale loads: those inside a buffer rendered since the last frame marker. Enabled by
    /// default for CiTrace, whose recorder loaded RAM that a hardware renderer did not update; disabled for
    /// recordings of this project. Buffers that were rendered while it was disabled are not known.
    pub const fn skip_stale_loads(&mut self, skip: bool) {
        self.machine.skips_stale_loads = skip;
    }

    /// The machine.
    #[must_use]
    pub const fn pica(&self) -> &Pica {
        &self.machine.pica
    }

    /// The machine, mutable, to set its threads or an observer.
    pub const fn pica_mut(&mut self) -> &mut Pica {
        &mut self.machine.pica
    }
}

impl Sealed for Played {}

impl Replay for Played {
    type Capture = Capture;
    type Event = Event;
    type Finished = Finished;
    type Error = RunError;
    type Stages<'s> = dyn Stages + 's;
    type Extra = Vec<(u32, u32)>;
    type Stats = Stats;

    fn start(capture: &Capture) -> Result<Self, CaptureError> {
        let mut pica = Pica::new(capture.precision);
        pica.load(&capture.initial).map_err(|error| Problem::from(error).at(0))?;
        Ok(Self { pica, skips_stale_loads: capture.origin == Origin::CiTrace, rendered: Vec::new() })
    }

    fn save(&self) -> (Snapshot, Vec<(u32, u32)>) {
        (self.pica.save(), self.rendered.clone())
    }

    fn restore(&mut self, machine: &Snapshot, extra: &Vec<(u32, u32)>) -> Result<(), SnapshotError> {
        self.rendered.clone_from(extra);
        self.pica.load(machine)
    }

    fn regions(capture: &Capture) -> &[(u32, u32)] {
        &capture.regions
    }

    fn events(capture: &Capture) -> &[Event] {
        &capture.events
    }

    fn ends_frame(event: &Event) -> bool {
        *event == Event::Frame
    }

    /// No event has a state.
    fn takes_over(_: &Event) -> bool {
        false
    }

    fn stats(&self) -> Stats {
        *self.pica.stats()
    }

    fn play(&mut self, stages: &mut (dyn Stages + '_), memory: &BlockMemory, event: &Event) -> Outcome {
        let rendering = Rendering::new(memory);
        let result = match *event {
            Event::Memory { address, ref bytes } => return self.load(memory, address, bytes),
            Event::Frame => {
                self.rendered.clear();
                return Outcome::Done;
            }
            Event::VBlank { screen } => {
                self.pica.vblank(screen);
                return Outcome::Done;
            }
            Event::Field { field, first, ref words } => {
                // A recorder notes what was taken; a damaged file may hold anything.
                let _ = self.pica.write_field(field, first as usize, words);
                return Outcome::Done;
            }
            Event::Register { id, value, mask } => {
                self.pica.write_register(stages, &rendering, id, value, mask).map(|()| Outcome::Done)
            }
            Event::Mmio { address, value } => {
                // Fills and transfers are no rendering.
                self.pica.write_mmio(stages, memory, address, value).map(|()| Outcome::Done)
            }
            Event::List { address, size_bytes } => {
                self.pica.run(stages, &rendering, CommandList { address, size_bytes }).map(Outcome::Ran)
            }
        };
        self.collect(rendering);
        result.unwrap_or_else(Outcome::GaveUp)
    }
}

impl Played {
    /// Takes over the rendered buffers of an event, if loads are to be compared with them.
    fn collect(&mut self, rendering: Rendering<'_>) {
        if self.skips_stale_loads {
            let written = rendering.written.into_inner().unwrap_or_else(PoisonError::into_inner);
            remember(&mut self.rendered, written);
        }
    }

    fn load(&self, memory: &BlockMemory, address: u32, bytes: &[u8]) -> Outcome {
        if self.skips_stale_loads && holds(&self.rendered, (address, bytes.len() as u32)) {
            return Outcome::StaleLoad;
        }
        write_bytes(memory, address, bytes);
        Outcome::Done
    }
}

/// The address after a buffer.
fn end((start, length): (u32, u32)) -> u64 {
    u64::from(start) + u64::from(length)
}

/// True if one of these buffers, which are as in [`Played`], has all bytes of another.
fn holds(rendered: &[(u32, u32)], buffer: (u32, u32)) -> bool {
    // Of those that begin at or before it, the last one reaches farthest.
    let before = rendered.partition_point(|other| other.0 <= buffer.0);
    before > 0 && end(buffer) <= end(rendered[before - 1])
}

/// Adds newly rendered buffers, as far as there is room.
fn remember(rendered: &mut Vec<(u32, u32)>, mut written: Vec<(u32, u32)>) {
    written.retain(|&buffer| !holds(rendered, buffer));
    if written.is_empty() {
        return;
    }
    written.sort_unstable();
    written.dedup();
    written.truncate(MOST_RENDERED - rendered.len());
    rendered.append(&mut written);
    rendered.sort_unstable_by_key(|&(start, length)| (start, Reverse(length)));
    let mut reached = 0;
    rendered.retain(|&buffer| {
        let before = reached;
        reached = reached.max(end(buffer));
        before < reached
    });
}

/// Memory wrapper that collects the buffers that are rendered to.
struct Rendering<'a> {
    memory: &'a BlockMemory,
    written: Mutex<Vec<(u32, u32)>>,
}

impl<'a> Rendering<'a> {
    const fn new(memory: &'a BlockMemory) -> Self {
        Self { memory, written: Mutex::new(Vec::new()) }
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
