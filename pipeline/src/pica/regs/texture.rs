//! 0x080-0x0BF: texture units 0 to 2 and the procedural texture, which is unit 3.
//!
//! Source: pica-fragment.md 2.1, 2.2, 3.1; pica-geometry.md 2.3; 3dbrew, GPU/Internal Registers.

use super::{Class, Description, F16, Registers, Rgba8};
use crate::bits::Field;
use crate::pica::fixed::{Fix1_3_12, Fix1_4_8};
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
    /// Whether unit 0, 1, 2 or 3 is enabled.
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
    /// What becomes of a texel index outside the image. The last four were measured on a console (Citra
    /// PR 2743).
    pub enum TextureWrap {
        /// The closest texel.
        Edge,
        /// The border colour.
        Border,
        /// The image again.
        Repeat,
        /// The image again, every other time mirrored.
        Mirror,
        /// The closest texel above, the image again below.
        EdgeRepeat,
        /// The border colour above, the image again below.
        BorderRepeat,
        /// As [`Repeat`](Self::Repeat).
        Repeat6,
        /// As [`Repeat`](Self::Repeat).
        Repeat7,
    } else Edge
}

crate::field_enum! {
    /// What unit 0 does with its coordinates.
    pub enum TextureType {
        /// u and v.
        TwoD,
        /// u, v and w are a direction.
        Cube,
        /// u and v, and a depth that is compared.
        Shadow2D,
        /// u / w and v / w.
        Projection,
        /// A direction, and a depth that is compared.
        ShadowCube,
        /// No texture. Types 6 and 7, which nobody knows, are taken for this one (assumed).
        Disabled,
    } else Disabled
}

crate::bits! {
    /// `GPUREG_TEXUNITi_PARAM`, 0x083, 0x093, 0x09B.
    pub struct TextureParam(u32) {
        /// Linear filter where the texture is magnified.
        mag_linear, with_mag_linear: bool = 1..2;
        /// Linear filter where it is minified.
        min_linear, with_min_linear: bool = 2..3;
        /// 2 for ETC1, else 0; no known effect.
        etc1, with_etc1: u8 = 4..6;
        /// Wrapping of t.
        wrap_t, with_wrap_t: TextureWrap = 8..11;
        /// Wrapping of s.
        wrap_s, with_wrap_s: TextureWrap = 12..15;
        /// Set with the shadow types; no known effect of its own.
        shadow, with_shadow: bool = 20..21;
        /// Two levels, weighted, instead of the closer one.
        mip_linear, with_mip_linear: bool = 24..25;
        /// Type, of unit 0 only.
        kind, with_kind: TextureType = 28..31;
    }
}

crate::bits! {
    /// `GPUREG_TEXUNITi_LOD`, 0x084, 0x094, 0x09C.
    pub struct TextureLod(u32) {
        /// Added to the level of detail.
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
    /// `GPUREG_LIGHTING_ENABLE0`, 0x08F, which programs write together with 0x1C6.
    pub struct LightingEnable0(u32) {
        /// Enables lighting.
        enable, with_enable: bool = 0..1;
    }
}

crate::field_enum! {
    /// What becomes of a coordinate of the procedural texture, which is never negative.
    pub enum ProctexClamp {
        /// 0 above 1.
        ToZero,
        /// 1 above 1. So do modes 5 to 7, which nobody knows (assumed).
        ToEdge,
        /// The fraction.
        Repeat,
        /// The fraction, every other time mirrored.
        Mirror,
        /// 0 up to a half, then 1.
        Pulse,
    } else ToEdge
}

crate::field_enum! {
    /// Shift of one coordinate of the procedural texture in every other row of the other one.
    pub enum ProctexShift {
        /// No shift. Mode 3, which nobody knows, is taken for this one (assumed).
        None,
        /// In odd rows.
        Odd,
        /// In even rows.
        Even,
    } else None
}

crate::field_enum! {
    /// The function of u and v whose value is looked up in a map.
    pub enum ProctexFunction {
        /// u.
        U,
        /// u squared.
        USquared,
        /// v.
        V,
        /// v squared.
        VSquared,
        /// Half of u + v.
        Add,
        /// Half of the sum of squares.
        AddSquared,
        /// Distance from the origin, at most 1.
        Distance,
        /// The smaller one.
        Min,
        /// The larger one.
        Max,
        /// Half way from [`Add`](Self::Add) to the distance, at most 1.
        RMax,
        /// 10 to 15, which nobody knows: 0 (assumed).
        Unknown,
    } else Unknown
}

crate::field_enum! {
    /// How the colour table is read.
    pub enum ProctexFilter {
        /// The closest entry of level 0.
        Nearest,
        /// Two entries of level 0. So do 6 and 7, which nobody knows (assumed).
        Linear,
        /// The closest entry of the closer level.
        NearestMipNearest,
        /// Two entries of the closer level.
        LinearMipNearest,
        /// The closest entries of two levels.
        NearestMipLinear,
        /// Two entries of each of two levels.
        LinearMipLinear,
    } else Linear
}

crate::field_enum! {
    /// A table of the procedural texture.
    pub enum ProctexTable {
        /// Interpolation between lattice points of noise.
        Noise,
        /// Codes 1 and 6 to 15, which select no table (assumed).
        Unknown,
        /// Map of the colour function.
        ColourMap,
        /// Map of the alpha function.
        AlphaMap,
        /// Colours.
        Colour,
        /// Half the differences between colours.
        ColourDifference,
    } else Unknown
}

crate::bits! {
    /// `GPUREG_TEXUNIT3_PROCTEX0`, 0x0A8.
    pub struct Proctex0(u32) {
        /// Clamp mode of u.
        u_clamp, with_u_clamp: ProctexClamp = 0..3;
        /// Clamp mode of v.
        v_clamp, with_v_clamp: ProctexClamp = 3..6;
        /// Function whose value selects the colour.
        colour_function, with_colour_function: ProctexFunction = 6..10;
        /// Function whose value selects alpha, where that is separate.
        alpha_function, with_alpha_function: ProctexFunction = 10..14;
        /// Alpha comes from its own map, not from the colour table.
        separate_alpha, with_separate_alpha: bool = 14..15;
        /// Adds noise to u and v.
        noise, with_noise: bool = 15..16;
        /// Shift of u.
        u_shift, with_u_shift: ProctexShift = 16..18;
        /// Shift of v.
        v_shift, with_v_shift: ProctexShift = 18..20;
        /// Low byte of the level-of-detail bias.
        bias_low, with_bias_low: u8 = 20..28;
    }
}

crate::bits! {
    /// `GPUREG_TEXUNIT3_PROCTEX1` for u and `PROCTEX2` for v, 0x0A9 and 0x0AA.
    pub struct ProctexNoise(u32) {
        /// Amplitude; the procedural texture divides its units by 4095.
        amplitude, with_amplitude: Fix1_3_12 = 0..16;
        /// Added to the coordinate.
        phase, with_phase: F16 = 16..32;
    }
}

crate::bits! {
    /// `GPUREG_TEXUNIT3_PROCTEX3`, 0x0AB: frequencies of noise.
    pub struct ProctexFrequency(u32) {
        /// Of u.
        u, with_u: F16 = 0..16;
        /// Of v.
        v, with_v: F16 = 16..32;
    }
}

crate::bits! {
    /// `GPUREG_TEXUNIT3_PROCTEX4`, 0x0AC.
    pub struct Proctex4(u32) {
        /// How the colour table is read.
        filter, with_filter: ProctexFilter = 0..3;
        /// First level.
        lod_min, with_lod_min: u8 = 3..7;
        /// Last level.
        lod_max, with_lod_max: u8 = 7..11;
        /// Entries of level 0 in the colour table.
        width, with_width: u8 = 11..19;
        /// High byte of the level-of-detail bias.
        bias_high, with_bias_high: u8 = 19..27;
    }
}

crate::bits! {
    /// `GPUREG_TEXUNIT3_PROCTEX5`, 0x0AD, and its upper half 0x0AE: where levels start in the colour table.
    /// Levels 4 to 7 are said to be wired instead (3dbrew).
    pub struct ProctexOffsets(u32) {
        /// Level 0, or 4.
        level0, with_level0: u8 = 0..8;
        /// Level 1, or 5.
        level1, with_level1: u8 = 8..16;
        /// Level 2, or 6.
        level2, with_level2: u8 = 16..24;
        /// Level 3, or 7.
        level3, with_level3: u8 = 24..32;
    }
}

crate::bits! {
    /// `GPUREG_PROCTEX_LUT`, 0x0AF: where the data ports 0x0B0-0x0B7 write.
    pub struct ProctexLut(u32) {
        /// Entry.
        index, with_index: u8 = 0..8;
        /// Table.
        table, with_table: ProctexTable = 8..12;
    }
}

/// First register of the block of unit 0, 1 or 2: the border colour. Size, parameters, level of detail and
/// address follow it.
const fn block(unit: usize) -> u16 {
    match unit {
        0 => 0x081,
        1 => 0x091,
        _ => 0x099,
    }
}

/// The registers of the texture units; `unit` is 0, 1 or 2, and everything above is taken for 2.
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

    /// Where a face of a cube map of unit 0 lies; 0 to 5 are +X, -X, +Y, -Y, +Z and -Z. All lie in one
    /// window of 32 MiB.
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

/// The registers of the procedural texture.
impl Registers {
    /// `GPUREG_TEXUNIT3_PROCTEX0`.
    #[must_use]
    pub fn proctex0(&self) -> Proctex0 {
        Proctex0(self.raw(0x0a8))
    }

    /// `GPUREG_TEXUNIT3_PROCTEX1` and `PROCTEX2`: noise of u, and of v.
    #[must_use]
    pub fn proctex_noise(&self) -> [ProctexNoise; 2] {
        [ProctexNoise(self.raw(0x0a9)), ProctexNoise(self.raw(0x0aa))]
    }

    /// `GPUREG_TEXUNIT3_PROCTEX3`.
    #[must_use]
    pub fn proctex_frequency(&self) -> ProctexFrequency {
        ProctexFrequency(self.raw(0x0ab))
    }

    /// `GPUREG_TEXUNIT3_PROCTEX4`.
    #[must_use]
    pub fn proctex4(&self) -> Proctex4 {
        Proctex4(self.raw(0x0ac))
    }

    /// `GPUREG_TEXUNIT3_PROCTEX5`: levels 0 to 3.
    #[must_use]
    pub fn proctex_offsets(&self) -> ProctexOffsets {
        ProctexOffsets(self.raw(0x0ad))
    }

    /// The level-of-detail bias, whose halves lie in `PROCTEX0` and `PROCTEX4`.
    #[must_use]
    pub fn proctex_bias(&self) -> F16 {
        F16::from_bits(u32::from(self.proctex4().bias_high()) << 8 | u32::from(self.proctex0().bias_low()))
    }

    /// `GPUREG_PROCTEX_LUT`.
    #[must_use]
    pub fn proctex_lut(&self) -> ProctexLut {
        ProctexLut(self.raw(0x0af))
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
        0x0a8..=0x0b7 => describe_proctex(id),
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

fn describe_proctex(id: u16) -> Description {
    let numbered = |fields| Description::new(format!("TEXUNIT3_PROCTEX{}", id - 0x0a8), fields);
    match id {
        0x0a8 => numbered(Proctex0::FIELDS),
        0x0a9 | 0x0aa => numbered(ProctexNoise::FIELDS),
        0x0ab => numbered(ProctexFrequency::FIELDS),
        0x0ac => numbered(Proctex4::FIELDS),
        0x0ad => numbered(ProctexOffsets::FIELDS),
        0x0ae => {
            Description { fields: ProctexOffsets::FIELDS, ..Description::unnamed(id, Class::Configuration) }
        }
        0x0af => Description::new("PROCTEX_LUT", ProctexLut::FIELDS).class(Class::Index),
        _ => Description::new(format!("PROCTEX_LUT_DATA{}", id - 0x0b0), &[]).class(Class::Data),
    }
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
        let all = Proctex0(u32::MAX);
        assert_eq!((all.u_clamp(), all.v_shift()), (ProctexClamp::ToEdge, ProctexShift::None));
        assert_eq!(all.colour_function(), ProctexFunction::Unknown);
        assert_eq!(Proctex4(7).filter(), ProctexFilter::Linear);
        assert_eq!(ProctexLut(0x700).table(), ProctexTable::Unknown);
    }

    #[test]
    fn proctex_bias_is_put_together() {
        let mut registers = Registers::new();
        registers.set_raw(0x0a8, 0x66 << 20);
        registers.set_raw(0x0ac, 0x2e << 19);
        assert_eq!(registers.proctex_bias().to_f32(), 0.099_975_586);
    }
}
