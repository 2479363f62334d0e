//! Colours and fog across triangles: linear in screen space, with 10 fraction bits.
//!
//! Source: psp-ge.md 8.3, measured on a console (triangle, patches, immediate fans). Fog is interpolated the
//! same way (8.7, assumed).

use super::triangle::signed_area;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::raster::Corner;

/// Number of interpolated bytes: primary colour, secondary colour, fog.
pub(crate) const CHANNELS: usize = 8;

/// 1024 in sixteenths: slopes are per pixel, positions in sixteenths.
const SCALE: i64 = 1024 * 16;

/// All channels of a corner: red, green, blue, alpha, secondary red, green, blue, fog.
#[must_use]
pub(crate) const fn channels(corner: &Corner) -> [i64; CHANNELS] {
    let [r, g, b, a] = corner.colour.to_le_bytes();
    let [sr, sg, sb, _] = corner.secondary.to_le_bytes();
    let fog = corner.fog as u8;
    [r as i64, g as i64, b as i64, a as i64, sr as i64, sg as i64, sb as i64, fog as i64]
}

/// One channel across a triangle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Gradient {
    /// Value at corner 0, times 1024.
    pub(crate) anchor: i64,
    /// Change from pixel to pixel, times 1024.
    pub(crate) x: i64,
    /// Change from row to row, times 1024.
    pub(crate) y: i64,
}

/// Common terms of the gradients of a triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slopes {
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
    pub(crate) fn new(corners: &[Corner; 3]) -> Self {
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
    pub(crate) fn gradient(&self, n: usize) -> Gradient {
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
