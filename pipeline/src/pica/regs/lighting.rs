//! Fragment lighting, 0x140-0x1FF: eight lights of 16 registers each, then the common registers.
//!
//! Source: pica-geometry.md 2.5, pica-fragment.md 4.1; 3dbrew, GPU/Internal Registers; gbatek, 3DS GPU.

mod describe;

use super::{F16, F20, Registers};
use crate::bits::{Field, extract};
use crate::pica::regs::fixed::Fix1_1_11;
pub(super) use describe::describe;

/// Number of lights.
pub const LIGHTS: usize = 8;

crate::field_enum! {
    /// A lookup table with an input selector, in the order of `LIGHTING_LUTINPUT_ABS` and its siblings. The number is
    /// also the id for uploads, except for `Spot`, of which each light has its own.
    pub enum LightingTable {
        /// D0, for specular 0.
        D0,
        /// D1, for specular 1.
        D1,
        /// SP, spot attenuation.
        Spot,
        /// FR, Fresnel.
        Fresnel,
        /// RB, reflection in blue.
        ReflectionB,
        /// RG, reflection in green.
        ReflectionG,
        /// RR, reflection in red.
        ReflectionR,
    } else D0
}

crate::field_enum! {
    /// Input of a table lookup. Source: 3dbrew; that the codes past 5 give 0 is assumed.
    pub enum LightingInput {
        /// N.H, normal and half vector.
        NormalHalf,
        /// V.H, view and half vector.
        ViewHalf,
        /// N.V, normal and view.
        NormalView,
        /// L.N, light and normal.
        LightNormal,
        /// -L.P, light and negated spot direction.
        LightSpot,
        /// cos phi, the half vector's shadow on the surface and the tangent.
        CosPhi,
        /// Codes 6 and 7.
        Zero,
    } else Zero
}

crate::field_enum! {
    /// Factor for the result of a table. Source: 3dbrew; that codes 4 and 5 give 0 is assumed.
    pub enum LightingScale {
        /// 1.
        One,
        /// 2.
        Two,
        /// 4.
        Four,
        /// 8.
        Eight,
        /// Code 4, unknown.
        Unknown4,
        /// Code 5, unknown.
        Unknown5,
        /// 1/4.
        Quarter,
        /// 1/2.
        Half,
    } else One
}

crate::field_enum! {
    /// Target of the bump texture.
    pub enum BumpMode {
        /// None.
        None,
        /// The normal.
        NormalMap,
        /// The tangent.
        TangentMap,
    } else None
}

crate::bits! {
    /// `GPUREG_LIGHTi_SPECULAR0` and similar registers: 255 is 1.0. According to 3dbrew the fields have eight bits;
    /// the two bits above each are stored (gbatek), and that they are used is assumed.
    pub struct LightColour(u32) {
        /// Blue.
        b, with_b: u16 = 0..10;
        /// Green.
        g, with_g: u16 = 10..20;
        /// Red.
        r, with_r: u16 = 20..30;
    }
}

impl LightColour {
    /// Red, green, blue.
    #[must_use]
    pub fn channels(self) -> [u16; 3] {
        [self.r(), self.g(), self.b()]
    }
}

crate::bits! {
    /// `GPUREG_LIGHTi_XY`.
    pub struct LightXy(u32) {
        /// x of the position, or of the direction towards a directional light.
        x, with_x: F16 = 0..16;
        /// y.
        y, with_y: F16 = 16..32;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTi_Z`.
    pub struct LightZ(u32) {
        /// z.
        z, with_z: F16 = 0..16;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTi_SPOTDIR_XY`: programs write the direction negated.
    pub struct SpotDirectionXy(u32) {
        /// -x of the direction.
        x, with_x: Fix1_1_11 = 0..13;
        /// -y.
        y, with_y: Fix1_1_11 = 16..29;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTi_SPOTDIR_Z`.
    pub struct SpotDirectionZ(u32) {
        /// -z of the direction.
        z, with_z: Fix1_1_11 = 0..13;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTi_CONFIG`.
    pub struct LightConfig(u32) {
        /// The position is a direction.
        directional, with_directional: bool = 0..1;
        /// Surfaces turned away are lit too.
        two_sided, with_two_sided: bool = 1..2;
        /// Geometric factor on specular 0.
        geometric_factor0, with_geometric_factor0: bool = 2..3;
        /// Geometric factor on specular 1.
        geometric_factor1, with_geometric_factor1: bool = 3..4;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTi_ATTENUATION_BIAS`.
    pub struct AttenuationBias(u32) {
        /// Added to the scaled distance.
        bias, with_bias: F20 = 0..20;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTi_ATTENUATION_SCALE`.
    pub struct AttenuationScale(u32) {
        /// Factor of the distance.
        scale, with_scale: F20 = 0..20;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_NUM_LIGHTS`, 0x1C2.
    pub struct NumLights(u32) {
        /// Slots in use, less one.
        last, with_last: u8 = 0..3;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_CONFIG0`, 0x1C3.
    pub struct LightingConfig0(u32) {
        /// The colour of the shadow unit is used; otherwise shadow is 1.
        shadow, with_shadow: bool = 0..1;
        /// Fresnel, and shadow where `shadow_alpha` is set, go to the alpha of the primary colour.
        primary_alpha, with_primary_alpha: bool = 2..3;
        /// The same for the secondary colour.
        secondary_alpha, with_secondary_alpha: bool = 3..4;
        /// Environment: selects the available tables.
        environment, with_environment: u8 = 4..8;
        /// Unknown; programs write 4.
        unknown8, with_unknown8: u8 = 8..12;
        /// Shadow acts on diffuse light.
        shadow_primary, with_shadow_primary: bool = 16..17;
        /// Shadow acts on specular light.
        shadow_secondary, with_shadow_secondary: bool = 17..18;
        /// Shadow is 1 - colour.
        shadow_invert, with_shadow_invert: bool = 18..19;
        /// Shadow acts on alpha, if selected by the two alpha bits.
        shadow_alpha, with_shadow_alpha: bool = 19..20;
        /// Texture unit of the bump map.
        bump_unit, with_bump_unit: u8 = 22..24;
        /// Texture unit of the shadow map.
        shadow_unit, with_shadow_unit: u8 = 24..26;
        /// No highlights where there is no diffuse light.
        clamp_highlights, with_clamp_highlights: bool = 27..28;
        /// Target of the bump map.
        bump_mode, with_bump_mode: BumpMode = 28..30;
        /// z of the bump map is used directly instead of being computed from x and y.
        keep_bump_z, with_keep_bump_z: bool = 30..31;
        /// Unknown; programs write 1.
        unknown31, with_unknown31: bool = 31..32;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_CONFIG1`, 0x1C4. Bit n of a field of eight belongs to the light with id n.
    pub struct LightingConfig1(u32) {
        /// Lights without the effect of shadow.
        shadow_disabled, with_shadow_disabled: u8 = 0..8;
        /// Lights without spot attenuation.
        spot_disabled, with_spot_disabled: u8 = 8..16;
        /// D0 is disabled.
        d0_disabled, with_d0_disabled: bool = 16..17;
        /// D1 is disabled.
        d1_disabled, with_d1_disabled: bool = 17..18;
        /// Unknown; programs write 1.
        unknown18, with_unknown18: bool = 18..19;
        /// FR is disabled.
        fresnel_disabled, with_fresnel_disabled: bool = 19..20;
        /// RB is disabled. Source: 3dbrew and user libraries; one emulator has it exchanged with RR.
        rb_disabled, with_rb_disabled: bool = 20..21;
        /// RG is disabled.
        rg_disabled, with_rg_disabled: bool = 21..22;
        /// RR is disabled.
        rr_disabled, with_rr_disabled: bool = 22..23;
        /// Lights without distance attenuation.
        distance_disabled, with_distance_disabled: u8 = 24..32;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_LUT_INDEX`, 0x1C5.
    pub struct LightingLutIndex(u32) {
        /// Entry for the next data word.
        index, with_index: u8 = 0..8;
        /// Table id as in [`Luts::lighting`](crate::pica::lut::Luts::lighting).
        table, with_table: u8 = 8..13;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_ENABLE1`, 0x1C6. The bit at 0x08F has the opposite meaning; which one is used is unknown,
    /// this one is assumed.
    pub struct LightingDisable(u32) {
        /// Lighting is off.
        disabled, with_disabled: bool = 0..1;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_LUT_DATA0`-`7`, 0x1C8-0x1CF: an entry of a table.
    pub struct LightingLutData(u32) {
        /// Value, in 1/4095.
        value, with_value: u16 = 0..12;
        /// Magnitude of the difference to the next entry, in 1/2047.
        difference, with_difference: u16 = 12..23;
        /// The difference is negative.
        negative, with_negative: bool = 23..24;
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_LUTINPUT_ABS`, 0x1D0: a set bit makes the inputs of a table signed.
    pub struct LutInputAbs(u32) {
        /// D0 has signed inputs.
        d0_signed, with_d0_signed: bool = 1..2;
        /// D1 has signed inputs.
        d1_signed, with_d1_signed: bool = 5..6;
        /// SP has signed inputs.
        sp_signed, with_sp_signed: bool = 9..10;
        /// FR has signed inputs.
        fr_signed, with_fr_signed: bool = 13..14;
        /// RB has signed inputs.
        rb_signed, with_rb_signed: bool = 17..18;
        /// RG has signed inputs.
        rg_signed, with_rg_signed: bool = 21..22;
        /// RR has signed inputs.
        rr_signed, with_rr_signed: bool = 25..26;
    }
}

impl LutInputAbs {
    /// True if a table has signed inputs.
    #[must_use]
    pub fn signed(self, table: LightingTable) -> bool {
        self.0 >> (4 * table.to_bits() + 1) & 1 == 1
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_LUTINPUT_SELECT`, 0x1D1.
    pub struct LutInputSelect(u32) {
        /// Input of D0.
        d0, with_d0: LightingInput = 0..3;
        /// Input of D1.
        d1, with_d1: LightingInput = 4..7;
        /// Input of SP.
        sp, with_sp: LightingInput = 8..11;
        /// Input of FR.
        fr, with_fr: LightingInput = 12..15;
        /// Input of RB.
        rb, with_rb: LightingInput = 16..19;
        /// Input of RG.
        rg, with_rg: LightingInput = 20..23;
        /// Input of RR.
        rr, with_rr: LightingInput = 24..27;
    }
}

impl LutInputSelect {
    /// The input of a table.
    #[must_use]
    pub fn input(self, table: LightingTable) -> LightingInput {
        Field::from_bits(nibble(self.0, table.to_bits()))
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_LUTINPUT_SCALE`, 0x1D2.
    pub struct LutInputScale(u32) {
        /// Scale of D0.
        d0, with_d0: LightingScale = 0..3;
        /// Scale of D1.
        d1, with_d1: LightingScale = 4..7;
        /// Scale of SP.
        sp, with_sp: LightingScale = 8..11;
        /// Scale of FR.
        fr, with_fr: LightingScale = 12..15;
        /// Scale of RB.
        rb, with_rb: LightingScale = 16..19;
        /// Scale of RG.
        rg, with_rg: LightingScale = 20..23;
        /// Scale of RR.
        rr, with_rr: LightingScale = 24..27;
    }
}

impl LutInputScale {
    /// The scale of a table.
    #[must_use]
    pub fn scale(self, table: LightingTable) -> LightingScale {
        Field::from_bits(nibble(self.0, table.to_bits()))
    }
}

crate::bits! {
    /// `GPUREG_LIGHTING_LIGHT_PERMUTATION`, 0x1D9.
    pub struct LightPermutation(u32) {
        /// Light of slot 0.
        slot0, with_slot0: u8 = 0..3;
        /// Light of slot 1.
        slot1, with_slot1: u8 = 4..7;
        /// Light of slot 2.
        slot2, with_slot2: u8 = 8..11;
        /// Light of slot 3.
        slot3, with_slot3: u8 = 12..15;
        /// Light of slot 4.
        slot4, with_slot4: u8 = 16..19;
        /// Light of slot 5.
        slot5, with_slot5: u8 = 20..23;
        /// Light of slot 6.
        slot6, with_slot6: u8 = 24..27;
        /// Light of slot 7.
        slot7, with_slot7: u8 = 28..31;
    }
}

impl LightPermutation {
    /// The light in a slot; slots count modulo eight.
    #[must_use]
    pub fn light(self, slot: usize) -> usize {
        nibble(self.0, slot as u32 % LIGHTS as u32) as usize
    }
}

/// The lowest three bits of a field with a pitch of four.
const fn nibble(word: u32, field: u32) -> u32 {
    extract(word, 4 * field, 4 * field + 3)
}

/// The id of register `offset` of a light; lights count modulo eight.
const fn light_register(light: usize, offset: u16) -> u16 {
    0x140 + 0x10 * (light % LIGHTS) as u16 + offset
}

macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident($($light:ident)?) -> $view:ident = $id:expr;)*) => {
        impl Registers {
            $($(#[$doc])*
            #[must_use]
            pub fn $name(&self $(, $light: usize)?) -> $view {
                $view(self.raw($id))
            })*
        }
    };
}

accessors! {
    /// Specular colour 0 of a light.
    light_specular0(light) -> LightColour = light_register(light, 0);
    /// Specular colour 1 of a light.
    light_specular1(light) -> LightColour = light_register(light, 1);
    /// Diffuse colour of a light.
    light_diffuse(light) -> LightColour = light_register(light, 2);
    /// Ambient colour of a light.
    light_ambient(light) -> LightColour = light_register(light, 3);
    /// Position of a light.
    light_xy(light) -> LightXy = light_register(light, 4);
    /// Position of a light.
    light_z(light) -> LightZ = light_register(light, 5);
    /// Negated direction of a spot light.
    spot_direction_xy(light) -> SpotDirectionXy = light_register(light, 6);
    /// Negated direction of a spot light.
    spot_direction_z(light) -> SpotDirectionZ = light_register(light, 7);
    /// Options of a light.
    light_config(light) -> LightConfig = light_register(light, 9);
    /// Bias of a light's distance attenuation.
    attenuation_bias(light) -> AttenuationBias = light_register(light, 0xa);
    /// Scale of a light's distance attenuation.
    attenuation_scale(light) -> AttenuationScale = light_register(light, 0xb);
    /// Ambient colour of the scene, 0x1C0.
    lighting_ambient() -> LightColour = 0x1c0;
    /// Slots in use.
    num_lights() -> NumLights = 0x1c2;
    /// Options of all lights.
    lighting_config0() -> LightingConfig0 = 0x1c3;
    /// Disabled tables, shadows and attenuations.
    lighting_config1() -> LightingConfig1 = 0x1c4;
    /// Destination of table data.
    lighting_lut_index() -> LightingLutIndex = 0x1c5;
    /// Switch that turns lighting off.
    lighting_disable() -> LightingDisable = 0x1c6;
    /// Signedness of table inputs.
    lut_input_abs() -> LutInputAbs = 0x1d0;
    /// Inputs of the tables.
    lut_input_select() -> LutInputSelect = 0x1d1;
    /// Factors of the tables' results.
    lut_input_scale() -> LutInputScale = 0x1d2;
    /// Assignment of lights to slots.
    light_permutation() -> LightPermutation = 0x1d9;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_light_has_its_own_registers() {
        let mut regs = Registers::new();
        for light in 0..LIGHTS {
            let base = 0x140 + 0x10 * light as u16;
            regs.set_raw(base + 2, 3 << 20 | 2 << 10 | (100 + light as u32));
            regs.set_raw(base + 6, 0x1fff | (light as u32) << 16);
            regs.set_raw(base + 0xa, 0x3f000 + ((light as u32) << 12));
        }
        for light in 0..LIGHTS {
            assert_eq!(regs.light_diffuse(light).channels(), [3, 2, 100 + light as u16]);
            let spot = regs.spot_direction_xy(light);
            assert_eq!((spot.x().units(), spot.y().units()), (-1, light as i32));
            assert_eq!(regs.attenuation_bias(light).bias().to_f32(), (1 << light) as f32);
        }
        assert_eq!(regs.light_diffuse(9).0, regs.light_diffuse(1).0);
    }

    #[test]
    fn lights_of_slots() {
        let permutation = LightPermutation(0x89ab_4567);
        assert_eq!([0, 1, 7, 8, 15].map(|slot| permutation.light(slot)), [7, 6, 0, 7, 0]);
    }

    #[test]
    fn fields_per_table_agree_with_the_named_ones() {
        use LightingTable as T;
        for word in [0x0123_4567, 0x7654_3210, 0x0aaa_aaaa] {
            let (abs, select, scale) = (LutInputAbs(word), LutInputSelect(word), LutInputScale(word));
            for (table, signed, input, factor) in [
                (T::D0, abs.d0_signed(), select.d0(), scale.d0()),
                (T::D1, abs.d1_signed(), select.d1(), scale.d1()),
                (T::Spot, abs.sp_signed(), select.sp(), scale.sp()),
                (T::Fresnel, abs.fr_signed(), select.fr(), scale.fr()),
                (T::ReflectionB, abs.rb_signed(), select.rb(), scale.rb()),
                (T::ReflectionG, abs.rg_signed(), select.rg(), scale.rg()),
                (T::ReflectionR, abs.rr_signed(), select.rr(), scale.rr()),
            ] {
                let found = (abs.signed(table), select.input(table), scale.scale(table));
                assert_eq!(found, (signed, input, factor), "{table:?} of {word:#x}");
            }
        }
    }

    #[test]
    fn permutation_by_slot() {
        let lights = LightPermutation(0xfedc_ba98);
        assert!((0..8).all(|slot| lights.light(slot) == slot));
        assert_eq!((lights.slot3(), lights.slot7()), (3, 7));
        assert_eq!(lights.light(usize::MAX), 7);
    }

    #[test]
    fn unknown_codes() {
        assert_eq!(LutInputSelect(0x76).d0(), LightingInput::Zero);
        assert_eq!(LutInputSelect(0x76).d1(), LightingInput::Zero);
        assert_eq!(LutInputScale(0x54).d0(), LightingScale::Unknown4);
        assert_eq!(LightingConfig0(3 << 28).bump_mode(), BumpMode::None);
    }
}
