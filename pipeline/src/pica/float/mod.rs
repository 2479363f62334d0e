//! Number formats of the PICA200 and the two precision profiles.
//!
//! A register value is kept as an `f32`: every 24-bit value is also a binary32 value, so both profiles share
//! registers, uniforms and outputs. In the `Console` profile the low seven mantissa bits of a value are zero.
//!
//! Source for the formats: 3dbrew, GPU/Internal Registers (float formats) and GPU/Shader Instruction Set
//! (floating-point behaviour); for truncation and flushing: the console tests and games listed in each item.

mod formats;
mod transcendental;

pub use formats::{encode_f16, encode_f20, encode_f24, encode_f31, f16, f20, f24, f31, to_f24, unpack_f24x4};
pub use transcendental::*;

/// Rounding of shader arithmetic. A property of the machine, contained in every batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// Every arithmetic result passes through [`truncate`]: 24 bits, no subnormals, no negative zero. The behaviour
    /// of the chip according to the evidence; some games need it.
    #[default]
    Console,
    /// Plain binary32 with the PICA multiply rule, as in most emulators.
    Binary32,
}

/// The NaN that arithmetic produces, in both profiles: payloads and signs on the console are unknown.
pub const CANONICAL_NAN: u32 = 0x7fc0_0000;
/// Bits of the smallest positive normal 24-bit value, 2^-62.
pub const SMALLEST_NORMAL: u32 = 0x2080_0000;
/// Bits of the smallest magnitude that is too large for 24 bits, 2^64.
pub const OVERFLOW: u32 = 0x5f80_0000;
/// The sign, exponent and mantissa bits of binary32 that a 24-bit value has.
pub const MANTISSA_MASK: u32 = 0xffff_ff80;

/// `T`: conversion of a binary32 result to a value of the 24-bit unit.
///
/// Magnitudes below 2^-62 become +0, from 2^64 on infinite; the mantissa is truncated to 16 bits; -0 and NaN payloads
/// do not exist. Source: pica-shader.md 3.2; truncation and flushing are measured on consoles, truncation *of the
/// rounded binary32 result* is assumed (a console test of 1 - 2^-25 would settle it).
#[must_use]
pub fn truncate(value: f32) -> f32 {
    let bits = value.to_bits();
    match bits & 0x7fff_ffff {
        0x7f80_0001.. => f32::from_bits(CANONICAL_NAN),
        0..SMALLEST_NORMAL => 0.0,
        OVERFLOW.. => f32::from_bits(bits & 0x8000_0000 | 0x7f80_0000),
        _ => f32::from_bits(bits & MANTISSA_MASK),
    }
}

/// Conversion of an operand of 24-bit arithmetic: magnitudes below 2^-62, -0 included, become +0.
/// Measured on a console: `mul(s, 2) = 0`, `rcp(-0) = +inf`.
#[must_use]
pub fn flush(value: f32) -> f32 {
    if value.to_bits() & 0x7fff_ffff < SMALLEST_NORMAL { 0.0 } else { value }
}

/// The canonical NaN for any NaN, in both profiles; other values are unchanged.
#[must_use]
pub fn canonical(value: f32) -> f32 {
    if value.is_nan() { f32::from_bits(CANONICAL_NAN) } else { value }
}

impl Precision {
    /// Converts a binary32 word of the guest (an attribute, or a uniform in 32-bit mode) to a register value.
    /// Narrowing by [`truncate`] in `Console` is assumed.
    #[must_use]
    pub fn load_f32(self, value: f32) -> f32 {
        match self {
            Self::Console => truncate(value),
            Self::Binary32 => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncation() {
        for (bits, expected) in [
            (0x3f80_007f, 0x3f80_0000),
            (0xbfff_ffff, 0xbfff_ff80),
            (0x8000_0000, 0),
            (0x207f_ffff, 0),
            (0xa07f_ffff, 0),
            (0x2080_0000, 0x2080_0000),
            (0xa080_0000, 0xa080_0000),
            (0x5f7f_ffff, 0x5f7f_ff80),
            (0x5f80_0000, 0x7f80_0000),
            (0xdf80_0000, 0xff80_0000),
            (0x7f80_0000, 0x7f80_0000),
            (0xff80_0001, CANONICAL_NAN),
            (0x7fff_ffff, CANONICAL_NAN),
        ] {
            assert_eq!(truncate(f32::from_bits(bits)).to_bits(), expected, "T({bits:08x})");
        }
    }

    #[test]
    fn flushing() {
        for (bits, expected) in [
            (0x8000_0000, 0),
            (0x207f_ff00, 0),
            (0x9880_0000, 0),
            (0x2080_0000, 0x2080_0000),
            (0xffc0_0080, 0xffc0_0080),
            (0xff80_0000, 0xff80_0000),
        ] {
            assert_eq!(flush(f32::from_bits(bits)).to_bits(), expected, "flush({bits:08x})");
        }
    }

    /// Rows of pica-shader.md 11.7: a binary32 result and the pattern that is left of it.
    #[test]
    fn manual_arithmetic() {
        let (one, two) = (f24(0x3f_0001), f24(0x3f_ffff));
        for (value, raw) in [
            (1.0 + 2_f32.powi(-16), 0x3f_0001),
            (1.0 + 2_f32.powi(-17), 0x3f_0000),
            (1.0 - 2_f32.powi(-17), 0x3e_ffff),
            (1.0 - 2_f32.powi(-24), 0x3e_ffff),
            (1.0 - 2_f32.powi(-25), 0x3f_0000),
            (one * one, 0x3f_0002),
            (two * two, 0x40_fffe),
            (f24(0x01_0000) * 0.5, 0x00_0000),
            (f24(0x7e_ffff) * 2.0, 0x7f_0000),
            (f24(0x3b_9999) + f24(0x3c_9999), 0x3d_3332),
            (1.0 / 3.0, 0x3d_5555),
            (1.0 / -3.0, 0xbd_5555),
            (1.0 / 7.0, 0x3c_2492),
            (1.0 / 10.0, 0x3b_9999),
            (1.0 / 2_f32.sqrt(), 0x3e_6a09),
            (1.0 / 3_f32.sqrt(), 0x3e_279a),
        ] {
            assert_eq!(to_f24(truncate(value)), Some(raw), "T({value:?})");
        }
    }

    #[test]
    fn one_reaches_zero_after_63_halvings() {
        let mut value = 1.0;
        let halvings = (1..).find(|_| {
            value = truncate(value * 0.5);
            value == 0.0
        });
        assert_eq!(halvings, Some(63));
    }

    #[test]
    fn loading_binary32() {
        let value = f32::from_bits(0x3f80_007f);
        assert_eq!(Precision::Console.load_f32(value), 1.0);
        assert_eq!(Precision::Binary32.load_f32(value), value);
    }

    #[test]
    fn canonical_leaves_numbers_alone() {
        assert_eq!(canonical(f32::from_bits(0xff80_0001)).to_bits(), CANONICAL_NAN);
        assert_eq!(canonical(-0.0).to_bits(), 0x8000_0000);
        assert_eq!(canonical(f32::NEG_INFINITY), f32::NEG_INFINITY);
    }
}
