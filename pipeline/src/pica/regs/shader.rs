//! Registers 0x280-0x3FF: the banks of the shader units. The effects of writes are in [`ports`](crate::pica::ports);
//! the words here are the written values of the configuration registers.
//!
//! Source: pica-geometry.md 2.7-2.9; 3dbrew, GPU/Internal Registers; gbatek, 3DS GPU.

use super::{Class, Description, Registers};
use crate::bits::FieldInfo;

/// Integer uniforms of a unit.
const INTS: u8 = 4;

crate::bits! {
    /// `BOOLUNIFORM`.
    pub struct BoolUniform(u32) {
        /// `b0` in bit 0.
        bools: u16 = 0..16;
        /// Software writes 0x7fff.
        upper: u16 = 16..32;
    }
}

crate::bits! {
    /// `INTUNIFORM`: a loop.
    pub struct IntUniform(u32) {
        /// Passes less one.
        x: u8 = 0..8;
        /// First value of `aL`.
        y: u8 = 8..16;
        /// Step of `aL`.
        z: u8 = 16..24;
        /// Unused.
        w: u8 = 24..32;
    }
}

crate::bits! {
    /// `INPUTBUFFER_CONFIG`.
    pub struct InputConfig(u32) {
        /// Attributes loaded, less one.
        last_input: u8 = 0..4;
        /// Inputs go to uniforms (variable and fixed geometry modes).
        to_uniforms: bool = 8..9;
        /// 0xa0 for vertices, 0x08 for geometry.
        usage: u8 = 24..32;
    }
}

crate::bits! {
    /// `ENTRYPOINT`.
    pub struct EntryPoint(u32) {
        /// First word executed.
        address: u16 = 0..16;
        /// Software writes 0x7fff.
        upper: u16 = 16..32;
    }
}

crate::bits! {
    /// Half of `ATTRIBUTES_PERMUTATION`: registers of eight attributes.
    pub struct Permutation(u32) {
        /// `v` register of attribute 0 (8).
        attribute0: u8 = 0..4;
        /// `v` register of attribute 1 (9).
        attribute1: u8 = 4..8;
        /// `v` register of attribute 2 (10).
        attribute2: u8 = 8..12;
        /// `v` register of attribute 3 (11).
        attribute3: u8 = 12..16;
        /// `v` register of attribute 4 (12).
        attribute4: u8 = 16..20;
        /// `v` register of attribute 5 (13).
        attribute5: u8 = 20..24;
        /// `v` register of attribute 6 (14).
        attribute6: u8 = 24..28;
        /// `v` register of attribute 7 (15).
        attribute7: u8 = 28..32;
    }
}

crate::bits! {
    /// `OUTMAP_MASK`.
    pub struct OutputMask(u32) {
        /// Bit `n` enables `o[n]`.
        enabled: u16 = 0..16;
    }
}

crate::bits! {
    /// `FLOATUNIFORM_INDEX`.
    pub struct FloatIndex(u32) {
        /// Next uniform.
        index: u8 = 0..8;
        /// Words are binary32, four for each uniform.
        f32_mode: bool = 31..32;
    }
}

crate::bits! {
    /// `CODETRANSFER_INDEX` and `OPDESCS_INDEX`.
    pub struct WordIndex(u32) {
        /// Next word.
        index: u16 = 0..12;
    }
}

/// A copy of the bank of shader registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bank {
    /// The geometry unit, 0x280.
    Geometry,
    /// The vertex units, 0x2B0.
    Vertex,
    /// A further vertex unit (gbatek), 0x2E0; stored and without effect.
    Vertex2,
    /// A further vertex unit (gbatek), 0x310; stored and without effect.
    Vertex3,
}

impl Bank {
    /// All banks, in the order of their registers.
    pub const ALL: [Self; 4] = [Self::Geometry, Self::Vertex, Self::Vertex2, Self::Vertex3];

    /// The bank of register `id`, and its offset in the bank.
    #[must_use]
    pub fn of(id: u16) -> Option<(Self, u8)> {
        let place = id.checked_sub(0x280)?;
        let bank = Self::ALL.get(usize::from(place / 0x30))?;
        Some((*bank, (place % 0x30) as u8))
    }

    /// The register at `offset`.
    #[must_use]
    pub const fn id(self, offset: u8) -> u16 {
        0x280 + 0x30 * self as u16 + offset as u16
    }

    const fn prefix(self) -> &'static str {
        match self {
            Self::Geometry => "GSH",
            Self::Vertex => "VSH",
            Self::Vertex2 => "VSH2",
            Self::Vertex3 => "VSH3",
        }
    }
}

impl Registers {
    /// `BOOLUNIFORM` as written; runs of geometry programs set `b15` in the unit only.
    #[must_use]
    pub fn bool_uniform(&self, bank: Bank) -> BoolUniform {
        BoolUniform(self.raw(bank.id(0x00)))
    }

    /// `INTUNIFORM_I0` to `INTUNIFORM_I3`.
    #[must_use]
    pub fn int_uniform(&self, bank: Bank, n: u8) -> IntUniform {
        IntUniform(self.raw(bank.id(0x01 + n % INTS)))
    }

    /// `INPUTBUFFER_CONFIG`.
    #[must_use]
    pub fn input_config(&self, bank: Bank) -> InputConfig {
        InputConfig(self.raw(bank.id(0x09)))
    }

    /// `ENTRYPOINT`.
    #[must_use]
    pub fn entry_point(&self, bank: Bank) -> EntryPoint {
        EntryPoint(self.raw(bank.id(0x0a)))
    }

    /// `OUTMAP_MASK`.
    #[must_use]
    pub fn output_mask(&self, bank: Bank) -> OutputMask {
        OutputMask(self.raw(bank.id(0x0d)))
    }
}

pub(super) fn describe(id: u16) -> Description {
    let Some((bank, offset)) = Bank::of(id) else { return Description::unnamed(id, Class::Mirror) };
    let description = match named(offset) {
        Some((name, class, fields)) => {
            Description::new(format!("{}_{name}", bank.prefix()), fields).class(class)
        }
        None => Description::unnamed(id, Class::Zero),
    };
    let description = description.implemented(implemented(bank, offset)).reset(reset(bank, offset));
    match bank {
        Bank::Geometry | Bank::Vertex => description,
        Bank::Vertex2 | Bank::Vertex3 => description.class(Class::Undocumented).reset(0),
    }
}

type Line = (String, Class, &'static [FieldInfo]);

fn named(offset: u8) -> Option<Line> {
    use Class::{Configuration, Data, Index, Trigger};
    let line = |name: &str, class, fields| Some((name.to_owned(), class, fields));
    let port = |name: &str, first| Some((format!("{name}_DATA{}", offset - first), Data, &[][..]));
    match offset {
        0x00 => line("BOOLUNIFORM", Configuration, BoolUniform::FIELDS),
        0x01..=0x04 => Some((format!("INTUNIFORM_I{}", offset - 1), Configuration, IntUniform::FIELDS)),
        0x09 => line("INPUTBUFFER_CONFIG", Configuration, InputConfig::FIELDS),
        0x0a => line("ENTRYPOINT", Configuration, EntryPoint::FIELDS),
        0x0b => line("ATTRIBUTES_PERMUTATION_LOW", Configuration, Permutation::FIELDS),
        0x0c => line("ATTRIBUTES_PERMUTATION_HIGH", Configuration, Permutation::FIELDS),
        0x0d => line("OUTMAP_MASK", Configuration, OutputMask::FIELDS),
        0x0f => line("CODETRANSFER_END", Trigger, &[]),
        0x10 => line("FLOATUNIFORM_INDEX", Index, FloatIndex::FIELDS),
        0x11..=0x18 => port("FLOATUNIFORM", 0x11),
        0x1b => line("CODETRANSFER_INDEX", Index, WordIndex::FIELDS),
        0x1c..=0x23 => port("CODETRANSFER", 0x1c),
        0x25 => line("OPDESCS_INDEX", Index, WordIndex::FIELDS),
        0x26..=0x2d => port("OPDESCS", 0x26),
        _ => None,
    }
}

/// Mask of the stored bits (read back by gbatek).
const fn implemented(bank: Bank, offset: u8) -> u32 {
    match (offset, bank) {
        (0x00, Bank::Geometry) => 0x0fff_ffff,
        (0x00, _) => 0x01ff_ffff,
        (0x09, _) => 0xb800_010f,
        (0x0a, Bank::Geometry) => 0x0fff_0fff,
        (0x0a, _) => 0x01ff_01ff,
        _ => u32::MAX,
    }
}

const fn reset(bank: Bank, offset: u8) -> u32 {
    match (offset, bank) {
        (0x09, Bank::Geometry) => 0xa000_0001,
        (0x09, _) => 0xa000_0000,
        (0x0b, _) => 0x7654_3210,
        (0x0c, _) => 0xfedc_ba98,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::describe;
    use super::*;
    use crate::pica::ports::ShaderBank;
    use crate::pica::shader::program::UnitKind;

    #[test]
    fn names() {
        let name = |id| describe(id).name.into_owned();
        assert_eq!(name(0x280), "GSH_BOOLUNIFORM");
        assert_eq!(name(0x2b4), "VSH_INTUNIFORM_I3");
        assert_eq!(name(0x2c8), "VSH_FLOATUNIFORM_DATA7");
        assert_eq!(name(0x2e9), "VSH2_INPUTBUFFER_CONFIG");
        assert_eq!(name(0x33d), "VSH3_OPDESCS_DATA7");
        assert_eq!(name(0x285), "0285");
        assert_eq!((name(0x340), describe(0x3ff).class), ("0340".into(), Class::Mirror));
    }

    /// The table and the banks behind the ports agree on reset values and implemented bits.
    #[test]
    fn table_agrees_with_the_banks() {
        for (bank, kind) in [(Bank::Geometry, UnitKind::Geometry), (Bank::Vertex, UnitKind::Vertex)] {
            let mut unit = ShaderBank::new(kind);
            for offset in 0..0x30 {
                let description = describe(bank.id(offset));
                assert_eq!(unit.register(offset), description.reset, "{}", description.name);
                unit.write(offset, u32::MAX, 15);
                if description.class == Class::Configuration {
                    assert_eq!(unit.register(offset), description.implemented, "{}", description.name);
                }
            }
        }
    }

    /// Each bank has its registers at the same offsets: 0x280 booleans, 0x281 to 0x284 integers, 0x289 configuration, 0x28a
    /// entry, 0x28d mask; of the vertex units 0x30 further on.
    #[test]
    fn views_of_each_bank() {
        let mut registers = Registers::new();
        (0x280..0x2e0).for_each(|id| registers.set_raw(id, u32::from(id)));
        for (bank, base) in [(Bank::Geometry, 0x280), (Bank::Vertex, 0x2b0)] {
            assert_eq!(registers.bool_uniform(bank).0, base);
            assert_eq!(
                [0, 1, 3, 6].map(|n| registers.int_uniform(bank, n).0),
                [1, 2, 4, 3].map(|n| base + n)
            );
            let others = (
                registers.input_config(bank).0,
                registers.entry_point(bank).0,
                registers.output_mask(bank).0,
            );
            assert_eq!(others, (base + 9, base + 10, base + 13));
        }
    }
}
