//! The blit seam: what moves bytes without drawing, and the pictures on the screens.
//!
//! Source: pica-geometry.md 7.1-7.4 (fills, transfers, copies), 8.6 (scan-out).

use crate::fault::Fault;
use crate::memory::Memory;
use crate::pica::display::ScanOut;
use crate::pica::transfer::{FillWidth, TransferRegisters};
use crate::picture::{Picture, PictureBuffer, PictureError};

/// A memory fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    /// Physical address of the first byte; 0: no fill.
    pub start: u32,
    /// Physical address after the last byte. Not above `start`: no fill.
    pub end: u32,
    /// The repeated value, its lowest byte first.
    pub value: u32,
    /// Bytes of the value in use.
    pub width: FillWidth,
}

/// A blit engine. Each call completes, and announces what it wrote with [`Memory::written`].
pub trait BlitStage {
    /// Fills memory.
    ///
    /// # Errors
    /// If a byte is not mapped; the fill ends there. The fault names the start register of the first unit.
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault>;

    /// Runs the transfer engine: a display transfer or a texture copy, by flag 3.
    ///
    /// # Errors
    /// A setting that freezes the console or is invalid gives a [`Fault::BadTransfer`], without effect. A display
    /// transfer with unmapped memory has no effect either; a texture copy ends there.
    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault>;

    /// The picture of a screen; `None` if its size is zero or larger than any screen. Unmapped bytes read as zero.
    fn scan_out(&mut self, memory: &dyn Memory, source: &ScanOut) -> Option<Picture>;

    /// The same picture in a buffer of the host; its width and height in pixels.
    ///
    /// # Errors
    /// The screen shows nothing, or the buffer has no room; nothing was written then.
    fn scan_out_into(
        &mut self,
        memory: &dyn Memory,
        source: &ScanOut,
        buffer: &mut PictureBuffer<'_>,
    ) -> Result<[u32; 2], PictureError> {
        let picture = self.scan_out(memory, source).ok_or(PictureError::Nothing)?;
        buffer.put(&picture)?;
        Ok([picture.width, picture.height])
    }
}
