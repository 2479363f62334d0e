//! Bytes that block transfers write, whatever was there before: they belong to the history of a pixel also where they
//! leave the bytes that they find.

use crate::inspect::Spot;
use picaflor_pipeline::ge::block_transfer::BlockTransfer;
use picaflor_pipeline::ge::extents::extent;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::vram::AddressMaps;

/// True if the block transfer of these registers writes a byte of a pixel.
pub(super) fn transfer_writes(registers: &Registers, maps: AddressMaps, spot: Spot) -> bool {
    let BlockTransfer { destination, row_bytes, rows, .. } = BlockTransfer::new(registers);
    let is_at = |address: u32| spot.meets(maps.resolve(address), 1);
    (0..rows).map(|y| destination.row(y)).any(|row| {
        let (start, bytes) = extent(maps, row, row_bytes);
        // The extent of bytes that a mirror permutes is larger than the row.
        spot.meets(start, bytes.into())
            && (bytes == row_bytes || (0..row_bytes).any(|n| is_at(row.wrapping_add(n))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::ge::stage::blit::BlitStage as _;
    use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
    use picaflor_pipeline::memory::{BlockMemory, Memory as _};

    const RAM: u32 = 0x0880_0000;

    /// Each byte of VRAM is found if, and only if, the transfer changes it, in mirrors too.
    #[test]
    fn bytes_of_block_transfers() {
        for maps in [AddressMaps::Flat, AddressMaps::Off, AddressMaps::Shift(1)] {
            for target in [0x0400_4000, 0x0420_4000, 0x0460_4000, 0x041f_ff00] {
                let memory = BlockMemory::zeroed(&[(RAM, 0x1_0000), (VRAM, VRAM_BYTES)]);
                (0..0x1_0000).for_each(|n| memory.set_byte(RAM + n, 0xff));
                let mut registers = Registers::default();
                let (low, high) = (target & 0xff_ffff, target >> 24 << 16);
                let words = [0xb280_0000, 0xb308_0040, 0xb400_0000 | low, 0xb500_0080 | high, 0xee00_1c1f];
                words.into_iter().for_each(|word| registers.write(word));
                let moved = Interpreter::default().block_transfer(&memory, &registers, maps);
                if moved.is_err() {
                    // Behind the end of VRAM nothing is mapped.
                    continue;
                }
                let mut count = 0;
                for address in (VRAM..VRAM + VRAM_BYTES).step_by(2) {
                    let is_written = memory.byte(address) != 0;
                    count += usize::from(is_written);
                    if !is_written && address % 62 != 0 {
                        continue;
                    }
                    let spot = Spot { address, bytes: 2 };
                    assert_eq!(transfer_writes(&registers, maps, spot), is_written, "{maps:?} {spot:x?}");
                }
                assert_eq!(count, 32 * 8, "{target:x}");
            }
        }
    }
}
