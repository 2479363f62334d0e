//! Vectors and matrices of the geometry pipe. Vectors are rows; matrices are rows x, y, z and translation.
//!
//! Source: psp-ge.md 3.3, 5.1, 6.1.

use super::number::{dot, mul, t16};

/// A vector with its length; the length is above 0 or a NaN.
#[derive(Debug, Clone, Copy)]
pub(super) struct Direction {
    /// The vector, of length 1.
    pub(super) unit: [f64; 3],
    /// Length before.
    pub(super) length: f64,
    /// Square of the length before.
    pub(super) squared: f64,
}

impl Direction {
    /// `normalise` (6.1). `None` if the length is 0.
    pub(super) fn of(vector: [f64; 3]) -> Option<Self> {
        let squared = dot3(vector, vector);
        let length = t16(squared.sqrt());
        let reciprocal = t16(1.0 / length);
        let unit = vector.map(|component| mul(component, reciprocal));
        (length != 0.0).then_some(Self { unit, length, squared })
    }
}

/// The dot product of 6.1.
pub(super) fn dot3(a: [f64; 3], b: [f64; 3]) -> f64 {
    dot([(a[0], b[0]), (a[1], b[1]), (a[2], b[2])])
}

/// A position times a matrix of four rows of three.
pub(super) fn point(position: [f64; 3], matrix: &[f64; 12]) -> [f64; 3] {
    columns(position, matrix, true)
}

/// A direction times the upper three rows.
pub(super) fn direction(vector: [f64; 3], matrix: &[f64; 12]) -> [f64; 3] {
    columns(vector, matrix, false)
}

/// The product with each of `N` columns of a matrix with four rows, the last one being the translation.
pub(super) fn columns<const N: usize>([x, y, z]: [f64; 3], matrix: &[f64], is_point: bool) -> [f64; N] {
    std::array::from_fn(|c| {
        let w = if is_point { 1.0 } else { 0.0 };
        dot([(x, matrix[c]), (y, matrix[N + c]), (z, matrix[2 * N + c]), (w, matrix[3 * N + c])])
    })
}

/// The elements of an uploaded matrix as operands.
pub(super) fn operands<const N: usize>(matrix: &[f32; N]) -> [f64; N] {
    matrix.map(|element| t16(f64::from(element)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: [f64; 12] = [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 4.0, 0.0, 1.0, 10.0, 20.0, 30.0];

    /// 3.3: v.x * row0 + v.y * row1 + v.z * row2 + row3.
    #[test]
    fn rows_are_axes_and_translation() {
        assert_eq!(point([1.0, 2.0, 3.0], &MATRIX), [23.0, 24.0, 33.0]);
        assert_eq!(direction([1.0, 2.0, 3.0], &MATRIX), [13.0, 4.0, 3.0]);
        assert_eq!(direction([0.0, 0.0, 0.0], &MATRIX.map(|_| f64::NAN)), [0.0; 3]);
    }

    /// 1/5 in 16 bits is 52428/262144; 3 and 4 fifths are truncated again.
    #[test]
    fn lengths_and_units() {
        let way = Direction::of([3.0, 0.0, 4.0]).unwrap();
        assert_eq!((way.length, way.squared), (5.0, 25.0));
        assert_eq!(way.unit, [157_284.0 / 262_144.0, 0.0, 209_712.0 / 262_144.0].map(t16));
        assert!(Direction::of([0.0; 3]).is_none());
        // The reciprocal of an infinite length is 0, which absorbs the infinity.
        assert_eq!(Direction::of([f64::INFINITY, 1.0, 0.0]).unwrap().unit, [0.0; 3]);
    }
}
