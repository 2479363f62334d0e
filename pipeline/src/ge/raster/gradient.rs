//! Colours and fog across triangles and lines: linear in screen space, with 10 fraction bits.
//!
//! Source: psp-ge.md 8.3, 8.4, measured on a console (triangle, patches, immediate fans). Fog is interpolated the
//! same way (8.7, assumed).

use super::Corner;
use super::edges::signed_area;
use crate::ge::number::t16;

/// Number of interpolated bytes: primary colour, secondary colour, fog.
pub(crate) const CHANNELS: usize = 8;

/// 1024 in sixteenths: slopes are per pixel, positions in sixteenths.
const SCALE: i64 = 1024 * 16;

/// All channels of a corner: red, green, blue, alpha, secondary red, green, blue, fog.
#[must_use]
pub const fn channels(corner: &Corner) -> [i64; CHANNELS] {
    let [r, g, b, a] = corner.colour.to_le_bytes();
    let [sr, sg, sb, _] = corner.secondary.to_le_bytes();
    let fog = corner.fog as u8;
    [r as i64, g as i64, b as i64, a as i64, sr as i64, sg as i64, sb as i64, fog as i64]
}

/// One channel across a triangle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gradient {
    /// Value at corner 0, times 1024.
    pub anchor: i64,
    /// Change from pixel to pixel, times 1024.
    pub x: i64,
    /// Change from row to row, times 1024.
    pub y: i64,
}

/// Common terms of the gradients of a triangle.
#[derive(Debug, Clone, Copy)]
pub struct Slopes {
    /// Distances from corner 0 to the other two.
    x: [i64; 2],
    y: [i64; 2],
    reciprocal: f64,
    values: [[i64; CHANNELS]; 3],
}

impl Slopes {
    /// The terms of a clockwise triangle, whose corner 0 is the anchor.
    #[must_use]
    #[inline]
    pub fn new(corners: &[Corner; 3]) -> Self {
        let [a, b, c] = corners;
        let area = signed_area([a, b, c].map(|corner| (corner.x, corner.y)));
        let d = |of: fn(&Corner) -> i32| [b, c].map(|corner| i64::from(of(corner)) - i64::from(of(a)));
        Self {
            x: d(|corner| corner.x),
            y: d(|corner| corner.y),
            // Measured: the reciprocal is truncated; a correctly rounded one makes wrong pixels.
            reciprocal: t16(1.0 / area as f64),
            values: [a, b, c].map(channels),
        }
    }

    /// The gradient of channel `n`.
    #[must_use]
    #[inline]
    pub fn gradient(&self, n: usize) -> Gradient {
        let ([x1, x2], [y1, y2]) = (self.x, self.y);
        let [anchor, b, c] = self.values.map(|values| values[n]);
        let [c1, c2] = [b - anchor, c - anchor];
        // The products are exact.
        let slope = |numerator: i64| floored((SCALE * numerator) as f64 * self.reciprocal);
        Gradient { anchor: anchor * 1024, x: slope(c1 * y2 - c2 * y1), y: slope(c2 * x1 - c1 * x2) }
    }
}

/// Floor of a number below 2^50. Adding `BIAS` rounds it to an integer, which is then in the low bits of the sum.
#[inline]
const fn floored(value: f64) -> i64 {
    const BIAS: f64 = (3_u64 << 51) as f64;
    let near = value + BIAS;
    let whole = near.to_bits().wrapping_sub(BIAS.to_bits()).cast_signed();
    whole - (near - BIAS > value) as i64
}

impl Gradient {
    /// All channels of a clockwise triangle, whose corner 0 is the anchor.
    #[must_use]
    pub(crate) fn of_triangle(corners: &[Corner; 3]) -> [Self; CHANNELS] {
        let slopes = Slopes::new(corners);
        std::array::from_fn(|n| slopes.gradient(n))
    }

    /// The value at an offset from corner 0, in sixteenths of a pixel.
    #[must_use]
    #[inline]
    pub const fn at(&self, dx: i64, dy: i64) -> u8 {
        // Slopes of slivers are steep, and their terms may leave 64 bits while the sum does not.
        let change = self.x.wrapping_mul(dx).wrapping_add(self.y.wrapping_mul(dy)) >> 4;
        byte(self.anchor.wrapping_add(change))
    }
}

/// One channel along a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LineGradient {
    /// Value at the lower end, times 1024.
    pub start: i64,
    /// Change for one pixel along the major axis, times 1024.
    pub slope: i64,
}

impl LineGradient {
    /// All channels from one end to another that is `length` sixteenths of a pixel away along the major axis.
    #[must_use]
    pub(crate) fn of_line(low: &Corner, high: &Corner, length: i64) -> [Self; CHANNELS] {
        let [low, high] = [channels(low), channels(high)];
        std::array::from_fn(|n| Self {
            start: low[n] * 1024,
            slope: if length == 0 { 0 } else { (SCALE * (high[n] - low[n])).div_euclid(length) },
        })
    }

    /// The value at a distance from the lower end, in sixteenths of a pixel. The floored slope of a long line can
    /// make the sum negative (clamping is assumed).
    #[must_use]
    #[inline]
    pub(crate) const fn at(&self, distance: i64) -> u8 {
        byte(self.start + ((self.slope * distance) >> 4))
    }
}

/// Floors a value with 10 fraction bits and clamps it to a byte.
#[inline]
const fn byte(value: i64) -> u8 {
    let value = value >> 10;
    if value < 0 {
        0
    } else if value > 255 {
        255
    } else {
        value as u8
    }
}
