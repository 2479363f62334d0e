//! 0x0A8-0x0B7: the procedural texture.
//!
//! Source: pica-fragment.md 3.1; pica-geometry.md 2.3; 3dbrew, GPU/Internal Registers.

use crate::bits::Field;
use crate::pica::regs::fixed::Fix1_3_12;
use crate::pica::regs::{Class, Description, F16, Registers};

crate::field_enum! {
    /// Clamp mode of a coordinate of the procedural texture; coordinates are never negative.
    pub enum ProctexClamp {
        /// 0 above 1.
        ToZero,
        /// 1 above 1. Modes 5 to 7, which are unknown, act like this one (assumed).
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
        /// No shift. Mode 3, which is unknown, acts like this one (assumed).
        None,
        /// In odd rows.
        Odd,
        /// In even rows.
        Even,
    } else None
}

crate::field_enum! {
    /// Function of u and v; its value is the input of a map.
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
        /// 10 to 15, which are unknown: 0 (assumed).
        Unknown,
    } else Unknown
}

crate::field_enum! {
    /// Filter of the colour table.
    pub enum ProctexFilter {
        /// The closest entry of level 0.
        Nearest,
        /// Two entries of level 0. Filters 6 and 7, which are unknown, act like this one (assumed).
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
        /// Function whose value selects alpha, if alpha is separate.
        alpha_function, with_alpha_function: ProctexFunction = 10..14;
        /// Alpha is read from its own map instead of the colour table.
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
        /// Offset of the coordinate.
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
        /// Filter of the colour table.
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
    /// `GPUREG_TEXUNIT3_PROCTEX5`, 0x0AD, and its upper half 0x0AE: start of each level in the colour table.
    /// According to 3dbrew, levels 4 to 7 are fixed in hardware instead.
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
    /// `GPUREG_PROCTEX_LUT`, 0x0AF: write position of the data ports 0x0B0-0x0B7.
    pub struct ProctexLut(u32) {
        /// Entry.
        index, with_index: u8 = 0..8;
        /// Table.
        table, with_table: ProctexTable = 8..12;
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
    fn unknown_patterns_have_a_meaning() {
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
