//! The recorder that an emulator switches on.
//!
//! While it runs, the machine sees guest memory through a memory that watches it, the tape of
//! [`capture`](crate::capture), which says why nothing is lost. Operations become events behind the memory that they read.

use super::{Capture, Event, Origin};
use crate::capture::CaptureError;
use crate::capture::tape::{Change, Tape};
use crate::memory::Memory;
use crate::pica::Snapshot;
use crate::pica::float::Precision;

/// A recording that is being made. A host asks its machine for one:
/// [`Pica::start_recording`](crate::pica::Pica::start_recording).
#[derive(Debug)]
pub(crate) struct Recorder {
    precision: Precision,
    initial: Snapshot,
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
    pub(crate) fn new(
        precision: Precision,
        initial: Snapshot,
        regions: &[(u32, u32)],
    ) -> Result<Self, CaptureError> {
        Ok(Self { precision, initial, tape: Tape::new(regions)? })
    }

    /// Records an operation of the machine, which reaches memory only through what it is given.
    pub(crate) fn operation<R>(
        &mut self,
        memory: &dyn Memory,
        event: Event,
        operation: impl FnOnce(&dyn Memory) -> R,
    ) -> R {
        self.tape.operation(memory, event, operation)
    }

    /// Records what the mapped part of a range holds, if it has changed. Not an operation of the machine.
    pub(crate) fn look_at(&mut self, memory: &dyn Memory, address: u32, length: u32) {
        self.tape.look_at(memory, address, length);
    }

    /// Records an event that does not concern memory.
    pub(crate) fn note(&mut self, event: Event) {
        self.tape.note(event);
    }

    /// The finished recording.
    #[must_use]
    pub(crate) fn finish(self) -> Capture {
        let (regions, events) = self.tape.finish();
        Capture {
            origin: Origin::Recorder,
            precision: self.precision,
            regions,
            initial: self.initial,
            events,
        }
    }
}
