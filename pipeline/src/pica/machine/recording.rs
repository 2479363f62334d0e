//! Recording what a host has the machine do.
//!
//! Every entry point of the CPU goes through [`Pica::recorded`], which costs a test of a pointer while
//! nothing is recorded.

use crate::capture::CaptureError;
use crate::memory::Memory;
use crate::pica::Pica;
use crate::pica::capture::record::Recorder;
use crate::pica::capture::{Capture, Event};
use crate::pica::display::{ScanOut, Screen, scan_out};

/// VRAM, recorded as a whole from the start: address and bytes.
const VRAM: (u32, u32) = (0x1800_0000, 6 << 20);

impl Pica {
    /// Records everything that the host has the machine do from now on, and the memory that the machine
    /// reads for it. `regions` are the blocks of memory that the host maps, physical address and bytes; while
    /// it is recorded, the machine reaches nothing else. A recording under way is dropped.
    ///
    /// # Errors
    /// If the blocks overlap, or are more or larger than a [format](crate::capture::format) allows.
    pub fn start_recording(
        &mut self,
        memory: &dyn Memory,
        regions: &[(u32, u32)],
    ) -> Result<(), CaptureError> {
        let mut recorder = Recorder::new(self.precision, self.save(), regions)?;
        recorder.look_at(memory, VRAM.0, VRAM.1);
        self.recorder = Some(Box::new(recorder));
        Ok(())
    }

    /// Ends the recording, if there is one.
    pub fn stop_recording(&mut self) -> Option<Capture> {
        self.recorder.take().map(|recorder| recorder.finish())
    }

    /// Whether what happens is recorded.
    #[must_use]
    pub const fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// The displays show a new picture. Only a recording takes note of it, and of what the displays show.
    pub fn frame_end(&mut self, memory: &dyn Memory) {
        let Some(recorder) = &mut self.recorder else { return };
        let external = &self.state.external;
        recorder.operation(memory, Event::Frame, |memory| {
            for screen in [Screen::Top, Screen::TopRight, Screen::Bottom] {
                // For the memory that it reads.
                let _ = scan_out(memory, &ScanOut::in_use(external, screen));
            }
        });
    }

    /// Performs an operation, and records it where a recording is under way. Operations inside it are part of
    /// it.
    pub(crate) fn recorded<R>(
        &mut self,
        memory: &dyn Memory,
        event: Event,
        operation: impl FnOnce(&mut Self, &dyn Memory) -> R,
    ) -> R {
        let Some(mut recorder) = self.recorder.take() else { return operation(self, memory) };
        let result = recorder.operation(memory, event, |memory| operation(self, memory));
        self.recorder = Some(recorder);
        result
    }

    /// Records that register `id` has changed by itself: by a read that has an effect.
    pub(crate) fn record_register(&mut self, id: u16) {
        let value = self.state.registers.raw(id);
        if let Some(recorder) = &mut self.recorder {
            recorder.note(Event::Register { id, value, mask: 15 });
        }
    }
}
