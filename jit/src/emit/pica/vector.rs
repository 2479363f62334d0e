//! Vectors of real numbers, lane by lane, in the operation order of `interp::fragment::vector`.

use crate::emit::lanes::{F32s, Lanes};
use cranelift_codegen::ir::condcodes::FloatCC;
use std::array::from_fn;

/// A vector in eye space.
pub(crate) type Vec3 = [F32s; 3];

impl Lanes<'_> {
    /// `(x x' + y y') + z z'`, and so on from the left for longer vectors.
    pub(crate) fn dot<const N: usize>(&mut self, a: [F32s; N], b: [F32s; N]) -> F32s {
        let mut sum = self.fmul(a[0], b[0]);
        for i in 1..N {
            let product = self.fmul(a[i], b[i]);
            sum = self.fadd(sum, product);
        }
        sum
    }

    /// The cross product.
    pub(crate) fn cross(&mut self, a: Vec3, b: Vec3) -> Vec3 {
        from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let first = self.fmul(a[j], b[k]);
            let second = self.fmul(a[k], b[j]);
            self.fsub(first, second)
        })
    }

    /// The sum of vectors.
    pub(crate) fn vector_add(&mut self, a: Vec3, b: Vec3) -> Vec3 {
        from_fn(|i| self.fadd(a[i], b[i]))
    }

    /// Every component times `k`.
    pub(crate) fn vector_scale<const N: usize>(&mut self, v: [F32s; N], k: F32s) -> [F32s; N] {
        v.map(|component| self.fmul(component, k))
    }

    /// `v` times the reciprocal of its length, from its squared length; zero where that is 0, infinite or NaN.
    pub(crate) fn normalise_by<const N: usize>(&mut self, v: [F32s; N], squared: F32s) -> [F32s; N] {
        let (zero, infinity, one) = (self.float(0.0), self.float(f32::INFINITY), self.float(1.0));
        let above = self.compare(FloatCC::LessThan, zero, squared);
        let below = self.compare(FloatCC::LessThan, squared, infinity);
        let valid = self.and(above, below);
        let root = self.sqrt(squared);
        let k = self.fdiv(one, root);
        v.map(|component| {
            let scaled = self.fmul(component, k);
            self.keep(valid, scaled)
        })
    }

    /// `v` times the reciprocal of its length; zero where its squared length is 0, infinite or NaN.
    pub(crate) fn normalise<const N: usize>(&mut self, v: [F32s; N]) -> [F32s; N] {
        let squared = self.dot(v, v);
        self.normalise_by(v, squared)
    }

    /// `v` rotated by a quaternion of length 1, w last.
    pub(crate) fn rotate(&mut self, q: [F32s; 4], v: Vec3) -> Vec3 {
        let [x, y, z, w] = q;
        let axis = [x, y, z];
        let crossed = self.cross(axis, v);
        let scaled = self.vector_scale(v, w);
        let inner = self.vector_add(crossed, scaled);
        let twist = self.cross(axis, inner);
        let two = self.float(2.0);
        let twice = self.vector_scale(twist, two);
        self.vector_add(v, twice)
    }
}
