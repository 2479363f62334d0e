//! The recorder of the GE.
//!
//! The tape of [`capture`](crate::capture) records memory. The state of the machine is compared before each operation
//! with the state after the previous one; if the host has changed it in between (a context block, a snapshot), an
//! [`Event::State`] precedes the operation.

use super::{Capture, Display, Event};
use crate::capture::CaptureError;
use crate::capture::tape::{Change, Tape};
use crate::ge::Snapshot;
use crate::memory::Memory;

/// A recording in progress. A host starts one with
/// [`Ge::start_recording`](crate::ge::Ge::start_recording).
#[derive(Debug)]
pub(crate) struct Recorder {
    initial: Snapshot,
    /// The state of the machine in a replay at this point.
    state: Snapshot,
    tape: Tape<Event>,
}

impl From<Change> for Event {
    fn from(Change { address, bytes }: Change) -> Self {
        Self::Memory { address, bytes }
    }
}

impl Recorder {
    /// Starts with the machine in this state. `regions` are the blocks of memory that the host maps, as (address,
    /// bytes): during the recording the machine cannot access other memory, as in the replay.
    ///
    /// # Errors
    /// If the blocks overlap, or exceed the number or size that a [format](crate::capture::format) allows.
    pub(crate) fn new(initial: Snapshot, regions: &[(u32, u32)]) -> Result<Self, CaptureError> {
        Ok(Self { state: initial.clone(), initial, tape: Tape::new(regions)? })
    }

    /// Sets the state of the machine; a difference from the last known state is recorded as an event.
    pub(crate) fn state(&mut self, state: Snapshot) {
        if self.state != state {
            self.tape.note(Event::State(state.clone()));
            self.state = state;
        }
    }

    /// Records an operation of the machine. It accesses memory only through its argument, starts in the
    /// [state](Self::state) set last, and returns the state after it.
    pub(crate) fn operation<R>(
        &mut self,
        memory: &dyn Memory,
        event: Event,
        operation: impl FnOnce(&dyn Memory) -> (R, Snapshot),
    ) -> R {
        let (result, state) = self.tape.operation(memory, event, operation);
        self.state = state;
        result
    }

    /// Records the end of a frame. `look` reads the displayed memory.
    pub(crate) fn display(&mut self, memory: &dyn Memory, display: Display, look: impl FnOnce(&dyn Memory)) {
        self.tape.operation(memory, Event::Display(display), look);
    }

    /// Records the content of the mapped part of a range, if it has changed. Not an operation of the machine.
    pub(crate) fn look_at(&mut self, memory: &dyn Memory, address: u32, length: u32) {
        self.tape.look_at(memory, address, length);
    }

    /// The finished recording.
    #[must_use]
    pub(crate) fn finish(self) -> Capture {
        let (regions, events) = self.tape.finish();
        Capture { regions, initial: self.initial, events }
    }
}
