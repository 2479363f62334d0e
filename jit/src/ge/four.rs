//! Four doubles at once: Rust that becomes vectors, of 256 bits inside of [`wide`](crate::code::vectors::wide), if all of it
//! is inlined there.

use std::ops::{Add, Div, Mul, Sub};

/// The last bit of numbers near to this one is 1, and their low bits count from 0 on.
pub(crate) const UNITS: f64 = (3_u64 << 51) as f64;

/// Four doubles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Four(pub(crate) [f64; 4]);

impl Four {
    /// The same double four times.
    #[inline(always)]
    pub(crate) const fn splat(value: f64) -> Self {
        Self([value; 4])
    }

    /// Integers below 2^51, exactly.
    #[inline(always)]
    pub(crate) fn of_integers(integers: [i64; 4]) -> Self {
        let near = integers.map(|integer| f64::from_bits(UNITS.to_bits().wrapping_add_signed(integer)));
        Self(near) - Self::splat(UNITS)
    }

    /// Small integers.
    #[inline(always)]
    pub(crate) fn of_small([a, b, c, d]: [i32; 4]) -> Self {
        Self([f64::from(a), f64::from(b), f64::from(c), f64::from(d)])
    }

    /// A function of each.
    #[inline(always)]
    pub(crate) fn each(self, of: impl Fn(f64) -> f64) -> Self {
        let [a, b, c, d] = self.0;
        Self([of(a), of(b), of(c), of(d)])
    }

    /// A function of each with that of another one in its place.
    #[inline(always)]
    pub(crate) fn with(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([of(a, e), of(b, f), of(c, g), of(d, h)])
    }

    /// Without signs.
    #[inline(always)]
    pub(crate) fn magnitude(self) -> Self {
        self.each(f64::abs)
    }

    /// The larger one of each; the other one beside a NaN.
    #[inline(always)]
    pub(crate) fn larger(self, other: Self) -> Self {
        self.with(other, |a, b| if a > b { a } else { b })
    }
}

impl Add for Four {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

impl Sub for Four {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
}

impl Mul for Four {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }
}

impl Div for Four {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.with(other, |a, b| a / b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact() {
        let all = [0, -1, (1 << 51) - 1, 1 - (1 << 51)];
        assert_eq!(Four::of_integers(all).0, all.map(|integer| integer as f64));
        assert_eq!(
            Four::of_small([0, -7, i32::MAX, i32::MIN]).0,
            [0.0, -7.0, 2_147_483_647.0, -2_147_483_648.0]
        );
    }

    #[test]
    fn a_nan_gives_way() {
        let found = Four([f64::NAN, 1.0, 2.0, -0.0]).larger(Four([3.0, 4.0, 1.0, -1.0]));
        assert_eq!(found.0, [3.0, 4.0, 2.0, -0.0]);
    }
}
