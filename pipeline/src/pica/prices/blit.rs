//! Prices of what the fill units and the transfer engine do.
//!
//! Measured on compiled code. A byte of a fill takes 0.1 to 0.2 ns; one of a copy 0.3 ns, or 3 to 6 where each is read just
//! after the one before was written; a pixel of a transfer 0.1 to 0.5 ns in vectors, up to 12 row by row, and 15 to 25 where
//! pixels are done in order or looked up one by one.

use crate::memory::Memory;
use crate::pica::stage::blit::Fill;
use crate::pica::tiling::block_extent;
use crate::pica::transfer::{TransferFlags, TransferRegisters, TransferScale, address};

/// Anything that an engine does, before its first byte.
const START: u64 = 1000;
/// Bytes for one unit, on sides that lie apart.
const BYTES: u64 = 4;
/// A byte of a copy whose sides are no two pieces of memory.
const SLOW_BYTE: u64 = 4;
/// A line of either side of a copy.
const LINE: u64 = 30;
/// Unit of the sizes of a copy, in bytes.
const UNIT: u64 = 16;
/// A pixel of the input of a transfer.
const PIXEL: u64 = 12;
/// The same where the sides are no two pieces of memory.
const SLOW_PIXEL: u64 = 25;

/// A fill, up to its end, mapped or not.
pub(crate) const fn fill(fill: &Fill) -> u64 {
    START + fill.end.saturating_sub(fill.start) as u64 / BYTES
}

/// A display transfer or a texture copy. Whatever makes neither costs what any start does.
pub(crate) fn transfer(memory: &dyn Memory, registers: &TransferRegisters) -> u64 {
    START
        + match TransferFlags(registers.flags).copy() {
            true => copy(memory, registers),
            false => image(memory, registers),
        }
}

/// Bytes from a guest address on.
type Side = (u32, u64);

/// True if each side is one piece of the host's memory, and they share no byte. Others are worked on byte by byte, or pixel
/// by pixel.
fn are_two_pieces(memory: &dyn Memory, sides: [Side; 2]) -> bool {
    let piece = |(start, length): Side| memory.region(start, u32::try_from(length).ok()?);
    match sides.map(piece) {
        [Some(input), Some(output)] => !input.shares_bytes(output),
        _ => false,
    }
}

fn copy(memory: &dyn Memory, registers: &TransferRegisters) -> u64 {
    let total = u64::from(registers.copy_size) / UNIT * UNIT;
    // Lines, and bytes from the first one to the end of the last one.
    let shape = |word: u32| {
        let [width, gap] = [word & 0xffff, word >> 16].map(|units| u64::from(units) * UNIT);
        let width = if gap == 0 { total } else { width };
        let lines = (width > 0).then(|| total.div_ceil(width))?;
        Some((lines, total + gap * lines.saturating_sub(1)))
    };
    let (Some(input), Some(output)) = (shape(registers.copy_input), shape(registers.copy_output)) else {
        return 0;
    };
    let sides = [(address(registers.input), input.1), (address(registers.output), output.1)];
    let bytes = if are_two_pieces(memory, sides) { total / BYTES } else { total * SLOW_BYTE };
    LINE * (input.0 + output.0) + bytes
}

fn image(memory: &dyn Memory, registers: &TransferRegisters) -> u64 {
    let pixels = |[width, rows]: [u32; 2]| u64::from(width) * u64::from(rows);
    let Some((input, output)) = images(registers) else { return 0 };
    let each = if are_two_pieces(memory, [input.side(), output.side()]) { PIXEL } else { SLOW_PIXEL };
    each * pixels(input.size)
}

/// An image of a transfer.
struct Image {
    start: u32,
    /// Width and rows.
    size: [u32; 2],
    /// Pixels from row to row.
    pitch: u32,
    pixel_bytes: u32,
    is_tiled: bool,
    has_large_blocks: bool,
}

impl Image {
    fn side(&self) -> Side {
        let [width, rows] = self.size;
        let pixels = match self.is_tiled {
            true => block_extent(width, rows, self.pitch, self.has_large_blocks),
            false => u64::from(rows - 1) * u64::from(self.pitch) + u64::from(width),
        };
        (self.start, pixels * u64::from(self.pixel_bytes))
    }
}

/// Input and output; `None` if nothing is written (pica-geometry.md 7.3).
fn images(registers: &TransferRegisters) -> Option<(Image, Image)> {
    let flags = TransferFlags(registers.flags);
    let shift = match flags.scale() {
        TransferScale::None => [0, 0],
        TransferScale::Half => [1, 0],
        TransferScale::Quarter => [1, 1],
        TransferScale::Invalid => return None,
    };
    // The low three bits are not implemented.
    let [input_width, width, rows] =
        [registers.input_size, registers.output_size, registers.output_size >> 16].map(|side| side & 0xfff8);
    if width == 0 || rows == 0 {
        return None;
    }
    let [input_bytes, output_bytes] =
        [flags.input_format(), flags.output_format()].map(|format| format.colour().bytes());
    let has_large_blocks = flags.block32();
    let input = Image {
        start: address(registers.input),
        size: [width, rows],
        pitch: if flags.crop() { input_width } else { width },
        pixel_bytes: input_bytes,
        is_tiled: !flags.tile() || flags.keep_tiling(),
        has_large_blocks,
    };
    // A flipped and cropped output is placed by the pitch of the input.
    let skew = if flags.flip() && flags.crop() { input_width.saturating_sub(width) } else { 0 };
    let output = Image {
        start: address(registers.output).wrapping_add(skew.wrapping_mul(rows - 1).wrapping_mul(output_bytes)),
        size: [width >> shift[0], rows >> shift[1]],
        pitch: width >> shift[0],
        pixel_bytes: output_bytes,
        is_tiled: flags.tile() || flags.keep_tiling(),
        has_large_blocks,
    };
    Some((input, output))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::BlockMemory;
    use crate::pica::transfer::FillWidth;

    const FROM: u32 = 0x1800_0000;
    const TO: u32 = 0x2000_0000;

    fn price(at: [u32; 2], change: impl FnOnce(&mut TransferRegisters)) -> u64 {
        let memory = BlockMemory::zeroed(&[(FROM, 0x1_0000), (TO, 0x1_0000)]);
        let mut registers =
            TransferRegisters { input: at[0] >> 3, output: at[1] >> 3, ..TransferRegisters::default() };
        change(&mut registers);
        transfer(&memory, &registers) - START
    }

    fn copied(at: [u32; 2], size: u32, input: u32, output: u32) -> u64 {
        price(at, |registers| {
            (registers.flags, registers.copy_size) = (8, size);
            (registers.copy_input, registers.copy_output) = (input, output);
        })
    }

    fn transferred(at: [u32; 2], size: [u32; 2], flags: u32) -> u64 {
        price(at, |registers| (registers.output_size, registers.flags) = (size[1] << 16 | size[0], flags))
    }

    #[test]
    fn fills_are_paid_by_the_byte() {
        let price = |start, end| fill(&Fill { start, end, value: 0, width: FillWidth::Bits24 }) - START;
        assert_eq!([price(16, 16), price(32, 16), price(16, 0x410)], [0, 0, 256]);
        assert_eq!(price(0, u32::MAX), 0x3fff_ffff, "all of the address space");
    }

    #[test]
    fn copies_are_paid_by_the_byte_and_the_line() {
        let (apart, four) = ([FROM, TO], 3 << 16 | 4);
        assert_eq!(copied(apart, 0x1000, 0, 0), 2 * LINE + 0x400);
        assert_eq!(copied(apart, 0x100f, 7, 0), 2 * LINE + 0x400, "a width without a gap, a part of a unit");
        assert_eq!(copied(apart, 0x1000, four, 0), (64 + 1) * LINE + 0x400);
        assert_eq!(copied(apart, 0x1010, four, four), 2 * 65 * LINE + 0x404);
        for nothing in [(15, 0, 0), (64, 1 << 16, 0), (64, 0, 1 << 16)] {
            assert_eq!(copied(apart, nothing.0, nothing.1, nothing.2), 0);
        }
    }

    #[test]
    fn copies_on_themselves_and_beyond_memory_cost_more() {
        let slow = 2 * LINE + 0x4000;
        assert_eq!(copied([FROM, FROM + 0x1000], 0x1000, 0, 0), 2 * LINE + 0x400, "one behind the other");
        assert_eq!(copied([FROM, FROM + 0xff0], 0x1000, 0, 0), slow);
        assert_eq!(copied([FROM, TO + 0xf010], 0x1000, 0, 0), slow);
        // The gaps between lines count, not the one behind the last.
        let lines = |from: u32| copied([from, TO], 0x40, 1 << 16 | 1, 0) - 5 * LINE;
        assert_eq!([lines(FROM + 0xff90), lines(FROM + 0xffa0)], [0x10, 0x100]);
    }

    #[test]
    fn transfers_are_paid_by_the_pixel_of_the_input() {
        let of = |size, flags| transferred([FROM, TO], size, flags);
        assert_eq!([of([64, 32], 0), of([71, 39], 2), of([64, 32], 2 << 24)], [2048 * PIXEL; 3]);
        assert_eq!([of([0, 8], 0), of([8, 7], 0), of([64, 32], 3 << 24)], [0; 3], "nothing is done");
        assert_eq!(of([0xfff8, 0xfff8], 0), 0xfff8 * 0xfff8 * SLOW_PIXEL);
    }

    #[test]
    fn transfers_on_themselves_and_beyond_memory_cost_more() {
        let of = |at, flags| transferred(at, [64, 32], flags) / 2048;
        let end = 64 * 32 * 4;
        assert_eq!([FROM + end, FROM + end - 16].map(|to| of([FROM, to], 0)), [PIXEL, SLOW_PIXEL]);
        let last = TO + 0x1_0000;
        assert_eq!([last - end, last - end + 16].map(|to| of([FROM, to], 0)), [PIXEL, SLOW_PIXEL]);
        // A quarter of RGBA4.
        let small = 4 << 12 | 2 << 24;
        assert_eq!([end / 8, end / 8 - 16].map(|less| of([FROM, last - less], small)), [PIXEL, SLOW_PIXEL]);
        let large_blocks = transferred([FROM, last - 0x1000], [32, 8], 1 << 16 | 2);
        assert_eq!(large_blocks, 256 * PIXEL, "up to the last pixel of a block");
    }

    #[test]
    fn rows_of_a_cropped_input_are_as_far_apart_as_it_is_wide() {
        let of = |flags: u32, width: u32, to: u32| {
            let price = price([FROM, to], |registers| {
                (registers.output_size, registers.input_size) = (8 << 16 | 8, width);
                registers.flags = flags;
            });
            price / 64
        };
        let linear = 2;
        assert_eq!([0x800, 0x1000].map(|width| of(linear | 4, width, TO)), [PIXEL, SLOW_PIXEL]);
        assert_eq!(of(linear, 0x1000, TO), PIXEL, "its own width is not used");
        // Seven rows of 56 pixels are skipped.
        let end = TO + 0x1_0000 - 256;
        assert_eq!([of(5, 64, end - 7 * 56 * 4), of(5, 64, end)], [PIXEL, SLOW_PIXEL]);
    }
}
