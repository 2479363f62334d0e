//! The faces of a cube map.

use crate::modelling::matrix::unit;

/// A face: which way its texture coordinates grow, and where it lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Face {
    /// Direction of s.
    pub(super) s: [f32; 3],
    /// Direction of t.
    pub(super) t: [f32; 3],
    /// From the middle of the cube to that of the face.
    pub(super) axis: [f32; 3],
}

const fn face(s: [f32; 3], t: [f32; 3], axis: [f32; 3]) -> Face {
    Face { s, t, axis }
}

/// +X, -X, +Y, -Y, +Z, -Z, the order of the address registers.
pub(super) const FACES: [Face; 6] = [
    face([0.0, 0.0, -1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]),
    face([0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]),
    face([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]),
    face([1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]),
    face([1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]),
    face([-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]),
];

impl Face {
    /// The direction that is looked up at (s, t), both in 0..1.
    pub(super) fn direction(&self, s: f32, t: f32) -> [f32; 3] {
        let (s, t) = (s * 2.0 - 1.0, t * 2.0 - 1.0);
        unit(std::array::from_fn(|c| self.axis[c] + self.s[c] * s + self.t[c] * t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modelling::matrix::{cross, dot, sub};

    #[test]
    fn faces_meet_in_twelve_edges() {
        let corner = |face: &Face, s: f32, t: f32| face.direction(s, t).map(|c| c.signum() as i32);
        let mut edges = Vec::new();
        for face in &FACES {
            let around = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[s, t]| corner(face, s, t));
            edges.extend((0..4).map(|k| (around[k], around[(k + 1) % 4])));
        }
        assert_eq!(edges.iter().filter(|&&(a, b)| edges.contains(&(b, a))).count(), 24);
    }

    #[test]
    fn all_faces_are_seen_from_inside_alike() {
        for Face { s, t, axis } in FACES {
            assert_eq!(dot(sub(cross(s, t), axis), axis), -2.0);
        }
    }
}
