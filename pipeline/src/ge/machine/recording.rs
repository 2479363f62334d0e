//! Recording of the operations that a host performs on the machine.
//!
//! Every operation that executes commands passes through [`Ge::recorded`]; without a recording its cost is one test
//! of a pointer. All other operations of a host are visible in the state of the machine.

use crate::capture::{CaptureError, Problem};
use crate::ge::Ge;
use crate::ge::capture::record::Recorder;
use crate::ge::capture::{Capture, Display, Event};
use crate::ge::display::FrameBuffer;
use crate::ge::regs::pixel::PixelFormat;
use crate::ge::vram::{VRAM, VRAM_BYTES};
use crate::memory::Memory;

impl Ge {
    /// Starts a recording: every later operation of the host on the machine, and the memory that the machine reads
    /// for it. `regions` are the blocks of memory that the host maps, as (address, bytes), mirrors resolved; during
    /// the recording the machine cannot access other memory. A recording in progress is dropped. Writes of an
    /// [observer](Self::set_observer) in the middle of an operation are recorded as made before or after it.
    ///
    /// ```
    /// use picaflor_pipeline::ge::capture::{Display, format, replay::Player};
    /// use picaflor_pipeline::ge::{Ge, display_list::DisplayList, stage::NoEngines, vram};
    /// use picaflor_pipeline::memory::{BlockMemory, write_bytes};
    ///
    /// const LIST: u32 = 0x0880_0000;
    /// const REGIONS: [(u32, u32); 2] = [(vram::VRAM, vram::VRAM_BYTES), (LIST, 4096)];
    /// let (memory, mut engine, mut ge) = (BlockMemory::zeroed(&REGIONS), NoEngines, Ge::new());
    /// ge.start_recording(&memory, &REGIONS)?;
    /// let words = [0xcf00_00ff_u32, 0x0f00_0007, 0x0c00_0000];
    /// write_bytes(&memory, LIST, words.map(u32::to_le_bytes).as_flattened());
    /// ge.run(&mut engine, &memory, &mut DisplayList::new(LIST, 0))?;
    /// ge.frame_end(&memory, Display { address: vram::VRAM, stride: 512, format: 3 });
    /// let file = format::write(&ge.stop_recording().expect("a recording is under way"));
    ///
    /// let capture = format::read(&file)?;
    /// let mut player = Player::new(&capture)?;
    /// let frame = player.run_frame(&mut engine).expect("a frame");
    /// assert_eq!((frame.errors, player.ge().registers().arg(0xcf)), (vec![], 0xff));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        let mut recorder = Recorder::new(state, regions)?;
        recorder.look_at(memory, VRAM, VRAM_BYTES);
        self.recorder = Some(Box::new(recorder));
        Ok(())
    }

    /// Ends the recording, if there is one, and returns it. Its replay ends in the current state of the machine.
    pub fn stop_recording(&mut self) -> Option<Capture> {
        let mut recorder = self.recorder.take()?;
        recorder.state(self.save());
        Some(recorder.finish())
    }

    /// True while a recording is in progress.
    #[must_use]
    pub const fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// Marks the end of a frame, with the buffer that the screen shows. Without a recording this has no effect.
    pub fn frame_end(&mut self, memory: &dyn Memory, display: Display) {
        let Some(mut recorder) = self.recorder.take() else { return };
        let Display { address, stride, format } = display;
        let buffer = FrameBuffer { address, stride, format: PixelFormat::of(format.into()) };
        recorder.state(self.save());
        // For the memory that it reads.
        recorder.display(memory, display, |memory| buffer.touch(memory, self.state.maps));
        self.recorder = Some(recorder);
    }

    /// Performs an operation, and records it as an event if a recording is in progress.
    pub(crate) fn recorded<R>(
        &mut self,
        memory: &dyn Memory,
        event: Option<Event>,
        operation: impl FnOnce(&mut Self, &dyn Memory) -> R,
    ) -> R {
        let Some((mut recorder, event)) = self.recorder.take().zip(event) else {
            return operation(self, memory);
        };
        recorder.state(self.save());
        let result = recorder.operation(memory, event, |memory| {
            let result = operation(self, memory);
            (result, self.save())
        });
        self.recorder = Some(recorder);
        result
    }

    /// Records memory that the machine has written outside of an operation.
    pub(crate) fn record_memory(&mut self, memory: &dyn Memory, address: u32, length: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.look_at(memory, address, length);
        }
    }
}

#[cfg(test)]
mod tests;
