//! Colours and fog across triangles: linear in screen space, with 10 fraction bits.
//!
//! Source: psp-ge.md 8.3, measured on a console (triangle, patches, immediate fans). Fog is interpolated the
//! same way (8.7, assumed).

use crate::ge::four::Four;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::raster::Corner;

/// 1024 in sixteenths: slopes are per pixel, positions in sixteenths.
const SCALE: f64 = 1024.0 * 16.0;

/// Four channels of a corner: red, green, blue, alpha, or secondary red, green, blue, and fog.
#[inline(always)]
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
    /// The terms of a clockwise triangle, whose corner 0 is the anchor. `share` is 1 over twice its area.
    #[must_use]
    #[inline(always)]
    pub(crate) fn new(corners: &'a [Corner; 3], share: f64) -> Self {
        let [a, b, c] = corners;
        let d = |of: fn(&Corner) -> i32| [b, c].map(|corner| f64::from(of(corner)) - f64::from(of(a)));
        Self {
            corners,
            x: d(|corner| corner.x),
            y: d(|corner| corner.y),
            // Measured: the reciprocal is truncated; a correctly rounded one makes wrong pixels.
            reciprocal: t16(share),
        }
    }

    /// The gradients of half of the channels.
    #[must_use]
    #[inline(always)]
    pub(crate) fn gradients(&self, half: usize) -> Gradients {
        let [x1, x2] = self.x.map(Four::splat);
        let [y1, y2] = self.y.map(Four::splat);
        let [a, b, c] = self.corners;
        let [a, b, c] = [channels(a, half), channels(b, half), channels(c, half)];
        let from_anchor = |of: [i32; 4]| {
            let [e, f, g, h] = a;
            let [i, j, k, l] = of;
            Four::of_small([i - e, j - f, k - g, l - h])
        };
        let [c1, c2] = [from_anchor(b), from_anchor(c)];
        // Exact up to the multiplication by the reciprocal.
        let slope = |numerator: Four| floored(numerator * Four::splat(SCALE) * Four::splat(self.reciprocal));
        Gradients {
            anchor: a.map(|value| value * 1024),
            x: slope(c1 * y2 - c2 * y1),
            y: slope(c2 * x1 - c1 * x2),
        }
    }
}

/// Floors of numbers below 2^50, modulo 2^32. Adding `BIAS` rounds a number to an integer, which is then in the low bits of
/// the sum.
#[inline(always)]
fn floored(values: Four) -> [i32; 4] {
    const BIAS: f64 = (3_u64 << 51) as f64;
    let near = values + Four::splat(BIAS);
    let whole = near - Four::splat(BIAS);
    let floor =
        |n: usize| (near.0[n].to_bits() as u32).cast_signed().wrapping_sub((whole.0[n] > values.0[n]) as i32);
    [floor(0), floor(1), floor(2), floor(3)]
}
