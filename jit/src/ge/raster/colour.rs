//! Colours and fog across triangles: linear in screen space, with 10 fraction bits.
//!
//! Source: psp-ge.md 8.3, measured on a console (triangle, patches, immediate fans). Fog is interpolated the
//! same way (8.7, assumed).

use super::triangle::signed_area;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::raster::Corner;

/// 1024 in sixteenths: slopes are per pixel, positions in sixteenths.
const SCALE: f64 = 1024.0 * 16.0;

/// Four channels of a corner: red, green, blue, alpha, or secondary red, green, blue, and fog.
const fn channels(corner: &Corner, half: usize) -> [i32; 4] {
    let word = if half == 0 { corner.colour } else { corner.secondary & 0xff_ffff | corner.fog << 24 };
    let [a, b, c, d] = word.to_le_bytes();
    [a as i32, b as i32, c as i32, d as i32]
}

/// Four channels across a triangle. Numbers wrap, as their users do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Gradients {
    /// Values at corner 0, times 1024.
    pub(crate) anchor: [i32; 4],
    /// Changes from pixel to pixel, times 1024.
    pub(crate) x: [i32; 4],
    /// Changes from row to row, times 1024.
    pub(crate) y: [i32; 4],
}

/// Common terms of the gradients of a triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slopes<'a> {
    corners: &'a [Corner; 3],
    /// Distances from corner 0 to the other two.
    x: [f64; 2],
    y: [f64; 2],
    reciprocal: f64,
}

impl<'a> Slopes<'a> {
    /// The terms of a clockwise triangle, whose corner 0 is the anchor.
    #[must_use]
    #[inline]
    pub(crate) fn new(corners: &'a [Corner; 3]) -> Self {
        let [a, b, c] = corners;
        let area = signed_area([a, b, c].map(|corner| (corner.x, corner.y)));
        let d = |of: fn(&Corner) -> i32| [b, c].map(|corner| f64::from(of(corner)) - f64::from(of(a)));
        Self {
            corners,
            x: d(|corner| corner.x),
            y: d(|corner| corner.y),
            // Measured: the reciprocal is truncated; a correctly rounded one makes wrong pixels.
            reciprocal: t16(1.0 / area as f64),
        }
    }

    /// The gradients of half of the channels.
    #[must_use]
    #[inline]
    pub(crate) fn gradients(&self, half: usize) -> Gradients {
        let ([x1, x2], [y1, y2]) = (self.x, self.y);
        let [a, b, c] = self.corners.each_ref().map(|corner| channels(corner, half));
        // Exact up to the multiplication by the reciprocal.
        let slope = |numerator: f64| floored(numerator * SCALE * self.reciprocal);
        let mut found = Gradients { anchor: a.map(|value| value * 1024), ..Gradients::default() };
        for n in 0..4 {
            let [c1, c2] = [f64::from(b[n] - a[n]), f64::from(c[n] - a[n])];
            found.x[n] = slope(c1 * y2 - c2 * y1);
            found.y[n] = slope(c2 * x1 - c1 * x2);
        }
        found
    }
}

/// Floor of a number below 2^50, modulo 2^32. Adding `BIAS` rounds it to an integer, which is then in the low bits of
/// the sum.
#[inline]
const fn floored(value: f64) -> i32 {
    const BIAS: f64 = (3_u64 << 51) as f64;
    let near = value + BIAS;
    (near.to_bits() as u32).cast_signed().wrapping_sub((near - BIAS > value) as i32)
}
