//! Texture coordinates across triangles and lines, in the order of operations that psp-ge.md 8.6 fixes. Doubles.

use super::Corner;

/// Texture coordinates of the `N` corners that weights belong to.
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
    /// Whether all w are the same and all q are 1, so that nothing is divided by q.
    pub is_affine: bool,
}

impl<const N: usize> Coordinates<N> {
    /// Those of these corners.
    #[must_use]
    pub fn new(corners: [&Corner; N]) -> Self {
        let [s, t, q] = [0, 1, 2].map(|axis| corners.map(|corner| corner.texture[axis]));
        let w = corners.map(|corner| corner.w);
        let is_affine = w.iter().all(|&at| at == w[0]) && q.iter().all(|&at| at == 1.0);
        Self { s, t, q, w, is_affine }
    }

    /// u and v where corners have these weights, whose sum is `sum`.
    #[must_use]
    #[inline]
    pub fn at(&self, weights: [f64; N], sum: f64) -> [f64; 2] {
        if self.is_affine {
            return [weighted(weights, self.s) / sum, weighted(weights, self.t) / sum];
        }
        let weights: [f64; N] = std::array::from_fn(|i| weights[i] / self.w[i]);
        let q = weighted(weights, self.q);
        [weighted(weights, self.s) / q, weighted(weights, self.t) / q]
    }

    /// Clip w, linear on the screen (9.5, assumed).
    #[must_use]
    pub fn w_at(&self, weights: [f64; N], sum: f64) -> f64 {
        weighted(weights, self.w) / sum
    }
}

/// Sum of products, from the first on.
#[inline]
fn weighted<const N: usize>(weights: [f64; N], values: [f64; N]) -> f64 {
    (1..N).fold(weights[0] * values[0], |sum, i| sum + weights[i] * values[i])
}
