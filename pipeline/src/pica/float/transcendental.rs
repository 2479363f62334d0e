//! The recipes of `EX2` and `LG2`, which both engines follow operation by operation.
//!
//! The definition (pica-shader.md 3.5) is the binary32 value nearest to the mathematical result. These recipes reach
//! it for all 2^32 inputs of either operation: `picaflor sweep` tests them, with 100 bits where binary64 cannot
//! decide. The results of the console are unknown; correct rounding is assumed.
//!
//! A compiled engine emits the same operations on vectors, with the same constants in the same order: all
//! arithmetic is binary64, rounded to nearest, never contracted; there are no branches and no tables. The
//! steps are numbered in [`ex2`] and [`lg2`].
//!
//! The coefficients are minimax polynomials (Remez exchange in 60-digit arithmetic, error relative to the
//! function), each coefficient rounded to the nearest binary64.

use super::CANONICAL_NAN;

/// Bounds of the argument of [`ex2`], binary32: 2^-151 rounds to zero and 2^129 overflows.
pub const EX2_CLAMP: [f32; 2] = [-151.0, 129.0];
/// Binary64 bits of 1.5 × 2^52. Adding it rounds to an integer, which is then in the low bits of the sum.
pub const EX2_ROUND: u64 = 0x4338_0000_0000_0000;
/// Binary64 bits of `c1` to `c10` in 2^f ≈ 1 + c1 f + c2 f² + … on -0.5 ..= 0.5, relative error 2^-51.99.
/// `c1` is near ln 2.
pub const EX2_COEFFICIENTS: [u64; 10] = [
    0x3fe6_2e42_fefa_3a12,
    0x3fce_bfbd_ff82_c431,
    0x3fac_6b08_d703_e17a,
    0x3f83_b2ab_6fbd_6cfe,
    0x3f55_d87f_e9b8_f155,
    0x3f24_3091_26c0_241d,
    0x3eef_fcb5_8c9e_dbe0,
    0x3eb6_2c14_7a0c_9e4c,
    0x3e7b_671b_32f7_7151,
    0x3e3e_3a90_b27d_396d,
];
/// The binary32 patterns for which [`ex2`] adds one to the bits of its result: their powers lie so close to the
/// middle between two values that binary64 rounds onto it. Neither is a 24-bit value, so code for the `Console`
/// profile may omit the step.
pub const EX2_EXCEPTIONS: [u32; 2] = [0x3b42_9d37, 0xbcf3_a937];

/// Binary64 bits of √½, the lower bound of the mantissa in [`lg2`].
pub const LG2_PIVOT: u64 = 0x3fe6_a09e_667f_3bcd;
/// Binary64 bits of 2^52. With a small integer in the low bits: 2^52 plus the integer.
pub const LG2_INTEGER: u64 = 0x4330_0000_0000_0000;
/// Binary64 bits of 2^52 + 1023.
pub const LG2_BIAS: u64 = 0x4330_0000_0000_03ff;
/// Binary64 bits of `c0` to `c6` in log2 m ≈ s (c0 + c1 s² + c2 s⁴ + …), where s = (m - 1) / (m + 1), on
/// √½ ..= √2, relative error 2^-52.1. `c0` is near 2 / ln 2.
pub const LG2_COEFFICIENTS: [u64; 7] = [
    0x4007_1547_652b_82ff,
    0x3fee_c709_dc39_c9e6,
    0x3fe2_776c_516a_93fd,
    0x3fda_6175_6772_4299,
    0x3fd4_84fa_c1fa_f834,
    0x3fd0_bb7b_dec6_bd20,
    0x3fcf_184c_61e6_7fb6,
];

/// Binary64 bits of 1.
const ONE: u64 = 0x3ff0_0000_0000_0000;
/// The mantissa of a binary64.
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;

/// `EX2`: 2^x, the nearest binary32, ties to even. Both profiles; `Console` flushes the operand before and
/// applies [`truncate`](super::truncate) after. Measured: 0 of 2^32 inputs are not correctly rounded.
///
/// ```text
///  1  c = x < -151 ? -151 : x;  c = c > 129 ? 129 : c          binary32; NaN passes both
///  2  d = binary64(c)
///  3  t = d + ROUND;  n = t - ROUND;  f = d - n                n integer, f in -0.5 ..= 0.5, exact
///  4  w = f × f
///  5  a = c2 + w × (c4 + w × (c6 + w × (c8 + w × c10)))
///  6  b = c3 + w × (c5 + w × (c7 + w × c9))
///  7  p = 1 + f × (c1 + f × (a + f × b))
///  8  r = binary32(bits(p) + (bits(t) << 52))                  scales by 2^n; rounds, to subnormals too
///  9  bits(r) + 1 where bits(x) is one of the two exceptions
/// 10  0x7fc00000 where x is NaN
/// ```
#[must_use]
pub fn ex2(x: f32) -> f32 {
    let c = if x < EX2_CLAMP[0] { EX2_CLAMP[0] } else { x };
    let c = if c > EX2_CLAMP[1] { EX2_CLAMP[1] } else { c };
    let d = f64::from(c);
    let round = f64::from_bits(EX2_ROUND);
    let t = d + round;
    let f = d - (t - round);
    let scaled = ex2_fraction(f).to_bits().wrapping_add(t.to_bits() << 52);
    let nearest = (f64::from_bits(scaled) as f32).to_bits();
    let exceptional = u32::from(EX2_EXCEPTIONS.contains(&x.to_bits()));
    f32::from_bits(if x.is_nan() { CANONICAL_NAN } else { nearest + exceptional })
}

/// Steps 4 to 7 of [`ex2`].
fn ex2_fraction(f: f64) -> f64 {
    let [c1, c2, c3, c4, c5, c6, c7, c8, c9, c10] = EX2_COEFFICIENTS.map(f64::from_bits);
    let w = f * f;
    let a = c2 + w * (c4 + w * (c6 + w * (c8 + w * c10)));
    let b = c3 + w * (c5 + w * (c7 + w * c9));
    1.0 + f * (c1 + f * (a + f * b))
}

/// `LG2`: log2 x, the nearest binary32, ties to even. Both profiles; `Console` flushes the operand before and
/// applies [`truncate`](super::truncate) after. Measured: 0 of 2^32 inputs are not correctly rounded.
///
/// ```text
///  1  d = binary64(x)                                          subnormals become normal
///  2  u = bits(d) + (bits(1) - PIVOT)                          modulo 2^64, as in 4
///  3  k = float((u >> 52) | INTEGER) - BIAS                    the exponent of d as a float, exact
///  4  m = float((u & 0x000fffffffffffff) + PIVOT)              d = m × 2^k, m in √½ .. √2
///  5  s = (m - 1) / (m + 1);  z = s × s;  y = z × z
///  6  a = c1 + y × (c3 + y × c5)
///  7  b = c2 + y × (c4 + y × c6)
///  8  r = binary32(k + s × (c0 + z × (a + z × b)))
///  9  +inf where x = +inf;  -inf where x = 0 (or -0);  0x7fc00000 where not x ≥ 0
/// ```
#[must_use]
pub fn lg2(x: f32) -> f32 {
    let u = f64::from(x).to_bits().wrapping_add(ONE - LG2_PIVOT);
    let k = f64::from_bits(u >> 52 | LG2_INTEGER) - f64::from_bits(LG2_BIAS);
    let m = f64::from_bits((u & MANTISSA) + LG2_PIVOT);
    let nearest = (k + lg2_mantissa(m)) as f32;
    if x == f32::INFINITY {
        x
    } else if x == 0.0 {
        f32::NEG_INFINITY
    } else if x >= 0.0 {
        nearest
    } else {
        f32::from_bits(CANONICAL_NAN)
    }
}

/// Steps 5 to 8 of [`lg2`], without the exponent.
fn lg2_mantissa(m: f64) -> f64 {
    let [c0, c1, c2, c3, c4, c5, c6] = LG2_COEFFICIENTS.map(f64::from_bits);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let y = z * z;
    let a = c1 + y * (c3 + y * c5);
    let b = c2 + y * (c4 + y * c6);
    s * (c0 + z * (a + z * b))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: u32 = CANONICAL_NAN;

    #[test]
    fn ex2_special_values() {
        for (x, expected) in [
            (f32::INFINITY, 0x7f80_0000),
            (f32::NEG_INFINITY, 0),
            (f32::NAN, NAN),
            (f32::from_bits(0xff80_0001), NAN),
            (f32::from_bits(0x7fff_ffff), NAN),
            (0.0, 0x3f80_0000),
            (-0.0, 0x3f80_0000),
            (f32::from_bits(1), 0x3f80_0000),
            (f32::MAX, 0x7f80_0000),
            (f32::MIN, 0),
            (800.0, 0x7f80_0000),
            (-800.0, 0),
            (-150.0, 0),
            (f32::from_bits((-150.0_f32).to_bits() - 1), 1),
            (f32::from_bits(128.0_f32.to_bits() - 1), 0x7f7f_ffa7),
        ] {
            assert_eq!(ex2(x).to_bits(), expected, "ex2({x:?})");
        }
    }

    #[test]
    fn ex2_of_integers_is_exact() {
        for n in -149..128 {
            assert_eq!(f64::from(ex2(n as f32)), 2_f64.powi(n), "ex2({n})");
        }
        assert_eq!(ex2(128.0), f32::INFINITY);
    }

    #[test]
    fn ex2_exceptions_are_rounded_correctly() {
        // Reference values from 400-bit arithmetic.
        assert_eq!(ex2(f32::from_bits(0x3b42_9d37)).to_bits(), 0x3f80_4385);
        assert_eq!(ex2(f32::from_bits(0xbcf3_a937)).to_bits(), 0x3f7a_c6b1);
    }

    #[test]
    fn ex2_exceptions_are_no_24_bit_values() {
        assert!(EX2_EXCEPTIONS.iter().all(|bits| bits & 0x7f != 0));
    }

    #[test]
    fn lg2_special_values() {
        for (x, expected) in [
            (f32::INFINITY, 0x7f80_0000),
            (f32::NEG_INFINITY, NAN),
            (f32::NAN, NAN),
            (f32::from_bits(0xff80_0001), NAN),
            (0.0, 0xff80_0000),
            (-0.0, 0xff80_0000),
            (-1.0, NAN),
            (f32::from_bits(0x8000_0001), NAN),
            (f32::MAX, 0x4300_0000),
        ] {
            assert_eq!(lg2(x).to_bits(), expected, "lg2({x:?})");
        }
    }

    #[test]
    fn lg2_of_powers_is_exact() {
        for n in -149..128 {
            assert_eq!(lg2(2_f64.powi(n) as f32).to_bits(), (n as f32).to_bits(), "lg2(2^{n})");
        }
    }

    /// Values between -1/2 and 1/2, and significands from 1 to 2, whose polynomials use every coefficient. The results
    /// are the nearest numbers, which the host's binary64 functions round to as well.
    #[test]
    fn results_are_the_nearest() {
        for k in 0..200_000_u32 {
            let x = (k as f32 - 100_000.0) / 200_003.0;
            assert_eq!(ex2(x).to_bits(), (f64::from(x).exp2() as f32).to_bits(), "ex2({x:?})");
            let x = 1.0 + k as f32 / 200_003.0;
            assert_eq!(lg2(x).to_bits(), (f64::from(x).log2() as f32).to_bits(), "lg2({x:?})");
        }
    }

    #[test]
    fn manual_vectors() {
        let rounded = |v: f32| super::super::to_f24(super::super::truncate(v)).unwrap();
        assert_eq!(rounded(ex2(0.5)), 0x3f_6a09);
        assert_eq!(rounded(lg2(3.0)), 0x3f_95c0);
        assert_eq!(rounded(lg2(10.0)), 0x40_a934);
        assert!((lg2(1e24) - 79.726_27).abs() < 1e-5);
        assert!((ex2(79.726_27) / 1e24 - 1.0).abs() < 1e-5);
    }
}
