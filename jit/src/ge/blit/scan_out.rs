//! Scan-out: the picture of a frame buffer, row by row.
//!
//! Source: psp-ge.md 1.5, 12.4.

#[cfg(target_arch = "x86_64")]
use crate::code::ge::picture::{Rows, show, shown};
use crate::code::vectors::{wide, write_words};
use crate::ge::texel::colour::decode;
use picaflor_pipeline::ge::display::{FrameBuffer, HEIGHT, WIDTH};
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
#[cfg(target_arch = "x86_64")]
use picaflor_pipeline::ge::vram::region;
use picaflor_pipeline::ge::vram::{AddressMaps, read};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::picture::{Picture, PictureBuffer, PictureError, PictureFormat};

/// Colours of a row, red in the lowest byte.
type Row = [u32; WIDTH as usize];

/// The picture, 480 by 272: see [`BlitStage`](picaflor_pipeline::ge::stage::blit::BlitStage).
#[must_use]
pub(crate) fn picture(memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
    let stride = 3 * WIDTH as usize;
    let rgb = picture_in_vectors(memory, maps, frame).unwrap_or_else(|| {
        let mut rgb = vec![0; stride * HEIGHT as usize];
        rows(memory, maps, frame, &mut rgb, stride, PictureFormat::Rgb);
        rgb
    });
    Picture { width: WIDTH, height: HEIGHT, rgb }
}

/// The same in a buffer of the host.
pub(crate) fn picture_into(
    memory: &dyn Memory,
    maps: AddressMaps,
    frame: &FrameBuffer,
    buffer: &mut PictureBuffer<'_>,
) -> Result<(), PictureError> {
    let (stride, format) = (buffer.stride_bytes(), buffer.format());
    rows(memory, maps, frame, buffer.area(WIDTH, HEIGHT)?, stride, format);
    Ok(())
}

/// The frame buffer, if its bytes follow each other in the host's memory.
#[cfg(target_arch = "x86_64")]
fn contiguous<'m>(memory: &'m dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Option<Rows<'m>> {
    let pitch = frame.row_address(1).wrapping_sub(frame.row_address(0));
    let span = (HEIGHT - 1) * pitch + WIDTH * frame.format.bytes();
    let bytes = region(memory, maps, frame.address, span)?;
    let size = [WIDTH as usize, HEIGHT as usize];
    Some(Rows { bytes, format: frame.format, pitch: pitch as usize, size })
}

/// The picture, where the processor has vectors for it; `None` if nothing was done.
#[cfg(target_arch = "x86_64")]
fn picture_in_vectors(memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Option<Vec<u8>> {
    shown(contiguous(memory, maps, frame)?)
}

#[cfg(not(target_arch = "x86_64"))]
fn picture_in_vectors(_: &dyn Memory, _: AddressMaps, _: &FrameBuffer) -> Option<Vec<u8>> {
    None
}

/// Writes the rows.
fn rows(
    memory: &dyn Memory,
    maps: AddressMaps,
    frame: &FrameBuffer,
    area: &mut [u8],
    stride: usize,
    format: PictureFormat,
) {
    #[cfg(target_arch = "x86_64")]
    if contiguous(memory, maps, frame).is_some_and(|rows| show(rows, area, stride, format)) {
        return;
    }
    in_rows(memory, maps, frame, area, stride, format);
}

/// Writes one row after the other: what is not contiguous, and without wide vectors.
fn in_rows(
    memory: &dyn Memory,
    maps: AddressMaps,
    frame: &FrameBuffer,
    area: &mut [u8],
    stride: usize,
    format: PictureFormat,
) {
    let mut raw = [0; 4 * WIDTH as usize];
    let raw = &mut raw[..(WIDTH * frame.format.bytes()) as usize];
    let mut colours = [0; WIDTH as usize];
    for (y, row) in (0..HEIGHT).zip(area.chunks_mut(stride)) {
        read(memory, maps, frame.row_address(y), raw);
        decode_row(frame.format, raw, &mut colours);
        if format == PictureFormat::Bgra {
            exchange(&mut colours);
        }
        let bytes = &mut row[..WIDTH as usize * format.bytes()];
        match format.bytes() {
            3 => write_words::<3>(&colours, bytes),
            _ => write_words::<4>(&colours, bytes),
        }
    }
}

/// Opaque colours of the pixels of a row.
fn decode_row(format: PixelFormat, raw: &[u8], colours: &mut Row) {
    // A loop for each format, of which the compiler makes vectors.
    match format {
        PixelFormat::Rgba8888 => wide(|| {
            let pixels = raw.as_chunks::<4>().0;
            colours
                .iter_mut()
                .zip(pixels)
                .for_each(|(c, pixel)| *c = u32::from_le_bytes(*pixel) | 0xff00_0000);
        }),
        PixelFormat::Rgb5650 => wide(|| halves(raw, colours, |pixel| decode(PixelFormat::Rgb5650, pixel))),
        PixelFormat::Rgba5551 => wide(|| halves(raw, colours, |pixel| decode(PixelFormat::Rgba5551, pixel))),
        PixelFormat::Rgba4444 => wide(|| halves(raw, colours, |pixel| decode(PixelFormat::Rgba4444, pixel))),
    }
}

/// Opaque colours of pixels of two bytes.
#[inline(always)]
fn halves(raw: &[u8], colours: &mut Row, colour: impl Fn(u32) -> u32) {
    for (c, pixel) in colours.iter_mut().zip(raw.as_chunks::<2>().0) {
        *c = colour(u32::from(u16::from_le_bytes(*pixel))) | 0xff00_0000;
    }
}

/// Exchanges red and blue.
fn exchange(colours: &mut Row) {
    wide(|| colours.iter_mut().for_each(|c| *c = *c & 0xff00_ff00 | (*c & 0xff) << 16 | *c >> 16 & 0xff));
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// Every format of either side: the picture is that of the interpreter, and what lies between its rows stays.
    #[test]
    fn buffers_of_the_host() {
        use picaflor_interp::Interpreter;
        use picaflor_pipeline::ge::stage::blit::BlitStage;
        use picaflor_pipeline::ge::vram::VRAM_BYTES;
        let memory = BlockMemory::zeroed(&[(0x0400_0000, 2 << 20)]);
        let bytes: Vec<u8> = (0..VRAM_BYTES).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        write_bytes(&memory, 0x0400_0000, &bytes);
        let maps = AddressMaps::default();
        let formats =
            [PixelFormat::Rgb5650, PixelFormat::Rgba5551, PixelFormat::Rgba4444, PixelFormat::Rgba8888];
        // The second mirror, and a buffer that leaves memory.
        let places = [0x0400_0000, 0x0420_0010, 0x041f_0000];
        for (format, address) in formats.iter().flat_map(|f| places.map(move |place| (*f, place))) {
            let frame = FrameBuffer { address, stride: 512, format };
            assert!(picture(&memory, maps, &frame) == Interpreter::new().scan_out(&memory, maps, &frame));
            for (shown, stride) in
                [(PictureFormat::Rgb, 1440), (PictureFormat::Rgba, 2048), (PictureFormat::Bgra, 1921)]
            {
                let mut ours = vec![7; stride * 272];
                let mut theirs = ours.clone();
                picture_into(&memory, maps, &frame, &mut PictureBuffer::new(&mut ours, stride, shown))
                    .unwrap();
                let buffer = &mut PictureBuffer::new(&mut theirs, stride, shown);
                Interpreter::new().scan_out_into(&memory, maps, &frame, buffer).unwrap();
                assert!(ours == theirs, "{frame:x?} {shown:?}");
            }
        }
        let mut few = vec![7; 480 * 272 * 4 - 1];
        let buffer = &mut PictureBuffer::new(&mut few, 1920, PictureFormat::Rgba);
        let frame = FrameBuffer { address: 0x0400_0000, stride: 512, format: PixelFormat::Rgba8888 };
        let none = Err(PictureError::NoRoom { width: WIDTH, height: HEIGHT });
        assert_eq!(picture_into(&memory, maps, &frame, buffer), none);
    }
}
