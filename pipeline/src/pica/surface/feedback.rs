//! Feedback: detection of draws that may read, as a texture, the buffers that they write.
//!
//! On hardware the result is undefined (pica-fragment.md 7.10). Here it is that of drawing fragment by fragment,
//! which parallel tiles would not give. Detection is conservative.
//!
//! Source: pica-fragment.md 2.1, 2.4, 2.10.

use crate::memory::Memory;
use crate::pica::regs::Registers;
use crate::pica::surface::{Target, overlap};

/// Address of the first byte, and number of bytes.
type Bytes = (u32, u32);

/// True if an enabled texture unit may access bytes of the target's buffers, which lie at `buffers`.
#[must_use]
pub fn target_is_texture(registers: &Registers, buffers: [Bytes; 2]) -> bool {
    sampled(registers, buffers).contains(&true)
}

/// True if the texture of a unit, 0 to 2, lies in part where a draw may read or write pixels: it is not
/// [replaced](Memory::replace).
///
/// # Panics
/// If there is no such unit.
#[must_use]
pub fn is_drawn_to(registers: &Registers, memory: &dyn Memory, unit: usize) -> bool {
    let buffers = Target::new(registers, memory).ranges();
    Texture::of(registers, unit as u16)
        .faces()
        .any(|face| buffers.iter().any(|&buffer| overlap(buffer, face)))
}

/// For each buffer: true if an enabled texture unit may access it.
pub(crate) fn sampled(registers: &Registers, buffers: [Bytes; 2]) -> [bool; 2] {
    let mut sampled = [false; 2];
    for image in textures(registers) {
        sampled = [0, 1].map(|n| sampled[n] | overlap(buffers[n], image));
    }
    sampled
}

/// The images of all enabled units.
pub(crate) fn textures(registers: &Registers) -> impl Iterator<Item = Bytes> {
    units(registers).flat_map(|texture| texture.faces())
}

/// The textures of all enabled units.
pub(crate) fn units(registers: &Registers) -> impl Iterator<Item = Texture> {
    let enabled = (0..3).filter(|unit| registers.raw(0x080) >> unit & 1 != 0);
    enabled.map(|unit| Texture::of(registers, unit))
}

/// The texture of a unit: one image, or the faces of a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Texture {
    addresses: [u32; 6],
    count: u8,
    /// Bytes of a face, all levels.
    length: u32,
    bits: u32,
    /// Registers that decide how the bytes are read: size, levels, format.
    layout: [u32; 3],
}

impl Texture {
    fn of(registers: &Registers, unit: u16) -> Self {
        let (dimensions, format) = [(0x082, 0x08e), (0x092, 0x096), (0x09a, 0x09e)][usize::from(unit)];
        let address = registers.raw(dimensions + 3) & 0x0fff_ffff;
        let kind = if unit == 0 { registers.raw(0x083) >> 28 & 7 } else { 0 };
        let count = if matches!(kind, 1 | 4) { 6 } else { 1 };
        let face = |face: u16| match face {
            0 => address,
            _ => address & 0x0fc0_0000 | registers.raw(0x085 + face) & 0x003f_ffff,
        };
        let addresses = [0, 1, 2, 3, 4, 5].map(|n| if n < count { 8 * face(n) } else { 0 });
        let format = registers.raw(format) & 15;
        let bits = if matches!(kind, 2 | 4) { 32 } else { bits_per_texel(format) };
        let (size, lod) = (registers.raw(dimensions), registers.raw(dimensions + 2));
        let length = chain_bytes(size, lod, bits);
        let layout = [size & 0x07ff_07ff, lod & 0x0f0f_0000, format | kind << 4];
        Self { addresses, count: count as u8, length, bits, layout }
    }

    /// Address and bytes of each face.
    pub(crate) fn faces(self) -> impl Iterator<Item = Bytes> {
        self.addresses.into_iter().take(self.count.into()).map(move |face| (face, self.length))
    }

    /// Texels of all faces and levels, in whole blocks.
    pub(crate) const fn whole_texels(&self) -> u64 {
        self.length as u64 * 8 / self.bits as u64 * self.count as u64
    }
}

const fn bits_per_texel(format: u32) -> u32 {
    match format {
        1 => 24,
        2..=6 => 16,
        7..=9 | 13 => 8,
        10..=12 => 4,
        _ => 32,
    }
}

/// Bytes of all levels, both sides rounded up to whole blocks.
fn chain_bytes(dimensions: u32, lod: u32, bits: u32) -> u32 {
    let [width, height] = [dimensions >> 16 & 0x7ff, dimensions & 0x7ff];
    let side = |length: u32, level: u32| (length >> level).next_multiple_of(8);
    (0..=lod >> 16 & 15).map(|level| side(width, level) * side(height, level) * bits / 8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 64x64 pixels of four bytes each.
    const BUFFERS: [Bytes; 2] = [(0x1800_0000, 0x4000), (0x1801_0000, 0x4000)];

    fn target_is_texture(registers: &Registers) -> bool {
        super::target_is_texture(registers, BUFFERS)
    }

    /// Unit 0 has a texture of 8x8 I8, 64 bytes.
    fn texture() -> Registers {
        let mut registers = Registers::new();
        registers.set_raw(0x082, 0x0008_0008);
        registers.set_raw(0x08e, 7);
        registers
    }

    #[test]
    fn only_enabled_units_count() {
        let mut registers = texture();
        registers.set_raw(0x085, (0x1800_4000 - 64) >> 3);
        assert!(!target_is_texture(&registers));
        registers.set_raw(0x080, 1);
        assert!(target_is_texture(&registers), "the last bytes of colour");
    }

    #[test]
    fn gaps_and_ends() {
        let mut registers = texture();
        registers.set_raw(0x080, 1);
        let cases = [
            (0x1800_4000, false),
            (0x1801_0000 - 64, false),
            (0x1801_0000 - 56, true),
            (0x1801_4000, false),
            (0x1800_0000 - 64, false),
        ];
        for (address, expected) in cases {
            registers.set_raw(0x085, address >> 3);
            assert_eq!(target_is_texture(&registers), expected, "{address:#x}");
        }
    }

    #[test]
    fn levels_and_faces() {
        let mut registers = texture();
        registers.set_raw(0x080, 1);
        registers.set_raw(0x082, 0x0010_0010);
        registers.set_raw(0x085, (0x1800_0000 - 256) >> 3);
        assert!(!target_is_texture(&registers));
        registers.set_raw(0x084, 1 << 16);
        assert!(target_is_texture(&registers), "level 1 lies behind level 0");
        registers.set_raw(0x084, 0);
        registers.set_raw(0x085, 0x1802_0000 >> 3);
        registers.set_raw(0x08a, 0x1801_0000 >> 3 & 0x003f_ffff);
        assert!(!target_is_texture(&registers));
        registers.set_raw(0x083, 1 << 28);
        assert!(target_is_texture(&registers), "the last face of a cube");
        assert!(!super::target_is_texture(&registers, BUFFERS.map(|(at, _)| (at, 0))), "unused buffers");
    }

    #[test]
    fn other_units() {
        for (unit, dimensions, format) in [(1, 0x092, 0x096), (2, 0x09a, 0x09e)] {
            let mut registers = texture();
            registers.set_raw(0x080, 1 << unit);
            registers.set_raw(dimensions, 0x0008_0008);
            registers.set_raw(dimensions + 3, (0x1800_0000 - 128) >> 3);
            registers.set_raw(format, 5);
            assert!(!target_is_texture(&registers), "{unit}");
            registers.set_raw(format, 1);
            assert!(target_is_texture(&registers), "{unit}");
        }
    }

    /// 8 x 8 texels of each format (3dbrew, `GPUREG_TEXUNITi_TYPE`): 32, 24, 16, 8 or 4 bits.
    #[test]
    fn sizes_by_format() {
        let bytes = [256, 192, 128, 128, 128, 128, 128, 64, 64, 64, 32, 32, 32, 64];
        for (format, bytes) in (0..).zip(bytes) {
            let mut registers = texture();
            registers.set_raw(0x08e, format);
            let texture = Texture::of(&registers, 0);
            assert_eq!((texture.length, texture.whole_texels()), (bytes, 64), "{format}");
            // A cube has six faces.
            registers.set_raw(0x083, 1 << 28);
            assert_eq!(Texture::of(&registers, 0).whole_texels(), 6 * 64, "{format}");
        }
    }

    /// Bits that no texel depends on do not make another texture.
    #[test]
    fn bits_that_make_a_texture() {
        let with = |id, word| {
            let mut registers = texture();
            registers.set_raw(id, word);
            Texture::of(&registers, 0).layout
        };
        let plain = with(0x08e, 7);
        assert_eq!(plain, [0x0008_0008, 0, 7]);
        assert_eq!([with(0x08e, 0xf7), with(0x082, 0xf808_f808), with(0x084, 0xf0f0_ffff)], [plain; 3]);
        assert_eq!(with(0x08e, 5), [0x0008_0008, 0, 5]);
        assert_eq!(with(0x084, 0x0302_0000), [0x0008_0008, 0x0302_0000, 7]);
        assert_eq!(with(0x083, 2 << 28), [0x0008_0008, 0, 7 | 2 << 4]);
        // The addresses of faces, of which one image has the first alone.
        let of = |kind: u32, face: u16| {
            let mut registers = texture();
            registers.set_raw(0x083, kind << 28);
            registers.set_raw(0x085 + face, 0x1000);
            Texture::of(&registers, 0)
        };
        for face in 1..6 {
            assert_eq!(of(0, face), Texture::of(&texture(), 0), "{face}");
            assert_ne!(of(1, face), of(1, 0), "{face}");
        }
    }

    /// Two units that read the same buffer, of which either alone would be enough.
    #[test]
    fn two_units_of_one_buffer() {
        let mut registers = texture();
        for (id, word) in
            [(0x085, 0x1800_0000 >> 3), (0x092, 0x0008_0008), (0x096, 7), (0x095, 0x1800_0100 >> 3)]
        {
            registers.set_raw(id, word);
        }
        for units in 0..4 {
            registers.set_raw(0x080, units);
            assert_eq!(sampled(&registers, BUFFERS), [units != 0, false], "{units}");
        }
    }
}
