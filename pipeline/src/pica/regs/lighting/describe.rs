//! Entries of the lighting block in the register table.
//!
//! Source: pica-geometry.md 2.5; 3dbrew, GPU/Internal Registers (names); gbatek, 3DS GPU (implemented bits).

use super::{
    AttenuationBias, AttenuationScale, LightColour, LightConfig, LightPermutation, LightXy, LightZ,
    LightingConfig0, LightingConfig1, LightingDisable, LightingLutData, LightingLutIndex, LutInputAbs,
    LutInputScale, LutInputSelect, NumLights, SpotDirectionXy, SpotDirectionZ,
};
use crate::bits::FieldInfo;
use crate::pica::regs::{Class, Description};

/// Colours keep all ten bits of each channel (gbatek).
const COLOUR_BITS: u32 = 0x3fff_ffff;

pub(in crate::pica::regs) fn describe(id: u16) -> Description {
    match id {
        0x140..=0x1bf => describe_light((id - 0x140) >> 4, id),
        0x1c0..=0x1cf => describe_configuration(id),
        0x1d0..=0x1df => describe_tables(id),
        _ => Description::unnamed(id, Class::Mirror),
    }
}

fn describe_light(light: u16, id: u16) -> Description {
    let line = |name, fields: &'static [FieldInfo]| Description::new(format!("LIGHT{light}_{name}"), fields);
    match id & 15 {
        0x0 => line("SPECULAR0", LightColour::FIELDS).implemented(COLOUR_BITS),
        0x1 => line("SPECULAR1", LightColour::FIELDS).implemented(COLOUR_BITS),
        0x2 => line("DIFFUSE", LightColour::FIELDS).implemented(COLOUR_BITS),
        0x3 => line("AMBIENT", LightColour::FIELDS).implemented(COLOUR_BITS),
        0x4 => line("XY", LightXy::FIELDS),
        0x5 => line("Z", LightZ::FIELDS),
        0x6 => line("SPOTDIR_XY", SpotDirectionXy::FIELDS),
        0x7 => line("SPOTDIR_Z", SpotDirectionZ::FIELDS),
        0x9 => line("CONFIG", LightConfig::FIELDS),
        0xa => line("ATTENUATION_BIAS", AttenuationBias::FIELDS),
        0xb => line("ATTENUATION_SCALE", AttenuationScale::FIELDS),
        _ => zero(id),
    }
}

fn describe_configuration(id: u16) -> Description {
    let line = Description::new;
    match id {
        0x1c0 => line("LIGHTING_AMBIENT", LightColour::FIELDS),
        0x1c2 => line("LIGHTING_NUM_LIGHTS", NumLights::FIELDS),
        0x1c3 => line("LIGHTING_CONFIG0", LightingConfig0::FIELDS).implemented(0xffff_0ffd),
        0x1c4 => line("LIGHTING_CONFIG1", LightingConfig1::FIELDS),
        0x1c5 => line("LIGHTING_LUT_INDEX", LightingLutIndex::FIELDS).class(Class::Index),
        0x1c6 => line("LIGHTING_ENABLE1", LightingDisable::FIELDS),
        0x1c8.. => {
            let name = format!("LIGHTING_LUT_DATA{}", id - 0x1c8);
            Description::new(name, LightingLutData::FIELDS).class(Class::Data)
        }
        _ => zero(id),
    }
}

fn describe_tables(id: u16) -> Description {
    let line = Description::new;
    let undocumented = |bits| Description::unnamed(id, Class::Undocumented).implemented(bits);
    match id {
        0x1d0 => line("LIGHTING_LUTINPUT_ABS", LutInputAbs::FIELDS).implemented(0x0333_3333),
        0x1d1 => line("LIGHTING_LUTINPUT_SELECT", LutInputSelect::FIELDS),
        0x1d2 => line("LIGHTING_LUTINPUT_SCALE", LutInputScale::FIELDS).implemented(0x7777_7777),
        0x1d3 => undocumented(1),
        // gbatek's field list; its heading has 0x0fffff03.
        0x1d4 => undocumented(0xffff_ff03),
        0x1d5 | 0x1d6 => undocumented(0x1fff_1fff),
        0x1d7 | 0x1d8 => undocumented(0x000f_ffff),
        0x1d9 => line("LIGHTING_LIGHT_PERMUTATION", LightPermutation::FIELDS),
        _ => zero(id),
    }
}

/// A register that stores nothing.
fn zero(id: u16) -> Description {
    Description::unnamed(id, Class::Zero).implemented(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_bits() {
        for (id, name, class, implemented) in [
            (0x140, "LIGHT0_SPECULAR0", Class::Configuration, COLOUR_BITS),
            (0x1bb, "LIGHT7_ATTENUATION_SCALE", Class::Configuration, u32::MAX),
            (0x1a8, "01A8", Class::Zero, 0),
            (0x1c5, "LIGHTING_LUT_INDEX", Class::Index, u32::MAX),
            (0x1cb, "LIGHTING_LUT_DATA3", Class::Data, u32::MAX),
            (0x1d5, "01D5", Class::Undocumented, 0x1fff_1fff),
            (0x1df, "01DF", Class::Zero, 0),
            (0x1e0, "01E0", Class::Mirror, u32::MAX),
        ] {
            let line = describe(id);
            assert_eq!((&*line.name, line.class, line.implemented), (name, class, implemented), "{id:#x}");
        }
    }
}
