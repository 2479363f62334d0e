//! 0x080-0x0BF: texture units 0 to 2 and the procedural texture, which is unit 3.
//!
//! Source: pica-fragment.md 2.1, 2.2; pica-geometry.md 2.3; 3dbrew, GPU/Internal Registers.

mod proctex;

pub use proctex::{
    Proctex0, Proctex4, ProctexClamp, ProctexFilter, ProctexFrequency, ProctexFunction, ProctexLut,
    ProctexNoise, ProctexOffsets, ProctexShift, ProctexTable,
};

use super::{Class, Description, Registers, Rgba8};
use crate::pica::regs::fixed::Fix1_4_8;
use crate::pica::texel::TextureFormat;

crate::bits! {
    /// `GPUREG_TEXUNIT_CONFIG`, 0x080.
    pub struct TexunitConfig(u32) {
        /// Enables unit 0.
        enable0, with_enable0: bool = 0..1;
        /// Enables unit 1.
        enable1, with_enable1: bool = 1..2;
        /// Enables unit 2.
        enable2, with_enable2: bool = 2..3;
        /// Texture coordinates of unit 3; 3 is unknown.
        set3, with_set3: u8 = 8..10;
        /// Enables unit 3.
        enable3, with_enable3: bool = 10..11;
        /// Unit 2 samples at texture coordinates 1 instead of 2.
        unit2_set1, with_unit2_set1: bool = 13..14;
        /// Clears the texture cache.
        clear_cache, with_clear_cache: bool = 16..17;
    }
}

impl TexunitConfig {
    /// True if unit 0, 1, 2 or 3 is enabled.
    #[must_use]
    pub fn enable(self, unit: usize) -> bool {
        match unit {
            0 => self.enable0(),
            1 => self.enable1(),
            2 => self.enable2(),
            _ => self.enable3(),
        }
    }
}

crate::bits! {
    /// `GPUREG_TEXUNITi_DIM`, 0x082, 0x092, 0x09A: size of level 0 in texels.
    pub struct TextureDim(u32) {
        /// Height.
        height, with_height: u16 = 0..11;
        /// Width.
        width, with_width: u16 = 16..27;
    }
}

crate::field_enum! {
    /// Wrap mode: handling of a texel index outside the image. The last four were measured on a console (Citra PR
    /// 2743).
    pub enum TextureWrap {
        /// The closest texel.
        Edge,
        /// The border colour.
        Border,
        /// Repetition of the image.
        Repeat,
        /// Repetition of the image, every other one mirrored.
        Mirror,
        /// The closest texel above, repetition below.
        EdgeRepeat,
        /// The border colour above, repetition below.
        BorderRepeat,
        /// As [`Repeat`](Self::Repeat).
        Repeat6,
        /// As [`Repeat`](Self::Repeat).
        Repeat7,
    } else Edge
}

crate::field_enum! {
    /// Texture type: use of the coordinates of unit 0.
    pub enum TextureType {
        /// u and v.
        TwoD,
        /// u, v and w as a direction.
        Cube,
        /// u and v, and a depth for comparison.
        Shadow2D,
        /// u / w and v / w.
        Projection,
        /// A direction, and a depth for comparison.
        ShadowCube,
        /// No texture. Types 6 and 7, which are unknown, are treated like this one (assumed).
        Disabled,
    } else Disabled
}

crate::bits! {
    /// `GPUREG_TEXUNITi_PARAM`, 0x083, 0x093, 0x09B.
    pub struct TextureParam(u32) {
        /// Linear magnification filter.
        mag_linear, with_mag_linear: bool = 1..2;
        /// Linear minification filter.
        min_linear, with_min_linear: bool = 2..3;
        /// 2 for ETC1, else 0; no known effect.
        etc1, with_etc1: u8 = 4..6;
        /// Wrapping of t.
        wrap_t, with_wrap_t: TextureWrap = 8..11;
        /// Wrapping of s.
        wrap_s, with_wrap_s: TextureWrap = 12..15;
        /// Set with the shadow types; no known effect of its own.
        shadow, with_shadow: bool = 20..21;
        /// Weighted mean of two levels instead of the closer level.
        mip_linear, with_mip_linear: bool = 24..25;
        /// Type, of unit 0 only.
        kind, with_kind: TextureType = 28..31;
    }
}

crate::bits! {
    /// `GPUREG_TEXUNITi_LOD`, 0x084, 0x094, 0x09C.
    pub struct TextureLod(u32) {
        /// Bias of the level of detail.
        bias, with_bias: Fix1_4_8 = 0..13;
        /// Last level.
        max_level, with_max_level: u8 = 16..20;
        /// First level.
        min_level, with_min_level: u8 = 24..28;
    }
}

crate::bits! {
    /// `GPUREG_TEXUNITi_ADDR`, 0x085, 0x095, 0x09D.
    pub struct TextureAddress(u32) {
        /// Physical address / 8.
        units, with_units: u32 = 0..28;
    }
}

impl TextureAddress {
    /// The physical address.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.units() * 8
    }
}

crate::bits! {
    /// `GPUREG_TEXUNIT0_ADDR2` to `ADDR6`, 0x086-0x08A: faces 1 to 5 of a cube map.
    pub struct TextureFaceAddress(u32) {
        /// The low bits of physical address / 8; the upper six are those of face 0.
        units, with_units: u32 = 0..22;
    }
}

crate::bits! {
    /// `GPUREG_TEXUNIT0_SHADOW`, 0x08B.
    pub struct TextureShadow(u32) {
        /// u and v are not divided by w.
        orthographic, with_orthographic: bool = 0..1;
        /// The upper 23 bits of a 24-bit depth bias.
        bias, with_bias: u32 = 1..24;
    }
}

crate::bits! {
    /// `GPUREG_TEXUNITi_TYPE`, 0x08E, 0x096, 0x09E.
    pub struct TexunitType(u32) {
        /// Texel format.
        format, with_format: TextureFormat = 0..4;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_ENABLE0`, 0x08F, written by programs together with 0x1C6.
    pub struct LightingEnable0(u32) {
        /// Enables lighting.
        enable, with_enable: bool = 0..1;
    }
}

/// First register of the block of unit 0, 1 or 2: the border colour. It is followed by size, parameters, level of
/// detail and address.
const fn block(unit: usize) -> u16 {
    match unit {
        0 => 0x081,
        1 => 0x091,
        _ => 0x099,
    }
}

/// The registers of the texture units; `unit` is 0, 1 or 2; larger values count as 2.
impl Registers {
    /// `GPUREG_TEXUNIT_CONFIG`.
    #[must_use]
    pub fn texunit_config(&self) -> TexunitConfig {
        TexunitConfig(self.raw(0x080))
    }

    /// `GPUREG_TEXUNITi_BORDER_COLOR`.
    #[must_use]
    pub fn texture_border(&self, unit: usize) -> Rgba8 {
        Rgba8(self.raw(block(unit)))
    }

    /// `GPUREG_TEXUNITi_DIM`.
    #[must_use]
    pub fn texture_dim(&self, unit: usize) -> TextureDim {
        TextureDim(self.raw(block(unit) + 1))
    }

    /// `GPUREG_TEXUNITi_PARAM`.
    #[must_use]
    pub fn texture_param(&self, unit: usize) -> TextureParam {
        TextureParam(self.raw(block(unit) + 2))
    }

    /// `GPUREG_TEXUNITi_LOD`.
    #[must_use]
    pub fn texture_lod(&self, unit: usize) -> TextureLod {
        TextureLod(self.raw(block(unit) + 3))
    }

    /// `GPUREG_TEXUNITi_ADDR`.
    #[must_use]
    pub fn texture_address(&self, unit: usize) -> TextureAddress {
        TextureAddress(self.raw(block(unit) + 4))
    }

    /// Address of a face of a cube map of unit 0; faces 0 to 5 are +X, -X, +Y, -Y, +Z and -Z. All lie in one window
    /// of 32 MiB.
    #[must_use]
    pub fn texture_face_address(&self, face: u16) -> TextureAddress {
        let first = self.texture_address(0);
        match face {
            1..=5 => {
                let low = TextureFaceAddress(self.raw(0x085 + face)).units();
                TextureAddress(first.units() & !0x3f_ffff | low)
            }
            _ => first,
        }
    }

    /// `GPUREG_TEXUNIT0_SHADOW`.
    #[must_use]
    pub fn texture_shadow(&self) -> TextureShadow {
        TextureShadow(self.raw(0x08b))
    }

    /// `GPUREG_TEXUNITi_TYPE`.
    #[must_use]
    pub fn texture_type(&self, unit: usize) -> TexunitType {
        TexunitType(self.raw(if unit == 0 { 0x08e } else { block(unit) + 5 }))
    }

    /// `GPUREG_LIGHTING_ENABLE0`.
    #[must_use]
    pub fn lighting_enable0(&self) -> LightingEnable0 {
        LightingEnable0(self.raw(0x08f))
    }
}

pub(super) fn describe(id: u16) -> Description {
    match id {
        0x080 => Description::new("TEXUNIT_CONFIG", TexunitConfig::FIELDS).class(Class::Trigger),
        0x081..=0x085 => describe_unit(0, id - 0x081),
        0x086..=0x08a => Description::new(format!("TEXUNIT0_ADDR{}", id - 0x084), TextureFaceAddress::FIELDS),
        0x08b => Description::new("TEXUNIT0_SHADOW", TextureShadow::FIELDS),
        0x08c => Description::unnamed(id, Class::Undocumented).implemented(0xffff_00ff),
        0x08d => Description::unnamed(id, Class::Undocumented).implemented(0xff),
        0x08e => describe_unit(0, 5),
        0x08f => Description::new("LIGHTING_ENABLE0", LightingEnable0::FIELDS),
        0x091..=0x096 => describe_unit(1, id - 0x091),
        0x099..=0x09e => describe_unit(2, id - 0x099),
        0x0a8..=0x0b7 => proctex::describe(id),
        _ => Description::unnamed(id, Class::Zero).implemented(0),
    }
}

/// Register `place` of the block of a unit.
fn describe_unit(unit: u16, place: u16) -> Description {
    let (name, fields) = match place {
        0 => ("BORDER_COLOR", Rgba8::FIELDS),
        1 => ("DIM", TextureDim::FIELDS),
        2 => ("PARAM", TextureParam::FIELDS),
        3 => ("LOD", TextureLod::FIELDS),
        4 if unit == 0 => ("ADDR1", TextureAddress::FIELDS),
        4 => ("ADDR", TextureAddress::FIELDS),
        _ => ("TYPE", TexunitType::FIELDS),
    };
    Description::new(format!("TEXUNIT{unit}_{name}"), fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_blocks() {
        for (id, name) in [
            (0x081, "TEXUNIT0_BORDER_COLOR"),
            (0x085, "TEXUNIT0_ADDR1"),
            (0x08a, "TEXUNIT0_ADDR6"),
            (0x08e, "TEXUNIT0_TYPE"),
            (0x095, "TEXUNIT1_ADDR"),
            (0x096, "TEXUNIT1_TYPE"),
            (0x097, "0097"),
            (0x09b, "TEXUNIT2_PARAM"),
            (0x0ad, "TEXUNIT3_PROCTEX5"),
            (0x0b7, "PROCTEX_LUT_DATA7"),
        ] {
            assert_eq!(describe(id).name, name);
        }
        let of_class = |class| (0x080..0x0c0).filter(|&id| describe(id).class == class).count();
        assert_eq!((of_class(Class::Zero), of_class(Class::Data)), (3 + 9 + 8, 8));
    }

    #[test]
    fn accessors_read_the_register_of_their_unit() {
        let mut registers = Registers::new();
        for id in 0x080..0x0c0 {
            registers.set_raw(id, u32::from(id));
        }
        let of = |unit| {
            let r = &registers;
            let address = r.texture_address(unit).0;
            [r.texture_border(unit).0, r.texture_dim(unit).0, r.texture_param(unit).0]
                .into_iter()
                .chain([r.texture_lod(unit).0, address, r.texture_type(unit).0])
                .collect::<Vec<_>>()
        };
        assert_eq!(of(0), [0x81, 0x82, 0x83, 0x84, 0x85, 0x8e]);
        assert_eq!(of(1), [0x91, 0x92, 0x93, 0x94, 0x95, 0x96]);
        assert_eq!(of(2), [0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e]);
    }

    #[test]
    fn faces_share_the_upper_bits() {
        let mut registers = Registers::new();
        registers.set_raw(0x085, 0xfac0_0001);
        registers.set_raw(0x088, 0xffff_ffff);
        assert_eq!(registers.texture_face_address(0).bytes(), 0x5600_0008);
        assert_eq!(registers.texture_face_address(1).bytes(), 0x5600_0000);
        assert_eq!(registers.texture_face_address(3).bytes(), 0x57ff_fff8);
    }

    #[test]
    fn unknown_patterns_have_a_meaning() {
        assert_eq!(TextureParam(7 << 28).kind(), TextureType::Disabled);
        assert_eq!(TextureParam(6 << 12).wrap_s(), TextureWrap::Repeat6);
    }
}
