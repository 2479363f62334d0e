//! Matrices for scenes: rows of a 4x4 matrix that multiplies column vectors, as programs with `dp4` want it.

use crate::modelling::math::Real;

/// Four rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matrix(pub [[f32; 4]; 4]);

impl Matrix {
    /// No change.
    pub const IDENTITY: Self =
        Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);

    /// A shift.
    #[must_use]
    pub const fn translation(x: f32, y: f32, z: f32) -> Self {
        let mut m = Self::IDENTITY;
        m.0[0][3] = x;
        m.0[1][3] = y;
        m.0[2][3] = z;
        m
    }

    /// A scale along the axes.
    #[must_use]
    pub const fn scale(x: f32, y: f32, z: f32) -> Self {
        let mut m = Self::IDENTITY;
        m.0[0][0] = x;
        m.0[1][1] = y;
        m.0[2][2] = z;
        m
    }

    /// A turn about the x axis, in radians.
    #[must_use]
    pub fn rotation_x(angle: f32) -> Self {
        let (s, c) = angle.sine_cosine();
        Self([[1.0, 0.0, 0.0, 0.0], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]])
    }

    /// A turn about the y axis, in radians.
    #[must_use]
    pub fn rotation_y(angle: f32) -> Self {
        let (s, c) = angle.sine_cosine();
        Self([[c, 0.0, s, 0.0], [0.0, 1.0, 0.0, 0.0], [-s, 0.0, c, 0.0], [0.0, 0.0, 0.0, 1.0]])
    }

    /// A turn about the z axis, in radians.
    #[must_use]
    pub fn rotation_z(angle: f32) -> Self {
        let (s, c) = angle.sine_cosine();
        Self([[c, -s, 0.0, 0.0], [s, c, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    }

    /// The view from `eye` towards `at`, y upward: x right, y up, z towards the viewer.
    #[must_use]
    pub fn look_at(eye: [f32; 3], at: [f32; 3]) -> Self {
        let back = unit(sub(eye, at));
        let right = unit(cross([0.0, 1.0, 0.0], back));
        let up = cross(back, right);
        let row = |axis: [f32; 3]| [axis[0], axis[1], axis[2], -dot(axis, eye)];
        Self([row(right), row(up), row(back), [0.0, 0.0, 0.0, 1.0]])
    }

    /// Perspective for a picture `aspect` times as wide as high, `fov` radians high. The nearest plane gets
    /// z = -w (depth 1 with the usual scale of -1), the farthest z = 0.
    #[must_use]
    pub fn perspective(fov: f32, aspect: f32, near: f32, far: f32) -> Self {
        let focal = 1.0 / (fov / 2.0).tangent();
        let a = near / (far - near);
        Self([
            [focal / aspect, 0.0, 0.0, 0.0],
            [0.0, focal, 0.0, 0.0],
            [0.0, 0.0, -a, -far * a],
            [0.0, 0.0, -1.0, 0.0],
        ])
    }

    /// A flat picture: x from 0 at the left to `width`, y from 0 at the bottom to `height`, z from 0 (near,
    /// depth 1) to 1 (far, depth 0).
    #[must_use]
    pub fn flat(width: f32, height: f32) -> Self {
        Self([
            [2.0 / width, 0.0, 0.0, -1.0],
            [0.0, 2.0 / height, 0.0, -1.0],
            [0.0, 0.0, 1.0, -1.0],
            [0.0, 0.0, 0.0, 1.0],
        ])
    }

    /// For the panels, which are mounted rotated: the viewer's up is the machine's +x, the viewer's right
    /// its -y.
    #[must_use]
    pub fn tilted(self) -> Self {
        let [x, y, z, w] = self.0;
        Self([y, x.map(|v| -v), z, w])
    }

    /// `self` after `first`.
    #[must_use]
    pub fn after(self, first: Self) -> Self {
        let product = |row: [f32; 4], c: usize| (0..4).map(|k| row[k] * first.0[k][c]).sum();
        Self(self.0.map(|row| std::array::from_fn(|c| product(row, c))))
    }

    /// The first three rows.
    #[must_use]
    pub fn affine(&self) -> [[f32; 4]; 3] {
        [self.0[0], self.0[1], self.0[2]]
    }

    /// The plane of the points with `plane . (x, y, z, 1) >= 0`, transformed by this matrix: for the user clip plane,
    /// which needs clip space.
    #[must_use]
    pub fn plane(&self, plane: [f32; 4]) -> [f32; 4] {
        let mut rows: [[f64; 5]; 4] = std::array::from_fn(|column| {
            let entry = |k: usize| f64::from(if k < 4 { self.0[k][column] } else { plane[column] });
            std::array::from_fn(entry)
        });
        for k in 0..4 {
            let best = (k..4).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs())).unwrap_or(k);
            rows.swap(k, best);
            let pivot = rows[k].map(|v| v / rows[k][k]);
            for row in &mut rows {
                let factor = row[k];
                row.iter_mut().zip(pivot).for_each(|(v, p)| *v -= factor * p);
            }
            rows[k] = pivot;
        }
        rows.map(|row| row[4] as f32)
    }

    /// The transformed point.
    #[must_use]
    pub fn apply(&self, p: [f32; 3]) -> [f32; 4] {
        self.0.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3])
    }
}

/// Difference.
#[must_use]
pub fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Dot product.
#[must_use]
pub fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross product.
#[must_use]
pub fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The same direction with length 1.
#[must_use]
pub fn unit(a: [f32; 3]) -> [f32; 3] {
    let length = dot(a, a).sqrt();
    a.map(|v| v / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_in_clip_space_has_the_same_points() {
        let eye = Matrix::look_at([1.0, 2.0, 5.0], [0.0; 3]);
        let matrix = Matrix::perspective(0.8, 1.5, 1.0, 20.0).tilted().after(eye);
        let plane = matrix.plane([0.5, -1.0, 0.25, 0.125]);
        for point in [[0.0, 0.0, 0.0], [1.0, -2.0, 0.5], [-3.0, 0.5, 1.0]] {
            let wanted = 0.5 * point[0] - point[1] + 0.25 * point[2] + 0.125;
            let clip = matrix.apply(point);
            let found: f32 = (0..4).map(|k| plane[k] * clip[k]).sum();
            assert!((found - wanted).abs() < 1e-3, "{found} for {wanted}");
        }
    }
}
