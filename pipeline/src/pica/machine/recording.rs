//! Recording of the operations that a host performs on the machine.
//!
//! Every entry point of the CPU passes through [`Pica::recorded`]; without a recording its cost is one test of a
//! pointer.

use crate::capture::{CaptureError, Problem};
use crate::memory::Memory;
use crate::pica::Pica;
use crate::pica::capture::record::Recorder;
use crate::pica::capture::{Capture, Event};
use crate::pica::display::{ScanOut, Screen};
use crate::picture::Picture;

/// VRAM, recorded as a whole from the start: address and bytes.
const VRAM: (u32, u32) = (0x1800_0000, 6 << 20);

impl Pica {
    /// Starts a recording: every later operation of the host on the machine, and the memory that the machine reads
    /// for it. `regions` are the blocks of memory that the host maps, as (physical address, bytes); during the
    /// recording the machine cannot access other memory. A recording in progress is dropped. Writes of an
    /// [observer](Self::set_observer) in the middle of an operation are recorded as made before or after it.
    ///
    /// # Errors
    /// If the blocks overlap, or exceed the number or size that a [format](crate::capture::format) allows, or there is no
    /// memory for the state.
    pub fn start_recording(
        &mut self,
        memory: &dyn Memory,
        regions: &[(u32, u32)],
    ) -> Result<(), CaptureError> {
        let state = self.try_save().map_err(|error| Problem::from(error).at(0))?;
        let mut recorder = Recorder::new(self.precision, state, regions)?;
        recorder.look_at(memory, VRAM.0, VRAM.1);
        self.recorder = Some(Box::new(recorder));
        Ok(())
    }

    /// Ends the recording, if there is one, and returns it.
    pub fn stop_recording(&mut self) -> Option<Capture> {
        self.recorder.take().map(|recorder| recorder.finish())
    }

    /// True while a recording is in progress.
    #[must_use]
    pub const fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// Marks the end of a frame. A recording then includes the displayed buffers; without one this has no effect.
    pub fn frame_end(&mut self, memory: &dyn Memory) {
        let Some(recorder) = &mut self.recorder else { return };
        let external = &self.state.external;
        recorder.operation(memory, Event::Frame, |memory| {
            for screen in [Screen::Top, Screen::TopRight, Screen::Bottom] {
                read(memory, &ScanOut::in_use(external, screen));
            }
        });
    }

    /// Performs an operation, and records it if a recording is in progress. Nested operations are part of the outer
    /// one.
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

    /// Records a change of register `id` by a read that has an effect.
    pub(crate) fn record_register(&mut self, id: u16) {
        let value = self.state.registers.raw(id);
        if let Some(recorder) = &mut self.recorder {
            recorder.note(Event::Register { id, value, mask: 15 });
        }
    }
}

/// Reads every byte of a framebuffer that can be shown.
fn read(memory: &dyn Memory, source: &ScanOut) {
    let is_shown = source.solid.is_none()
        && [source.width, source.height].iter().all(|side| (1..=Picture::LONGEST).contains(side));
    if !is_shown {
        return;
    }
    let length = source.width * source.format.colour().bytes();
    for start in (0..source.height).map(|row| source.pixel_address(0, row)) {
        // A row that is mapped as a whole needs no look at its bytes.
        if memory.region(start, length).is_none() {
            (0..length).for_each(|n| _ = memory.byte(start.wrapping_add(n)));
        }
    }
}
