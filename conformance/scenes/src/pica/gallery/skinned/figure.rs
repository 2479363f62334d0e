//! The figure: a body over thirteen bones, standing upright in rest, facing +z, two units high.

use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::{Mesh, Vertex};
use crate::modelling::paint::mix;
use std::f32::consts::{FRAC_PI_2, PI, TAU};

const PELVIS: u8 = 0;
const CHEST: u8 = 1;
const HEAD: u8 = 2;
/// Upper arm, lower arm, thigh, shin and foot of the left; the right ones are one higher.
const ARM: u8 = 3;
const HAND: u8 = 5;
const THIGH: u8 = 7;
const SHIN: u8 = 9;
const FOOT: u8 = 11;

const SKIN: [f32; 4] = [0.96, 0.74, 0.58, 1.0];
const COAT: [f32; 4] = [0.16, 0.46, 0.56, 1.0];
const TROUSERS: [f32; 4] = [0.36, 0.3, 0.42, 1.0];
const LEATHER: [f32; 4] = [0.52, 0.3, 0.2, 1.0];
const SCARF: [f32; 4] = [0.95, 0.35, 0.22, 1.0];
const STRAW: [f32; 4] = [0.96, 0.82, 0.5, 1.0];
const DARK: [f32; 4] = [0.14, 0.1, 0.14, 1.0];

/// The bones of a vertex, with weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Skin {
    pub(super) bones: [u8; 4],
    pub(super) weights: [f32; 4],
}

impl Skin {
    const fn one(bone: u8) -> Self {
        Self { bones: [bone, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0] }
    }

    /// `upper` above `joint`, `lower` below it, both within `soft` of it.
    fn joint(upper: u8, lower: u8, joint: f32, soft: f32, y: f32) -> Self {
        let t = ((y - joint) / soft * 0.5 + 0.5).clamp(0.0, 1.0);
        let t = t * t * (3.0 - 2.0 * t);
        Self { bones: [upper, lower, 0, 0], weights: [t, 1.0 - t, 0.0, 0.0] }
    }
}

/// The body at rest.
#[derive(Debug, Default)]
pub(super) struct Figure {
    pub(super) mesh: Mesh,
    pub(super) skin: Vec<Skin>,
}

impl Figure {
    pub(super) fn new() -> Self {
        let mut figure = Self::default();
        figure.trunk();
        figure.head();
        for (side, x) in [(0, 1.0), (1, -1.0)] {
            figure.arm(side, x);
            figure.leg(side, x);
        }
        figure
    }

    fn add(&mut self, mesh: &Mesh, skin: impl Fn(&Vertex) -> Skin) {
        self.skin.extend(mesh.vertices.iter().map(skin));
        self.mesh.append(mesh);
    }

    fn rigid(&mut self, mesh: &Mesh, bone: u8) {
        self.add(mesh, |_| Skin::one(bone));
    }

    /// Coat, belt, scarf, rucksack.
    fn trunk(&mut self) {
        let coat = Mesh::revolution(24, 18, |v| {
            let y = 0.72 + 0.8 * v;
            let shoulder = 1.0 - ((v - 0.78) / 0.22).max(0.0).powi(2) * 0.72;
            [(0.3 - 0.1 * (v * 2.2).min(1.0) + 0.07 * v) * shoulder, y]
        });
        let coat = coat.coloured(COAT).map(|vertex| {
            vertex.position[0] *= 1.18;
            let belt = (0.93..1.0).contains(&vertex.position[1]);
            let hem = vertex.position[1] < 0.78;
            vertex.colour = if belt {
                LEATHER
            } else if hem {
                mix(COAT, STRAW, 0.8)
            } else {
                COAT
            };
        });
        self.add(&coat, |v| Skin::joint(CHEST, PELVIS, 1.08, 0.16, v.position[1]));
        let scarf = Mesh::torus(20, 8, 0.36).moved(0.17, [0.0, 1.5, 0.01]).coloured(SCARF);
        self.rigid(&scarf, CHEST);
        let tail = Mesh::sphere(10, 8).map(|v| {
            let [x, y, z] = v.position;
            v.position = [0.12 + x * 0.06, 1.34 + y * 0.16, 0.2 + z * 0.04];
        });
        self.rigid(&tail.coloured(SCARF), CHEST);
        for (size, at, colour) in [
            ([0.22, 0.26, 0.13], [0.0, 1.24, -0.3], LEATHER),
            ([0.27, 0.075, 0.075], [0.0, 1.55, -0.3], [0.82, 0.76, 0.62, 1.0]),
        ] {
            let pack = Mesh::sphere(16, 12).coloured(colour).map(|vertex| {
                let round = vertex.position.map(|p| p.signum() * p.abs().power(0.55));
                vertex.position = std::array::from_fn(|c| at[c] + round[c] * size[c]);
            });
            self.rigid(&pack, CHEST);
        }
    }

    /// Head, hair, eyes, nose, hat.
    fn head(&mut self) {
        let head = Mesh::sphere(24, 16).map(|vertex| {
            let [x, y, z] = vertex.position;
            let hair = z < 0.15 - 0.9 * y.max(-0.5) * 0.4 && y > -0.55;
            vertex.colour = if hair { [0.3, 0.17, 0.12, 1.0] } else { SKIN };
            vertex.position = [x * 0.25, 1.77 + y * 0.26, z * 0.25];
        });
        self.rigid(&head, HEAD);
        for x in [-0.09, 0.09] {
            let eye = Mesh::sphere(10, 8).moved(0.036, [x, 1.79, 0.228]).coloured(DARK);
            self.rigid(&eye, HEAD);
        }
        let nose = Mesh::sphere(10, 8).moved(0.042, [0.0, 1.72, 0.255]).coloured([0.92, 0.6, 0.46, 1.0]);
        self.rigid(&nose, HEAD);
        let hat = Mesh::revolution(28, 10, |v| {
            let (out, up) =
                if v < 0.4 { (0.42 - 0.36 * v, 0.03 * v) } else { ((1.0 - v) * 0.46, (v - 0.4) * 0.42) };
            [if v < 0.4 { out } else { out.min(0.235) }, 1.9 + up]
        });
        let hat = hat.coloured(STRAW).map(|vertex| {
            if (0.45..0.65).contains(&vertex.uv[1]) {
                vertex.colour = SCARF;
            }
        });
        self.rigid(&hat.placed(&tilt([0.0, 1.9, 0.0], -0.14)), HEAD);
        let under = Mesh::revolution(28, 1, |v| [0.42 * v, 1.895]).coloured(mix(STRAW, LEATHER, 0.5));
        self.rigid(&under.placed(&tilt([0.0, 1.9, 0.0], -0.14)), HEAD);
    }

    fn arm(&mut self, side: u8, x: f32) {
        let sleeve = capsule([0.86, 1.47], [0.085, 0.1], 14).coloured(COAT).map(|vertex| {
            if vertex.position[1] < 0.94 {
                vertex.colour = mix(COAT, STRAW, 0.8);
            }
        });
        let sleeve = sleeve.moved(1.0, [x * 0.31, 0.0, 0.0]);
        self.add(&sleeve, |v| Skin::joint(ARM + side, HAND + side, 1.15, 0.11, v.position[1]));
        let hand = Mesh::sphere(12, 8).moved(0.09, [x * 0.31, 0.8, 0.01]).coloured(SKIN);
        self.rigid(&hand, HAND + side);
    }

    fn leg(&mut self, side: u8, x: f32) {
        let leg =
            capsule([0.08, 0.98], [0.095, 0.13], 18).coloured(TROUSERS).moved(1.0, [x * 0.13, 0.0, 0.0]);
        self.add(&leg, |v| Skin::joint(THIGH + side, SHIN + side, 0.5, 0.13, v.position[1]));
        let shaft = capsule([0.04, 0.3], [0.115, 0.12], 8).coloured(LEATHER).moved(1.0, [x * 0.13, 0.0, 0.0]);
        self.rigid(&shaft, SHIN + side);
        let boot = Mesh::sphere(14, 10).coloured(LEATHER).map(|vertex| {
            let [a, b, c] = vertex.position;
            let sole = b < -0.55;
            vertex.colour = if sole { DARK } else { LEATHER };
            vertex.position = [x * 0.13 + a * 0.11, 0.085 + (b * 0.1).max(-0.085), 0.06 + c * 0.2];
        });
        self.rigid(&boot, FOOT + side);
    }
}

/// An upright tube with round ends, from one height to another.
fn capsule([low, high]: [f32; 2], [r0, r1]: [f32; 2], rows: u16) -> Mesh {
    Mesh::revolution(14, rows, |v| {
        // Closer rows at the ends, where the outline bends.
        let t = (1.0 - (v * PI).cosine()) / 2.0;
        let end = ((t.min(1.0 - t) * (high - low)) / r0.max(r1)).min(1.0);
        [(r0 + (r1 - r0) * t) * (1.0 - (1.0 - end).powi(2)).max(0.0).sqrt(), low + (high - low) * t]
    })
}

/// A turn about the x axis through a point.
fn tilt([x, y, z]: [f32; 3], angle: f32) -> Matrix {
    turn_at([x, y, z], Matrix::rotation_x(angle))
}

fn turn_at([x, y, z]: [f32; 3], turn: Matrix) -> Matrix {
    Matrix::translation(x, y, z).after(turn).after(Matrix::translation(-x, -y, -z))
}

/// The bones at a moment of the walk, 0..1 for two steps.
pub(super) fn pose(moment: f32) -> [Matrix; 13] {
    let phase = moment * TAU;
    let mut bones = [Matrix::IDENTITY; 13];
    let bob = 0.035 * (2.0 * phase).cosine() - 0.06;
    let sway = Matrix::rotation_y(-0.14 * phase.sine()).after(Matrix::rotation_z(0.04 * phase.cosine()));
    bones[usize::from(PELVIS)] = Matrix::translation(0.0, bob, 0.0).after(turn_at([0.0, 0.95, 0.0], sway));
    let pelvis = bones[usize::from(PELVIS)];
    let twist = Matrix::rotation_y(0.3 * phase.sine()).after(Matrix::rotation_x(0.1));
    let chest = pelvis.after(turn_at([0.0, 1.08, 0.0], twist));
    bones[usize::from(CHEST)] = chest;
    let nod = Matrix::rotation_y(-0.35 - 0.16 * phase.sine())
        .after(Matrix::rotation_x(-0.1 + 0.04 * (2.0 * phase).cosine()));
    bones[usize::from(HEAD)] = chest.after(turn_at([0.0, 1.5, 0.0], nod));
    for (side, x) in [(0, 1.0), (1, -1.0_f32)] {
        let swing = phase + if side == 0 { 0.0 } else { PI };
        limbs(&mut bones, side, x, swing, [pelvis, chest]);
    }
    bones
}

/// One side: the leg swings with the sine, the arm against it; the knee bends while the leg comes forward.
fn limbs(bones: &mut [Matrix; 13], side: usize, x: f32, swing: f32, [pelvis, chest]: [Matrix; 2]) {
    let (s, c) = swing.sine_cosine();
    let (thigh, knee) = (-0.62 * s - 0.1, 0.14 + 0.95 * c.max(0.0).power(1.4));
    let leg = pelvis.after(tilt([x * 0.13, 0.92, 0.0], thigh));
    let shin = leg.after(tilt([x * 0.13, 0.5, 0.0], knee));
    let ankle = (-(thigh + knee) * 0.75).clamp(-0.7, FRAC_PI_2 / 2.0);
    bones[usize::from(THIGH) + side] = leg;
    bones[usize::from(SHIN) + side] = shin;
    bones[usize::from(FOOT) + side] = shin.after(tilt([x * 0.13, 0.1, 0.0], ankle));
    let out = turn_at([x * 0.31, 1.4, 0.0], Matrix::rotation_z(x * 0.14));
    let arm = chest.after(out).after(tilt([x * 0.31, 1.4, 0.0], 0.7 * s));
    bones[usize::from(ARM) + side] = arm;
    bones[usize::from(HAND) + side] = arm.after(tilt([x * 0.31, 1.15, 0.0], -0.55 + 0.3 * s));
}
