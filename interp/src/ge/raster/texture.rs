//! Texture coordinates of a pixel, from corners and their weights (8.6).

use crate::ge::number::t16;
use picaflor_pipeline::ge::raster::Corner;

/// u and v as weighted by edge values or lengths, in order. Coordinates are affine if all w are equal and all q are 1.
pub(super) fn interpolated<const N: usize>(corners: [&Corner; N], weights: [f64; N]) -> [f64; 2] {
    let sum = weighted([1.0; N], weights);
    let [s, t, q] = [0, 1, 2].map(|axis| corners.map(|corner| corner.texture[axis]));
    if is_affine(corners) {
        return [weighted(s, weights) / sum, weighted(t, weights) / sum];
    }
    let share = 1.0 / sum;
    let reciprocals = corners.map(|corner| t16(1.0 / corner.w));
    let over_w = |values: [f64; N]| std::array::from_fn(|n| values[n] * reciprocals[n]);
    let reciprocal = t16(1.0 / (weighted(over_w(q), weights) * share));
    [s, t].map(|values| weighted(over_w(values), weights) * share * reciprocal)
}

/// Clip w, linear on the screen.
pub(super) fn w<const N: usize>(corners: [&Corner; N], weights: [f64; N]) -> f64 {
    weighted(corners.map(|corner| corner.w), weights) / weighted([1.0; N], weights)
}

fn is_affine<const N: usize>(corners: [&Corner; N]) -> bool {
    corners.iter().all(|corner| corner.texture[2] == 1.0 && corner.w == corners[0].w)
}

/// The sum of products in doubles, in order.
fn weighted<const N: usize>(values: [f64; N], weights: [f64; N]) -> f64 {
    (1..N).fold(weights[0] * values[0], |sum, n| sum + weights[n] * values[n])
}

#[cfg(test)]
mod tests {
    use super::super::testing::corner;
    use super::*;

    fn corners(values: [[f64; 4]; 3]) -> [Corner; 3] {
        values.map(|[s, t, q, w]| Corner { texture: [s, t, q], w, ..corner(0, 0) })
    }

    fn of(values: [[f64; 4]; 3], weights: [f64; 3]) -> [f64; 2] {
        let [a, b, c] = corners(values);
        interpolated([&a, &b, &c], weights)
    }

    /// Equal w: (1*0 + 2*8 + 1*4) / 4; a reciprocal of w would change the result.
    #[test]
    fn affine() {
        let values = [[0.0, 1.0, 1.0, 3.0], [8.0, 1.0, 1.0, 3.0], [4.0, 1.0, 1.0, 3.0]];
        assert_eq!(of(values, [1.0, 2.0, 1.0]), [5.0, 1.0]);
    }

    /// w = 1, 2, 4: halves and quarters are exact. S = (0 + 2*4 + 1*1)/4 = 2.25, Q = (1 + 1 + 0.25)/4 = 0.5625,
    /// T16(1/Q) = T16(1.777..) = 58254/32768.
    #[test]
    fn perspective() {
        let values = [[0.0, 0.0, 1.0, 1.0], [8.0, 0.0, 1.0, 2.0], [4.0, 0.0, 1.0, 4.0]];
        assert_eq!(of(values, [1.0, 2.0, 1.0]), [2.25 * 58254.0 / 32768.0, 0.0]);
    }

    /// Equal w, but q = 2: s / q.
    #[test]
    fn projected() {
        let values = [[6.0, 3.0, 2.0, 1.0]; 3];
        assert_eq!(of(values, [1.0, 2.0, 1.0]), [3.0, 1.5]);
        assert!(of([[6.0, 3.0, 0.0, 1.0]; 3], [1.0, 2.0, 1.0])[0].is_infinite());
    }

    /// T16(1/3) = 43690/131072 for each w, before anything is summed.
    #[test]
    fn reciprocals_of_w_are_truncated() {
        let values = [[1.0, 0.0, 1.0, 3.0], [1.0, 0.0, 2.0, 3.0], [1.0, 0.0, 1.0, 3.0]];
        let third = 43690.0 / 131_072.0;
        let q = (third + third * 2.0 * 2.0 + third) * 0.25;
        let s = (third + third * 2.0 + third) * 0.25;
        assert_eq!(of(values, [1.0, 2.0, 1.0])[0], s * t16(1.0 / q));
    }

    #[test]
    fn distances() {
        let [a, b, c] = corners([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 1.0, 4.0]]);
        assert_eq!(w([&a, &b, &c], [1.0, 2.0, 1.0]), 2.25);
    }

    /// Weights whose sum is no power of two: S = (0 + 8/2 + 4/4)/3 = 5/3, Q = (1 + 1/2 + 1/4)/3 = 7/12,
    /// T16(12/7) = 56173/32768.
    #[test]
    fn weights_are_divided_by_their_sum() {
        let values = [[0.0, 0.0, 1.0, 1.0], [8.0, 0.0, 1.0, 2.0], [4.0, 0.0, 1.0, 4.0]];
        assert_eq!(of(values, [1.0; 3])[0], 5.0 * (1.0 / 3.0) * (56173.0 / 32768.0));
    }
}
