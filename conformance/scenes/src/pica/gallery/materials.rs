//! Materials from the procedural texture unit.

use super::lamp::{Lamp, Lighting, light};
use super::procedural::{Noise, Procedural, function};
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::{Mesh, Vertex};
use crate::modelling::paint::{hash, mix};
use crate::pica::Scene;
use crate::pica::kit::{Buffers, Kit, Screen, ShaderProgram};
use crate::pica::programs;
use crate::pica::state::{Combiner, State, func, op, source};
use std::f32::consts::PI;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "marble",
        about: "Three kinds of marble from the procedural texture: noise bends bands of colour",
        build: marble,
    },
    Scene {
        name: "wood",
        about: "Turned wood on boards from the procedural texture: noisy year rings around an axis",
        build: wood,
    },
];

/// Bits of the units register: unit 3, with texture coordinates 0.
const UNIT_3: u32 = 1 << 10;

/// The target, the light and the camera of both scenes.
fn studio(kit: &mut Kit, [eye, at]: [[f32; 3]; 2], ground: u32, lamps: [Lamp; 2]) -> Buffers {
    let buffers = kit.screen_buffers(Screen::Top);
    let program = ShaderProgram::assemble(programs::LIT);
    let view = Matrix::look_at(eye, at);
    kit.clear(&buffers, ground);
    kit.list.defaults(&buffers).depth_test(func::GREATER, true).units(UNIT_3);
    kit.vertex_program(&program);
    kit.matrix(&program, "projection", &Screen::Top.perspective(0.6, 1.0, 40.0));
    kit.uniform(&program, "modelview", &view.affine());
    kit.list.combiners(&[
        Combiner::modulate(source::PRIMARY, source::TEXTURE3),
        Combiner::modulate(source::PREVIOUS, source::VERTEX),
        Combiner::both(op::ADD, [source::PREVIOUS, source::SECONDARY, source::SECONDARY]),
    ]);
    let lamps = lamps.map(|lamp| {
        let [x, y, z, _] = view.apply(lamp.at);
        Lamp { at: [x, y, z], ..lamp }
    });
    light(&mut kit.list, &Lighting { ambient: [0.22, 0.22, 0.26], shine: 60.0, shadow: false }, &lamps);
    buffers
}

fn finish(kit: &mut Kit, buffers: &Buffers) {
    kit.submit();
    kit.show(Screen::Top, buffers);
    kit.frame();
}

fn draw(kit: &mut Kit, mesh: &Mesh) {
    let placed = kit.mesh(mesh);
    kit.draw(&placed);
}

fn marble(kit: &mut Kit) {
    let key = Lamp { at: [-3.5, 6.0, 4.0], far: false, diffuse: [0.85, 0.82, 0.76], specular: [0.7; 3] };
    let rim = Lamp { at: [5.0, 2.5, 1.0], far: false, diffuse: [0.2, 0.26, 0.4], specular: [0.25, 0.3, 0.4] };
    let buffers = studio(kit, [[0.0, 2.2, 7.0], [0.0, 1.1, 0.0]], 0x1c26_40ff, [key, rim]);
    stone(kit, [0.34, 0.38, 0.48], [0.55, 0.59, 0.7], 0.7);
    draw(kit, &floor());
    stone(kit, [0.30, 0.33, 0.42], [0.98, 0.96, 0.93], 0.42);
    draw(kit, &Mesh::revolution(48, 64, vase).map(veined).moved(1.0, [-2.3, 0.0, 0.0]));
    stone(kit, [0.86, 0.66, 0.28], [0.05, 0.05, 0.07], 0.22);
    draw(kit, &Mesh::sphere(64, 48).map(veined).moved(0.95, [0.0, 1.5, 0.0]));
    draw(kit, &Mesh::revolution(48, 24, pedestal).map(veined).moved(1.0, [0.0, 0.0, 0.0]));
    stone(kit, [0.66, 0.84, 0.66], [0.06, 0.30, 0.2], 0.3);
    draw(kit, &Mesh::revolution(48, 64, goblet).map(veined).moved(1.0, [2.3, 0.0, 0.0]));
    finish(kit, &buffers);
}

/// Marble of two colours; veins of the first run along bands that noise has bent.
fn stone(kit: &mut Kit, vein: [f32; 3], body: [f32; 3], sharpness: f32) {
    let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
    let noise = [(0.62, 0.0, 0.42), (0.5, 0.3, 0.3)];
    Procedural {
        function: function::SUM,
        clamp: 3,
        noise: noise.map(|(amplitude, phase, frequency)| Noise { amplitude, phase, frequency }),
        map: &|t| (t * PI * 5.0).sine().abs().power(sharpness),
        colours: &|t| mix(opaque(vein), opaque(body), t * t * (1.4 - 0.4 * t)),
    }
    .set(&mut kit.list);
}

/// Texture coordinates from the place in the block that a shape is cut from.
fn veined(corner: &mut Vertex) {
    let [x, y, z] = corner.position;
    corner.uv = [2.2 + 0.42 * x + 0.38 * y + 0.26 * z, 2.7 - 0.32 * x + 0.44 * y - 0.36 * z];
}

fn floor() -> Mesh {
    Mesh::floor(24.0, 24).map(|corner| {
        let [x, _, z] = corner.position;
        corner.uv = [9.0 + x * 0.4 + z * 0.16, 9.0 + z * 0.4 - x * 0.12];
        let far = ((x * x + z * z) / 90.0).min(1.0);
        corner.colour = mix([1.0; 4], [0.38, 0.45, 0.65, 1.0], far);
    })
}

/// Radius and height over the way up.
fn vase(v: f32) -> [f32; 2] {
    let belly = 0.34 + 0.42 * (v * PI * 1.15 + 0.1).sine().max(0.0).power(1.4);
    let lip = 0.16 * ((v - 0.86).max(0.0) / 0.14).powi(2);
    [belly + lip - 0.08, v * 2.5]
}

fn pedestal(v: f32) -> [f32; 2] {
    [if v > 0.95 { (1.0 - v) * 14.0 } else { 0.7 - 0.25 * (v * PI).sine().power(0.6) }, v.min(0.95) * 0.62]
}

fn goblet(v: f32) -> [f32; 2] {
    let foot = 0.62 * (1.0 - v * 5.0).max(0.0).powi(2);
    let cup = 0.78 * ((v - 0.32).max(0.0) / 0.68).power(0.55);
    [0.12 + foot + cup, v * 2.1]
}

fn wood(kit: &mut Kit) {
    let key = Lamp { at: [-4.0, 6.0, 3.0], far: false, diffuse: [0.88, 0.82, 0.72], specular: [0.34; 3] };
    let rim = Lamp { at: [5.0, 3.0, 2.0], far: false, diffuse: [0.16, 0.2, 0.3], specular: [0.12; 3] };
    let buffers = studio(kit, [[0.0, 3.1, 7.4], [0.0, 0.75, 0.0]], 0x2a1e_18ff, [key, rim]);
    timber(kit, [0.36, 0.21, 0.12], [0.62, 0.41, 0.25]);
    for k in 0..9 {
        draw(kit, &board(k));
    }
    timber(kit, [0.55, 0.31, 0.13], [0.93, 0.7, 0.42]);
    let cut = |a: [f32; 3], b: [f32; 3]| {
        move |corner: &mut Vertex| {
            let along = |axis: [f32; 3]| crate::modelling::matrix::dot(axis, corner.position);
            corner.uv = [along(a), along(b)];
        }
    };
    let ball = Mesh::sphere(64, 48).map(cut([0.30, -0.12, 0.0], [0.1, 0.28, -0.06]));
    draw(kit, &ball.moved(0.85, [2.1, 0.85, 0.5]));
    timber(kit, [0.30, 0.12, 0.07], [0.66, 0.32, 0.18]);
    let bowl = Mesh::revolution(64, 64, bowl).map(cut([0.26, 0.05, 0.0], [0.0, 0.09, 0.26]));
    draw(kit, &bowl.moved(1.0, [-1.7, 0.0, 0.2]));
    timber(kit, [0.66, 0.46, 0.24], [0.98, 0.86, 0.62]);
    let pawn = Mesh::revolution(48, 80, pawn).map(cut([0.34, 0.02, 0.0], [0.0, 0.1, 0.34]));
    draw(kit, &pawn.moved(1.0, [0.5, 0.0, -0.9]));
    finish(kit, &buffers);
}

/// Wood of two colours: late and early parts of a year.
fn timber(kit: &mut Kit, late: [f32; 3], early: [f32; 3]) {
    let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
    let noise = [(0.07, 0.0, 0.5), (0.06, 0.4, 0.7)];
    Procedural {
        function: function::RADIUS,
        clamp: 1,
        noise: noise.map(|(amplitude, phase, frequency)| Noise { amplitude, phase, frequency }),
        map: &|t| {
            let year = t * 16.0;
            1.0 - (year - year.floor()).power(2.5)
        },
        colours: &|t| mix(opaque(late), opaque(early), t),
    }
    .set(&mut kit.list);
}

/// A board of the table, each from another place in the trunk.
fn board(k: u32) -> Mesh {
    let left = -5.4 + 1.2 * k as f32;
    let heart = 0.25 + 0.5 * hash(k, 1, 3);
    Mesh::sheet(1, 24, |u, v| [left + 0.01 + u * 1.18, 0.0, 4.5 - v * 10.0]).map(|corner| {
        let [x, _, z] = corner.position;
        corner.uv = [(x - left - heart) * 0.42, 0.1 + 0.25 * hash(k, 2, 3) + (z + 5.5) * 0.035];
        let far = ((x * x + z * z) / 50.0).min(1.0);
        corner.colour = mix([1.0; 4], [0.35, 0.3, 0.34, 1.0], far);
    })
}

/// A bowl: up the outside, over the rim, down the inside.
fn bowl(v: f32) -> [f32; 2] {
    let side = (v * 2.0 - 1.0).abs();
    let wall = if v < 0.5 { 0.0 } else { 0.09 };
    let depth = 1.0 - side;
    [
        ((0.45 + 0.85 * depth.power(0.6)) - wall) * (1.0 - ((v - 0.75).max(0.0) * 4.0).powi(3)),
        0.05 + depth * 1.0 + wall * side,
    ]
}

/// A chessman.
fn pawn(v: f32) -> [f32; 2] {
    let foot = 0.5 * (1.0 - v * 3.0).max(0.0).power(1.5);
    let collar = 0.17 * (1.0 - ((v - 0.66) * 22.0).powi(2)).max(0.0).sqrt();
    let head = (0.125 - (v * 1.0 - 0.84).powi(2) * 4.88).max(0.0).sqrt() * 0.98;
    let neck = if v < 0.75 { 0.16 + 0.1 * (0.7 - v).max(0.0) } else { 0.0 };
    [neck.max(head) + foot + collar, v * 2.3]
}
