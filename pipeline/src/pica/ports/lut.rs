//! Upload ports of the fragment units' tables: an index register, which advances with every word, and data registers.
//!
//! The index is stored in the index register itself; that it reads back advanced is assumed.
//!
//! Source: pica-fragment.md 3.1, 4.2, 6.1, 6.2; pica-geometry.md 1.7, 1.9; gbatek, 3DS GPU.

use crate::pica::lut::Luts;
use crate::pica::regs::Registers;

/// One of the ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LutPort {
    /// Index 0x0AF, data 0x0B0-0x0B7.
    Procedural,
    /// Index 0x0E6, data 0x0E8-0x0EF.
    Fog,
    /// Index 0x123, data 0x124.
    Gas,
    /// Index 0x1C5, data 0x1C8-0x1CF.
    Lighting,
}

impl LutPort {
    /// The port of data register `id`.
    #[must_use]
    pub const fn of(id: u16) -> Option<Self> {
        Some(match id {
            0x0b0..=0x0b7 => Self::Procedural,
            0x0e8..=0x0ef => Self::Fog,
            0x124 => Self::Gas,
            0x1c8..=0x1cf => Self::Lighting,
            _ => return None,
        })
    }

    /// The index register.
    #[must_use]
    pub const fn index_register(self) -> u16 {
        match self {
            Self::Procedural => 0x0af,
            Self::Fog => 0x0e6,
            Self::Gas => 0x123,
            Self::Lighting => 0x1c5,
        }
    }

    /// The bits of the index register that advance; they wrap without a carry (measured for lighting and fog, assumed
    /// for the others).
    const fn index_bits(self) -> u32 {
        match self {
            Self::Procedural | Self::Lighting => 0xff,
            Self::Fog => 0x7f,
            Self::Gas => 0xf,
        }
    }

    /// Mask of the stored bits of a word.
    const fn entry_bits(self, index: u32) -> u32 {
        match (self, index >> 8 & 15) {
            (Self::Procedural, 4 | 5) => u32::MAX,
            _ => 0xff_ffff,
        }
    }

    /// The entry addressed by the index register; `None` if the table does not exist.
    fn entry(self, luts: &mut Luts, index: u32) -> Option<&mut u32> {
        let at = (index & self.index_bits()) as usize;
        match self {
            Self::Procedural => procedural_entry(luts, index >> 8 & 15, at),
            Self::Fog => Some(&mut luts.fog[at]),
            Self::Gas => Some(&mut luts.gas[at]),
            Self::Lighting => match index >> 8 & 31 {
                table @ (0 | 1 | 3..=6 | 8..=23) => Some(&mut luts.lighting[table as usize][at]),
                _ => None,
            },
        }
    }

    fn advance(self, registers: &mut Registers) {
        let (id, bits) = (self.index_register(), self.index_bits());
        let index = registers.raw(id);
        registers.set_raw(id, index & !bits | index.wrapping_add(1) & bits);
    }

    /// Writes a word to the data register.
    pub fn write(self, registers: &mut Registers, luts: &mut Luts, word: u32) {
        let index = registers.raw(self.index_register());
        if let Some(entry) = self.entry(luts, index) {
            *entry = word & self.entry_bits(index);
        }
        self.advance(registers);
    }

    /// Reads the data register. Only that of lighting advances the index (measured for lighting and fog, assumed for
    /// the others).
    pub fn read(self, registers: &mut Registers, luts: &mut Luts) -> u32 {
        let index = registers.raw(self.index_register());
        let word = self.entry(luts, index).map_or(0, |entry| *entry);
        if self == Self::Lighting {
            self.advance(registers);
        }
        word
    }
}

/// Maps have 128 entries, colour tables 256.
fn procedural_entry(luts: &mut Luts, table: u32, at: usize) -> Option<&mut u32> {
    match table {
        0 => Some(&mut luts.noise[at % 128]),
        2 => Some(&mut luts.colour_map[at % 128]),
        3 => Some(&mut luts.alpha_map[at % 128]),
        4 => Some(&mut luts.colours[at]),
        5 => Some(&mut luts.colour_differences[at]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(port: LutPort, index: u32, words: impl IntoIterator<Item = u32>) -> (Registers, Luts) {
        let (mut registers, mut luts) = (Registers::new(), Luts::default());
        registers.set_raw(port.index_register(), index);
        words.into_iter().for_each(|word| port.write(&mut registers, &mut luts, word));
        (registers, luts)
    }

    #[test]
    fn lighting_wraps_inside_the_table() {
        let (registers, luts) = fill(LutPort::Lighting, 0x03fe, [0xff00_0001, 2, 3]);
        assert_eq!((luts.lighting[3][254], luts.lighting[3][255], luts.lighting[3][0]), (1, 2, 3));
        assert_eq!((registers.raw(0x1c5), luts.lighting[4][0]), (0x0301, 0));
    }

    #[test]
    fn lighting_tables_that_do_not_exist() {
        for table in [2, 7, 24, 31] {
            let (registers, luts) = fill(LutPort::Lighting, table << 8, [7, 7]);
            assert_eq!(luts, Luts::default(), "table {table}");
            assert_eq!(registers.raw(0x1c5), table << 8 | 2);
        }
    }

    #[test]
    fn fog_has_seven_bits() {
        let (registers, luts) = fill(LutPort::Fog, 0x00ff, [5, 6]);
        assert_eq!((luts.fog[127], luts.fog[0], registers.raw(0x0e6)), (5, 6, 0x81));
    }

    #[test]
    fn procedural_tables() {
        let (_, luts) = fill(LutPort::Procedural, 0x0080, [0xff12_3456]);
        assert_eq!(luts.noise[0], 0x12_3456);
        let (registers, luts) = fill(LutPort::Procedural, 0x04ff, [0xff12_3456, 9]);
        assert_eq!((luts.colours[255], luts.colours[0], registers.raw(0x0af)), (0xff12_3456, 9, 0x0401));
        let (_, luts) = fill(LutPort::Procedural, 0x0205, [1, 2]);
        assert_eq!((luts.colour_map[5], luts.colour_map[6]), (1, 2));
        let (_, luts) = fill(LutPort::Procedural, 0x0385, [1, 2]);
        assert_eq!((luts.alpha_map[5], luts.alpha_map[6]), (1, 2), "maps have seven bits of index");
        let (_, luts) = fill(LutPort::Procedural, 0x0585, [1]);
        assert_eq!(luts.colour_differences[0x85], 1);
        for table in [1, 6, 15] {
            assert_eq!(fill(LutPort::Procedural, table << 8, [9]).1, Luts::default());
        }
    }

    #[test]
    fn gas_has_sixteen_entries() {
        let (registers, luts) = fill(LutPort::Gas, 15, [5, 6]);
        assert_eq!((luts.gas[15], luts.gas[0], registers.raw(0x123)), (5, 6, 1));
    }

    #[test]
    fn reading_advances_lighting_only() {
        let (mut registers, mut luts) = fill(LutPort::Lighting, 0, [5, 6]);
        registers.set_raw(0x1c5, 0);
        let mut read = || LutPort::Lighting.read(&mut registers, &mut luts);
        assert_eq!((read(), read()), (5, 6));
        let (mut registers, mut luts) = fill(LutPort::Fog, 0, [5, 6]);
        registers.set_raw(0x0e6, 0);
        let mut read = || LutPort::Fog.read(&mut registers, &mut luts);
        assert_eq!((read(), read()), (5, 5));
    }
}
