//! One texel of a texture in memory: its address, its bits, its colour.
//!
//! `colour.rs` converts colours (1.5), `clut.rs` looks indices up (9.4), `dxt.rs` decodes compressed blocks (9.3).
//!
//! Source: psp-ge.md 1.2, 9.2.

mod clut;
pub(super) mod colour;
mod dxt;

use crate::trace::Probe;
use picaflor_pipeline::ge::regs::texture::{Compression, IndexSize, TextureFormat};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::memory::read_bytes;
use picaflor_pipeline::texture::hash;

/// Bytes of a row in a swizzled block, and the unit of row widths.
const UNIT: u32 = 16;
/// Rows of a swizzled block.
const BLOCK_ROWS: u32 = 8;

/// The texel in column `x` and row `y` of a level, 0xAABBGGRR.
pub(super) fn texel(state: &PixelState<'_>, level: u8, x: u32, y: u32, probe: &impl Probe) -> u32 {
    let registers = state.registers;
    let base = registers.texture_address(level);
    match format(registers) {
        TextureFormat::Colour(format) => {
            let at = address(registers, level, 8 * format.bytes(), x, y);
            let bits = if format.bytes() == 4 { word(state, at) } else { half(state, at) };
            colour::opaque(format, bits)
        }
        TextureFormat::Indexed(size) => {
            let bits = 4 << size as u32;
            let index = index(state, size, address(registers, level, bits, x, y), x);
            clut::colour(registers, state.clut.bytes(), size, level, index, probe)
        }
        TextureFormat::Compressed(compression) => {
            let place = (y >> 2) * (width(registers, level) >> 2) + (x >> 2);
            let at = |bytes: u32| base.wrapping_add(place * bytes);
            match compression {
                Compression::Dxt1 => dxt::dxt1(bytes(state, at(8)), x & 3, y & 3),
                Compression::Dxt3 => dxt::dxt3(bytes(state, at(16)), x & 3, y & 3),
                Compression::Dxt5 => dxt::dxt5(bytes(state, at(16)), x & 3, y & 3),
            }
        }
        TextureFormat::Invalid => 0,
    }
}

/// The colours of all entries of the colour look-up table: 256 of 32 bits, 512 of 16.
pub(super) fn palette(state: &PixelState<'_>) -> Vec<[u8; 4]> {
    clut::entries(state.registers, state.clut.bytes())
}

/// What indices of the texture become, as a host knows it: the hash of the colours of all indices of 4 or 8 bits; for
/// more bits that of the whole table, and of the register that selects its entries.
pub(super) fn palette_identity(state: &PixelState<'_>, level: u8) -> u64 {
    let (registers, table) = (state.registers, state.clut.bytes());
    let colours = |size, count| {
        let colour = |index| clut::colour(registers, table, size, level, index, &()).to_le_bytes();
        hash((0..count).flat_map(colour).collect::<Vec<_>>().as_slice())
    };
    match format(registers) {
        TextureFormat::Indexed(IndexSize::Bits4) => colours(IndexSize::Bits4, 16),
        TextureFormat::Indexed(IndexSize::Bits8) => colours(IndexSize::Bits8, 256),
        TextureFormat::Indexed(_) => hash(&[&registers.clut_mode().0.to_le_bytes(), &table[..]].concat()),
        _ => 0,
    }
}

/// `TPSM`.
const fn format(registers: &Registers) -> TextureFormat {
    TextureFormat::of(registers.bits(op::TPSM, 0, 4))
}

/// Texels from row to row, as in the register.
const fn width(registers: &Registers, level: u8) -> u32 {
    registers.bits(op::TBW0 + level, 0, 11)
}

/// Bytes from row to row: whole units, at least one.
fn row_bytes(registers: &Registers, level: u8, texel_bits: u32) -> u32 {
    (width(registers, level) * texel_bits / 8 / UNIT * UNIT).max(UNIT)
}

/// Address of the byte in which a texel begins.
fn address(registers: &Registers, level: u8, texel_bits: u32, x: u32, y: u32) -> u32 {
    let row = row_bytes(registers, level, texel_bits);
    let column = x * texel_bits / 8;
    let offset = if registers.texture_mode().swizzled() {
        let block = (y / BLOCK_ROWS) * (row / UNIT) + column / UNIT;
        block * UNIT * BLOCK_ROWS + (y % BLOCK_ROWS) * UNIT + column % UNIT
    } else {
        y * row + column
    };
    registers.texture_address(level).wrapping_add(offset)
}

/// The raw index of a texel.
fn index(state: &PixelState<'_>, size: IndexSize, at: u32, x: u32) -> u32 {
    match size {
        IndexSize::Bits4 => byte(state, at) >> (4 * (x & 1)) & 15,
        IndexSize::Bits8 => byte(state, at),
        IndexSize::Bits16 => half(state, at),
        IndexSize::Bits32 => word(state, at),
    }
}

fn byte(state: &PixelState<'_>, at: u32) -> u32 {
    u8::from_le_bytes(bytes(state, at)).into()
}

fn half(state: &PixelState<'_>, at: u32) -> u32 {
    u16::from_le_bytes(bytes(state, at)).into()
}

fn word(state: &PixelState<'_>, at: u32) -> u32 {
    u32::from_le_bytes(bytes(state, at))
}

/// Bytes as the GE sees them, aligned to their number; unmapped bytes are zero.
fn bytes<const N: usize>(state: &PixelState<'_>, at: u32) -> [u8; N] {
    read_bytes(state.memory, state.maps.resolve(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::clut::Clut;
    use picaflor_pipeline::ge::vram::AddressMaps;
    use picaflor_pipeline::memory::FlatMemory;

    /// A texture at 0x08100000 of this width.
    fn registers(width: u32, swizzled: u32) -> Registers {
        let mut registers = Registers::default();
        for word in [0xa010_0000, 0xa808_0000 | width, 0xc200_0000 | swizzled] {
            registers.write(word);
        }
        registers
    }

    const BASE: u32 = 0x0810_0000;

    /// 9.2: widths in whole 16 bytes: multiples of 32, 16, 8 or 4 texels; at least one unit.
    #[test]
    fn widths_are_rounded_down() {
        let row = |width, bits| row_bytes(&registers(width, 0), 0, bits);
        assert_eq!([row(63, 4), row(63, 8), row(63, 16), row(63, 32)], [16, 48, 112, 240]);
        assert_eq!([row(31, 4), row(15, 8), row(7, 16), row(0, 32)], [16; 4]);
        assert_eq!(row(0xf_f800, 32), 16);
    }

    #[test]
    fn rows_follow_each_other() {
        let at = |bits, x, y| address(&registers(64, 0), 0, bits, x, y) - BASE;
        assert_eq!([at(32, 3, 2), at(16, 3, 2), at(8, 3, 2), at(4, 3, 2)], [524, 262, 131, 65]);
    }

    /// 9.2: 64 texels of 16 bits are 128 bytes, 8 blocks for each block row. Texel (9, 10): byte 18 is in block 1, byte
    /// 2; row 10 is in block row 1, row 2: (8 + 1) * 128 + 2 * 16 + 2.
    #[test]
    fn swizzled_blocks() {
        let at = |x, y| address(&registers(64, 1), 0, 16, x, y) - BASE;
        assert_eq!([at(0, 0), at(7, 0), at(8, 0), at(0, 1), at(0, 8)], [0, 14, 128, 16, 1024]);
        assert_eq!(at(9, 10), 1186);
    }

    /// 9.2: TBW1 is the width of level 1.
    #[test]
    fn widths_of_levels() {
        let mut registers = registers(64, 0);
        registers.write(0xa908_0020);
        assert_eq!([row_bytes(&registers, 0, 32), row_bytes(&registers, 1, 32)], [256, 128]);
    }

    /// What a host knows a palette by: the colours that indices of the texture can have. 4 bits reach 16 entries, 8 bits
    /// 256; of 16 bits on, the table and the register count.
    #[test]
    fn identities_of_palettes() {
        let identity = |format: u32, mode: u32, changed: usize| {
            let mut registers = registers(64, 0);
            registers.write(0xc300_0000 | format);
            registers.write(0xc500_ff03 | mode);
            let mut clut = Clut::default();
            clut.change()[4 * changed] ^= 1;
            palette_identity(
                &PixelState {
                    registers: &registers,
                    clut: &clut,
                    memory: &FlatMemory::default(),
                    maps: AddressMaps::Flat,
                    is_immediate: false,
                },
                0,
            )
        };
        let [none, four, eight, sixteen] = [3, 4, 5, 6];
        assert_eq!(identity(none, 0, 0), 0);
        assert_ne!(identity(four, 0, 0), identity(four, 0, 15));
        assert_eq!(identity(four, 0, 16), identity(four, 0, 255));
        assert_ne!(identity(eight, 0, 16), identity(eight, 0, 255));
        assert_ne!(identity(four, 0, 16), identity(eight, 0, 16));
        // A shift by 4 bits: 16 other entries for 8 bits, one for 4; 16 bits are told apart by the register.
        assert_eq!(identity(four, 4 << 2, 1), identity(four, 4 << 2, 15));
        assert_ne!(identity(eight, 4 << 2, 1), identity(eight, 4 << 2, 15));
        assert_eq!(identity(eight, 4 << 2, 16), identity(eight, 4 << 2, 255));
        assert_ne!(identity(sixteen, 0, 0), identity(sixteen, 0, 255));
        assert_ne!(identity(sixteen, 0, 0), identity(sixteen, 4 << 2, 0));
    }
}
