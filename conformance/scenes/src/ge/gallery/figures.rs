//! Shapes that bend: skinning and morphing.

use super::super::Scene;
use super::super::draw::MESH;
use super::super::kit::Kit;
use super::super::state::{Light, elements};
use super::super::vertices::{Corner, layout};
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::bytes;
use picaflor_pipeline::ge::matrix_ports::MatrixPort;
use picaflor_pipeline::ge::regs::op;
use std::f32::consts::TAU;

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "skinned",
        about: "A row of figures whose limbs are bent by three bones each, with weights in bytes and floats",
        build: skinned,
    },
    Scene {
        name: "morphed",
        about: "Three shapes and their colours mixed by morph weights, in bytes, 16 bits and floats",
        build: morphed,
    },
];

const SUN: Light = Light::directional([0.6, 1.0, 0.8], [255, 250, 235]);

/// A tube from y = 0 down to -1, weighed between three bones.
fn limb(thick: f32, colour: [f32; 4]) -> (Vec<Corner>, Vec<u16>) {
    let outline = |v: f32| {
        let round = (1.0 - (v * 2.0 - 1.0).powi(8)).max(0.0).sqrt();
        [thick * round * (0.8 + 0.3 * (v * 3.0 - 0.4).sine()), v - 1.0]
    };
    let mesh = Mesh::revolution(14, 24, outline).coloured(colour);
    let corners = mesh.vertices.iter().map(|vertex| {
        let down = -vertex.position[1];
        let shoulder = ((0.18 - down) / 0.18).max(0.0);
        let lower = ((down - 0.4) / 0.2).clamp(0.0, 1.0);
        let weights = [shoulder, (1.0 - shoulder) * (1.0 - lower), lower, 0.0, 0.0, 0.0, 0.0, 0.0];
        Corner { weights, ..Corner::from(vertex) }
    });
    (corners.collect(), mesh.indices)
}

fn skinned(kit: &mut Kit) {
    kit.start([120, 150, 170]);
    kit.look(0.62, [0.0, 1.6, 8.0], [0.0, 1.1, 0.0]);
    kit.lights([80, 80, 90], &[SUN]);
    kit.list.write(op::CMAT, 3);
    kit.draw_mesh(&Mesh::floor(16.0, 4).coloured([0.55, 0.6, 0.45, 1.0]));
    let common = layout::COLOUR | layout::NORMAL | layout::POSITION | layout::weights(3);
    for (n, weight) in
        [layout::WEIGHT, layout::WEIGHT8, 2 << 9, layout::WEIGHT, layout::WEIGHT8].into_iter().enumerate()
    {
        let step = n as f32 / 5.0;
        let place =
            Matrix::translation(n as f32 * 1.75 - 3.5, 0.0, 0.0).after(Matrix::rotation_y(0.9 - step));
        figure(kit, &place, step * TAU, common | weight);
    }
    kit.show();
}

/// A figure in the middle of a step.
fn figure(kit: &mut Kit, place: &Matrix, phase: f32, vertex_type: u32) {
    let swing = phase.sine();
    let shirt = [0.2 + 0.12 * phase.min(5.0), 0.35, 0.75 - 0.12 * phase.min(5.0), 1.0];
    kit.world(place);
    let body = |v: f32| [0.34 * (1.0 - (v * 2.0 - 1.0).powi(6)).max(0.0).sqrt(), 1.0 + v * 0.85];
    kit.draw_mesh(&Mesh::revolution(16, 12, body).coloured(shirt));
    kit.draw_mesh(&Mesh::sphere(16, 12).moved(0.27, [0.0, 2.15, 0.0]).coloured([0.9, 0.7, 0.55, 1.0]));
    let arm = limb(0.13, shirt);
    let leg = limb(0.17, [0.25, 0.22, 0.3, 1.0]);
    for (side, limb, at, long) in [
        (1.0, &arm, [0.36, 1.75], 0.85),
        (-1.0, &arm, [-0.36, 1.75], 0.85),
        (-1.0, &leg, [0.17, 1.05], 1.05),
        (1.0, &leg, [-0.17, 1.05], 1.05),
    ] {
        let is_leg = long > 1.0;
        let bend = if is_leg { 0.5 + 0.5 * side * swing } else { -0.9 - 0.4 * side * swing };
        bones(kit, side * swing * 0.8, bend);
        let joint = Matrix::translation(at[0], at[1], 0.0).after(Matrix::scale(1.0, long, 1.0));
        kit.world(&place.after(joint));
        let placed = kit.shape(&limb.0, &limb.1, vertex_type);
        kit.draw(&placed);
    }
}

/// The body's bone, that of the upper part, turned, and that of the lower one, bent at the joint.
fn bones(kit: &mut Kit, turn: f32, bend: f32) {
    let upper = Matrix::rotation_x(turn);
    let knee = Matrix::translation(0.0, -0.5, 0.0).after(Matrix::rotation_x(bend));
    let lower = upper.after(knee.after(Matrix::translation(0.0, 0.5, 0.0)));
    let all: Vec<f32> = [Matrix::IDENTITY, upper, lower].iter().flat_map(|bone| elements(bone, 3)).collect();
    kit.list.matrix(MatrixPort::Bones, &all);
}

/// A ball, a box and a flower with the same corners.
fn shapes() -> ([Vec<Corner>; 3], Vec<u16>) {
    let sphere = Mesh::sphere(40, 28);
    let shape = |colour: [f32; 4], change: &dyn Fn([f32; 3]) -> [f32; 3]| {
        let moved = |vertex: &crate::modelling::mesh::Vertex| {
            let position = change(vertex.position);
            Corner { position, colour: bytes(colour), ..Corner::from(vertex) }
        };
        sphere.vertices.iter().map(moved).collect::<Vec<_>>()
    };
    let cubic = |p: [f32; 3]| {
        let largest = p.into_iter().fold(0.0_f32, |a, b| a.max(b.abs()));
        p.map(|c| c / largest * 0.6)
    };
    let petals = |p: [f32; 3]| {
        let wave = 0.62 + 0.36 * (p[0].angle(p[2]) * 5.0).cosine();
        [p[0] * wave, p[1] * 0.45, p[2] * wave]
    };
    let ball = shape([0.85, 0.3, 0.2, 1.0], &|p| p.map(|c| c * 0.9));
    let cube = shape([0.25, 0.6, 0.85, 1.0], &cubic);
    let flower = shape([0.95, 0.8, 0.3, 1.0], &petals);
    ([ball, cube, flower], sphere.indices)
}

fn morphed(kit: &mut Kit) {
    kit.start([40, 36, 48]);
    kit.look(0.62, [0.0, 6.0, 7.4], [0.0, 0.0, 0.0]);
    kit.lights([70, 70, 80], &[SUN.shiny()]);
    kit.list.write(op::CMAT, 3);
    kit.material([255; 3], [120; 3], 20.0);
    let (shapes, indices) = shapes();
    let mixed: Vec<Corner> =
        (0..shapes[0].len()).flat_map(|n| [shapes[0][n], shapes[1][n], shapes[2][n]]).collect();
    let weights = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.5, 0.5, 0.0],
        [0.0, 0.5, 0.5],
        [0.5, 0.0, 0.5],
        [0.34, 0.33, 0.33],
        [0.75, -0.5, 0.75],
    ];
    let small = layout::NORMAL8 | layout::POSITION8 | layout::COLOUR5650;
    let medium = layout::NORMAL16 | layout::POSITION16 | layout::COLOUR4444;
    let large = MESH & !3;
    let placed = [small, medium, large].map(|format| kit.shape(&mixed, &indices, format | layout::morphs(3)));
    for (n, weights) in weights.into_iter().enumerate() {
        let (column, row) = ((n % 4) as f32, (n / 4) as f32);
        kit.world(
            &Matrix::translation(column * 2.2 - 3.3, 0.0, row * 2.9 - 1.5).after(Matrix::rotation_y(0.4)),
        );
        (op::MW0..).zip(weights).for_each(|(register, weight)| _ = kit.list.float(register, weight));
        kit.draw(&placed[n % 3]);
    }
    kit.show();
}
