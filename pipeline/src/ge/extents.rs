//! Ranges of memory that commands access, for barriers.
//!
//! Source: psp-ge.md 1.1, 11.1, measured on a console (transfer/overlap, commands/blocktransfer).

use super::regs::{Registers, fields, op};
use super::vram::{AddressMaps, VRAM, VRAM_BYTES};

/// End of the last mirror of VRAM.
const MIRRORS_END: u32 = 0x0800_0000;

/// Source or destination of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Side {
    /// Address of the first element.
    start: u32,
    /// Bytes from row to row.
    pitch: u32,
}

impl Side {
    /// Decodes pointer, width and position registers.
    const fn new(registers: &Registers, pointer: u8, width: u8, position: u8, element: u32) -> Self {
        let high = (registers.arg(width) & 0xff_0000) << 8;
        let stride = match registers.arg(width) & 0x7f8 {
            // Measured: every row starts at the same address.
            stride if stride > 0x400 => 0,
            stride => stride,
        };
        let [x, y] = [registers.field(position, fields::PIXEL_X), registers.field(position, fields::PIXEL_Y)];
        let start = (registers.arg(pointer) & 0xff_fff0 | high).wrapping_add((y * stride + x) * element);
        Self { start, pitch: stride * element }
    }
}

/// A transfer as its registers describe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transfer {
    source: Side,
    destination: Side,
    row_bytes: u32,
    rows: u32,
    maps: AddressMaps,
}

impl Transfer {
    /// Decodes the registers.
    #[must_use]
    pub(crate) const fn new(registers: &Registers, maps: AddressMaps) -> Self {
        let element = if registers.is_on(op::TRXKICK) { 4 } else { 2 };
        Self {
            source: Side::new(registers, op::TRXSBP, op::TRXSBW, op::TRXSPOS, element),
            destination: Side::new(registers, op::TRXDBP, op::TRXDBW, op::TRXDPOS, element),
            row_bytes: (registers.field(op::TRXSIZE, fields::PIXEL_X) + 1) * element,
            rows: registers.field(op::TRXSIZE, fields::PIXEL_Y) + 1,
            maps,
        }
    }

    /// Number of bytes to move.
    #[must_use]
    pub(crate) const fn bytes(&self) -> u64 {
        self.row_bytes as u64 * self.rows as u64
    }

    /// Range read: address, mirrors resolved, and length.
    #[must_use]
    pub(crate) const fn source_extent(&self) -> (u32, u32) {
        self.extent(self.source)
    }

    /// Range written, gaps included: address, mirrors resolved, and length.
    #[must_use]
    pub(crate) const fn destination_extent(&self) -> (u32, u32) {
        self.extent(self.destination)
    }

    const fn extent(&self, side: Side) -> (u32, u32) {
        extent(self.maps, side.start, (self.rows - 1) * side.pitch + self.row_bytes)
    }
}

/// Memory range that holds `length` bytes from `address` on, mirrors resolved: address and length. Permuted mirrors
/// scatter the bytes, so the range is all of VRAM; likewise if the bytes cross into VRAM or past its end. Lengths are
/// below 64 MiB.
#[must_use]
pub(crate) const fn extent(maps: AddressMaps, address: u32, length: u32) -> (u32, u32) {
    let address = address & 0x0fff_ffff;
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

#[cfg(test)]
mod tests {
    use super::*;

    const RAM: u32 = 0x0880_0000;

    fn transfer(words: &[u32]) -> Transfer {
        let mut registers = Registers::default();
        words.iter().for_each(|&word| registers.write(word));
        Transfer::new(&registers, AddressMaps::default())
    }

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
                assert_eq!(transfer.destination_extent(), (VRAM, bytes << kick), "{stride:#x}");
                assert_eq!(transfer.source_extent(), (RAM, 8192 << kick));
                assert_eq!(transfer.bytes(), 8192 << kick);
            }
        }
    }

    /// Positions count, and mirrors that scatter their bytes are all of VRAM.
    #[test]
    fn transfers_between_mirrors() {
        let words =
            [0xb220_0000, 0xb304_0040, 0xb47f_ffc0, 0xb504_0040, 0xee00_001f, 0xea00_0001, 0xec00_0801];
        assert_eq!(transfer(&words).source_extent(), (VRAM, VRAM_BYTES));
        let words = [0xb400_0010, 0xb504_0040, 0xee00_001f, 0xea00_0001, 0xec00_0801];
        assert_eq!(transfer(&words).destination_extent(), (VRAM + 0x10 + 4 * (2 * 64 + 1), 128));
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
}
