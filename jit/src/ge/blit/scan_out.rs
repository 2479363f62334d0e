//! Scan-out: the picture of a frame buffer, row by row.
//!
//! Source: psp-ge.md 1.5, 12.4.

use crate::ge::texel::colour::decode;
use picaflor_pipeline::ge::display::{FrameBuffer, HEIGHT, WIDTH};
use picaflor_pipeline::ge::vram::{AddressMaps, gather};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::picture::Picture;

/// The picture, 480 by 272: see [`BlitStage`](picaflor_pipeline::ge::stage::blit::BlitStage).
#[must_use]
pub(crate) fn picture(memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
    let rgb = (0..HEIGHT).flat_map(|y| row(memory, maps, frame, y)).flatten().collect();
    Picture { width: WIDTH, height: HEIGHT, rgb }
}

/// Red, green and blue of the pixels of a row.
fn row(
    memory: &dyn Memory,
    maps: AddressMaps,
    frame: &FrameBuffer,
    y: u32,
) -> impl Iterator<Item = [u8; 3]> + use<> {
    let (bytes, format) = (frame.format.bytes(), frame.format);
    let row = gather(memory, maps, frame.row_address(y), WIDTH * bytes);
    (0..WIDTH as usize).map(move |x| {
        let pixel = &row[x * bytes as usize..][..bytes as usize];
        let raw = pixel.iter().rfold(0, |raw, &byte| raw << 8 | u32::from(byte));
        let [r, g, b, _] = decode(format, raw).to_le_bytes();
        [r, g, b]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::regs::pixel::PixelFormat;
    use picaflor_pipeline::memory::{BlockMemory, write_bytes};

    #[test]
    fn pixels_of_all_formats() {
        let memory = BlockMemory::zeroed(&[(0x0400_0000, 2 << 20)]);
        let at = |x: u32, y: u32, stride: u32, bytes: u32| 0x0400_1000 + (y * stride + x) * bytes;
        write_bytes(&memory, at(5, 3, 512, 4), &[1, 2, 3, 4]);
        write_bytes(&memory, at(479, 271, 480, 2), &0x8410_u16.to_le_bytes());
        let picture = |stride, format| {
            picture(&memory, AddressMaps::default(), &FrameBuffer { address: 0x4400_1000, stride, format })
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
        assert!(picture(&memory, AddressMaps::default(), &buffer).rgb.iter().all(|&byte| byte == 0));
    }
}
