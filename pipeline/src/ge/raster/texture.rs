//! Texture coordinates across triangles and lines, in doubles. Source: psp-ge.md 8.6.
//!
//! Affine coordinates are exact on the console. Perspective ones are divided by a number of 16 significant bits. Of
//! the forms tried on its screens (reflection, texmtx/normals), truncated reciprocals of each w (as in 5.2) and of q
//! at the pixel leave the fewest wrong pixels, 754 and 242. Exact reciprocals leave 764 and 290, the one of q rounded
//! to nearest 765 and 285, sums of 16 bits before the multiplication 757 and 261, products of 16 bits 761 and 242.
//! The cause of the remaining differences is unknown.

use super::Corner;
use crate::ge::number::t16;

/// The reciprocal used in place of a division: 16 significant bits, truncated.
#[must_use]
#[inline]
pub const fn reciprocal(x: f64) -> f64 {
    t16(1.0 / x)
}

/// Texture coordinates of `N` weighted corners. Perspective ones are multiplied by the reciprocal of w.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coordinates<const N: usize> {
    /// s of each corner.
    pub s: [f64; N],
    /// t of each corner.
    pub t: [f64; N],
    /// q of each corner.
    pub q: [f64; N],
    /// Clip w of each corner.
    pub w: [f64; N],
    /// True if all w are equal and all q are 1; then there is no division by q.
    pub is_affine: bool,
}

impl<const N: usize> Coordinates<N> {
    /// The coordinates of these corners.
    #[must_use]
    pub fn new(corners: [&Corner; N]) -> Self {
        let w = corners.map(|corner| corner.w);
        let is_affine = corners.iter().all(|corner| corner.w == w[0] && corner.texture[2] == 1.0);
        let factor = |corner: &Corner| if is_affine { 1.0 } else { reciprocal(corner.w) };
        let [s, t, q] = [0, 1, 2].map(|axis| corners.map(|corner| corner.texture[axis] * factor(corner)));
        Self { s, t, q, w, is_affine }
    }

    /// u and v for these weights of the corners, whose sum is `sum`.
    #[must_use]
    #[inline]
    pub fn at(&self, weights: [f64; N], sum: f64) -> [f64; 2] {
        let [s, t] = [weighted(weights, self.s), weighted(weights, self.t)];
        if self.is_affine {
            return [s / sum, t / sum];
        }
        let share = 1.0 / sum;
        let reciprocal = reciprocal(weighted(weights, self.q) * share);
        [s * share * reciprocal, t * share * reciprocal]
    }

    /// Clip w, linear on the screen (9.5, assumed).
    #[must_use]
    pub(crate) fn w_at(&self, weights: [f64; N], sum: f64) -> f64 {
        weighted(weights, self.w) / sum
    }
}

/// Sum of products, added in order.
#[inline]
fn weighted<const N: usize>(weights: [f64; N], values: [f64; N]) -> f64 {
    (1..N).fold(weights[0] * values[0], |sum, i| sum + weights[i] * values[i])
}
