//! Signs of normal quaternions: q and -q are the same rotation, but not half way between.
//!
//! Source: pica-geometry.md 5.2 (measured on a console).

use super::Vertex;

/// Semantics of the quaternion: x, y, z, w.
const QUATERNION: std::ops::Range<usize> = 4..8;

/// Negates the quaternions of the second and third vertex that point away from that of the first.
pub(super) fn align([first, second, third]: &mut [Vertex; 3]) {
    for vertex in [second, third] {
        if dot(first, vertex) < 0.0 {
            vertex[QUATERNION].iter_mut().for_each(|component| *component = -*component);
        }
    }
}

/// The scalar product, summed in the order x, y, z, w.
fn dot(a: &Vertex, b: &Vertex) -> f32 {
    let product = |k: usize| a[QUATERNION][k] * b[QUATERNION][k];
    ((product(0) + product(1)) + product(2)) + product(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligned(quaternions: [[f32; 4]; 3]) -> [[f32; 4]; 3] {
        let mut corners = quaternions.map(|q| {
            let mut vertex = [-7.0; 24];
            vertex[4..8].copy_from_slice(&q);
            vertex
        });
        align(&mut corners);
        assert!(corners.iter().all(|v| v[..4] == [-7.0; 4] && v[8..] == [-7.0; 16]), "nothing else changes");
        corners.map(|v| [v[4], v[5], v[6], v[7]])
    }

    #[test]
    fn each_against_the_first() {
        let q = [1.0, 2.0, 3.0, 4.0];
        let minus = q.map(|c: f32| -c);
        assert_eq!(aligned([q, minus, q]), [q; 3]);
        assert_eq!(aligned([minus, q, q]), [minus; 3]);
        // The third is compared with the first, not with the second.
        let [x, y] = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]];
        assert_eq!(aligned([x, y, [0.5, -1.0, 0.0, 0.0]]), [x, y, [0.5, -1.0, 0.0, 0.0]]);
    }

    /// A product of 0 or NaN is not below 0.
    #[test]
    fn nothing_to_decide() {
        let (q, nan) = ([1.0, 0.0, 0.0, 0.0], [f32::NAN, 1.0, 1.0, 1.0]);
        let turned = [0.0, -1.0, 0.0, 0.0];
        assert_eq!(aligned([q, turned, turned]), [q, turned, turned]);
        assert_eq!(aligned([q, nan, q])[1][1..], nan[1..]);
    }

    /// 2^24 + 1 is 2^24 in binary32, so the order of the sum decides: ((1e24 + 1) - 1e24) - 0.5 is below 0.
    #[test]
    fn order_of_the_sum() {
        let big = 16_777_216.0;
        let found = aligned([[1.0; 4], [big, 1.0, -big, -0.5], [big, -big, 1.0, -0.5]]);
        assert_eq!(found[1], [-big, -1.0, big, 0.5]);
        assert_eq!(found[2], [big, -big, 1.0, -0.5]);
    }

    /// 1 * 1 + 1 * -2 is below 0.
    #[test]
    fn every_component_counts() {
        let first = [1.0; 4];
        for k in 0..4 {
            let mut away = [0.0; 4];
            (away[k], away[(k + 1) % 4]) = (-2.0, 1.0);
            assert_eq!(aligned([first, away, first])[1], away.map(|c: f32| -c), "{k}");
        }
    }
}
