//! Fixed-point formats of register fields, named as the manuals do: `fixS.I.F` has S sign bits (0 or 1), I
//! integer bits and F fraction bits; with a sign it is two's complement.
//!
//! Source for the format of each field: pica-geometry.md 0, pica-fragment.md 0.3. Lighting tables have sign and
//! magnitude instead; that is not a format of this file.

use crate::bits::Field;

/// A field in `fixS.I.F`, as a number of units of 2^-F.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fixed<const S: u32, const I: u32, const F: u32>(i32);

/// Texture level-of-detail bias, bits 12:0.
pub type Fix1_4_8 = Fixed<1, 4, 8>;
/// Spot light direction and difference of a fog table entry, bits 12:0.
pub type Fix1_1_11 = Fixed<1, 1, 11>;
/// Noise amplitude of the procedural texture, bits 15:0.
pub type Fix1_3_12 = Fixed<1, 3, 12>;
/// Value of a lighting or procedural table entry, bits 11:0. The user of the value decides the meaning of 0xfff:
/// reference emulators divide by 4095.
pub type Fix0_0_12 = Fixed<0, 0, 12>;
/// Value of a fog table entry, bits 10:0.
pub type Fix0_0_11 = Fixed<0, 0, 11>;
/// Depth proportion of gas, bits 23:0.
pub type Fix0_16_8 = Fixed<0, 16, 8>;

impl<const S: u32, const I: u32, const F: u32> Fixed<S, I, F> {
    /// Size of the field in bits. At most 24, so that every value is a binary32 value.
    pub const BITS: u32 = {
        assert!(S <= 1 && S + I + F >= 1 && S + I + F <= 24);
        S + I + F
    };

    /// The field in the low bits of `raw`; higher bits are ignored.
    #[must_use]
    pub const fn of(raw: u32) -> Self {
        let unused = 32 - Self::BITS;
        let field = raw << unused;
        Self(if S == 1 { field as i32 >> unused } else { (field >> unused) as i32 })
    }

    /// The value in units of 2^-F.
    #[must_use]
    pub const fn units(self) -> i32 {
        self.0
    }

    /// The value, exactly.
    #[must_use]
    pub const fn to_f32(self) -> f32 {
        self.0 as f32 / (1_u32 << F) as f32
    }
}

macro_rules! fixed_point {
    ($($name:ident)*) => {
        $(impl Field for $name {
            fn from_bits(raw: u32) -> Self {
                Self::of(raw)
            }
            fn to_bits(self) -> u32 {
                self.units() as u32
            }
        })*
    };
}

fixed_point! { Fix1_4_8 Fix1_1_11 Fix1_3_12 Fix0_0_12 Fix0_0_11 Fix0_16_8 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_fields_are_twos_complement() {
        for (raw, value) in
            [(0, 0.0), (0x100, 1.0), (0xfff, 15.996_094), (0x1000, -16.0), (0x1fff, -0.003_906_25)]
        {
            assert_eq!(Fix1_4_8::of(raw).to_f32(), value, "{raw:#x}");
        }
        assert_eq!(Fix1_1_11::of(0x800).to_f32(), 1.0);
        assert_eq!(Fix1_1_11::of(0x1800).to_f32(), -1.0);
        assert_eq!(Fix1_3_12::of(0x8000).to_f32(), -8.0);
        assert_eq!(Fix1_3_12::of(0x7fff).units(), 0x7fff);
    }

    #[test]
    fn unsigned_fields() {
        assert_eq!(Fix0_0_12::of(0xfff).units(), 4095);
        assert_eq!(Fix0_0_12::of(0x800).to_f32(), 0.5);
        assert_eq!(Fix0_0_11::of(0x400).to_f32(), 0.5);
        assert_eq!(Fix0_16_8::of(0xff_ffff).to_f32(), 65_535.996);
    }

    #[test]
    fn higher_bits_are_ignored() {
        assert_eq!(Fix1_1_11::of(0xffff_e800), Fix1_1_11::of(0x800));
        assert_eq!(Fix0_0_12::of(0xffff_f001), Fix0_0_12::of(1));
    }

    #[test]
    fn every_value_is_exact() {
        for raw in 0..1 << Fix1_3_12::BITS {
            let field = Fix1_3_12::of(raw);
            assert_eq!(f64::from(field.to_f32()) * 4096.0, f64::from(field.units()));
        }
        for raw in (0..1 << Fix0_16_8::BITS).step_by(97) {
            assert_eq!(f64::from(Fix0_16_8::of(raw).to_f32()) * 256.0, f64::from(raw));
        }
    }
}
