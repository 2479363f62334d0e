//! Vectors of real numbers, each operation rounded on its own in the order of pica-fragment.md 0.4.

use std::array::from_fn;

/// A vector in eye space.
pub(crate) type Vec3 = [f32; 3];

/// `(x x' + y y') + z z'`, and so on from the left for longer vectors.
pub(crate) fn dot<const N: usize>(a: [f32; N], b: [f32; N]) -> f32 {
    let products: [f32; N] = from_fn(|i| a[i] * b[i]);
    products.into_iter().reduce(|sum, product| sum + product).unwrap_or(0.0)
}

/// The cross product: `y z' - z y'`, and by exchange of letters.
pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

/// The sum.
pub(crate) fn add(a: Vec3, b: Vec3) -> Vec3 {
    from_fn(|i| a[i] + b[i])
}

/// The difference.
pub(crate) fn subtract(a: Vec3, b: Vec3) -> Vec3 {
    from_fn(|i| a[i] - b[i])
}

/// Every component times `k`.
pub(crate) fn scale<const N: usize>(v: [f32; N], k: f32) -> [f32; N] {
    v.map(|component| component * k)
}

/// The length.
pub(crate) fn length(v: Vec3) -> f32 {
    dot(v, v).sqrt()
}

/// `v` times the reciprocal of its length; zero where the squared length is 0, infinite or NaN.
pub(crate) fn normalise<const N: usize>(v: [f32; N]) -> [f32; N] {
    let n = dot(v, v);
    if n > 0.0 && n < f32::INFINITY { scale(v, 1.0 / n.sqrt()) } else { [0.0; N] }
}

/// `v` rotated by a quaternion of length 1, w last. By the quaternion 0 it stays as it is.
pub(crate) fn rotate(q: [f32; 4], v: Vec3) -> Vec3 {
    let [x, y, z, w] = q;
    let axis = [x, y, z];
    let inner = add(cross(axis, v), scale(v, w));
    add(v, scale(cross(axis, inner), 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_adds_from_the_left() {
        assert_eq!(dot([1e8, -1e8, 1.0], [1.0; 3]), 1.0);
        assert_eq!(dot([1.0, 1e8, -1e8], [1.0; 3]), 0.0);
        assert_eq!(dot([1e8, -1e8, 1.0, 2.0], [1.0; 4]), 3.0);
        assert_eq!(dot([1e8, 1.0, -1e8, 2.0], [1.0; 4]), 2.0);
    }

    #[test]
    fn cross_of_axes() {
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!([cross(x, y), cross(y, z), cross(z, x)], [z, x, y]);
        assert_eq!(cross([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), [-3.0, 6.0, -3.0]);
    }

    #[test]
    fn products_are_rounded_before_they_are_added() {
        let x = 1.0 + f32::EPSILON;
        assert_eq!(dot([x, 1.0, 0.0], [x, -(x * x), 0.0]), 0.0, "a fused sum would not cancel");
    }

    #[test]
    fn normalise_without_a_direction() {
        for v in [[0.0; 3], [f32::NAN, 1.0, 0.0], [f32::INFINITY, 1.0, 0.0], [1e30, 0.0, 0.0], [1e-30; 3]] {
            assert_eq!(normalise(v), [0.0; 3], "{v:?}");
        }
        assert_eq!(normalise([-0.0, 0.0, 0.0, 0.0]), [0.0; 4]);
    }

    #[test]
    fn normalise_multiplies_by_the_reciprocal() {
        assert_eq!(normalise([3.0, 0.0, 4.0]), [3.0 * 0.2, 0.0, 4.0 * 0.2]);
        // Squares are denormal, but not 0: there is a direction.
        let k = 1.0 / (1e-20_f32 * 1e-20).sqrt();
        assert_eq!(normalise([0.0, -1e-20, 0.0]), [0.0, -1e-20 * k, 0.0]);
    }

    /// The closed form that pica-fragment.md 4.3 gives for the rotated axes has the same bits.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn rotated_axes_in_closed_form() {
        let mut state = 1_u64;
        let mut component = || (picaflor_pipeline::random::word(&mut state) >> 8) as f32 / 8_388_608.0 - 1.0;
        for _ in 0..10_000 {
            let q = normalise(from_fn(|_| component()));
            let [x, y, z, w] = q;
            let n = [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)];
            let t = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)];
            assert_eq!(rotate(q, [0.0, 0.0, 1.0]), n, "{q:?}");
            assert_eq!(rotate(q, [1.0, 0.0, 0.0]), t, "{q:?}");
        }
    }
}
