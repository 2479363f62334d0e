//! Restoring state from recordings that hold it only as words of registers and memories.

use crate::pica::Pica;
use crate::pica::float;
use crate::pica::ports::lut::LutPort;
use crate::pica::regs::Registers;

/// Registers of the geometry unit's bank and the vertex units' bank.
const GEOMETRY_BANK: std::ops::Range<u16> = 0x280..0x2b0;
const VERTEX_BANK: std::ops::Range<u16> = 0x2b0..0x2e0;

/// Offsets in a bank of the registers that can be restored.
mod offset {
    pub(crate) const CONFIGURATION: [std::ops::RangeInclusive<u16>; 2] = [0x00..=0x04, 0x09..=0x0d];
    pub(crate) const FLOAT_INDEX: u16 = 0x10;
    pub(crate) const FLOAT_DATA: u16 = 0x11;
    pub(crate) const CODE_INDEX: u16 = 0x1b;
    pub(crate) const CODE_DATA: u16 = 0x1c;
    pub(crate) const DESCRIPTOR_INDEX: u16 = 0x25;
    pub(crate) const DESCRIPTOR_DATA: u16 = 0x26;
}

/// A memory of a shader unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShaderMemory {
    /// Instruction words.
    Code,
    /// Operand descriptors.
    Descriptors,
    /// Float uniforms, in three words each.
    Floats,
}

/// A shader unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// The vertex units; the geometry unit is included where they share.
    Vertex,
    /// The geometry unit.
    Geometry,
}

impl Pica {
    /// Restores registers from id 0 on. The interrupt block is unchanged, and nothing is triggered: ports and
    /// triggers are skipped.
    pub(crate) fn set_registers(&mut self, words: &[u32]) {
        for (id, &word) in (0..Registers::COUNT as u16).zip(words) {
            if GEOMETRY_BANK.contains(&id) && is_configuration(id - GEOMETRY_BANK.start) {
                self.state.geometry.write((id - GEOMETRY_BANK.start) as u8, word, 15);
                self.state.registers.write(id, word, 15);
            } else if VERTEX_BANK.contains(&id) && is_configuration(id - VERTEX_BANK.start) {
                self.state.vertex.write((id - VERTEX_BANK.start) as u8, word, 15);
                self.state.registers.write(id, word, 15);
            } else if is_plain(id) {
                self.state.registers.write(id, word, 15);
            }
        }
    }

    /// Fills a memory of a shader unit from its start, through its port.
    pub(crate) fn set_shader_memory(&mut self, unit: Unit, memory: ShaderMemory, words: &[u32]) {
        let (index, data) = match memory {
            ShaderMemory::Code => (offset::CODE_INDEX, offset::CODE_DATA),
            ShaderMemory::Descriptors => (offset::DESCRIPTOR_INDEX, offset::DESCRIPTOR_DATA),
            ShaderMemory::Floats => (offset::FLOAT_INDEX, offset::FLOAT_DATA),
        };
        let mut write = |offset, word| match unit {
            Unit::Vertex => self.write_vertex_bank(VERTEX_BANK.start + offset, word, 15),
            Unit::Geometry => self.write_geometry_bank(GEOMETRY_BANK.start + offset, word, 15),
        };
        write(index, 0);
        words.iter().for_each(|&word| write(data, word));
        write(index, 0);
    }

    /// Sets fixed attribute `n` to four raw 24-bit floats.
    pub(crate) fn set_fixed_attribute(&mut self, n: u8, raw: [u32; 4]) {
        self.state.front_end.set_fixed_attribute(n, raw.map(float::f24));
    }

    /// Sets a word at a physical address in the external or the LCD block, without starting anything.
    pub(crate) fn set_external(&mut self, address: u32, word: u32) {
        let offset = (address & 0xffc) as u16;
        match address & !0xfff {
            0x1040_0000 => _ = self.state.external.write(offset, word),
            0x1020_2000 => self.state.external.write_lcd(offset, word),
            _ => {}
        }
    }
}

pub(crate) fn is_configuration(offset: u16) -> bool {
    offset::CONFIGURATION.iter().any(|range| range.contains(&offset))
}

/// True for registers without side effects.
pub(crate) fn is_plain(id: u16) -> bool {
    let acts = matches!(id, 0x000..=0x03f | 0x063 | 0x110 | 0x111 | 0x22e | 0x22f | 0x231..=0x235)
        || matches!(id, 0x23c | 0x23d | 0x25f)
        || GEOMETRY_BANK.contains(&id)
        || VERTEX_BANK.contains(&id);
    !acts && LutPort::of(id).is_none()
}

/// Four raw 24-bit floats, x first, as the three words of a port.
pub(crate) const fn pack_raw([x, y, z, w]: [u32; 4]) -> [u32; 3] {
    let [x, y, z, w] = [x & 0xff_ffff, y & 0xff_ffff, z & 0xff_ffff, w & 0xff_ffff];
    [w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::testing::Bench;

    /// w comes first: WWWWWWZZ ZZZZYYYY YYXXXXXX.
    #[test]
    fn words_of_four_floats() {
        assert_eq!(
            pack_raw([0xff11_2233, 0x44_5566, 0x77_8899, 0xaa_bbcc]),
            [0xaabb_cc77, 0x8899_4455, 0x6611_2233]
        );
    }

    /// Settings of both shader units come back, in the units too; nothing starts.
    #[test]
    fn registers_of_shader_units() {
        let mut bench = Bench::new();
        let mut words = [0; Registers::COUNT];
        (words[0x041], words[0x281], words[0x2b3], words[0x22e], words[0x010]) =
            (7, 0x11_2233, 0x44_5566, 1, 5);
        bench.pica.set_registers(&words);
        let read = [0x041, 0x281, 0x2b1, 0x2b3, 0x283, 0x000].map(|id| bench.pica.read_register(id));
        assert_eq!(read, [7, 0x11_2233, 0, 0x44_5566, 0, 0]);
        assert_eq!(bench.pica.stats().draws, 0);
    }

    /// Words of the LCD block are not those of the external block.
    #[test]
    fn words_outside_of_the_pica200() {
        let mut bench = Bench::new();
        bench.pica.set_external(0x1020_2204, 0x0103_0201);
        bench.pica.set_external(0x1040_0468, 0x1800_0000);
        let external = bench.pica.external();
        assert_eq!((external.lcd_word(0x204), external.word(0x204)), (0x0103_0201, 0));
        assert_eq!((external.lcd_word(0x468), external.word(0x468)), (0, 0x1800_0000));
    }
}
