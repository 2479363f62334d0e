//! Arithmetic of the geometry pipe: numbers of 16 significant bits, truncated, held in `f64`.
//!
//! Source: psp-ge.md 0.1, 1.4, and item 29 of section 15 (products with zero). Exponents beyond those of a single are
//! those of `f64` (assumed).

/// Bits of a double below its 16 significant ones.
const DROPPED: u32 = 37;
/// Guard bits G of the terms of `D`.
const GUARD: u32 = 2;
/// Guard bits of the terms of `A0`.
const NO_GUARD: u32 = 0;

/// `T16(x)`: truncation toward zero to 16 significant bits.
pub(super) const fn t16(x: f64) -> f64 {
    truncated(x, DROPPED)
}

/// `M(a, b)`: the truncated product. A product with a zero factor is zero, also that of an infinity or a NaN.
pub(super) fn mul(a: f64, b: f64) -> f64 {
    t16(product(a, b))
}

/// `A0(a, b)`: the sum of terms that are truncated to the last place of the larger one.
pub(super) fn add(a: f64, b: f64) -> f64 {
    aligned_sum([a, b], NO_GUARD)
}

/// `D(t1..tn)`: the sum of products that keep two bits more.
pub(super) fn dot<const N: usize>(factors: [(f64, f64); N]) -> f64 {
    aligned_sum(factors.map(|(a, b)| product(a, b)), GUARD)
}

/// The half-offset product of bytes (0.1). Factors are 0 to 510.
pub(super) const fn mul8(a: u32, b: u32) -> u32 {
    ((2 * a + 1) * (2 * b + 1)) >> 10
}

/// Zero absorbs everything; other products are those of doubles.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// Zero terms are left out. Among the others, the largest exponent E decides what is kept: multiples of
/// `2^(E - 15 - guard)`. With an infinity or a NaN among them, the sum is that of doubles.
fn aligned_sum<const N: usize>(terms: [f64; N], guard: u32) -> f64 {
    let kept = || terms.iter().copied().filter(|&term| term != 0.0);
    if kept().any(|term| !term.is_finite()) {
        return kept().sum();
    }
    let largest = kept().map(exponent).max().unwrap_or(0);
    let aligned = kept().map(|term| truncated(term, DROPPED - guard + largest - exponent(term)));
    t16(aligned.fold(0.0, |sum, term| sum + term))
}

/// The biased exponent of a double.
const fn exponent(x: f64) -> u32 {
    (x.to_bits() >> 52 & 0x7ff) as u32
}

/// Clears low bits of the fraction. If even the implied bit goes, the result is zero.
const fn truncated(x: f64, bits: u32) -> f64 {
    if bits > 52 { 0.0 } else { f64::from_bits(x.to_bits() & (u64::MAX << bits)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 unit in the last of 16 places of numbers from 1 to 2.
    const PLACE: f64 = 1.0 / 32768.0;

    #[test]
    fn sixteen_bits_remain() {
        assert_eq!(t16(1.0 + 1.5 * PLACE), 1.0 + PLACE);
        assert_eq!(t16(-1.0 - 1.5 * PLACE), -1.0 - PLACE);
        assert_eq!(t16(1.0 / 3.0), 43690.0 / 131_072.0);
        assert_eq!([t16(65535.9), t16(131_071.0)], [65535.0, 131_070.0]);
        assert_eq!(t16(f64::NEG_INFINITY), f64::NEG_INFINITY);
    }

    /// 1.4: the product is exact before it is truncated; (1 + p) squared is 1 + 2p + p*p.
    #[test]
    fn products_are_truncated() {
        assert_eq!(mul(1.0 + PLACE, 1.0 + PLACE), 1.0 + 2.0 * PLACE);
        assert_eq!(mul(3.0, 0.5), 1.5);
    }

    /// Item 29.
    #[test]
    fn zero_absorbs_everything() {
        for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!([mul(0.0, strange), mul(strange, -0.0)], [0.0; 2]);
            assert_eq!(dot([(strange, 0.0), (2.0, 3.0), (0.0, strange)]), 6.0);
            assert!(!dot([(strange, 1.0), (2.0, 3.0)]).is_finite());
        }
        assert!(dot([(f64::INFINITY, 1.0), (f64::NEG_INFINITY, 1.0)]).is_nan());
    }

    /// The example of 5.2: with centre 2048 the quantum is 1/16.
    #[test]
    fn sums_are_aligned_without_guard_bits() {
        assert_eq!(add(-238.0001, 2048.0), 1810.0);
        assert_eq!(add(-237.99, 2048.0), 1810.0625);
        assert_eq!(add(1.0, 0.99 * PLACE), 1.0);
        assert_eq!(add(0.0, -0.75), -0.75);
        assert_eq!([add(0.0, -0.0).to_bits(), add(2.0, -2.0).to_bits()], [0, 0]);
    }

    /// A quarter of the last place is kept in each term of D, an eighth is not; A0 keeps neither.
    #[test]
    fn two_guard_bits() {
        assert_eq!(dot([(1.0, 1.0), (PLACE * 0.25, 1.0), (PLACE * 0.75, 1.0)]), 1.0 + PLACE);
        assert_eq!(dot([(1.0, 1.0), (PLACE * 0.125, 1.0), (PLACE * 0.875, 1.0)]), 1.0);
    }

    /// 0.1: `mul8(x, 255) = x`, `mul8(x, 0) = 0`; (2*128+1)(2*64+1) = 33153, a 1024th of it is 32.4.
    #[test]
    fn products_of_bytes() {
        assert!((0..256).all(|x| mul8(x, 255) == x && mul8(x, 0) == 0));
        assert_eq!(mul8(128, 64), 32);
    }
}
