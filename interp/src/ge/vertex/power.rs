//! `gepow`: the power function of lights, with straight lines for the logarithm and its inverse.
//!
//! Source: psp-ge.md 6.4, measured on a console (lights).

/// Bits of the fraction of a double.
const FRACTION: u64 = (1 << 52) - 1;
/// Bias of the exponent of a double.
const BIAS: i32 = 1023;

/// `x` to the power of `exponent`.
pub(super) fn gepow(x: f64, exponent: f32) -> f64 {
    let is_negative_nan = exponent.is_nan() && exponent.is_sign_negative();
    if exponent <= 0.0 || is_negative_nan {
        return 1.0;
    }
    if x <= 0.0 || x.is_nan() {
        return x;
    }
    if !exponent.is_finite() {
        return if x >= 1.0 { 1.0 } else { 0.0 };
    }
    line_exp2(line_log2(x) * f64::from(exponent))
}

/// `k + m` of `2^k * (1 + m)`.
fn line_log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let k = (bits >> 52) as i32 - BIAS;
    let one_and_m = f64::from_bits(bits & FRACTION | (BIAS as u64) << 52);
    f64::from(k) + (one_and_m - 1.0)
}

/// `2^k * (1 + m)` of `k + m`; 0 and infinity beyond the range of doubles.
fn line_exp2(y: f64) -> f64 {
    let whole = y.floor();
    let exponent = (whole as i32).clamp(-BIAS, BIAS + 1) + BIAS;
    f64::from_bits((exponent as u64) << 52) * (1.0 + (y - whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_powers() {
        assert_eq!(gepow(0.5, 0.5), 0.75);
        assert!((gepow(0.866, 2.0) - 0.732).abs() < 1e-9);
        assert_eq!(gepow(0.5, 1.0), 0.5);
        assert!([0.5, 1.0, 3.0, 100.0].iter().all(|&e| gepow(1.0, e) == 1.0));
    }

    #[test]
    fn exponents_that_are_no_numbers() {
        let (nan, infinity) = (f32::NAN.copysign(1.0), f32::INFINITY);
        for always_one in [0.0, -1.0, -infinity, -nan] {
            assert_eq!([-1.0, 0.0, 0.5, 2.0].map(|x| gepow(x, always_one)), [1.0; 4]);
        }
        for step in [nan, infinity] {
            assert_eq!([-1.0, 0.0, 0.5, 1.0, 2.0].map(|x| gepow(x, step)), [-1.0, 0.0, 0.0, 1.0, 1.0]);
        }
        assert!(gepow(f64::NAN, 1.0).is_nan());
    }

    #[test]
    fn results_beyond_doubles() {
        assert_eq!((gepow(0.5, 1e30), gepow(2.0, 1e30)), (0.0, f64::INFINITY));
        assert_eq!(
            (gepow(f64::INFINITY, 2.0), gepow(f64::INFINITY, 0.5)),
            (f64::INFINITY, 2.0_f64.powi(512))
        );
    }
}
