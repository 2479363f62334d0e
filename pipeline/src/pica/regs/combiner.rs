//! Texture combiners: 0x0C0-0x0FF and 0x120-0x12F, with fog and gas in [`fog`].
//!
//! Source: pica-geometry.md 2.3 and 2.4, pica-fragment.md 5; 3dbrew, GPU/Internal Registers.

pub mod fog;

use super::{Class, Description, Registers, Rgba8};
use fog::FogMode;

/// Number of combiner stages.
pub const STAGES: usize = 6;

/// First register of each stage: fog lies between stages 3 and 4.
const STAGE_BASE: [u16; STAGES] = [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8];

crate::field_enum! {
    /// Source of a combiner argument. Source: 3dbrew; 7 to 12 are unknown.
    pub enum CombinerSource {
        /// Interpolated vertex colour.
        VertexColour,
        /// Primary colour of the lighting unit.
        PrimaryLighting,
        /// Secondary colour of the lighting unit.
        SecondaryLighting,
        /// Texture unit 0.
        Texture0,
        /// Texture unit 1.
        Texture1,
        /// Texture unit 2.
        Texture2,
        /// Procedural texture unit.
        Texture3,
        /// Unknown.
        Unknown7,
        /// Unknown.
        Unknown8,
        /// Unknown.
        Unknown9,
        /// Unknown.
        Unknown10,
        /// Unknown.
        Unknown11,
        /// Unknown.
        Unknown12,
        /// Combiner buffer.
        Buffer,
        /// Constant of the stage.
        Constant,
        /// Result of the previous stage.
        Previous,
    } else Previous
}

crate::field_enum! {
    /// Operand of an RGB argument: the channels taken from its source. Source: 3dbrew; 6, 7, 10, 11, 14 and 15 are
    /// unknown.
    pub enum RgbOperand {
        /// Red, green, blue.
        Colour,
        /// 255 minus red, green, blue.
        OneMinusColour,
        /// Alpha in all channels.
        Alpha,
        /// 255 minus alpha in all channels.
        OneMinusAlpha,
        /// Red in all channels.
        Red,
        /// 255 minus red in all channels.
        OneMinusRed,
        /// Unknown.
        Unknown6,
        /// Unknown.
        Unknown7,
        /// Green in all channels.
        Green,
        /// 255 minus green in all channels.
        OneMinusGreen,
        /// Unknown.
        Unknown10,
        /// Unknown.
        Unknown11,
        /// Blue in all channels.
        Blue,
        /// 255 minus blue in all channels.
        OneMinusBlue,
        /// Unknown.
        Unknown14,
        /// Unknown.
        Unknown15,
    } else Unknown15
}

crate::field_enum! {
    /// Operand of an alpha argument: the channel taken from its source. Source: 3dbrew.
    pub enum AlphaOperand {
        /// Alpha.
        Alpha,
        /// 255 minus alpha.
        OneMinusAlpha,
        /// Red.
        Red,
        /// 255 minus red.
        OneMinusRed,
        /// Green.
        Green,
        /// 255 minus green.
        OneMinusGreen,
        /// Blue.
        Blue,
        /// 255 minus blue.
        OneMinusBlue,
    } else OneMinusBlue
}

crate::field_enum! {
    /// Operation of a combiner on its arguments a, b and c. Source: 3dbrew.
    pub enum CombinerOp {
        /// a.
        Replace,
        /// a × b.
        Modulate,
        /// a + b.
        Add,
        /// a + b - 128.
        AddSigned,
        /// a × c + b × (255 - c).
        Interpolate,
        /// a - b.
        Subtract,
        /// Dot product of colours, to red, green and blue.
        Dot3Rgb,
        /// Dot product of colours, to all four channels.
        Dot3Rgba,
        /// a × b + c.
        MultiplyAdd,
        /// (a + b) × c.
        AddMultiply,
        /// One of 10 to 15, unknown.
        Unknown,
    } else Unknown
}

crate::bits! {
    /// `GPUREG_TEXENVi_SOURCE`, offset 0 of a stage. Source: 3dbrew.
    pub struct CombinerSources(u32) {
        /// Source of RGB argument a.
        rgb0, with_rgb0: CombinerSource = 0..4;
        /// Source of RGB argument b.
        rgb1, with_rgb1: CombinerSource = 4..8;
        /// Source of RGB argument c.
        rgb2, with_rgb2: CombinerSource = 8..12;
        /// Source of alpha argument a.
        alpha0, with_alpha0: CombinerSource = 16..20;
        /// Source of alpha argument b.
        alpha1, with_alpha1: CombinerSource = 20..24;
        /// Source of alpha argument c.
        alpha2, with_alpha2: CombinerSource = 24..28;
    }
}

impl CombinerSources {
    /// Sources of the RGB arguments a, b, c.
    #[must_use]
    pub fn rgb(self) -> [CombinerSource; 3] {
        [self.rgb0(), self.rgb1(), self.rgb2()]
    }

    /// Sources of the alpha arguments a, b, c.
    #[must_use]
    pub fn alpha(self) -> [CombinerSource; 3] {
        [self.alpha0(), self.alpha1(), self.alpha2()]
    }
}

crate::bits! {
    /// `GPUREG_TEXENVi_OPERAND`, offset 1 of a stage. Source: 3dbrew.
    pub struct CombinerOperands(u32) {
        /// Operand of RGB argument a.
        rgb0, with_rgb0: RgbOperand = 0..4;
        /// Operand of RGB argument b.
        rgb1, with_rgb1: RgbOperand = 4..8;
        /// Operand of RGB argument c.
        rgb2, with_rgb2: RgbOperand = 8..12;
        /// Operand of alpha argument a.
        alpha0, with_alpha0: AlphaOperand = 12..15;
        /// Operand of alpha argument b.
        alpha1, with_alpha1: AlphaOperand = 16..19;
        /// Operand of alpha argument c.
        alpha2, with_alpha2: AlphaOperand = 20..23;
    }
}

impl CombinerOperands {
    /// Operands of the RGB arguments a, b, c.
    #[must_use]
    pub fn rgb(self) -> [RgbOperand; 3] {
        [self.rgb0(), self.rgb1(), self.rgb2()]
    }

    /// Operands of the alpha arguments a, b, c.
    #[must_use]
    pub fn alpha(self) -> [AlphaOperand; 3] {
        [self.alpha0(), self.alpha1(), self.alpha2()]
    }
}

crate::bits! {
    /// `GPUREG_TEXENVi_COMBINER`, offset 2 of a stage. Source: 3dbrew.
    pub struct CombinerOps(u32) {
        /// Operation on RGB.
        rgb, with_rgb: CombinerOp = 0..4;
        /// Operation on alpha.
        alpha, with_alpha: CombinerOp = 16..20;
    }
}

crate::bits! {
    /// `GPUREG_TEXENVi_SCALE`, offset 4 of a stage: a shift to the left; 3 is unknown. Source: 3dbrew.
    pub struct CombinerScale(u32) {
        /// Shift of RGB.
        rgb, with_rgb: u8 = 0..2;
        /// Shift of alpha.
        alpha, with_alpha: u8 = 16..18;
    }
}

crate::bits! {
    /// `GPUREG_TEXENV_UPDATE_BUFFER`, 0x0E0: fog, gas and the combiner buffer share it. Source: 3dbrew.
    pub struct TexenvUpdateBuffer(u32) {
        /// Fog, gas or neither.
        fog_mode, with_fog_mode: FogMode = 0..3;
        /// Gas shading uses the depth density instead of the plain one.
        gas_depth_density, with_gas_depth_density: bool = 3..4;
        /// Stages 0 to 3 that update RGB of the buffer, one bit each.
        update_rgb, with_update_rgb: u8 = 8..12;
        /// Stages 0 to 3 that update alpha of the buffer, one bit each.
        update_alpha, with_update_alpha: u8 = 12..16;
        /// The fog table is indexed by 1 - depth.
        z_flip, with_z_flip: bool = 16..17;
    }
}

impl Registers {
    fn combiner_word(&self, stage: usize, offset: u16) -> u32 {
        STAGE_BASE.get(stage).map_or(0, |base| self.raw(base + offset))
    }

    /// Sources of combiner stage `stage`.
    #[must_use]
    pub fn combiner_source(&self, stage: usize) -> CombinerSources {
        CombinerSources(self.combiner_word(stage, 0))
    }

    /// Operands of combiner stage `stage`.
    #[must_use]
    pub fn combiner_operand(&self, stage: usize) -> CombinerOperands {
        CombinerOperands(self.combiner_word(stage, 1))
    }

    /// Operations of combiner stage `stage`.
    #[must_use]
    pub fn combiner_op(&self, stage: usize) -> CombinerOps {
        CombinerOps(self.combiner_word(stage, 2))
    }

    /// Constant of combiner stage `stage`.
    #[must_use]
    pub fn combiner_constant(&self, stage: usize) -> Rgba8 {
        Rgba8(self.combiner_word(stage, 3))
    }

    /// Scale of combiner stage `stage`.
    #[must_use]
    pub fn combiner_scale(&self, stage: usize) -> CombinerScale {
        CombinerScale(self.combiner_word(stage, 4))
    }

    /// Fog mode and the stages that update the combiner buffer, 0x0E0.
    #[must_use]
    pub fn texenv_update_buffer(&self) -> TexenvUpdateBuffer {
        TexenvUpdateBuffer(self.raw(0x0e0))
    }

    /// Initial value of the combiner buffer, 0x0FD.
    #[must_use]
    pub fn combiner_buffer_colour(&self) -> Rgba8 {
        Rgba8(self.raw(0x0fd))
    }
}

pub(super) fn describe(id: u16) -> Description {
    if let Some(line) = describe_stage(id) {
        return line;
    }
    match id {
        0x0c7 => undocumented(id, 0x7),
        0x0e0 => Description::new("TEXENV_UPDATE_BUFFER", TexenvUpdateBuffer::FIELDS).implemented(!(3 << 24)),
        0x0e1..=0x0ef | 0x120..=0x126 => fog::describe(id),
        0x0fd => Description::new("TEXENV_BUFFER_COLOR", Rgba8::FIELDS),
        0x0fe | 0x0ff | 0x127..=0x12f => Description::unnamed(id, Class::Mirror),
        _ => Description::unnamed(id, Class::Zero).implemented(0),
    }
}

fn undocumented(id: u16, implemented: u32) -> Description {
    Description::unnamed(id, Class::Undocumented).implemented(implemented)
}

/// The five registers of each stage. gbatek measured 00111333 as the stored bits of operands; software uses all bits
/// of each field, so that mask is not applied.
fn describe_stage(id: u16) -> Option<Description> {
    let stage = STAGE_BASE.iter().position(|base| (*base..base + 5).contains(&id))?;
    let name = |part| format!("TEXENV{stage}_{part}");
    Some(match id - STAGE_BASE[stage] {
        0 => Description::new(name("SOURCE"), CombinerSources::FIELDS),
        1 => Description::new(name("OPERAND"), CombinerOperands::FIELDS),
        2 => Description::new(name("COMBINER"), CombinerOps::FIELDS),
        3 => Description::new(name("COLOR"), Rgba8::FIELDS),
        _ => Description::new(name("SCALE"), CombinerScale::FIELDS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Field;

    #[test]
    fn stages_and_the_gap() {
        let mut regs = Registers::new();
        for (stage, base) in [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8].into_iter().enumerate() {
            for offset in 0..5 {
                regs.set_raw(base + offset, u32::from(base + offset));
            }
            assert_eq!(regs.combiner_source(stage).0, u32::from(base));
            assert_eq!(regs.combiner_operand(stage).0, u32::from(base) + 1);
            assert_eq!(regs.combiner_op(stage).0, u32::from(base) + 2);
            assert_eq!(regs.combiner_constant(stage).0, u32::from(base) + 3);
            assert_eq!(regs.combiner_scale(stage).0, u32::from(base) + 4);
        }
        assert_eq!(regs.combiner_source(6).0, 0);
    }

    #[test]
    fn every_code_decodes_to_itself() {
        for code in 0..16 {
            assert_eq!(CombinerSource::from_bits(code).to_bits(), code);
            assert_eq!(RgbOperand::from_bits(code).to_bits(), code);
            assert_eq!(CombinerOp::from_bits(code).to_bits(), code.min(10));
        }
        for code in 0..8 {
            assert_eq!(AlphaOperand::from_bits(code).to_bits(), code);
        }
    }

    #[test]
    fn operand_fields_skip_bits_15_and_19() {
        let operands = CombinerOperands(0x0065_4321);
        assert_eq!(operands.rgb().map(Field::to_bits), [1, 2, 3]);
        assert_eq!(operands.alpha().map(Field::to_bits), [4, 5, 6]);
    }

    #[test]
    fn operands_keep_all_fields() {
        let mut regs = Registers::new();
        assert_eq!(regs.write(0x0c1, 0x0077_7fff, 0xf), 0x0077_7fff);
    }

    #[test]
    fn byte_masks_share_the_update_buffer() {
        let mut regs = Registers::new();
        regs.write(0x0e0, 0x0000_5300, 0b0010);
        regs.write(0x0e0, 0xffff_ff05, 0b0101);
        let view = regs.texenv_update_buffer();
        assert_eq!((view.fog_mode(), view.z_flip()), (FogMode::Fog, true));
        assert_eq!((view.update_rgb(), view.update_alpha()), (3, 5));
        assert_eq!(regs.write(0x0e0, u32::MAX, 0b1000) >> 24, 0xfc);
    }

    #[test]
    fn classes() {
        let class = |id| describe(id).class;
        for id in [0x0c5, 0x0c6, 0x0cd, 0x0d5, 0x0df, 0x0e7, 0x0f5, 0x0f7] {
            assert_eq!((class(id), describe(id).implemented), (Class::Zero, 0), "{id:#x}");
        }
        for id in [0x0fe, 0x0ff, 0x127, 0x12f] {
            assert_eq!(class(id), Class::Mirror, "{id:#x}");
        }
        assert_eq!(describe(0x0f9).name, "TEXENV5_OPERAND");
        assert_eq!(describe(0x0c7).implemented, 7);
    }
}
