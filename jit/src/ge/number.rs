//! Arithmetic of the geometry pipe, on [numbers](picaflor_pipeline::ge::number) of 16 significant bits. They are held in
//! `f64`, in which a product of two of them is exact.
//!
//! Source: psp-ge.md 0.1, 1.3, 1.4, measured on a console (depth precision, filtering, triangles, lights). The
//! captures do not cover exponents beyond those of a single float; there the range of `f64` is used (assumed).

use picaflor_pipeline::ge::number::t16;

/// Bits of an `f64` below its 16 significant ones.
const BELOW: u32 = 37;
/// Guard bits of the terms of a matrix row. The captures allow 1 to 4.
const GUARD: u32 = 2;

/// Exact product. It is +0 if a factor is 0, whatever the other: infinities and NaN are very large numbers (item 29).
#[must_use]
#[inline]
const fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// Product `M(a, b)`.
#[must_use]
#[inline]
pub(crate) const fn mul(a: f64, b: f64) -> f64 {
    t16(product(a, b))
}

/// Sum `A0(a, b)`: both are truncated to the last place of the one with the larger exponent before they are added.
#[must_use]
pub(crate) fn add(a: f64, b: f64) -> f64 {
    aligned_sum::<2>([a, b], 0)
}

/// Sum of products `D(...)`: [`add`] over all terms, with two more bits for each term.
#[must_use]
pub(crate) fn dot<const N: usize>(terms: [(f64, f64); N]) -> f64 {
    aligned_sum(terms.map(|(a, b)| product(a, b)), GUARD)
}

/// Exact sum of the terms, each truncated to `16 + guard` places below the largest exponent among them; the sum is
/// truncated again. If a term is infinite or NaN: the plain sum.
fn aligned_sum<const N: usize>(terms: [f64; N], guard: u32) -> f64 {
    if !terms.iter().all(|term| term.is_finite()) {
        return terms.iter().fold(0.0, |sum, term| sum + term);
    }
    let largest = terms.iter().map(|&term| exponent(term)).max().unwrap_or(0);
    let aligned = terms.map(|term| keep(term, BELOW - guard + (largest - exponent(term))));
    // `+ 0.0` makes a sum without terms, or of zeros, +0.
    t16(aligned.iter().fold(0.0, |sum, term| sum + term) + 0.0)
}

/// The exponent field.
const fn exponent(x: f64) -> u32 {
    (x.to_bits() >> 52) as u32 & 0x7ff
}

/// Truncates toward zero: clears the low `cleared` bits of the significand.
const fn keep(x: f64, cleared: u32) -> f64 {
    if cleared > 52 { 0.0 } else { f64::from_bits(x.to_bits() >> cleared << cleared) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_sums_truncate() {
        assert_eq!(t16(1.0 + f64::from(0x1_ffff) / 131_072.0), 1.0 + 65534.0 / 65536.0);
        assert_eq!(mul(1.0 + 1.0 / 32768.0, 1.0 + 1.0 / 32768.0), 1.0 + 2.0 / 32768.0);
        // Measured: toward the viewport's centre (5.2).
        assert_eq!(add(-238.0001, 2048.0), 1810.0);
        assert_eq!(add(-237.99, 2048.0), 1810.0625);
        assert_eq!(dot([(0.0, 5.0), (-0.0, 1.0)]).to_bits(), 0);
        assert_eq!(add(1.0, f64::INFINITY), f64::INFINITY);
    }

    /// 1.4: a term with a zero factor is 0; only what is left is the plain sum.
    #[test]
    fn zero_times_anything_is_zero() {
        for wild in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            for zero in [0.0, -0.0] {
                assert_eq!((mul(wild, zero), mul(zero, wild)), (0.0, 0.0));
                assert_eq!([mul(-3.0, zero), mul(zero, 3.0)].map(f64::to_bits), [0; 2]);
                assert_eq!(dot([(wild, zero), (zero, wild), (2.0, 3.0)]), 6.0);
            }
            assert!(!mul(wild, 1e-300).is_finite());
        }
        assert!(dot([(f64::INFINITY, 1.0), (f64::INFINITY, -1.0)]).is_nan());
        assert_eq!(dot([(f64::INFINITY, 2.0), (f64::NAN, 0.0)]), f64::INFINITY);
    }

    #[test]
    fn guard_bits_are_two() {
        let unit = 1.0 / 32768.0;
        // An eighth of the last place is lost in each term, a quarter is not.
        assert_eq!(dot([(1.0, 1.0), (unit / 8.0, 1.0), (unit * 0.875, 1.0)]), 1.0);
        assert_eq!(dot([(1.0, 1.0), (unit / 4.0, 1.0), (unit * 0.75, 1.0)]), 1.0 + unit);
    }
}
