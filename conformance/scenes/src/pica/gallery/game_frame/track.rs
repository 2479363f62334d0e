//! The course: its centre line, the land around it, the road.

use crate::modelling::math::Real;
use crate::modelling::matrix::{dot, sub, unit};
use crate::modelling::mesh::{Mesh, Vertex};
use crate::modelling::paint::{mix, noise};

/// Towards the sun.
pub(super) const SUN: [f32; 3] = [-0.35, 0.8, 0.5];
/// Half the width of the road.
pub(super) const HALF: f32 = 3.6;
/// Half the side of the land.
const LAND: f32 = 84.0;
/// Height of the lake.
pub(super) const WATER: f32 = 0.0;
/// Middle of the lake.
pub(super) const LAKE: [f32; 2] = [30.0, 34.0];
/// Points of the centre line per corner.
const STEPS: usize = 20;
/// Corners of the course.
const CORNERS: [[f32; 2]; 13] = [
    [-20.0, 52.0],
    [15.0, 56.0],
    [46.0, 46.0],
    [58.0, 16.0],
    [40.0, -6.0],
    [15.0, -2.0],
    [2.0, -20.0],
    [22.0, -42.0],
    [5.0, -60.0],
    [-30.0, -52.0],
    [-55.0, -25.0],
    [-42.0, 0.0],
    [-58.0, 28.0],
];

/// The course.
pub(super) struct Track {
    /// Points of the centre line, evenly numbered, closed.
    pub(super) points: Vec<[f32; 3]>,
}

impl Track {
    pub(super) fn new() -> Self {
        let count = CORNERS.len() * STEPS;
        Self { points: (0..count).map(|k| point(k as f32 / count as f32)).collect() }
    }

    /// Place on the road `t` of the way around, `side` to the right of the middle, and the way forward.
    pub(super) fn place(&self, t: f32, side: f32) -> ([f32; 3], [f32; 3]) {
        let (here, ahead) = (point(t), unit(sub(point(t + 0.002), point(t - 0.002))));
        let right = unit([-ahead[2], 0.0, ahead[0]]);
        (std::array::from_fn(|c| here[c] + right[c] * side), ahead)
    }

    /// Distance from the centre line, and the height of the road there.
    fn nearest(&self, x: f32, z: f32) -> (f32, f32) {
        let far = |p: &[f32; 3]| (p[0] - x).powi(2) + (p[2] - z).powi(2);
        let nearest = self.points.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
        nearest.map_or((f32::MAX, 0.0), |p| (far(p).sqrt(), p[1]))
    }

    /// Distance of a place from the centre line.
    pub(super) fn distance(&self, x: f32, z: f32) -> f32 {
        self.nearest(x, z).0
    }

    /// Height of the land.
    pub(super) fn height(&self, x: f32, z: f32) -> f32 {
        let (distance, road) = self.nearest(x, z);
        let hills = 11.0 * noise(x / 21.0, z / 21.0, 64, 1) + 3.0 * noise(x / 7.0, z / 7.0, 64, 2) - 2.5;
        let lake = (x - LAKE[0]).powi(2) + (z - LAKE[1]).powi(2);
        let edge = ((x.abs().max(z.abs()) - 62.0) / 22.0).clamp(0.0, 1.0);
        let wild = hills * (1.0 - (-lake / 800.0).exponential()) - 3.6 * (-lake / 170.0).exponential()
            + edge * edge * 13.0;
        let t = ((distance - HALF - 1.2) / 11.0).clamp(0.0, 1.0);
        let road = road - 0.35;
        road + (wild - road) * t * t * (3.0 - 2.0 * t)
    }

    /// One of 4 x 4 pieces of the land.
    pub(super) fn land(&self, piece: u32) -> Mesh {
        let (left, top) = ((piece % 4) as f32 / 4.0, (piece / 4) as f32 / 4.0);
        let place = |u: f32, v: f32| {
            let x = (left + u / 4.0) * 2.0 * LAND - LAND;
            let z = LAND - (top + v / 4.0) * 2.0 * LAND;
            [x, self.height(x, z), z]
        };
        Mesh::sheet(12, 12, place).map(|vertex| self.paint(vertex)).lit(SUN, 0.42)
    }

    fn paint(&self, vertex: &mut Vertex) {
        let [x, y, z] = vertex.position;
        let dry = noise(x / 9.0, z / 9.0, 64, 5);
        let grass = mix([0.72, 0.95, 0.6, 1.0], [1.0, 0.98, 0.66, 1.0], dry);
        let steep = ((0.86 - vertex.normal[1]) * 6.0).clamp(0.0, 1.0);
        let grass = mix(grass, [0.95, 0.8, 0.62, 1.0], steep);
        let shore = ((WATER + 1.1 - y) * 1.2).clamp(0.0, 1.0);
        let verge = ((HALF + 1.8 - self.distance(x, z)) * 0.7).clamp(0.0, 0.6);
        vertex.colour = mix(grass, [1.2, 1.0, 0.75, 1.0], shore.max(verge));
        vertex.uv = [x / 4.0, z / 4.0];
    }

    /// The road as a band of quads.
    pub(super) fn road(&self) -> Mesh {
        let count = (CORNERS.len() * STEPS) as u16;
        let place = |u: f32, v: f32| {
            let (at, _) = self.place(v, (u - 0.5) * 2.0 * HALF);
            let bank = 0.04 + 0.08 * (1.0 - (2.0 * u - 1.0).powi(2));
            [at[0], at[1] + bank, at[2]]
        };
        let mesh = Mesh::sheet(3, count, place);
        mesh.map(|vertex| vertex.uv[1] *= 62.0).lit(SUN, 0.5)
    }

    /// The road from above, `half` wide, for maps: x to the right, z downward.
    pub(super) fn band(&self, half: f32, map: impl Fn(f32, f32) -> [f32; 2]) -> Mesh {
        let count = (CORNERS.len() * STEPS) as u16 / 2;
        Mesh::sheet(1, count, |u, v| {
            let (at, _) = self.place(v, (u - 0.5) * 2.0 * half);
            let [x, y] = map(at[0], at[2]);
            [x, 240.0 - y, 0.0]
        })
    }
}

/// The centre line: a closed Catmull-Rom spline.
fn point(t: f32) -> [f32; 3] {
    let along = t.rem_euclid(1.0) * CORNERS.len() as f32;
    let (k, f) = (along.floor() as usize, along.fract());
    let weights = [
        ((2.0 - f) * f - 1.0) * f / 2.0,
        ((3.0 * f - 5.0) * f * f + 2.0) / 2.0,
        ((4.0 - 3.0 * f) * f + 1.0) * f / 2.0,
        (f - 1.0) * f * f / 2.0,
    ];
    let corner = |j: usize| CORNERS[(k + CORNERS.len() + j - 1) % CORNERS.len()];
    let sum = |c: usize| (0..4).map(|j| weights[j] * corner(j)[c]).sum();
    let turn = t * std::f32::consts::TAU;
    [sum(0), 1.9 + 0.9 * (turn * 2.0).sine() + 0.6 * (turn * 5.0 + 1.0).cosine(), sum(1)]
}

/// A turn about the y axis that brings -z to a direction.
pub(super) fn heading(ahead: [f32; 3]) -> f32 {
    (-ahead[0]).angle(-ahead[2])
}

/// A rise that brings the level to a direction.
pub(super) fn slope(ahead: [f32; 3]) -> f32 {
    ahead[1].angle(dot([ahead[0], 0.0, ahead[2]], [ahead[0], 0.0, ahead[2]]).sqrt())
}
