//! Vectors of the geometry pipe: products with matrices, lengths, directions.
//!
//! Source: psp-ge.md 4.6, 5.1, 6.1, measured on a console (triangle, depth/precision, lights).

use super::number::{dot, mul};
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::number::t16;

/// Maximum number of bones of a vertex.
pub(crate) const WEIGHTS: usize = 8;

/// The product with the three axes and the translation of a matrix.
#[must_use]
pub(crate) fn point(v: [f64; 3], m: &[f64; 12]) -> [f64; 3] {
    std::array::from_fn(|c| dot([(v[0], m[c]), (v[1], m[3 + c]), (v[2], m[6 + c]), (1.0, m[9 + c])]))
}

/// The product with a projection matrix.
#[must_use]
pub(crate) fn homogeneous(v: [f64; 3], m: &[f64; 16]) -> [f64; 4] {
    std::array::from_fn(|c| dot([(v[0], m[c]), (v[1], m[4 + c]), (v[2], m[8 + c]), (1.0, m[12 + c])]))
}

/// Sum of the bone matrices, weighted by the first `count` weights. Other bones are not accessed.
#[must_use]
pub(crate) fn skinning(weights: &[f64; WEIGHTS], count: u32, bones: &[f32; 96]) -> [f64; 12] {
    let (bones, _) = bones.as_chunks::<12>();
    let term =
        |n: usize, c| if n < count as usize { (weights[n], f64::from(bones[n][c])) } else { (0.0, 0.0) };
    std::array::from_fn(|c| dot::<WEIGHTS>(std::array::from_fn(|n| term(n, c))))
}

/// A position in the coordinate spaces of the transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stations {
    /// In world space.
    pub(crate) world: [f64; 3],
    /// In view space.
    pub(crate) view: [f64; 3],
    /// In clip space.
    pub(crate) clip: [f64; 4],
}

impl Stations {
    /// Transforms a position in model space, after skinning if the vertex has weights.
    #[must_use]
    pub(crate) fn of(model: [f64; 3], matrices: &Matrices) -> Self {
        let world = point(model, &matrices.world.map(f64::from));
        let view = point(world, &matrices.view.map(f64::from));
        Self { world, view, clip: homogeneous(view, &matrices.projection.map(f64::from)) }
    }
}

/// The scalar product.
#[must_use]
pub(crate) fn dot3(a: [f64; 3], b: [f64; 3]) -> f64 {
    dot([(a[0], b[0]), (a[1], b[1]), (a[2], b[2])])
}

/// A direction and the length of the original vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Direction {
    /// The unit vector.
    pub(crate) unit: [f64; 3],
    /// The length.
    pub(crate) length: f64,
    /// The square of the length; its rounding can differ from the length times itself.
    pub(crate) squared: f64,
}

impl Direction {
    /// The direction of a vector; `None` for a zero vector.
    #[must_use]
    pub(crate) fn of(v: [f64; 3]) -> Option<Self> {
        let squared = dot3(v, v);
        let length = t16(squared.sqrt());
        let reciprocal = t16(1.0 / length);
        let unit = v.map(|component| mul(component, reciprocal));
        (length != 0.0).then_some(Self { unit, length, squared })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_axes_and_a_translation() {
        let m: [f64; 12] = std::array::from_fn(|n| f64::from(n as u8));
        assert_eq!(point([1.0, 10.0, 100.0], &m), [639.0, 751.0, 863.0]);
        let m: [f64; 16] = std::array::from_fn(|n| f64::from(n as u8));
        assert_eq!(homogeneous([1.0, 10.0, 100.0], &m), [852.0, 964.0, 1076.0, 1188.0 - 0.0]);
    }

    #[test]
    fn bones_beyond_the_weights_are_not_touched() {
        let mut bones = [f32::NAN; 96];
        bones[..24].fill(2.0);
        bones[12] = 4.0;
        let mut weights = [1.0; WEIGHTS];
        weights[0] = 0.5;
        assert_eq!(skinning(&weights, 2, &bones)[..2], [5.0, 3.0]);
    }

    #[test]
    fn directions() {
        assert_eq!(Direction::of([0.0, -0.0, 0.0]), None);
        let third = Direction::of([0.0, 3.0, -4.0]).unwrap();
        assert_eq!((third.length, third.squared), (5.0, 25.0));
        assert_eq!(third.unit, [0.0, mul(3.0, t16(0.2)), mul(-4.0, t16(0.2))]);
    }
}
