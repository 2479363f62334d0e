//! Pixels of 16 bits: what is done without colours of eight bits is what the interpreter does with them.

use super::{scan_out_into, transfer};
use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::pica::stage::blit::BlitStage;
use picaflor_pipeline::pica::texel::TransferFormat;
use picaflor_pipeline::pica::transfer::{TransferFlags, TransferRegisters};
use picaflor_pipeline::picture::{PictureBuffer, PictureFormat};

const INPUT_AT: u32 = 0x1800_0000;
const OUTPUT_AT: u32 = 0x1810_0000;
const FORMATS: [TransferFormat; 3] = [TransferFormat::Rgb565, TransferFormat::Rgb5a1, TransferFormat::Rgba4];

fn memory(pixels: &[u16]) -> BlockMemory {
    let memory = BlockMemory::zeroed(&[(INPUT_AT, 0x2_0000), (OUTPUT_AT, 0x2_0000)]);
    write_bytes(&memory, INPUT_AT, &pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect::<Vec<u8>>());
    memory
}

/// Compares reductions of an image in the format with those of the interpreter: into rows, from below, and into blocks.
fn reduce(format: TransferFormat, scale: u32, pixels: &[u16], [width, height]: [u32; 2]) {
    for layout in [0, 1, 1 << 5] {
        let flags = TransferFlags(layout | scale << 24).with_input_format(format).with_output_format(format);
        let registers = TransferRegisters {
            input: INPUT_AT >> 3,
            output: OUTPUT_AT >> 3,
            output_size: height << 16 | width,
            input_size: height << 16 | width,
            flags: flags.0,
            ..TransferRegisters::default()
        };
        let [ours, theirs] = [0; 2].map(|_| memory(pixels));
        assert_eq!(transfer(&ours, &registers), Ok(()));
        assert_eq!(Interpreter::new().transfer(&theirs, &registers), Ok(()));
        let output = |memory: &BlockMemory| memory.blocks()[1].as_slice().to_vec();
        assert!(output(&ours) == output(&theirs), "{format:?}, {layout:#x}, {scale}");
    }
}

/// A pixel whose channels have the top or the low bits of `n`, below 64.
fn pixel(format: TransferFormat, n: u16) -> u16 {
    match format {
        TransferFormat::Rgb565 => (n & 31) << 11 | n << 5 | n >> 1,
        TransferFormat::Rgb5a1 => (n & 31) << 11 | (n >> 1) << 6 | (n & 31) << 1 | n & 1,
        _ => (n & 15) * 0x1111,
    }
}

#[test]
fn halves_of_every_two_values_of_a_channel() {
    for format in FORMATS {
        let pairs = (0..64 * 64).flat_map(|n| [n >> 6, n & 63]);
        reduce(format, 1, &pairs.map(|n| pixel(format, n)).collect::<Vec<_>>(), [128, 64]);
    }
}

#[test]
fn quarters_of_any_four_values() {
    let mut seed = 5;
    for format in FORMATS.into_iter().cycle().take(12) {
        let word = |_| picaflor_pipeline::random::word(&mut seed) as u16;
        let pixels: Vec<u16> = (0..0x1_0000).map(word).collect();
        reduce(format, 2, &pixels, [256, 256]);
        // Channels that hardly differ, about every value.
        let alike = |(n, pixel): (u16, u16)| self::pixel(format, ((n >> 2 & 63) + (pixel & 1)) & 63);
        reduce(format, 2, &(0..=u16::MAX).zip(pixels).map(alike).collect::<Vec<_>>(), [256, 256]);
    }
}

/// Every pixel, in rows that are whole groups of sixteen and that are not.
#[test]
fn pictures_of_every_pixel() {
    let memory = memory(&(0..=u16::MAX).map(|n| n.wrapping_mul(0x9e37)).collect::<Vec<_>>());
    for (format, [width, height]) in
        FORMATS.iter().flat_map(|&format| [[256_u32, 256], [8, 8], [24, 40]].map(|size| (format, size)))
    {
        let source = ScanOut {
            address: INPUT_AT,
            format,
            stride_bytes: (2 * width).cast_signed(),
            width,
            height,
            solid: None,
            gamma: None,
        };
        for (shown, gap) in [(PictureFormat::Rgb, 5), (PictureFormat::Rgba, 0), (PictureFormat::Bgra, 3)] {
            let stride = height as usize * shown.bytes() + gap;
            let [mut ours, mut theirs] = [0; 2].map(|_| vec![0xcd; stride * width as usize]);
            let done = scan_out_into(&memory, &source, &mut PictureBuffer::new(&mut ours, stride, shown));
            let buffer = &mut PictureBuffer::new(&mut theirs, stride, shown);
            assert_eq!(done, Interpreter::new().scan_out_into(&memory, &source, buffer));
            assert!(ours == theirs, "{source:?} {shown:?}");
        }
    }
}
