//! Block transfers.
//!
//! Source: psp-ge.md 11.1, measured on a console (transfer/overlap, transfer/invalid, commands/blocktransfer).

use crate::code::ge::runs::{self, copy_runs};
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::ge::block_transfer::{BlockTransfer, Side};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES, read, region};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{Memory, write_bytes};

/// Bytes that the engine reads before it writes them: its granularity.
const CHUNK: u32 = 64;
/// Granularity in bytes at which every mirror is contiguous.
const RUN: u32 = runs::RUN as u32;
/// End of the last mirror of VRAM.
const MIRRORS_END: u32 = 0x0800_0000;

/// A transfer between the memories that its registers describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transfer {
    block: BlockTransfer,
    maps: AddressMaps,
}

impl Transfer {
    /// Decodes the registers.
    #[must_use]
    pub(crate) const fn new(registers: &Registers, maps: AddressMaps) -> Self {
        Self { block: BlockTransfer::new(registers), maps }
    }

    /// The fault of a transfer with unmapped memory; `None` if all of it is mapped.
    #[must_use]
    pub(crate) fn fault(&self, memory: &dyn Memory) -> Option<Fault> {
        let missing = |side: Side, id: u8| {
            if self.is_all_mapped(memory, side) {
                return None;
            }
            let rows = (0..self.block.rows).take_while(|_| !memory.is_stopping());
            let row = rows.map(|y| side.row(y)).find(|&row| !self.is_mapped(memory, row));
            row.map(|address| Fault::Unmapped { id: id.into(), address })
        };
        missing(self.block.source, op::TRXSBP).or_else(|| missing(self.block.destination, op::TRXDBP))
    }

    /// True if all bytes of a side are mapped, for those that one look can tell: it stays in the mirrors of VRAM, or in
    /// other memory that is contiguous, with what lies between its rows.
    fn is_all_mapped(&self, memory: &dyn Memory, side: Side) -> bool {
        let (start, span) = (side.start & 0x0fff_ffff, self.block.span(side));
        match (start >> 26, (start + span - 1) >> 26) {
            (1, 1) => memory.region(VRAM, VRAM_BYTES).is_some(),
            (1, _) | (_, 1 | 4..) => false,
            _ => memory.region(start, span).is_some(),
        }
    }

    /// True if all bytes of a row are mapped.
    fn is_mapped(&self, memory: &dyn Memory, row: u32) -> bool {
        self.is_mapped_at_once(memory, row) || self.is_mapped_in_pieces(memory, row)
    }

    /// [`is_mapped`](Self::is_mapped) where every byte is looked for if need be: the host may have memory in pieces.
    fn is_mapped_in_pieces(&self, memory: &dyn Memory, row: u32) -> bool {
        let is_there =
            |from: u32, bytes: u32| memory.region(self.maps.resolve(row.wrapping_add(from)), bytes).is_some();
        let first = (row.wrapping_neg() % RUN).min(self.block.row_bytes);
        let runs = (first..self.block.row_bytes).step_by(RUN as usize);
        std::iter::once((0, first))
            .chain(runs.map(|from| (from, RUN.min(self.block.row_bytes - from))))
            .all(|(from, bytes)| is_there(from, bytes) || (from..from + bytes).all(|at| is_there(at, 1)))
    }

    /// [`is_mapped`](Self::is_mapped) where the host has the row in one piece.
    fn is_mapped_at_once(&self, memory: &dyn Memory, row: u32) -> bool {
        match self.maps.resolve(row) {
            place if place >> 26 == 1 => {
                let beyond = ((row & 0x0fff_ffff) + self.block.row_bytes).saturating_sub(MIRRORS_END);
                memory.region(VRAM, VRAM_BYTES).is_some()
                    && (beyond == 0 || memory.region(MIRRORS_END, beyond).is_some())
            }
            place => memory.region(place, self.block.row_bytes).is_some(),
        }
    }

    /// Moves the block of the registers: see [`BlitStage`](picaflor_pipeline::ge::stage::blit::BlitStage).
    ///
    /// # Errors
    /// If a byte of a row is not mapped.
    pub(crate) fn perform(
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        let transfer = Self::new(registers, maps);
        match transfer.fault(memory) {
            Some(fault) => Err(fault),
            None => {
                transfer.run(memory);
                Ok(())
            }
        }
    }

    /// Moves the bytes; both sides have to be [mapped](Self::fault).
    pub(crate) fn run(&self, memory: &dyn Memory) {
        let BlockTransfer { source, destination, row_bytes, rows } = self.block;
        if self.run_apart(memory).or_else(|| self.run_through_mirror(memory)).is_some() {
            return;
        }
        let rows = (0..rows).take_while(|_| !memory.is_stopping());
        for (from, to) in rows.map(|y| (source.row(y), destination.row(y))) {
            let [read, written] = [from, to].map(|row| region(memory, self.maps, row, row_bytes));
            match (read, written) {
                (Some(read), Some(written)) if !read.shares_bytes(written) => written.copy_forward(read),
                _ => self.move_row(memory, from, to),
            }
        }
    }

    /// Moves blocks that lie apart and are contiguous in the host's memory; `None` if nothing was done.
    fn run_apart(&self, memory: &dyn Memory) -> Option<()> {
        let BlockTransfer { source, destination, row_bytes, rows } = self.block;
        let all = |side: Side| region(memory, self.maps, side.start, self.block.span(side));
        let (from, to) = (all(source)?, all(destination)?);
        if from.shares_bytes(to) {
            return None;
        }
        for y in (0..rows).take_while(|_| !memory.is_stopping()) {
            let row = |side: Side| (y * side.pitch) as usize;
            let bytes = row_bytes as usize;
            to.slice(row(destination), bytes).copy_forward(from.slice(row(source), bytes));
        }
        Some(())
    }

    /// Moves blocks one side of which lies in a permuted mirror, apart from the other, which is contiguous in the host's
    /// memory; `None` if nothing was done.
    fn run_through_mirror(&self, memory: &dyn Memory) -> Option<()> {
        let BlockTransfer { source, destination, rows, .. } = self.block;
        let all = |side: Side| region(memory, self.maps, side.start, self.block.span(side));
        let (side, pitch, other, is_read) = match (all(source), all(destination)) {
            (None, Some(to)) => (source, destination.pitch, to, true),
            (Some(from), None) => (destination, source.pitch, from, false),
            _ => return None,
        };
        let vram = memory.region(VRAM, VRAM_BYTES)?;
        let (start, span) = (side.start & 0x0fff_ffff, self.block.span(side));
        let is_near = start >> 26 == 1 && (start + span - 1) >> 26 == 1;
        if !is_near || vram.shares_bytes(other) {
            return None;
        }
        for y in (0..rows).take_while(|_| !memory.is_stopping()) {
            self.move_through_mirror(vram, side.row(y), other, (y * pitch) as usize, is_read);
        }
        Some(())
    }

    /// Moves a row between VRAM, of which `row` is an address in a mirror, and other memory from `at` on.
    fn move_through_mirror(
        &self,
        vram: GuestSlice<'_>,
        row: u32,
        other: GuestSlice<'_>,
        at: usize,
        is_read: bool,
    ) {
        let offset = row % VRAM_BYTES;
        if row >> 21 & 3 == 1 && offset + self.block.row_bytes <= VRAM_BYTES {
            // The first mirror exchanges bytes: an exclusive or of their offsets.
            let exchange = self.maps.simple(0);
            let inside = |n| (offset + n) ^ exchange;
            self.move_in_runs::<{ runs::RUN_OF_FIRST }>(vram, offset, inside, other, at, is_read);
        } else {
            let inside = |n| self.maps.resolve(row.wrapping_add(n)) - VRAM;
            self.move_in_runs::<{ runs::RUN }>(vram, row, inside, other, at, is_read);
        }
    }

    /// Moves a row in runs of `BYTES`, at multiples of which in the mirror VRAM may stop being contiguous. `inside(n)` is
    /// the offset in VRAM of byte `n`, `row` the address of the first one, of which the bits of a run count.
    fn move_in_runs<const BYTES: usize>(
        &self,
        vram: GuestSlice<'_>,
        row: u32,
        inside: impl Fn(u32) -> u32,
        other: GuestSlice<'_>,
        at: usize,
        is_read: bool,
    ) {
        let (bytes, run) = (self.block.row_bytes, BYTES as u32);
        let places = |n: u32| {
            let (inside, outside) = (inside(n) as usize, at + n as usize);
            if is_read { [inside, outside] } else { [outside, inside] }
        };
        let (from, to) = if is_read { (vram, other) } else { (other, vram) };
        // Whole runs, and a part of one at either end.
        let first = (row.wrapping_neg() % run).min(bytes);
        let last = first + (bytes - first) / run * run;
        for (n, count) in [(0, first), (last, bytes - last)].into_iter().filter(|&(_, count)| count > 0) {
            let [source, target] = places(n);
            to.slice(target, count as usize).copy_forward(from.slice(source, count as usize));
        }
        copy_runs::<BYTES>(from, to, (first..last).step_by(BYTES).map(places));
    }

    /// A row in the chunks of the engine: rows that overlap, and mirrors.
    fn move_row(&self, memory: &dyn Memory, from: u32, to: u32) {
        let mut chunk = [0; CHUNK as usize];
        for at in (0..self.block.row_bytes).step_by(CHUNK as usize) {
            let bytes = &mut chunk[..CHUNK.min(self.block.row_bytes - at) as usize];
            read(memory, self.maps, from.wrapping_add(at), bytes);
            self.write(memory, to.wrapping_add(at), bytes);
        }
    }

    fn write(&self, memory: &dyn Memory, address: u32, bytes: &[u8]) {
        let mut rest = bytes;
        let mut address = address;
        while !rest.is_empty() {
            let run = (RUN - address % RUN).min(rest.len() as u32);
            write_bytes(memory, self.maps.resolve(address), &rest[..run as usize]);
            rest = &rest[run as usize..];
            address = address.wrapping_add(run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::BlockMemory;

    const RAM: u32 = 0x0880_0000;

    fn registers(words: &[u32]) -> Registers {
        let mut registers = Registers::default();
        words.iter().for_each(|&word| registers.write(word));
        registers
    }

    fn memory() -> BlockMemory {
        BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (RAM, 0x1_0000)])
    }

    /// A copy of 1024 by 4 elements from RAM full of ones: where the last one is.
    fn end_of(stride: u32, kick: u32) -> u32 {
        let memory = memory();
        write_bytes(&memory, RAM, &[0xff; 0x1_0000]);
        let words = [
            0xb280_0000,
            0xb308_0000 | 0x400,
            0xb400_0000,
            0xb504_0000 | stride,
            0xee00_0c00 | 0x3ff,
            0xea00_0000 | kick,
        ];
        let transfer = Transfer::new(&registers(&words), AddressMaps::default());
        assert_eq!(transfer.fault(&memory), None);
        transfer.run(&memory);
        let vram = memory.region(VRAM, 0x1_0000).expect("mapped").to_vec();
        vram.iter().rposition(|&byte| byte != 0).map_or(0, |last| last as u32 + 1)
    }

    #[test]
    fn strides() {
        let measured = [
            (0, 2048),
            (0x408, 2048),
            (0x7ff, 2048),
            (0x100, 3584),
            (0x3f8, 8144),
            (0x400, 8192),
            (0x407, 8192),
            (0xfc00, 8192),
        ];
        for (stride, bytes) in measured {
            assert_eq!((end_of(stride, 0), end_of(stride, 1)), (bytes, 2 * bytes), "{stride:#x}");
        }
    }

    /// Copies 256 bytes forward inside VRAM by `distance`.
    fn overlapping(distance: u32) -> Vec<u8> {
        let memory = memory();
        write_bytes(&memory, VRAM, &std::array::from_fn::<u8, 256, _>(|i| i as u8));
        let words = [0xb200_0000, 0xb304_0100, 0xb400_0000 | distance, 0xb504_0100, 0xee00_003f, 0xea00_0001];
        Transfer::new(&registers(&words), AddressMaps::default()).run(&memory);
        memory.region(VRAM + (distance & !15), 256).expect("mapped").to_vec()
    }

    #[test]
    fn chunks_are_read_before_they_are_written() {
        for distance in [0x50_u8, 0x40] {
            let copied = overlapping(distance.into());
            let expected: Vec<u8> = (0..=255).map(|i| i % distance).collect();
            assert_eq!(copied, expected, "{distance:#x}");
        }
        // Each chunk begins with what the one before has written beyond its end.
        for distance in [0x30_u8, 0x20, 0x10] {
            let copied = overlapping(distance.into());
            assert_eq!(copied[..64], std::array::from_fn::<u8, 64, _>(|i| i as u8), "{distance:#x}");
            assert_eq!(copied[64..128][..distance.into()], copied[64 - usize::from(distance)..64]);
        }
        assert_eq!(overlapping(1), (0..=255).collect::<Vec<u8>>());
    }

    #[test]
    fn mirrors_on_both_sides() {
        let memory = memory();
        write_bytes(&memory, VRAM, &std::array::from_fn::<u8, 256, _>(|i| i as u8));
        let maps = AddressMaps::default();
        // From mirror 1 to the end of the mirrors, where it wraps.
        let words = [0xb220_0000, 0xb304_0040, 0xb47f_ffc0, 0xb504_0040, 0xee00_001f, 0xea00_0001];
        Transfer::new(&registers(&words), maps).run(&memory);
        let byte = |address| memory.byte(maps.resolve(address));
        let before = byte(0x0420_0000);
        assert_eq!((byte(0x047f_ffc0), byte(0x0480_0000)), (before, memory.byte(VRAM)));
    }

    /// All mirrors, on either side, from any byte on: the memory is that of the interpreter.
    #[test]
    fn through_mirrors_as_the_interpreter() {
        use picaflor_interp::Interpreter;
        use picaflor_pipeline::ge::stage::blit::BlitStage;
        let bytes: Vec<u8> = (0..VRAM_BYTES).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 23) as u8).collect();
        let mut seed = 7;
        let mut random = |most: u32| picaflor_pipeline::random::word(&mut seed) % most;
        let maps = [
            AddressMaps::Flat,
            AddressMaps::Off,
            AddressMaps::Shift(0),
            AddressMaps::Shift(1),
            AddressMaps::Shift(3),
        ];
        for maps in maps.into_iter().cycle().take(150) {
            // Up to the end of a mirror, and of the last one.
            let mirror = [0x20_0000, 0x40_0000 - 0x1_0000, 0x60_0000, 0x80_0000 - 0x4000][random(4) as usize];
            let sides = [mirror + 16 * random(0x400), 0x80_0000 + 16 * random(0x100)];
            let [source, target] = if random(2) == 0 { sides } else { [sides[1], sides[0]] };
            let high = |place: u32| if place < 0x80_0000 { 4 } else { 8 } << 16;
            let words = [
                0xb200_0000 | source,
                0xb300_0200 | high(source),
                0xb400_0000 | target,
                0xb500_0200 | high(target),
                0xeb00_0000 | random(40),
                0xec00_0000 | random(40),
                0xee00_0000 | random(8) << 10 | random(500),
                0xea00_0000 | random(2),
            ];
            let registers = registers(&words);
            let [ours, theirs] = [0; 2].map(|_| {
                let memory = memory();
                write_bytes(&memory, VRAM, &bytes);
                write_bytes(&memory, RAM, &bytes[0x1000..0x1_1000]);
                memory
            });
            let done = Transfer::perform(&ours, &registers, maps);
            assert_eq!(Interpreter::new().block_transfer(&theirs, &registers, maps), done);
            let all = |memory: &BlockMemory| {
                memory.blocks().iter().flat_map(|block| block.as_slice().to_vec()).collect::<Vec<_>>()
            };
            assert!(all(&ours) == all(&theirs), "{words:x?} {maps:?}");
        }
    }

    /// Rows need memory, in any pieces, and what lies between them none.
    #[test]
    fn rows_with_nothing_between_them() {
        let words = [0xb200_0000, 0xb308_0010, 0xb400_0000, 0xb504_0010, 0xee00_0407, 0xea00_0001];
        let fault = |blocks: &[(u32, u32)]| {
            Transfer::new(&registers(&words), AddressMaps::default()).fault(&BlockMemory::zeroed(blocks))
        };
        let at = 0x0800_0000;
        assert_eq!(fault(&[(VRAM, VRAM_BYTES), (at, 32), (at + 64, 32)]), None);
        let second = Some(Fault::Unmapped { id: 0xb2, address: at + 64 });
        assert_eq!(fault(&[(VRAM, VRAM_BYTES), (at, 64)]), second);
        assert_eq!(fault(&[(VRAM, VRAM_BYTES), (at, 5), (at + 5, 27), (at + 64, 31), (at + 95, 1)]), None);
        assert_eq!(fault(&[(VRAM, VRAM_BYTES), (at, 5), (at + 5, 27), (at + 64, 30), (at + 95, 1)]), second);
        assert_eq!(fault(&[(VRAM, VRAM_BYTES / 2), (at, 0x1000)]), None);
        let none = Some(Fault::Unmapped { id: 0xb4, address: VRAM });
        assert_eq!(fault(&[(VRAM + 32, VRAM_BYTES - 32), (at, 0x1000)]), none);
    }

    #[test]
    fn memory_that_is_not_there() {
        let words = [0xb200_0000, 0xb30c_0010, 0xb400_0000, 0xb504_0010];
        let fault = Transfer::new(&registers(&words), AddressMaps::default()).fault(&memory());
        assert_eq!(fault, Some(Fault::Unmapped { id: 0xb2, address: 0x0c00_0000 }));
        let words = [0xb200_0000, 0xb304_0010, 0xb480_fff0, 0xb508_0010, 0xee00_0400];
        let fault = Transfer::new(&registers(&words), AddressMaps::default()).fault(&memory());
        assert_eq!(fault, Some(Fault::Unmapped { id: 0xb4, address: RAM + 0x1_0010 }));
        // The last mirror of VRAM ends at 0x08000000.
        let fault = |width: u32| {
            let words = [0xb2ff_ffe0, 0xb307_0200, 0xb400_0000, 0xb504_0200, 0xee00_0000 | (width - 1)];
            Transfer::new(&registers(&words), AddressMaps::default()).fault(&memory())
        };
        assert_eq!(fault(16), None);
        assert_eq!(fault(17), Some(Fault::Unmapped { id: 0xb2, address: 0x07ff_ffe0 }));
    }
}
