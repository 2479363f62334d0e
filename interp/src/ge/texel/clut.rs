//! The colour look-up table (9.4).

use super::colour::opaque;
use crate::trace::{Probe, Stage, Value};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::texture::IndexSize;

/// Entries that separate levels of 4-bit indices have each.
const SMALL_TABLE: u32 = 16;

/// The colour of a raw index, 0xAABBGGRR.
pub(super) fn colour(
    registers: &Registers,
    table: &[u8; 1024],
    size: IndexSize,
    level: u8,
    index: u32,
    probe: &impl Probe,
) -> u32 {
    let entry = entry(registers, size, level, index) as usize;
    probe.note(Stage::one("texture"), "index", || Value::Integer(index.into()));
    probe.note(Stage::one("texture"), "palette entry", || Value::Integer(entry as i64));
    stored(registers.clut_mode().format(), table, entry)
}

/// The colour of an entry, 0xAABBGGRR.
fn stored(format: PixelFormat, table: &[u8; 1024], entry: usize) -> u32 {
    match format {
        PixelFormat::Rgba8888 => opaque(format, word(table, 4 * entry) | word(table, 4 * entry + 2) << 16),
        _ => opaque(format, word(table, 2 * entry)),
    }
}

/// The colours of all entries: red, green, blue, alpha.
pub(super) fn entries(registers: &Registers, table: &[u8; 1024]) -> Vec<[u8; 4]> {
    let format = registers.clut_mode().format();
    let count = table.len() / format.bytes() as usize;
    (0..count).map(|entry| stored(format, table, entry).to_le_bytes()).collect()
}

/// The entry of a raw index. What separate levels add may leave the table; then it begins again (assumed).
fn entry(registers: &Registers, size: IndexSize, level: u8, index: u32) -> u32 {
    let mode = registers.clut_mode();
    let last = if mode.format() == PixelFormat::Rgba8888 { 0xff } else { 0x1ff };
    let selected = ((index >> mode.shift()) & mode.mask()) | ((mode.start() << 4) & last);
    let has_own = size == IndexSize::Bits4 && registers.texture_mode().separate_cluts();
    (selected + if has_own { SMALL_TABLE * u32::from(level) } else { 0 }) & last
}

/// Two bytes.
fn word(table: &[u8; 1024], at: usize) -> u32 {
    u16::from_le_bytes([table[at], table[at + 1]]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CMODE from format, shift, mask, start.
    fn registers(format: u32, shift: u32, mask: u32, start: u32) -> Registers {
        let mut registers = Registers::default();
        registers.write(0xc500_0000 | format | shift << 2 | mask << 8 | start << 16);
        registers
    }

    /// Entry i is iiiiii with 32 bits, and 0x0101 * (j >> 1) with 16 bits (14.10).
    fn table() -> [u8; 1024] {
        std::array::from_fn(|n| (n / 4) as u8)
    }

    fn red(format: u32, shift: u32, mask: u32, start: u32, index: u32) -> u32 {
        let registers = registers(format, shift, mask, start);
        colour(&registers, &table(), IndexSize::Bits32, 0, index, &()) & 0xff_ffff
    }

    /// The tables of 14.10 for 32-bit entries.
    #[test]
    fn measured_entries_of_32_bits() {
        let start = |start| [0, 1, 15, 16, 255].map(|index| red(3, 0, 0xff, start, index) & 0xff);
        assert_eq!(start(1), [0x10, 0x11, 0x1f, 0x10, 0xff]);
        assert_eq!([start(2)[3], start(3)[3]], [0x30, 0x30]);
        assert_eq!(start(31), [0xf0, 0xf1, 0xff, 0xf0, 0xff]);
        assert_eq!(start(16), [0, 1, 15, 16, 255]);
        let masks = [0x00, 0x01, 0x02, 0x0f, 0xf0, 0x77, 0x80, 0x55];
        assert_eq!(masks.map(|mask| red(3, 0, mask, 0, 0xff) & 0xff), masks);
        let shifts = [0, 1, 4, 8, 12, 16, 24, 28, 31].map(|n| red(3, n, 0xff, 0, 0x1234_5678) & 0xff);
        assert_eq!(shifts, [0x78, 0x3c, 0x67, 0x56, 0x45, 0x34, 0x12, 0x01, 0x00]);
    }

    /// Rows of the table of 14.10 for 4444.
    #[test]
    fn measured_entries_of_16_bits() {
        let start = |start| [0, 1, 15, 16, 255].map(|index| red(2, 0, 0xff, start, index));
        assert_eq!(start(0), [0, 0, 0x77_0077, 0x88_0088, 0xff_77ff]);
        assert_eq!(start(1), [0x88_0088, 0x88_0088, 0xff_00ff, 0x88_0088, 0xff_77ff]);
        assert_eq!(start(16), [0x00_8800, 0x00_8800, 0x77_8877, 0x88_8888, 0xff_ffff]);
        assert_eq!(start(31), [0x88_ff88, 0x88_ff88, 0xff_ffff, 0x88_ff88, 0xff_ffff]);
    }

    #[test]
    fn levels_of_their_own() {
        let mut registers = registers(3, 0, 0xff, 0);
        registers.write(0xc200_0100);
        let entries = |size, level| entry(&registers, size, level, 5);
        assert_eq!([entries(IndexSize::Bits4, 0), entries(IndexSize::Bits4, 7)], [5, 117]);
        assert_eq!(entries(IndexSize::Bits8, 7), 5);
    }

    /// 9.4: of the 1024 bytes, an entry of 32 bits has four and one of 16 bits two, the lowest first. 0B0A in 4444 is
    /// red A, green 0, blue B, alpha 0.
    #[test]
    fn bytes_of_an_entry() {
        let table = std::array::from_fn(|n| n as u8);
        assert_eq!(stored(PixelFormat::Rgba8888, &table, 3), 0x0f0e_0d0c);
        assert_eq!(stored(PixelFormat::Rgba4444, &table, 5), 0x00bb_00aa);
    }
}
