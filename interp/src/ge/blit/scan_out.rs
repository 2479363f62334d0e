//! The picture on the screen: pixels of a frame buffer as red, green and blue (1.5).

use crate::ge::texel::colour;
use picaflor_pipeline::ge::display::{FrameBuffer, HEIGHT, WIDTH};
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::picture::Picture;

/// Longest row of a frame buffer, in pixels.
const LONGEST: u32 = 1024;

/// The picture, 480 by 272. Unmapped bytes are zero.
pub(super) fn picture(memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
    let pixels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    let rgb = pixels.flat_map(|(x, y)| pixel(memory, maps, frame, x, y)).collect();
    Picture { width: WIDTH, height: HEIGHT, rgb }
}

/// Red, green and blue of a pixel.
fn pixel(memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer, x: u32, y: u32) -> [u8; 3] {
    let bytes = frame.format.bytes();
    let start = frame.address.wrapping_add((y * frame.stride.min(LONGEST) + x) * bytes);
    let byte = |n: u32| u32::from(memory.byte(maps.resolve(start.wrapping_add(n)))) << (8 * n);
    let bits = (0..bytes).map(byte).sum();
    let [r, g, b, _] = colour::stored(frame.format, bits).to_le_bytes();
    [r, g, b]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interpreter;
    use picaflor_pipeline::ge::regs::pixel::PixelFormat;
    use picaflor_pipeline::ge::stage::blit::BlitStage;
    use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
    use picaflor_pipeline::memory::{BlockMemory, write_bytes};

    fn shown(frame: &FrameBuffer, maps: AddressMaps, words: &[(u32, u32)]) -> Picture {
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (0x0880_0000, 0x1000)]);
        for &(at, word) in words {
            write_bytes(&memory, at, &word.to_le_bytes());
        }
        Interpreter::new().scan_out(&memory, maps, frame)
    }

    /// Rows of 512 pixels; 8410 of 5650 is 84, 82, 84.
    #[test]
    fn formats_and_rows() {
        let frame = FrameBuffer { address: VRAM, stride: 512, format: PixelFormat::Rgb5650 };
        let picture = shown(&frame, AddressMaps::Flat, &[(VRAM + 2 * (271 * 512 + 478), 0xffff_8410)]);
        assert_eq!((picture.width, picture.height, picture.rgb.len()), (480, 272, 3 * 480 * 272));
        assert_eq!([picture.pixel(478, 271), picture.pixel(479, 271)], [[0x84, 0x82, 0x84], [255; 3]]);
        let frame = FrameBuffer { address: VRAM + 16, stride: 480, format: PixelFormat::Rgba8888 };
        let picture = shown(&frame, AddressMaps::Flat, &[(VRAM + 16 + 4 * 480, 0x1122_3344)]);
        assert_eq!(picture.pixel(0, 1), [0x44, 0x33, 0x22]);
    }

    /// Strides end at 1024, memory at its end; mirror 1 of translation 0x400 is at i ^ 2040.
    #[test]
    fn edges_of_memory() {
        let frame = FrameBuffer { address: VRAM, stride: 5000, format: PixelFormat::Rgba8888 };
        let picture = shown(&frame, AddressMaps::Flat, &[(VRAM + 4 * 1024, 9)]);
        assert_eq!(picture.pixel(0, 1), [9, 0, 0]);
        let frame = FrameBuffer { address: 0x0880_0ffc, stride: 512, format: PixelFormat::Rgba8888 };
        let picture = shown(&frame, AddressMaps::Flat, &[(0x0880_0ffc, 7)]);
        assert_eq!([picture.pixel(0, 0), picture.pixel(1, 0)], [[7, 0, 0], [0; 3]]);
        let frame = FrameBuffer { address: 0x4420_0000, stride: 512, format: PixelFormat::Rgba8888 };
        let picture = shown(&frame, AddressMaps::default(), &[(VRAM + 0x2040, 5)]);
        assert_eq!(picture.pixel(0, 0), [5, 0, 0]);
    }
}
