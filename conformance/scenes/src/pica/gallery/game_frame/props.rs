//! Props in the landscape: trees, the gate, tyres, balloons, shadows.

use super::track::{HALF, LAKE, SUN, Track, WATER};
use crate::modelling::math::Real;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{hash, mix};

/// A tree: kind, place, size.
pub(super) struct Tree {
    pub(super) kind: usize,
    pub(super) at: [f32; 3],
    pub(super) size: f32,
}

/// Trees on the slopes along the course.
pub(super) fn forest(track: &Track) -> Vec<Tree> {
    let place = |k: u32| {
        let t = k as f32 / 150.0 + hash(k, 1, 70) * 0.01;
        let side = (HALF + 3.2 + 17.0 * hash(k, 2, 70)) * if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        let ([x, _, z], _) = track.place(t, side);
        let at = [x, track.height(x, z) - 0.1, z];
        let size = 1.0 + 0.7 * hash(k, 3, 70);
        Tree { kind: (hash(k, 4, 70) * 2.6) as usize, at, size }
    };
    let dry = |tree: &Tree| tree.at[1] > WATER + 0.6;
    let beside = |tree: &Tree| track.distance(tree.at[0], tree.at[2]) > HALF + 2.4;
    (0..150).map(place).filter(|tree| dry(tree) && beside(tree)).take(56).collect()
}

/// The three kinds of trees.
pub(super) fn tree(kind: usize) -> Mesh {
    let trunk = Mesh::revolution(6, 1, |v| [0.16 - 0.04 * v, v * 1.1]).coloured([0.5, 0.33, 0.2, 1.0]);
    let mut mesh = trunk;
    match kind {
        0 => {
            for (k, (radius, low, high)) in
                [(1.15, 0.7, 2.3), (0.9, 1.6, 3.1), (0.6, 2.5, 3.9)].into_iter().enumerate()
            {
                let cone = Mesh::revolution(9, 1, |v| [radius * (1.0 - v), low + (high - low) * v]);
                let green = mix([0.1, 0.42, 0.24, 1.0], [0.3, 0.66, 0.3, 1.0], k as f32 / 2.0);
                mesh.append(&cone.coloured(green).tiled(2.0));
            }
        }
        1 => {
            let crown = Mesh::sphere(8, 6).moved(1.05, [0.0, 1.9, 0.0]);
            mesh.append(&crown.coloured([0.42, 0.68, 0.2, 1.0]).tiled(2.0));
        }
        _ => {
            for (size, at) in [(0.8, [-0.4, 1.5, 0.1]), (0.7, [0.45, 1.8, 0.0]), (0.6, [0.0, 2.4, -0.1])] {
                let crown = Mesh::sphere(6, 4).moved(size, at);
                mesh.append(&crown.coloured([0.88, 0.5, 0.16, 1.0]).tiled(2.0));
            }
        }
    }
    mesh.lit(SUN, 0.45)
}

/// Round shadows of the trees, a little above the land.
pub(super) fn shadows(track: &Track, trees: &[Tree]) -> Mesh {
    let mut mesh = Mesh::default();
    for tree in trees {
        mesh.append(&shadow(track, tree.at[0] + 0.4, tree.at[2] - 0.5, 2.1 * tree.size));
    }
    mesh
}

/// A shadow that follows the land.
fn shadow(track: &Track, x: f32, z: f32, radius: f32) -> Mesh {
    let dark = [0.0, 0.04, 0.08, 0.85];
    Mesh::sheet(3, 3, |u, v| {
        let (x, z) = (x + (u - 0.5) * 2.0 * radius, z + (0.5 - v) * 2.0 * radius);
        [x, track.height(x, z) + 0.3, z]
    })
    .coloured(dark)
}

/// The pillars of the gate, and piles of tyres on the outside of the bend.
pub(super) fn structures(track: &Track, gate: f32) -> Mesh {
    let mut mesh = Mesh::default();
    for side in [-HALF - 0.7, HALF + 0.7] {
        let (at, _) = track.place(gate, side);
        let pillar = Mesh::revolution(12, 6, |v| [0.34, v * 6.2 - 0.6]);
        let striped = pillar.map(|vertex| {
            let red = ((vertex.uv[1] * 6.0 + 0.01) as u32).is_multiple_of(2);
            vertex.colour = if red { [0.85, 0.2, 0.2, 1.0] } else { [0.96, 0.95, 0.9, 1.0] };
        });
        mesh.append(&striped.moved(1.0, at));
        let ball = Mesh::sphere(12, 8).moved(0.5, [at[0], at[1] + 5.9, at[2]]);
        mesh.append(&ball.coloured([1.0, 0.8, 0.25, 1.0]));
    }
    for k in 0..10_u32 {
        let (at, _) = track.place(0.118 + k as f32 * 0.006, HALF + 1.0);
        for level in 0..2_u8 {
            let up = at[1] - 0.1 + 0.42 * f32::from(level);
            let tyre = Mesh::torus(8, 4, 0.42).moved(0.42, [at[0], up, at[2]]);
            let white = (k + u32::from(level)) % 2 == 0;
            mesh.append(&tyre.coloured(if white { [0.94, 0.93, 0.9, 1.0] } else { [0.82, 0.2, 0.2, 1.0] }));
        }
    }
    mesh.lit(SUN, 0.45)
}

/// The banner across the road.
pub(super) fn banner(track: &Track, gate: f32) -> Mesh {
    let [left, right] = [-HALF - 0.7, HALF + 0.7].map(|side| track.place(gate, side).0);
    Mesh::sheet(1, 1, |u, v| {
        let at: [f32; 3] = std::array::from_fn(|c| left[c] + (right[c] - left[c]) * u);
        [at[0], at[1] + 3.7 + 1.5 * v, at[2]]
    })
}

/// A striped balloon with its basket.
pub(super) fn balloon(colours: [[f32; 4]; 2]) -> Mesh {
    let hull = Mesh::revolution(16, 9, |v| {
        let a = v * std::f32::consts::PI;
        let (s, c) = a.sine_cosine();
        [s * (1.0 - 0.28 * (1.0 - v).powi(3)), -c * 1.2]
    });
    let mut mesh = hull.map(|vertex| {
        let stripe = (vertex.uv[0] * 8.0 + 0.01) as usize % 2;
        vertex.colour = colours[stripe];
    });
    let basket = Mesh::cube().moved(0.16, [0.0, -1.65, 0.0]).coloured([0.55, 0.36, 0.2, 1.0]);
    mesh.append(&basket).clone().lit(SUN, 0.5)
}

/// The surface of the lake.
pub(super) fn lake() -> Mesh {
    Mesh::floor(52.0, 4).moved(1.0, [LAKE[0], WATER, LAKE[1]]).tiled(9.0)
}

/// Mountains at the edge of the world, paler the higher the haze.
pub(super) fn mountains() -> Mesh {
    let peak = |u: f32| {
        let at = |cells: u32, seed| {
            let (cell, f) = ((u * cells as f32).floor(), (u * cells as f32).fract());
            let (a, b) = (hash(cell as u32 % cells, 0, seed), hash((cell as u32 + 1) % cells, 0, seed));
            a + (b - a) * f
        };
        13.0 * at(24, 80) + 7.0 * at(72, 81) + 4.0
    };
    Mesh::sheet(96, 2, |u, v| {
        let (s, c) = (u * std::f32::consts::TAU).sine_cosine();
        [s * 170.0, v * v * peak(u) * 1.35 + 4.0 * v - 2.0, c * 170.0]
    })
    .map(|vertex| {
        let snow = ((vertex.position[1] - 19.0) / 5.0).clamp(0.0, 1.0) * vertex.uv[1];
        let rock = mix([0.62, 0.78, 0.86, 1.0], [0.4, 0.55, 0.74, 1.0], vertex.uv[1]);
        vertex.colour = mix(rock, [0.95, 0.97, 1.0, 1.0], snow);
    })
}
