//! Scan-out: the picture of a frame buffer.
//!
//! Source: psp-ge.md 1.5, 12.4.

use super::regs::pixel::PixelFormat;
use super::vram::{AddressMaps, gather};
use crate::memory::Memory;

/// Pixels of a row of the screen.
pub const WIDTH: u32 = 480;
/// Rows of the screen.
pub const HEIGHT: u32 = 272;
/// Longest row of a frame buffer, in pixels.
const LONGEST: u32 = 1024;

/// Display settings. System software sets them; the GE does not know them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameBuffer {
    /// Address of the first pixel.
    pub address: u32,
    /// Pixels from row to row.
    pub stride: u32,
    /// Format of the pixels.
    pub format: PixelFormat,
}

impl FrameBuffer {
    /// Reads the bytes of the picture, for recordings.
    pub(crate) fn touch(&self, memory: &dyn Memory, maps: AddressMaps) {
        (0..HEIGHT).for_each(|y| drop(gather(memory, maps, self.row_address(y), self.row_bytes())));
    }

    /// Address of the first pixel of a row.
    #[must_use]
    pub const fn row_address(&self, y: u32) -> u32 {
        let stride = if self.stride > LONGEST { LONGEST } else { self.stride };
        self.address.wrapping_add(y * stride * self.format.bytes())
    }

    const fn row_bytes(&self) -> u32 {
        WIDTH * self.format.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of 512 pixels, and of more than 1024.
    #[test]
    fn rows_of_a_frame_buffer() {
        let row =
            |stride, format| FrameBuffer { address: 0x400_0000, stride, format }.row_address(3) - 0x400_0000;
        assert_eq!(row(512, PixelFormat::Rgba8888), 3 * 512 * 4);
        assert_eq!(row(1024, PixelFormat::Rgba5551), 3 * 1024 * 2);
        assert_eq!(row(1032, PixelFormat::Rgba5551), 3 * 1024 * 2);
    }
}
