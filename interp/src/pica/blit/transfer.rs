//! Display transfers: tiling, reduction and conversion of an image, pixel by pixel in the order of the output of the
//! manual.
//!
//! Source: pica-geometry.md 7.2 and 7.3.

use super::{TRANSFER_INPUT, TRANSFER_OUTPUT, address, announce, is_mapped, is_over};
use crate::pica::surface::address::Order;
use crate::pica::surface::pixel::Layout;
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::memory::{Memory, write_bytes};
use picaflor_pipeline::pica::transfer::{TransferFlags, TransferRegisters, TransferScale};

/// Longest side in which [`source`] looks for a pixel.
const MOST_SIDE: u32 = 1024;

/// Bits of a size that are implemented.
const SIDE_BITS: u32 = 0xfff8;

/// An image in memory.
#[derive(Debug, Clone, Copy)]
struct Image {
    /// Address of the first pixel.
    base: u32,
    order: Order,
    layout: Layout,
    /// Distance of rows in pixels.
    pitch: u32,
}

impl Image {
    /// Bytes from the first pixel to another one.
    fn offset(&self, x: u32, row: u32) -> u64 {
        self.order.index(x, row, self.pitch) * self.layout.bytes() as u64
    }

    /// Address at an offset; addresses wrap.
    fn at(&self, offset: u64) -> u32 {
        self.base.wrapping_add(offset as u32)
    }

    fn load(&self, memory: &dyn Memory, x: u32, row: u32) -> [u8; 4] {
        self.layout.load(memory, self.at(self.offset(x, row)))
    }

    /// Stores a pixel; returns the offsets of its first byte and of the byte after it.
    fn store(&self, memory: &dyn Memory, x: u32, row: u32, colour: [u8; 4]) -> [u64; 2] {
        let (offset, bytes) = (self.offset(x, row), self.layout.bytes());
        write_bytes(memory, self.at(offset), &self.layout.encode(colour)[..bytes]);
        [offset, offset + bytes as u64]
    }

    /// The first byte that is not mapped among those of the pixels of `width` columns and `height` rows.
    ///
    /// Pixels are looked at in bands of the height of a block, a band only as far as a byte found in an earlier one,
    /// and no byte twice where bands overlap; so a size of the registers beyond all memory takes no longer than the
    /// memory that there is.
    fn first_unmapped(&self, memory: &dyn Memory, width: u32, height: u32) -> Option<u32> {
        let side = self.order.side();
        let mut first: Option<u64> = None;
        // Offsets that are known to be mapped; bands begin at ascending ones.
        let mut mapped = 0..0;
        for band in (0..height).step_by(side as usize) {
            if memory.is_stopping() {
                return None;
            }
            let start = self.offset(0, band);
            let pixels = u64::from(width.next_multiple_of(side)) * u64::from(side);
            let all = start + pixels * self.layout.bytes() as u64;
            let end = first.map_or(all, |found| all.min(found));
            if start > mapped.end {
                mapped = start..start;
            }
            if end <= mapped.end || self.is_mapped_up_to(memory, &mut mapped.end, end) {
                continue;
            }
            let rows = (band..height.min(band + side)).take_while(|_| !memory.is_stopping());
            let offsets = rows.flat_map(|row| (0..width).map(move |x| self.offset(x, row)));
            let bytes = offsets.flat_map(|offset| offset..offset + self.layout.bytes() as u64);
            let found = bytes.filter(|&offset| !is_mapped(memory, self.at(offset))).min();
            first = first.into_iter().chain(found).min();
        }
        first.map(|offset| self.at(offset))
    }

    /// Moves `from` to the first offset that is not mapped, or to `end`; true if it is there.
    fn is_mapped_up_to(&self, memory: &dyn Memory, from: &mut u64, end: u64) -> bool {
        if is_mapped_range(memory, self.at(*from), end - *from) {
            *from = end;
        }
        while *from < end && !is_over(memory, *from) && is_mapped(memory, self.at(*from)) {
            *from += 1;
        }
        *from == end
    }
}

/// True if a range is mapped as one piece.
fn is_mapped_range(memory: &dyn Memory, start: u32, length: u64) -> bool {
    u32::try_from(length).is_ok_and(|length| memory.region(start, length).is_some())
}

/// A transfer, decoded.
struct Transfer {
    input: Image,
    output: Image,
    /// Size of the output in pixels, after reduction.
    width: u32,
    height: u32,
    /// Columns and rows of the input that make one of the output, as powers of two.
    shift: [u32; 2],
    is_flipped: bool,
}

impl Transfer {
    /// `None` if the reduction is invalid.
    fn new(registers: &TransferRegisters) -> Option<Self> {
        let flags = TransferFlags(registers.flags);
        let shift = match flags.scale() {
            TransferScale::None => [0, 0],
            TransferScale::Half => [1, 0],
            TransferScale::Quarter => [1, 1],
            TransferScale::Invalid => return None,
        };
        let blocks = if flags.block32() { Order::Blocks32 } else { Order::Blocks8 };
        let order = |is_tiled| if is_tiled { blocks } else { Order::Linear };
        let (out_width, out_height) =
            (registers.output_size & SIDE_BITS, registers.output_size >> 16 & SIDE_BITS);
        let in_width = registers.input_size & SIDE_BITS;
        let (width, height) = (out_width >> shift[0], out_height >> shift[1]);
        let input = Image {
            base: address(registers.input),
            order: order(!flags.tile() || flags.keep_tiling()),
            layout: Layout::of_transfer(flags.input_format()),
            pitch: if flags.crop() { in_width } else { out_width },
        };
        let mut output = Image {
            base: address(registers.output),
            order: order(flags.tile() || flags.keep_tiling()),
            layout: Layout::of_transfer(flags.output_format()),
            pitch: width,
        };
        if flags.flip() && flags.crop() && in_width > out_width && out_height > 0 {
            // Derived from console measurements: the first row is placed by the pitch of the input.
            let pixels = u64::from(in_width - out_width) * u64::from(out_height - 1);
            output.base = output.at(pixels * output.layout.bytes() as u64);
        }
        Some(Self { input, output, width, height, shift, is_flipped: flags.flip() })
    }

    /// The mean of the pixels of the input that make pixel (`x`, `y`): of each channel, after expansion to eight bits
    /// (assumed for smaller formats), truncated (measured on a console).
    fn mean(&self, memory: &dyn Memory, x: u32, y: u32) -> [u8; 4] {
        let [columns, rows] = self.shift.map(|shift| 1 << shift);
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| [column, row]));
        let [sx, sy] = self.shift;
        let colours: Vec<_> =
            places.map(|[i, j]| self.input.load(memory, (x << sx) + i, (y << sy) + j)).collect();
        std::array::from_fn(|c| {
            let sum: usize = colours.iter().map(|colour| usize::from(colour[c])).sum();
            (sum / colours.len()) as u8
        })
    }
}

/// Address of the first pixel of the input that makes the pixel at `address` of the output; `None` if none does.
pub(in crate::pica) fn source(registers: &TransferRegisters, address: u32) -> Option<u32> {
    if TransferFlags(registers.flags).copy() {
        return None;
    }
    let Transfer { input, output, width, height, shift, is_flipped } = Transfer::new(registers)?;
    // Positions are those of a screen's size: larger transfers show nothing.
    let places = (0..height.min(MOST_SIDE)).flat_map(|y| (0..width.min(MOST_SIDE)).map(move |x| (x, y)));
    let row = |y| if is_flipped { height - 1 - y } else { y };
    let is_here = |&(x, y): &(u32, u32)| output.at(output.offset(x, row(y))) == address;
    let (x, y) = places.into_iter().find(is_here)?;
    Some(input.at(input.offset(x << shift[0], y << shift[1])))
}

/// Runs the transfer. Pairs of formats that hang the console are converted like the others (assumed).
pub(super) fn run(memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
    let transfer = Transfer::new(registers).ok_or(Fault::BadTransfer { flags: registers.flags })?;
    let Transfer { input, output, width, height, shift, is_flipped } = transfer;
    let checks = [
        (TRANSFER_INPUT, input, width << shift[0], height << shift[1]),
        (TRANSFER_OUTPUT, output, width, height),
    ];
    for (id, image, width, height) in checks {
        if let Some(address) = image.first_unmapped(memory, width, height) {
            return Err(Fault::Unmapped { id, address });
        }
    }
    let (mut first, mut end) = (u64::MAX, 0);
    for y in (0..height).take_while(|_| !memory.is_stopping()) {
        let row = if is_flipped { height - 1 - y } else { y };
        for x in 0..width {
            let [from, to] = output.store(memory, x, row, transfer.mean(memory, x, y));
            (first, end) = (first.min(from), end.max(to));
        }
    }
    announce(memory, output.at(first), end.saturating_sub(first));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Watched;
    use super::*;

    const INPUT: u32 = 0x1800_0000;
    const OUTPUT: u32 = 0x1820_0000;
    const BLOCK: u32 = 0x10_0000;

    /// Registers of a transfer with sizes (width, height) before reduction.
    fn registers(flags: u32, output: (u32, u32), input_width: u32) -> TransferRegisters {
        TransferRegisters {
            input: INPUT >> 3,
            output: OUTPUT >> 3,
            output_size: output.1 << 16 | output.0,
            // The height of the input has no effect, nor have the lowest three bits of the width.
            input_size: 0x1234 << 16 | input_width | 5,
            flags,
            ..TransferRegisters::default()
        }
    }

    fn memory() -> Watched {
        Watched::new(&[(INPUT, BLOCK), (OUTPUT, BLOCK)])
    }

    /// Words that are not zero at the output, by their index.
    fn words(memory: &Watched) -> Vec<(u32, u32)> {
        let of = |n: u32| (n, u32::from_le_bytes(memory.read(OUTPUT + 4 * n)));
        (0..BLOCK / 4).map(of).filter(|&(_, word)| word != 0).collect()
    }

    /// Transfers words of the input (index, value), 128x128 pixels.
    fn transferred(flags: u32, input: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let memory =
            input.iter().fold(memory(), |memory, &(n, word)| memory.with(INPUT + 4 * n, &word.to_le_bytes()));
        assert_eq!(run(&memory, &registers(flags, (128, 128), 128)), Ok(()));
        words(&memory)
    }

    /// The vectors of pica-geometry.md 12 (measured on a console): linear (1, 0), (0, 1), (3, 2) are words 1, 2, 13.
    #[test]
    fn tiling() {
        let tiled = [(1, 0x11), (2, 0x22), (13, 0x33)];
        let linear = [(1, 0x11), (128, 0x22), (2 * 128 + 3, 0x33)];
        assert_eq!(transferred(0, &tiled), linear);
        assert_eq!(transferred(1 << 1, &linear), tiled);
        assert_eq!(transferred(1 << 5, &tiled), tiled);
        assert_eq!(transferred(1 << 5 | 1 << 1, &tiled), tiled);
        assert_eq!(transferred(1 << 16, &tiled), linear);
        // Blocks of 32x32: pixel 64 is (8, 0), pixel 1024 is (32, 0).
        assert_eq!(transferred(1 << 16, &[(64, 5), (1024, 6)]), [(8, 5), (32, 6)]);
        assert_eq!(transferred(1, &[(0, 7)]), [(127 * 128, 7)], "flipped");
    }

    #[test]
    fn averaging() {
        let half = |input: &[(u32, u32)]| transferred(1 << 24, input);
        assert_eq!(half(&[(0, 0xffff_0000)]), [(0, 0x7f7f_0000)]);
        assert_eq!(half(&[(0, 0xffff_0000), (1, 0xff00_0000)]), [(0, 0xff7f_0000)]);
        // Tiled word 2 is (0, 1): the second row of 64 pixels.
        let three = [(0, 0xffff_0000), (1, 0x00ff_0000), (2, 0xff00_0000)];
        assert_eq!(half(&three), [(0, 0x7fff_0000), (64, 0x7f00_0000)]);
        let quarter = transferred(2 << 24, &[(0, 0xffff_0000), (1, 0xff00_00ff)]);
        assert_eq!(quarter, [(0, 0x7f3f_003f)]);
    }

    /// Rows of pica-geometry.md 12: the first pixel, and opaque alpha where the input has none.
    #[test]
    fn conversion() {
        let first = |from: u32, to: u32, bytes: &[u8]| {
            let memory = memory().with(INPUT, bytes);
            assert_eq!(run(&memory, &registers(from << 8 | to << 12, (128, 128), 128)), Ok(()));
            memory.read::<4>(OUTPUT)
        };
        assert_eq!(first(0, 1, &[0xff, 0x00, 0x00, 0x80])[..3], [0x00, 0x00, 0x80]);
        assert_eq!(first(0, 2, &[0xff, 0x00, 0xff, 0x00])[..2], [0xe0, 0x07]);
        assert_eq!(first(0, 3, &[0x7f, 0x00, 0xff, 0x00])[..2], [0xc0, 0x07]);
        assert_eq!(first(0, 4, &[0x64, 0x00, 0x00, 0x00])[..2], [0x06, 0x00]);
        assert_eq!(first(3, 2, &[0xc0, 0x07])[..2], [0xe0, 0x07], "green 1f is 3f");
        assert_eq!(first(4, 3, &[0x08, 0xf0])[..2], [0x01, 0xf8]);
        assert_eq!(first(4, 3, &[0x07, 0x00])[..2], [0x00, 0x00]);
        // A pair that hangs the console: alpha counts as 1.
        assert_eq!(first(1, 4, &[0x10, 0x20, 0x30])[..2], [0x1f, 0x32]);
        assert_eq!(first(2, 0, &[0x00, 0xf8]), [0xff, 0x00, 0x00, 0xff]);
    }

    /// pica-geometry.md 12: 512x400 to 240x400 reads the input as if it were 240 wide, unless flag 2 is set.
    #[test]
    fn pitch_of_the_input() {
        let pixels = |flags, word: u32| {
            let memory = memory().with(INPUT + 4 * word, &[0, 0, 0xff, 0]);
            assert_eq!(run(&memory, &registers(flags, (240, 400), 512)), Ok(()));
            memory.set_bytes(OUTPUT, BLOCK)
        };
        let last = 3 * (240 * 400 - 1);
        assert_eq!(pixels(0x1000, 240 * 400 - 1), [(last + 1, 0xff)]);
        // The second row of blocks begins at word 8 * 512; row 8 of the output at pixel 8 * 240.
        assert_eq!(pixels(0x1004, 8 * 512), [(3 * 8 * 240 + 1, 0xff)]);
    }

    /// pica-geometry.md 7.3: a flip with crop moves the output by (in_w - out_w) (out_h - 1) pixels.
    #[test]
    fn flip_with_crop() {
        let memory = memory().with(INPUT, &[1, 2, 3, 4]);
        assert_eq!(run(&memory, &registers(0b101, (8, 8), 16)), Ok(()));
        let base = (16 - 8) * 7;
        assert_eq!(words(&memory), [(base + 7 * 8, 0x0403_0201)]);
        assert_eq!(memory.announced(), [(OUTPUT + 4 * base, 256)]);
    }

    #[test]
    fn nothing_to_do() {
        let memory = memory().with(INPUT, &[9; 64]);
        for size in [(0, 128), (128, 0), (7, 128)] {
            assert_eq!(run(&memory, &registers(0, size, 128)), Ok(()));
        }
        let bad = registers(3 << 24, (128, 128), 128);
        assert_eq!(run(&memory, &bad), Err(Fault::BadTransfer { flags: 3 << 24 }));
        assert_eq!((words(&memory), memory.announced()), (vec![], vec![]));
    }

    #[test]
    fn announces_the_whole_output() {
        let announced = |flags, size| {
            let memory = memory();
            assert_eq!(run(&memory, &registers(flags, size, 8)), Ok(()));
            memory.announced()
        };
        assert_eq!(announced(0x1000, (16, 8)), [(OUTPUT, 16 * 8 * 3)]);
        assert_eq!(announced(2 << 24, (16, 8)), [(OUTPUT, 8 * 4 * 4)]);
        // Tiled, two blocks of which the upper halves are written: pixels 0 to 31 and 64 to 95.
        assert_eq!(announced(2 << 24 | 1 << 5, (32, 8)), [(OUTPUT, 96 * 4)]);
    }

    #[test]
    fn unmapped_memory() {
        let small = Watched::new(&[(INPUT, 8 * 64 * 4), (OUTPUT, 4 * 16 * 7)]).with(INPUT, &[9; 4]);
        let fault = |id, address| Err(Fault::Unmapped { id, address });
        // 64 rows of 8 pixels fit the input; 72 do not. The output ends in row 7 of 16 pixels.
        assert_eq!(run(&small, &registers(0, (8, 72), 8)), fault(0x8c00, INPUT + 8 * 64 * 4));
        assert_eq!(run(&small, &registers(0, (16, 8), 8)), fault(0x8c04, OUTPUT + 4 * 16 * 7));
        assert_eq!((words(&small), small.announced()), (vec![], vec![]));
        // What is skipped need not be mapped: rows of 8 pixels, 64 apart, of which the last one ends the memory.
        let rows = Watched::new(&[(INPUT, (7 * 64 + 8) * 4), (OUTPUT, 0x1000)]);
        assert_eq!(run(&rows, &registers(0b110, (8, 8), 64)), Ok(()));
        // One pixel less, and the first byte of the missing one is named.
        let less = Watched::new(&[(INPUT, (7 * 64 + 7) * 4), (OUTPUT, 0x1000)]);
        assert_eq!(run(&less, &registers(0b110, (8, 8), 64)), fault(0x8c00, INPUT + (7 * 64 + 7) * 4));
    }

    /// The largest sizes, with rows of the input on top of each other.
    #[test]
    fn huge_sizes_end() {
        let memory = memory();
        for input_width in [0, 8, 0xfff8] {
            let found = run(&memory, &registers(4, (0xfff8, 0xfff8), input_width));
            assert_eq!(found, Err(Fault::Unmapped { id: 0x8c00, address: INPUT + BLOCK }));
        }
    }

    /// Rows that begin at the same place, in memory of two blocks: each byte is looked at once, not once a row.
    #[test]
    fn huge_sizes_of_rows_that_overlap_end() {
        let memory = Watched::new(&[(INPUT, 0x4000), (INPUT + 0x4000, 0x4010)]);
        let crop = |tile: u32| registers(4 | tile << 1, (0xfff8, 0xfff8), 0);
        let fault = Err(Fault::Unmapped { id: 0x8c00, address: INPUT + 0x8010 });
        assert_eq!([run(&memory, &crop(0)), run(&memory, &crop(1))], [fault; 2]);
    }

    #[test]
    fn addresses_wrap() {
        let memory = Watched::new(&[(INPUT, 0x1000), (0xffff_ff80, 0x80), (0, 0x80)]).with(INPUT, &[1; 256]);
        let output = TransferRegisters { output: 0x1fff_fff0, ..registers(0, (8, 8), 8) };
        assert_eq!(run(&memory, &output), Ok(()));
        assert_eq!(memory.announced(), [(0xffff_ff80, 0x80), (0, 0x80)]);
        assert_eq!(memory.set_bytes(0, 0x100).len(), 0x80);
    }

    /// Half and quarter take two rows from an even one on: tiled words 8 and 10 are (0, 2) and (0, 3), row 1 of 64 pixels.
    #[test]
    fn rows_that_are_averaged() {
        for word in [8, 10] {
            assert_eq!(transferred(2 << 24, &[(word, 0xfc00_0000)]), [(64, 0x3f00_0000)], "{word}");
        }
    }
}
