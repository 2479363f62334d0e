//! The blit seam: block transfers, and the picture on the screen.
//!
//! Source: psp-ge.md 11.1 (transfers), 1.5 and 12.4 (scan-out).

use crate::fault::Fault;
use crate::ge::display::FrameBuffer;
use crate::ge::regs::Registers;
use crate::ge::vram::AddressMaps;
use crate::memory::Memory;
use crate::picture::{Picture, PictureBuffer, PictureError};

/// A blit engine. Each call completes. The machine announces what was written.
pub trait BlitStage {
    /// Moves the block that the transfer registers (B2 to B5, EA to EE) describe.
    ///
    /// # Errors
    /// If a byte of a row is not mapped: the fault names the pointer of that side and the address of the row; nothing
    /// is moved. All rows of the source come before those of the destination. A row lies inside of one region, VRAM
    /// with its mirrors counting as one.
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault>;

    /// The picture, 480 by 272. Unmapped bytes read as zero; strides above 1024 count as 1024.
    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture;

    /// The same picture in a buffer of the host.
    ///
    /// # Errors
    /// The buffer has no room; nothing was written then.
    fn scan_out_into(
        &mut self,
        memory: &dyn Memory,
        maps: AddressMaps,
        frame: &FrameBuffer,
        buffer: &mut PictureBuffer<'_>,
    ) -> Result<(), PictureError> {
        buffer.put(&self.scan_out(memory, maps, frame))
    }
}

impl FrameBuffer {
    /// The picture, 480 by 272, by an engine. Unmapped bytes read as zero; strides above 1024 count as 1024.
    #[must_use]
    pub fn picture(&self, engine: &mut dyn BlitStage, memory: &dyn Memory, maps: AddressMaps) -> Picture {
        engine.scan_out(memory, maps, self)
    }

    /// The same picture in a buffer of the host.
    ///
    /// # Errors
    /// The buffer has no room; nothing was written then.
    pub fn picture_into(
        &self,
        engine: &mut dyn BlitStage,
        memory: &dyn Memory,
        maps: AddressMaps,
        buffer: &mut PictureBuffer<'_>,
    ) -> Result<(), PictureError> {
        engine.scan_out_into(memory, maps, self, buffer)
    }
}
