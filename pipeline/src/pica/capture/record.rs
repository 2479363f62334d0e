//! The recorder of the PICA200.
//!
//! During a recording, the machine accesses guest memory through a tracking wrapper, the tape of
//! [`capture`](crate::capture), whose documentation shows that the recording is complete. Operations become events,
//! each after the memory that it reads.

use super::{Capture, Event, Origin};
use crate::capture::CaptureError;
use crate::capture::tape::{Change, Tape};
use crate::memory::Memory;
use crate::pica::Snapshot;
use crate::pica::float::Precision;

/// A recording in progress. A host starts one with
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
    /// Starts with the machine in this state. `regions` are the blocks of memory that the host maps, as (address,
    /// bytes): during the recording the machine cannot access other memory, as in the replay.
    ///
    /// # Errors
    /// If the blocks overlap, or exceed the number or size that a [format](crate::capture::format) allows.
    pub(crate) fn new(
        precision: Precision,
        initial: Snapshot,
        regions: &[(u32, u32)],
    ) -> Result<Self, CaptureError> {
        Ok(Self { precision, initial, tape: Tape::new(regions)? })
    }

    /// Records an operation of the machine, which accesses memory only through its argument.
    pub(crate) fn operation<R>(
        &mut self,
        memory: &dyn Memory,
        event: Event,
        operation: impl FnOnce(&dyn Memory) -> R,
    ) -> R {
        self.tape.operation(memory, event, operation)
    }

    /// Records the content of the mapped part of a range, if it has changed. Not an operation of the machine.
    pub(crate) fn look_at(&mut self, memory: &dyn Memory, address: u32, length: u32) {
        self.tape.look_at(memory, address, length);
    }

    /// Records an event without memory.
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
