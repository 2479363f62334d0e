//! Fog and gas: 0x0E1-0x0EF and 0x120-0x126.
//!
//! Source: pica-geometry.md 2.3 and 2.4, pica-fragment.md 6.1 and 6.2; 3dbrew, GPU/Internal Registers.

use super::undocumented;
use crate::pica::regs::fixed::{Fix0_0_11, Fix0_16_8, Fix1_1_11};
use crate::pica::regs::{Class, Description, F16, Registers};

crate::field_enum! {
    /// Operation between the combiners and the output merger. Source: 3dbrew; unnamed codes are unknown.
    pub enum FogMode {
        /// None.
        None,
        /// Unknown.
        Unknown1,
        /// Unknown.
        Unknown2,
        /// Unknown.
        Unknown3,
        /// Unknown.
        Unknown4,
        /// Fog.
        Fog,
        /// Unknown.
        Unknown6,
        /// Gas shading.
        Gas,
    } else None
}

crate::bits! {
    /// `GPUREG_FOG_COLOR`, 0x0E1. Source: 3dbrew.
    pub struct FogColour(u32) {
        /// Red.
        r, with_r: u8 = 0..8;
        /// Green.
        g, with_g: u8 = 8..16;
        /// Blue.
        b, with_b: u8 = 16..24;
    }
}

crate::bits! {
    /// A register that holds one binary16-like float: `GPUREG_GAS_ATTENUATION`, 0x0E4, and
    /// `GPUREG_GAS_ACCMAX`, 0x0E5. Source: 3dbrew.
    pub struct GasFactor(u32) {
        /// The value.
        value, with_value: F16 = 0..16;
    }
}

crate::bits! {
    /// `GPUREG_FOG_LUT_INDEX`, 0x0E6. Source: 3dbrew; the wrap at 128 was measured on a console.
    pub struct FogLutIndex(u32) {
        /// Entry for the next data word.
        index, with_index: u8 = 0..7;
    }
}

crate::bits! {
    /// `GPUREG_FOG_LUT_DATAi`, 0x0E8-0x0EF, and the entries themselves. Source: 3dbrew.
    pub struct FogEntry(u32) {
        /// Difference to the value of the next entry.
        difference, with_difference: Fix1_1_11 = 0..13;
        /// Share of the fragment's colour.
        value, with_value: Fix0_0_11 = 13..24;
    }
}

crate::bits! {
    /// `GPUREG_GAS_LIGHT_XY`, 0x120 (planar shading), and `GPUREG_GAS_LIGHT_Z`, 0x121 (view shading).
    /// Source: 3dbrew.
    pub struct GasLight(u32) {
        /// Least intensity.
        minimum, with_minimum: u8 = 0..8;
        /// Greatest intensity.
        maximum, with_maximum: u8 = 8..16;
        /// Density attenuation.
        attenuation, with_attenuation: u8 = 16..24;
    }
}

crate::bits! {
    /// `GPUREG_GAS_LIGHT_Z_COLOR`, 0x122. Source: 3dbrew.
    pub struct GasLightZColour(u32) {
        /// Effect of view shading in the line of sight.
        effect, with_effect: u8 = 0..8;
        /// The colour table is indexed by the light factor instead of density.
        by_light_factor, with_by_light_factor: bool = 8..9;
    }
}

crate::bits! {
    /// `GPUREG_GAS_LUT_INDEX`, 0x123. Source: 3dbrew.
    pub struct GasLutIndex(u32) {
        /// Entry for the next data word.
        index, with_index: u8 = 0..4;
    }
}

crate::bits! {
    /// `GPUREG_GAS_LUT_DATA`, 0x124: signed differences in entries 0-7, colours in 8-15. Source: 3dbrew.
    pub struct GasEntry(u32) {
        /// Red.
        r, with_r: u8 = 0..8;
        /// Green.
        g, with_g: u8 = 8..16;
        /// Blue.
        b, with_b: u8 = 16..24;
    }
}

crate::bits! {
    /// 0x125: greatest density of an accumulation pass. Source: its use by system software.
    pub struct GasMaximum(u32) {
        /// Written 0 before a pass.
        start, with_start: u16 = 0..16;
        /// Read back after a pass.
        feedback, with_feedback: F16 = 16..32;
    }
}

crate::field_enum! {
    /// Depth comparison of gas accumulation. Source: 3dbrew.
    pub enum GasDepthFunc {
        /// Never.
        Never,
        /// Always.
        Always,
        /// Greater, or greater or equal.
        Greater,
        /// Less, less or equal, equal, or not equal.
        Less,
    } else Never
}

crate::bits! {
    /// `GPUREG_GAS_DELTAZ_DEPTH`, 0x126. Source: 3dbrew.
    pub struct GasDepth(u32) {
        /// Attenuation per depth difference.
        delta_z, with_delta_z: Fix0_16_8 = 0..24;
        /// Comparison.
        func, with_func: GasDepthFunc = 24..26;
    }
}

impl Registers {
    /// Fog colour, 0x0E1.
    #[must_use]
    pub fn fog_colour(&self) -> FogColour {
        FogColour(self.raw(0x0e1))
    }

    /// Density attenuation of gas, 0x0E4.
    #[must_use]
    pub fn gas_attenuation(&self) -> GasFactor {
        GasFactor(self.raw(0x0e4))
    }

    /// 1 over the greatest accumulated density, 0x0E5.
    #[must_use]
    pub fn gas_accmax(&self) -> GasFactor {
        GasFactor(self.raw(0x0e5))
    }

    /// Planar shading of gas, 0x120.
    #[must_use]
    pub fn gas_light_xy(&self) -> GasLight {
        GasLight(self.raw(0x120))
    }

    /// View shading of gas, 0x121.
    #[must_use]
    pub fn gas_light_z(&self) -> GasLight {
        GasLight(self.raw(0x121))
    }

    /// Colour of gas shading, 0x122.
    #[must_use]
    pub fn gas_light_z_colour(&self) -> GasLightZColour {
        GasLightZColour(self.raw(0x122))
    }

    /// Depth attenuation of gas, 0x126.
    #[must_use]
    pub fn gas_depth(&self) -> GasDepth {
        GasDepth(self.raw(0x126))
    }
}

pub(super) fn describe(id: u16) -> Description {
    match id {
        0x0e1 => Description::new("FOG_COLOR", FogColour::FIELDS),
        0x0e2 | 0x0e3 => undocumented(id, 0xffff),
        0x0e4 => Description::new("GAS_ATTENUATION", GasFactor::FIELDS),
        0x0e5 => Description::new("GAS_ACCMAX", GasFactor::FIELDS),
        0x0e6 => Description::new("FOG_LUT_INDEX", FogLutIndex::FIELDS).class(Class::Index),
        0x0e8..=0x0ef => {
            let name = format!("FOG_LUT_DATA{}", id - 0x0e8);
            Description::new(name, FogEntry::FIELDS).class(Class::Data)
        }
        0x120 => Description::new("GAS_LIGHT_XY", GasLight::FIELDS),
        0x121 => Description::new("GAS_LIGHT_Z", GasLight::FIELDS),
        0x122 => Description::new("GAS_LIGHT_Z_COLOR", GasLightZColour::FIELDS),
        0x123 => Description::new("GAS_LUT_INDEX", GasLutIndex::FIELDS).class(Class::Index),
        0x124 => Description::new("GAS_LUT_DATA", GasEntry::FIELDS).class(Class::Data),
        0x125 => Description { fields: GasMaximum::FIELDS, ..undocumented(id, 0xffff) },
        0x126 => Description::new("GAS_DELTAZ_DEPTH", GasDepth::FIELDS),
        _ => Description::unnamed(id, Class::Zero).implemented(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Field;

    #[test]
    fn every_mode_decodes_to_itself() {
        for code in 0..8 {
            assert_eq!(FogMode::from_bits(code).to_bits(), code);
        }
    }

    #[test]
    fn fog_entries() {
        let entry = FogEntry(0x0080_1c00);
        assert_eq!((entry.value().units(), entry.difference().units()), (1024, -1024));
    }

    #[test]
    fn classes() {
        let class = |id| describe(id).class;
        assert_eq!((class(0x0e8), class(0x0ef), class(0x124)), (Class::Data, Class::Data, Class::Data));
        assert_eq!((class(0x0e6), class(0x123)), (Class::Index, Class::Index));
        assert_eq!((class(0x0e7), class(0x0e2)), (Class::Zero, Class::Undocumented));
    }

    /// System software writes 0 and reads the maximum back; without gas accumulation it stays 0.
    #[test]
    fn gas_feedback_reads_zero() {
        assert_eq!(Registers::new().write(0x125, u32::MAX, 0xf), 0xffff);
    }
}
