//! Plain primitives: texture coordinates without a division for each pixel.
//!
//! The manual's coordinates are quotients of sums of products of doubles, each rounded (8.6). Most primitives have
//! coordinates of few bits and an area of not too many; then nothing but the quotient is ever rounded, the sum is
//! linear, and of the quotient only the floor of 256 texels of it counts. [`Plain::of`] proves for a primitive that a
//! product with the reciprocal and a nudge has that floor; others take the long way.

/// Bits that sums may have: one less than a double.
const MOST_BITS: u32 = 52;
/// Positions of plain primitives, in 1/256 texels, stay below; beyond, they are limited.
const FARTHEST: f64 = (1 << 29) as f64;
/// Columns that a row has at most.
const COLUMNS: i128 = 1024;

/// A coordinate across a plain primitive: `(first + step * columns) * scale + nudge`, floored, is its position in
/// 1/256 texels.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Plain {
    /// The values at the corners in whole units.
    values: [i64; 3],
    /// The unit, a power of two.
    pub(super) unit: f64,
    pub(super) scale: f64,
    pub(super) nudge: f64,
}

impl Plain {
    /// Values at three corners, of which pixels get the mean by weights that are whole numbers of 0 to `area`, their
    /// sum; outside of the primitive weights reach `most`, and they change by up to `step` from column to column.
    /// `texels` is a power of two, from a coordinate to 1/256 texels.
    pub(super) fn of(values: [f64; 3], area: i64, [most, step]: [i64; 2], texels: f64) -> Option<Self> {
        let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let (values, unit) = in_units(values)?;
        let longest = values.iter().map(|value| value.unsigned_abs()).max()?;
        let sum = |weight: i64| 3 * i128::from(weight) * i128::from(longest);
        if sum(most) >> MOST_BITS != 0 || (sum(step) * COLUMNS) >> MOST_BITS != 0 {
            return None;
        }
        // Exact positions are multiples of this, or of 1 / area where units are large.
        let distance = (unit * texels).min(1.0) / area as f64;
        let farthest = largest * texels;
        // The quotient, rounded as the manual has it, and the product here are both within 2^-51 of the position,
        // relatively: half of the distance is more than both.
        let is_safe = farthest < FARTHEST && distance > farthest / (1_u64 << 50) as f64;
        is_safe.then_some(Self { values, unit, scale: texels / area as f64, nudge: distance / 2.0 })
    }

    /// A coordinate that has the same position everywhere.
    pub(super) fn constant(position: f64) -> Self {
        Self { values: [position as i64, 0, 0], unit: 1.0, scale: 1.0, nudge: 0.5 }
    }

    /// The sum of the values times these weights.
    pub(super) fn sum(&self, weights: [i64; 3]) -> f64 {
        self.of_units(self.units(weights))
    }

    /// The same in whole units. It wraps where weights are larger than said.
    pub(super) fn units(&self, weights: [i64; 3]) -> i64 {
        let products = self.values.iter().zip(weights).map(|(value, weight)| value.wrapping_mul(weight));
        products.fold(0, i64::wrapping_add)
    }

    /// So many units.
    pub(super) const fn of_units(&self, units: i64) -> f64 {
        units as f64 * self.unit
    }
}

/// Numbers as multiples of one power of two, if these are not too long.
fn in_units(values: [f64; 3]) -> Option<([i64; 3], f64)> {
    let parts = values.map(parts);
    let lowest = parts.iter().flatten().filter(|part| part.0 != 0).map(|part| part.1).min().unwrap_or(0);
    let mut whole = [0; 3];
    for (whole, part) in whole.iter_mut().zip(parts) {
        let (significand, exponent) = part?;
        let up = if significand == 0 { 0 } else { exponent - lowest };
        if up > 40 || significand.unsigned_abs().leading_zeros() < up.unsigned_abs() + 2 {
            return None;
        }
        *whole = significand << up;
    }
    let unit = f64::from_bits(u64::try_from(lowest + 1023).ok()? << 52);
    unit.is_normal().then_some((whole, unit))
}

/// An odd number, or 0, and a power of two, whose product this is; none for subnormal numbers and those that are none.
fn parts(value: f64) -> Option<(i64, i32)> {
    if value == 0.0 {
        return Some((0, 0));
    }
    if !value.is_normal() {
        return None;
    }
    let bits = value.to_bits();
    let significand = (bits & ((1 << 52) - 1) | 1 << 52).cast_signed();
    let zeros = significand.trailing_zeros();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1075 + zeros as i32;
    let odd = significand >> zeros;
    Some((if value < 0.0 { -odd } else { odd }, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions by the manual's way and by the short one, wherever the proof holds.
    #[test]
    fn both_ways_find_the_same_texel() {
        let mut seed = 1_u64;
        let mut random = move |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 24) % n
        };
        let (mut plain, mut ties) = (0, 0);
        for round in 0..200_000 {
            let area = 1 + random(1 << (4 + round % 28)) as i64;
            let grid = [64.0, 1000.0, 32768.0][round % 3];
            let values = [(); 3].map(|()| (random(1 << 17) as f64 - 40_000.0) / grid);
            let values = if round % 2 == 0 { values.map(|v| v / 256.0) } else { values };
            let texels = 256.0 * [1.0, 16.0, 512.0][random(3) as usize];
            let Some(found) = Plain::of(values, area, [area, area / 4], texels) else { continue };
            let first = random(area as u64 + 1) as i64;
            let second = random((area - first) as u64 + 1) as i64;
            let weights = [first, second, area - first - second];
            let [a, b, c] = [0, 1, 2].map(|n| weights[n] as f64 * values[n]);
            let position = ((a + b) + c) / area as f64 * texels;
            let short = (found.sum(weights) * found.scale + found.nudge).floor();
            assert_eq!(position.floor(), short, "{values:?} {weights:?} {texels}");
            plain += 1;
            ties += u32::from(position == position.floor());
        }
        assert!(plain > 50_000 && ties > 300, "{plain} plain, {ties} on the edge of a texel");
    }

    #[test]
    fn numbers_that_are_too_long_take_the_long_way() {
        assert!(Plain::of([1.0 / 3.0, 1.0, 0.0], 1 << 30, [1 << 30, 16], 256.0).is_none());
        assert!(Plain::of([1e-300, 1.0, 0.0], 16, [16, 16], 256.0).is_none());
        assert!(Plain::of([f64::NAN, 1.0, 0.0], 16, [16, 16], 256.0).is_none());
        assert!(Plain::of([1e12, 1.0, 0.0], 16, [16, 16], 256.0).is_none());
        assert!(Plain::of([0.5, 1.0, 0.0], 1 << 20, [1 << 20, 1 << 10], 65_536.0).is_some());
    }
}
