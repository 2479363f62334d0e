//! Scan-out: the picture of a frame buffer.
//!
//! Source: psp-ge.md 1.5, 12.4.

use super::regs::pixel::PixelFormat;
use super::stage::blit::BlitStage;
use super::vram::{AddressMaps, gather};
use crate::memory::Memory;
use crate::picture::Picture;

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
    /// The picture, 480 by 272, by an engine. Unmapped bytes read as zero; strides above 1024 count as 1024.
    #[must_use]
    pub fn picture(&self, engine: &mut dyn BlitStage, memory: &dyn Memory, maps: AddressMaps) -> Picture {
        engine.scan_out(memory, maps, self)
    }

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

    /// The fast scan-out.
    #[must_use]
    pub fn scanned(&self, memory: &dyn Memory, maps: AddressMaps) -> Picture {
        let rgb = (0..HEIGHT).flat_map(|y| self.row(memory, maps, y)).flatten().collect();
        Picture { width: WIDTH, height: HEIGHT, rgb }
    }

    /// Red, green and blue of the pixels of a row.
    fn row(&self, memory: &dyn Memory, maps: AddressMaps, y: u32) -> impl Iterator<Item = [u8; 3]> {
        let (bytes, format) = (self.format.bytes(), self.format);
        let row = gather(memory, maps, self.row_address(y), self.row_bytes());
        (0..WIDTH as usize).map(move |x| {
            let pixel = &row[x * bytes as usize..][..bytes as usize];
            let raw = pixel.iter().rfold(0, |raw, &byte| raw << 8 | u32::from(byte));
            let [r, g, b, _] = format.decode(raw).to_le_bytes();
            [r, g, b]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{BlockMemory, write_bytes};

    #[test]
    fn pixels_of_all_formats() {
        let memory = BlockMemory::zeroed(&[(0x0400_0000, 2 << 20)]);
        let at = |x: u32, y: u32, stride: u32, bytes: u32| 0x0400_1000 + (y * stride + x) * bytes;
        write_bytes(&memory, at(5, 3, 512, 4), &[1, 2, 3, 4]);
        write_bytes(&memory, at(479, 271, 480, 2), &0x8410_u16.to_le_bytes());
        let picture = |stride, format| {
            FrameBuffer { address: 0x4400_1000, stride, format }.scanned(&memory, AddressMaps::default())
        };
        let wide = picture(512, PixelFormat::Rgba8888);
        assert_eq!((wide.width, wide.height, wide.rgb.len()), (480, 272, 480 * 272 * 3));
        assert_eq!(wide.pixel(5, 3), [1, 2, 3]);
        assert_eq!(picture(480, PixelFormat::Rgb5650).pixel(479, 271), [0x84, 0x82, 0x84]);
        assert_eq!(picture(480, PixelFormat::Rgba4444).pixel(479, 271), [0, 0x11, 0x44]);
        assert_eq!(picture(480, PixelFormat::Rgba5551).pixel(479, 271), [0x84, 0, 0x08]);
    }

    #[test]
    fn unmapped_is_black() {
        let memory = BlockMemory::zeroed(&[(0x0400_0000, 2 << 20)]);
        let buffer = FrameBuffer { address: 0xffff_ff00, stride: u32::MAX, format: PixelFormat::Rgba8888 };
        assert!(buffer.scanned(&memory, AddressMaps::default()).rgb.iter().all(|&byte| byte == 0));
    }
}
