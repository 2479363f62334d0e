//! Recording what a host has the machine do.
//!
//! What executes commands goes through [`Ge::recorded`], which costs a test of a pointer while nothing is
//! recorded. All else that a host may do to a machine shows in its state.

use crate::capture::CaptureError;
use crate::ge::Ge;
use crate::ge::capture::record::Recorder;
use crate::ge::capture::{Capture, Display, Event};
use crate::ge::display::FrameBuffer;
use crate::ge::regs::pixel::PixelFormat;
use crate::ge::vram::{VRAM, VRAM_BYTES};
use crate::memory::Memory;

impl Ge {
    /// Records everything that the host has the machine do from now on, and the memory that the machine reads
    /// for it. `regions` are the blocks of memory that the host maps, address and bytes, mirrors resolved; while
    /// it is recorded, the machine reaches nothing else. A recording under way is dropped.
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
    /// If the blocks overlap, or are more or larger than a [format](crate::capture::format) allows.
    pub fn start_recording(
        &mut self,
        memory: &dyn Memory,
        regions: &[(u32, u32)],
    ) -> Result<(), CaptureError> {
        let mut recorder = Recorder::new(self.save(), regions)?;
        recorder.look_at(memory, VRAM, VRAM_BYTES);
        self.recorder = Some(Box::new(recorder));
        Ok(())
    }

    /// Ends the recording, if there is one. A replay leaves the machine in the state that it is in now.
    pub fn stop_recording(&mut self) -> Option<Capture> {
        let mut recorder = self.recorder.take()?;
        recorder.state(self.save());
        Some(recorder.finish())
    }

    /// Whether what happens is recorded.
    #[must_use]
    pub const fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// The screen shows a new picture, of this buffer. Only a recording takes note of it.
    pub fn frame_end(&mut self, memory: &dyn Memory, display: Display) {
        let Some(mut recorder) = self.recorder.take() else { return };
        let Display { address, stride, format } = display;
        let buffer = FrameBuffer { address, stride, format: PixelFormat::of(format.into()) };
        recorder.state(self.save());
        // For the memory that it reads.
        recorder.display(memory, display, |memory| _ = buffer.picture(memory, self.state.maps));
        self.recorder = Some(recorder);
    }

    /// Performs an operation, and records it where a recording is under way: exactly then there is an event.
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

    /// Records memory that the machine has written otherwise than in an operation.
    pub(crate) fn record_memory(&mut self, memory: &dyn Memory, address: u32, length: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.look_at(memory, address, length);
        }
    }
}

#[cfg(test)]
mod tests;
