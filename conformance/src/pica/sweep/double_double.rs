//! Powers and logarithms to base 2 with about 100 bits: pairs of binary64 whose unevaluated sum is the value.
//!
//! Shares nothing with the recipes it judges: series of Taylor, run until the terms vanish.

use std::ops::{Add, Div, Mul, Sub};

/// `high + low`, with `high` the binary64 nearest to the sum.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wide {
    high: f64,
    low: f64,
}

/// ln 2. The constants are its decimal expansion, split; 500-bit arithmetic gave both.
const LN_2: Wide = Wide { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
/// Terms after which either series has less than 2^-110 left.
const TERMS: u32 = 40;

impl Wide {
    const fn of(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }

    /// Sum of two numbers of which the first is not smaller in magnitude.
    fn fast_sum(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self { high: sum, low: low - (sum - high) }
    }

    fn sum(a: f64, b: f64) -> Self {
        let sum = a + b;
        let part = sum - a;
        Self { high: sum, low: (a - (sum - part)) + (b - part) }
    }

    /// True if the value is below `limit`.
    pub(super) fn below(self, limit: f64) -> bool {
        let distance = self - Self::of(limit);
        distance.high < 0.0
    }
}

impl Add for Wide {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.high, other.high);
        let low = Self::sum(self.low, other.low);
        let carried = Self::fast_sum(high.high, high.low + low.high);
        Self::fast_sum(carried.high, carried.low + low.low)
    }
}

impl Sub for Wide {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + Self { high: -other.high, low: -other.low }
    }
}

impl Mul for Wide {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = self.high * other.high;
        let error = self.high.mul_add(other.high, -product);
        Self::fast_sum(product, error + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Wide {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::of(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::of(second);
        Self::fast_sum(first, second) + Self::of(rest.high / other.high)
    }
}

/// 2^f for f in -0.5 ..= 0.5.
pub(super) fn power(f: f64) -> Wide {
    let x = Wide::of(f) * LN_2;
    let (mut sum, mut term) = (Wide::of(1.0), Wide::of(1.0));
    for k in 1..TERMS {
        term = term * x / Wide::of(f64::from(k));
        sum = sum + term;
    }
    sum
}

/// log2 of `mantissa` × 2^`exponent`, for a mantissa in 0.5 ..= 2.
pub(super) fn logarithm(mantissa: f64, exponent: i32) -> Wide {
    let s = Wide::of(mantissa - 1.0) / Wide::sum(mantissa, 1.0);
    let square = s * s;
    let (mut sum, mut power) = (s, s);
    for k in 1..TERMS {
        power = power * square;
        sum = sum + power / Wide::of(f64::from(2 * k + 1));
    }
    Wide::of(f64::from(exponent)) + (sum + sum) / LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// High and low part of references computed with 500 bits.
    fn near(value: Wide, high: f64, low: f64) {
        let distance = value - Wide { high, low };
        assert!((distance.high / high).abs() < 2_f64.powi(-98), "{value:?} is not {high:e} + {low:e}");
    }

    #[test]
    fn powers() {
        near(power(0.5), std::f64::consts::SQRT_2, -9.667293313452913e-17);
        near(power(-0.5), std::f64::consts::FRAC_1_SQRT_2, -4.833646656726457e-17);
        near(power(0.00297), 1.0020607675951076, -6.7570288840782906e-18);
        near(power(-0.0297), 0.9796239834891959, 2.7262521109107187e-17);
        near(power(0.123456), 1.089341274595266, -9.636708519530274e-17);
        near(power(-0.4375), 0.7384130729697497, -1.741997278446398e-17);
    }

    #[test]
    fn logarithms() {
        near(logarithm(1.5, 0), 0.5849625007211562, -5.224490061390109e-18);
        near(logarithm(0.75, 0), -0.4150374992788438, -5.224490061390109e-18);
        near(logarithm(1.0000001, 0), 1.4426949695965583e-07, 6.897421541207991e-24);
        near(logarithm(1.4140625, -126), -125.50015411291679, -5.621848729602859e-15);
        near(logarithm(0.7109375, 100), 99.5077946401987, -8.865350969880409e-17);
        near(logarithm(0.9999999, 1), 0.9999998557304888, -6.570325644113705e-20);
    }

    #[test]
    fn comparison_sees_the_low_part() {
        assert!(Wide { high: 1.0, low: -1e-25 }.below(1.0));
        assert!(!Wide { high: 1.0, low: 1e-25 }.below(1.0));
    }
}
