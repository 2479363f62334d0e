//! Block transfers (11.1).

use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::Memory;

/// Bytes that are read before they are written. Chunks are counted from the start of a row (assumed).
const CHUNK: usize = 64;
/// Longest row, in elements; longer ones act as 0.
const LONGEST: u32 = 0x400;

/// Moves the block that the registers describe.
///
/// # Errors
/// If a byte of a row is not mapped. All rows of the source are checked before those of the destination (assumed).
pub(super) fn transfer(memory: &dyn Memory, registers: &Registers, maps: AddressMaps) -> Result<(), Fault> {
    let element = if registers.is_on(op::TRXKICK) { 4 } else { 2 };
    let [columns, rows] = pair(registers, op::TRXSIZE).map(|less_one| less_one + 1);
    let goes_on = |rows: u32| (0..rows).take_while(|_| !memory.is_stopping());
    let source = Side::of(registers, [op::TRXSBP, op::TRXSBW, op::TRXSPOS]);
    let destination = Side::of(registers, [op::TRXDBP, op::TRXDBW, op::TRXDPOS]);
    for side in [&source, &destination] {
        goes_on(rows).try_for_each(|y| side.check(memory, maps, side.row(y, element), columns * element))?;
    }
    for y in goes_on(rows) {
        let [from, to] = [&source, &destination].map(|side| side.row(y, element));
        copy(memory, maps, from, to, columns * element);
    }
    Ok(())
}

/// One row, chunk by chunk.
fn copy(memory: &dyn Memory, maps: AddressMaps, from: u32, to: u32, bytes: u32) {
    let offsets: Vec<u32> = (0..bytes).collect();
    for chunk in offsets.chunks(CHUNK) {
        let at = |start: u32, offset: &u32| maps.resolve(start.wrapping_add(*offset));
        let values: Vec<u8> = chunk.iter().map(|offset| memory.byte(at(from, offset))).collect();
        for (offset, value) in chunk.iter().zip(values) {
            memory.set_byte(at(to, offset), value);
        }
    }
}

/// One side of a transfer.
struct Side {
    /// Register of the pointer.
    register: u8,
    base: u32,
    /// Elements from row to row.
    stride: u32,
    x: u32,
    y: u32,
}

impl Side {
    /// The side of a pointer, a width and a position.
    fn of(registers: &Registers, [pointer, width, position]: [u8; 3]) -> Self {
        let high = registers.bits(width, 16, 8) << 24;
        let stride = registers.arg(width) & 0x7f8;
        let [x, y] = pair(registers, position);
        Self {
            register: pointer,
            base: (registers.arg(pointer) | high) & !15,
            stride: if stride > LONGEST { 0 } else { stride },
            x,
            y,
        }
    }

    /// Address of the first element of a row.
    const fn row(&self, y: u32, element: u32) -> u32 {
        self.base.wrapping_add(((self.y + y) * self.stride + self.x) * element)
    }

    /// Looks for all bytes of the row at an address.
    fn check(&self, memory: &dyn Memory, maps: AddressMaps, row: u32, bytes: u32) -> Result<(), Fault> {
        let is_mapped = |offset: u32| memory.region(maps.resolve(row.wrapping_add(offset)), 1).is_some();
        if (0..bytes).all(is_mapped) {
            return Ok(());
        }
        Err(Fault::Unmapped { id: self.register.into(), address: row })
    }
}

/// Column and row, or both sizes.
fn pair(registers: &Registers, command: u8) -> [u32; 2] {
    [registers.bits(command, 0, 10), registers.bits(command, 10, 10)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
    use picaflor_pipeline::memory::BlockMemory;

    const RAM: u32 = 0x0880_0000;

    fn memory() -> BlockMemory {
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (RAM, 0x1_0000)]);
        (0..0x8000).for_each(|n| memory.set_byte(RAM + n, (n * 7 % 251) as u8 + 1));
        memory
    }

    /// From RAM to VRAM with strides of 512 and 256, then other words.
    fn run(memory: &dyn Memory, words: &[u32]) -> Result<(), Fault> {
        let mut registers = Registers::default();
        let own = [0xb280_0000, 0xb308_0200, 0xb400_0000, 0xb504_0100, 0xee00_0000];
        own.iter().chain(words).for_each(|&word| registers.write(word));
        transfer(memory, &registers, AddressMaps::Flat)
    }

    const fn old(offset: u32) -> u8 {
        (offset * 7 % 251) as u8 + 1
    }

    /// Two elements of 4 bytes in two rows, from (3, 5) to (1, 2).
    #[test]
    fn rows_and_positions() {
        let memory = memory();
        let words = [0xea00_0001, 0xee00_0401, 0xeb00_1403, 0xec00_0801];
        assert_eq!(run(&memory, &words), Ok(()));
        for (y, n) in [(0, 0), (0, 7), (1, 3)] {
            let from = 4 * ((5 + y) * 512 + 3) + n;
            let to = 4 * ((2 + y) * 256 + 1) + n;
            assert_eq!(memory.byte(VRAM + to), old(from), "{y} {n}");
        }
        assert_eq!([4 * 513 - 1, 4 * 515].map(|n| memory.byte(VRAM + n)), [0; 2]);
    }

    /// The table of 11.1: end of the touched range of a copy of 1024 x 4 elements of 16 bits.
    #[test]
    fn measured_strides() {
        let strides = [(0, 2048), (0x408, 2048), (0x7ff, 2048), (0x100, 3584), (0x3f8, 8144)];
        let more = [(0x400, 8192), (0x407, 8192), (0xfc00, 8192)];
        for (stride, end) in strides.into_iter().chain(more) {
            let memory = memory();
            assert_eq!(run(&memory, &[0xee00_0fff, 0xb504_0000 | stride]), Ok(()));
            assert_ne!(memory.byte(VRAM + end - 1), 0, "{stride:x}");
            assert_eq!(memory.byte(VRAM + end), 0, "{stride:x}");
        }
    }

    /// 11.1: the low 4 bits of both pointers are ignored.
    #[test]
    fn pointers_are_aligned() {
        let memory = memory();
        assert_eq!(run(&memory, &[0xb280_001f, 0xb400_002f]), Ok(()));
        assert_eq!([0x1f, 0x20, 0x21, 0x22].map(|n| memory.byte(VRAM + n)), [0, old(16), old(17), 0]);
    }

    /// 11.1, 256 bytes forward inside of RAM: from a distance of 0x40 on the first 64 bytes propagate; below, each
    /// chunk sees its own old bytes.
    #[test]
    fn measured_overlap() {
        let moved = |distance: u32| {
            let memory = memory();
            let words = [0xee00_007f, 0xb480_0000 | distance, 0xb508_0200];
            assert_eq!(run(&memory, &words), Ok(()));
            [0, 63, 64, 255].map(|n| memory.byte(RAM + distance + n))
        };
        assert_eq!(moved(0x40), [old(0), old(63), old(0), old(63)]);
        assert_eq!(moved(0x50), [old(0), old(63), old(64), old(255 - 3 * 0x50)]);
        // Byte 64 of the source was written by the first chunk, byte 16 of it.
        assert_eq!(moved(0x30)[..3], [old(0), old(63), old(16)]);
    }

    #[test]
    fn unmapped_rows() {
        let memory = memory();
        // Of 512 elements of 2 bytes in 64 rows, row 64 of RAM does not exist; nor does 0x09000000.
        let fault = |words: &[u32]| run(&memory, words).unwrap_err();
        let unmapped = |id: u8, address| Fault::Unmapped { id: id.into(), address };
        assert_eq!(fault(&[0xee01_0000]), unmapped(op::TRXSBP, RAM + 0x1_0000));
        assert_eq!(fault(&[0xb400_0010, 0xb509_0100]), unmapped(op::TRXDBP, 0x0900_0010));
        assert_eq!(fault(&[0xb200_0000, 0xb309_0000, 0xb509_0100]), unmapped(op::TRXSBP, 0x0900_0000));
        // Four elements of which three exist, on either side: an address that does not exist hangs the console.
        assert_eq!(fault(&[0xee00_0003, 0xeb00_0005, 0xb280_fff0]), unmapped(op::TRXSBP, RAM + 0xfffa));
        let words = [0xee00_0003, 0xec00_0005, 0xb480_fff0, 0xb508_0200];
        assert_eq!(fault(&words), unmapped(op::TRXDBP, RAM + 0xfffa));
        // The last mirror of VRAM ends at 0x08000000.
        let words = [0xee00_0010, 0xb2ff_ffe0, 0xb307_0200, 0xb400_0000, 0xb504_0200];
        assert_eq!(fault(&words), unmapped(op::TRXSBP, 0x07ff_ffe0));
        assert_eq!(memory.byte(VRAM), 0);
        // The source is looked at before the destination, whatever the rows.
        assert_eq!(fault(&[0xee01_0000, 0xb400_0010, 0xb509_0100]), unmapped(op::TRXSBP, RAM + 0x1_0000));
        assert_eq!(run(&memory, &[0xee00_0002, 0xeb00_0005, 0xb280_fff0]), Ok(()));
    }

    /// 11.1: what leaves the mirrors begins again at VRAM.
    #[test]
    fn the_mirrors_end() {
        let memory = memory();
        assert_eq!(run(&memory, &[0xb47f_fff0, 0xee00_000f]), Ok(()));
        assert_eq!([0x1f_fff0, 0x1f_ffff, 0, 15].map(|n| memory.byte(VRAM + n)), [0, 15, 16, 31].map(old));
    }
}
