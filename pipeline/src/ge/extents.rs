//! Ranges of memory that commands access, for barriers, prices and engines: where an engine took more for written or drawn
//! than the machine, textures were compared or draws interpreted that nobody paid for.
//!
//! Source: psp-ge.md 1.1, 11.1, measured on a console (transfer/overlap, commands/blocktransfer).

use super::block_transfer::BlockTransfer;
use super::vram::{AddressMaps, VRAM, VRAM_BYTES};
use crate::memory::PAGE;
use crate::tile::Bytes;

/// Size of the address space in bytes: behind the last address comes 0.
const ADDRESSES: u32 = 1 << 28;
/// End of the last mirror of VRAM.
pub(crate) const MIRRORS_END: u32 = 0x0800_0000;

/// Range that a transfer reads: address, mirrors resolved, and length.
#[must_use]
pub(crate) const fn source_extent(transfer: &BlockTransfer, maps: AddressMaps) -> Bytes {
    extent(maps, transfer.source.start, transfer.span(transfer.source))
}

/// Range that a transfer writes, gaps included: address, mirrors resolved, and length.
#[must_use]
pub(crate) const fn destination_extent(transfer: &BlockTransfer, maps: AddressMaps) -> Bytes {
    extent(maps, transfer.destination.start, transfer.span(transfer.destination))
}

/// Memory range that holds `length` bytes from `address` on, mirrors resolved: address and length. Permuted mirrors
/// scatter the bytes, so the range is all of VRAM; likewise if the bytes cross into VRAM or past its end. Lengths are
/// at most those of all addresses; [`parts`] is for ranges that go past the last one.
#[must_use]
pub const fn extent(maps: AddressMaps, address: u32, length: u32) -> Bytes {
    let address = address & (ADDRESSES - 1);
    let end = address + length;
    if end <= VRAM || address >= MIRRORS_END {
        return (address, length);
    }
    let place = maps.resolve(address);
    let is_scattered = address >> 21 & 1 == 1 && !matches!(maps, AddressMaps::Flat);
    let is_inside = address >= VRAM && place + length <= VRAM + VRAM_BYTES;
    if is_inside && !is_scattered {
        return (place, length);
    }
    let start = if address < VRAM { address } else { VRAM };
    let end = if end > MIRRORS_END { end } else { VRAM + VRAM_BYTES };
    (start, end - start)
}

/// The two parts of a range that may go past the last address, each an address and a length: up to there, and from 0 on,
/// which is mostly empty.
#[must_use]
pub const fn parts((address, length): Bytes) -> [Bytes; 2] {
    let address = address & (ADDRESSES - 1);
    let beyond = length.saturating_sub(ADDRESSES - address);
    [(address, length - beyond), (0, beyond)]
}

/// The [pages](PAGE) of a range, in which engines do not tell writes apart; one that does not go past the last address.
#[must_use]
pub(crate) const fn pages((address, length): Bytes) -> Bytes {
    let before = address % PAGE;
    (address - before, if length == 0 { 0 } else { (before + length).next_multiple_of(PAGE) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::regs::Registers;

    const RAM: u32 = 0x0880_0000;

    fn transfer(words: &[u32]) -> BlockTransfer {
        let mut registers = Registers::default();
        words.iter().for_each(|&word| registers.write(word));
        BlockTransfer::new(&registers)
    }

    const MAPS: AddressMaps = AddressMaps::Shift(1);

    /// 1024 by 4 elements from RAM, with the measured ends.
    #[test]
    fn transfers_reach_as_far_as_their_strides() {
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
            for kick in [0, 1] {
                let words = [
                    0xb280_0000,
                    0xb308_0000 | 0x400,
                    0xb400_0000,
                    0xb504_0000 | stride,
                    0xee00_0c00 | 0x3ff,
                    0xea00_0000 | kick,
                ];
                let transfer = transfer(&words);
                assert_eq!(destination_extent(&transfer, MAPS), (VRAM, bytes << kick), "{stride:#x}");
                assert_eq!(source_extent(&transfer, MAPS), (RAM, 8192 << kick));
                assert_eq!(transfer.bytes(), 8192 << kick);
            }
        }
    }

    /// Positions count, and mirrors that scatter their bytes are all of VRAM.
    #[test]
    fn transfers_between_mirrors() {
        let words =
            [0xb220_0000, 0xb304_0040, 0xb47f_ffc0, 0xb504_0040, 0xee00_001f, 0xea00_0001, 0xec00_0801];
        assert_eq!(source_extent(&transfer(&words), MAPS), (VRAM, VRAM_BYTES));
        let words = [0xb400_0010, 0xb504_0040, 0xee00_001f, 0xea00_0001, 0xec00_0801];
        assert_eq!(destination_extent(&transfer(&words), MAPS), (VRAM + 0x10 + 4 * (2 * 64 + 1), 128));
    }

    #[test]
    fn extents() {
        let maps = AddressMaps::default();
        let all = (VRAM, VRAM_BYTES);
        let cases = [
            ((RAM, 9), (RAM, 9)),
            ((VRAM - 9, 9), (VRAM - 9, 9)),
            ((VRAM - 9, 10), (VRAM - 9, VRAM_BYTES + 9)),
            ((0x4440_1000, 9), (VRAM + 0x1000, 9)),
            ((0x041f_fff0, 16), (VRAM + 0x1f_fff0, 16)),
            ((0x041f_fff0, 17), all),
            ((0x0420_0000, 9), all),
            ((0x0460_0000, 9), all),
            ((0x07df_fff0, 17), all),
            ((0x07ff_fff0, 17), (VRAM, 0x0400_0001)),
        ];
        for ((address, length), expected) in cases {
            assert_eq!(extent(maps, address, length), expected, "{address:#x} {length}");
        }
        assert_eq!(extent(AddressMaps::Flat, 0x0460_1000, 9), (VRAM + 0x1000, 9));
    }

    #[test]
    fn pages_hold_ranges() {
        let cases = [
            ((RAM, 0), (RAM, 0)),
            ((RAM, 1), (RAM, PAGE)),
            ((RAM + PAGE - 1, 1), (RAM, PAGE)),
            ((RAM + PAGE - 1, 2), (RAM, 2 * PAGE)),
            ((RAM, PAGE), (RAM, PAGE)),
            ((0x0fff_ffff, 1), (0x0fff_f000, PAGE)),
        ];
        for (range, expected) in cases {
            assert_eq!(pages(range), expected, "{range:x?}");
        }
    }

    #[test]
    fn addresses_begin_again_at_0() {
        let cases = [
            ((RAM, 9), [(RAM, 9), (0, 0)]),
            ((0x0fff_fff0, 16), [(0x0fff_fff0, 16), (0, 0)]),
            ((0x0fff_fff0, 17), [(0x0fff_fff0, 16), (0, 1)]),
            ((RAM, 1 << 28), [(RAM, 0x0fff_ffff - RAM + 1), (0, RAM)]),
            ((0, 1 << 28), [(0, 1 << 28), (0, 0)]),
        ];
        for (range, expected) in cases {
            assert_eq!(parts(range), expected, "{range:x?}");
        }
    }
}
