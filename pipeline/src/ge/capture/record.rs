//! The recorder of the GE.
//!
//! Memory is recorded by the tape of [`capture`](crate::capture), and so is the state of the machine: before each
//! operation it is compared with what the operation before left, and where the host has changed it since, with a
//! context block, a snapshot or whatever else, an [`Event::State`] is in front of the operation.

use super::{Capture, Display, Event};
use crate::capture::CaptureError;
use crate::capture::tape::{Change, Tape};
use crate::ge::Snapshot;
use crate::memory::Memory;

/// A recording that is being made. A host asks its machine for one:
/// [`Ge::start_recording`](crate::ge::Ge::start_recording).
#[derive(Debug)]
pub(crate) struct Recorder {
    initial: Snapshot,
    /// The state that a replay would be in.
    state: Snapshot,
    tape: Tape<Event>,
}

impl From<Change> for Event {
    fn from(Change { address, bytes }: Change) -> Self {
        Self::Memory { address, bytes }
    }
}

impl Recorder {
    /// Starts with the machine in this state. `regions` are the blocks of memory, address and bytes, that
    /// the host maps: the machine reaches nothing else while it is recorded, as in the replay.
    ///
    /// # Errors
    /// If the blocks overlap, or are more or larger than a [format](crate::capture::format) allows.
    pub(crate) fn new(initial: Snapshot, regions: &[(u32, u32)]) -> Result<Self, CaptureError> {
        Ok(Self { state: initial.clone(), initial, tape: Tape::new(regions)? })
    }

    /// The machine is in this state; whatever brought it there is recorded as that.
    pub(crate) fn state(&mut self, state: Snapshot) {
        if self.state != state {
            self.tape.note(Event::State(state.clone()));
            self.state = state;
        }
    }

    /// Records an operation of the machine, which reaches memory only through what it is given. It starts in the
    /// [state](Self::state) that was told last, and says which one it leaves.
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

    /// Records the end of a frame. `look` reads the memory that is shown.
    pub(crate) fn display(&mut self, memory: &dyn Memory, display: Display, look: impl FnOnce(&dyn Memory)) {
        self.tape.operation(memory, Event::Display(display), look);
    }

    /// Records what the mapped part of a range holds, if it has changed. Not an operation of the machine.
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
