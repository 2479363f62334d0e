//! A shadow cube: six shadow buffers around a lamp, read as one texture.

use super::cube::{FACES, Face};
use super::lamp::{Lamp, Lighting, light};
use super::shadows::{OPAQUE, REACH, as_texture, bias, shadow_buffer, shadow_mode};
use crate::modelling::math::Real;
use crate::modelling::matrix::{Matrix, dot};
use crate::modelling::mesh::Mesh;
use crate::pica::Scene;
use crate::pica::kit::{Buffers, Kit, Placed, Screen, ShaderProgram};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, func, op, source};
use std::f32::consts::{PI, TAU};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "point_shadow",
    about: "A lantern whose bars throw shadows onto all sides of a room",
    build: point_shadow,
}];

const LAMP: [f32; 3] = [0.0, 2.25, 0.0];
const SIDE: u32 = 256;

/// The drawn pieces, each with its own lighting.
struct Pieces {
    /// Walls.
    room: Placed,
    /// The objects in the room.
    things: Placed,
    /// The lantern's bars.
    cage: Placed,
    /// The flame.
    flame: Placed,
}

fn point_shadow(kit: &mut Kit) {
    let pieces = Pieces {
        room: kit.mesh(&room()),
        things: kit.mesh(&things()),
        cage: kit.mesh(&cage()),
        flame: kit.mesh(&Mesh::sphere(24, 16).moved(0.16, LAMP)),
    };
    let faces = draw_faces(kit, &pieces);
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0x0606_0aff);
    kit.list.defaults(&buffers).depth_test(func::GREATER, true).units(1);
    let program = ShaderProgram::assemble(programs::PROJECTED);
    let view = Matrix::look_at([0.9, 2.2, 8.0], [0.1, 1.95, 0.0]);
    kit.vertex_program(&program);
    kit.matrix(&program, "projection", &Screen::Top.perspective(0.66, 0.5, 30.0));
    kit.uniform(&program, "modelview", &view.affine());
    let [x, y, z] = LAMP.map(|v| -v / REACH);
    let scale = Matrix::scale(1.0 / REACH, 1.0 / REACH, 1.0 / REACH);
    kit.uniform(&program, "projector", &Matrix::translation(x, y, z).after(scale).affine());
    kit.list.texture(0, &as_texture(&faces[0]), &Sampler { kind: 4, ..Sampler::LINEAR.wrap(0, 0) });
    let addresses: Vec<_> = faces[1..].iter().map(|face| face.colour >> 3 & 0x3f_ffff).collect();
    kit.list.burst(0x086, &addresses).write(0x08b, bias(0.05));
    draw_lit(kit, &pieces, &view);
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

fn draw_lit(kit: &mut Kit, pieces: &Pieces, view: &Matrix) {
    let [x, y, z, _] = view.apply(LAMP);
    let lamp = Lamp { at: [x, y, z], far: false, diffuse: [1.0, 0.8, 0.52], specular: [0.35, 0.28, 0.18] };
    light(&mut kit.list, &Lighting { ambient: [0.10, 0.10, 0.17], shine: 30.0, shadow: true }, &[lamp]);
    kit.list.combiners(&[
        Combiner::modulate(source::PRIMARY, source::VERTEX),
        Combiner::both(op::ADD, [source::PREVIOUS, source::SECONDARY, source::SECONDARY]),
    ]);
    kit.draw(&pieces.room);
    kit.draw(&pieces.things);
    // The bars are lit from inside, and seen from both sides.
    kit.list.write(0x149, 1 << 1);
    kit.draw(&pieces.cage);
    kit.list.combiners(&[Combiner::replace(source::CONSTANT).constant([255, 238, 196, 255])]);
    kit.draw(&pieces.flame);
}

/// A quarter turn's view along an axis of the lamp, as the cube's face has it.
fn face_view(Face { s, t, axis }: Face) -> Matrix {
    let near = 0.2;
    let a = near / (REACH - near);
    let row = |d: [f32; 3]| [d[0], d[1], d[2], -dot(d, LAMP)];
    let w = row(axis);
    Matrix([row(s), row(t), [w[0] * a, w[1] * a, w[2] * a, (w[3] - REACH) * a], w])
}

fn draw_faces(kit: &mut Kit, pieces: &Pieces) -> Vec<Buffers> {
    let program = ShaderProgram::assemble(programs::COLOUR);
    FACES
        .into_iter()
        .map(|face| {
            let buffers = shadow_buffer(kit, SIDE);
            shadow_mode(kit, &buffers, (0.0, 1.0));
            kit.vertex_program(&program);
            kit.matrix(&program, "transform", &face_view(face));
            kit.list.combiners(&[OPAQUE]);
            kit.draw(&pieces.things);
            kit.draw(&pieces.cage);
            kit.submit();
            buffers
        })
        .collect()
}

/// Floor, ceiling and three walls, seen through the fourth.
fn room() -> Mesh {
    let mut all = Mesh::floor(6.4, 8).coloured([0.72, 0.5, 0.36, 1.0]);
    let wall = [0.86, 0.8, 0.74, 1.0];
    all.append(&Mesh::sheet(8, 8, |u, v| [-3.2 + u * 6.4, v * 4.2, -3.2]).coloured(wall));
    all.append(&Mesh::sheet(8, 8, |u, v| [-3.2, v * 4.2, 3.2 - u * 6.4]).coloured([0.56, 0.72, 0.8, 1.0]));
    all.append(&Mesh::sheet(8, 8, |u, v| [3.2, v * 4.2, -3.2 + u * 6.4]).coloured([0.84, 0.56, 0.5, 1.0]));
    all.append(&Mesh::sheet(8, 8, |u, v| [-3.2 + u * 6.4, 4.2, -3.2 + v * 6.4]).coloured(wall));
    all
}

fn things() -> Mesh {
    let ring = Matrix::translation(1.75, 0.62, -0.9)
        .after(Matrix::rotation_y(0.7))
        .after(Matrix::rotation_x(1.45))
        .after(Matrix::scale(0.48, 0.48, 0.48));
    let jar = |v: f32| [(0.22 + 0.3 * (v * PI).sine().powi(2)) * ((1.0 - v) * 40.0).min(1.0), v * 1.15];
    let mut all = Mesh::torus(48, 20, 0.32).placed(&ring).coloured([0.86, 0.3, 0.24, 1.0]);
    all.append(&Mesh::revolution(40, 32, jar).moved(1.0, [-1.6, 0.0, -1.2]).coloured([0.4, 0.66, 0.6, 1.0]));
    all.append(&Mesh::sphere(40, 28).moved(0.36, [-0.5, 0.36, 0.9]).coloured([0.92, 0.76, 0.36, 1.0]));
    all.append(&Mesh::revolution(12, 1, |v| [0.025, 2.95 + v * 1.3]).coloured([0.2, 0.17, 0.14, 1.0]));
    all
}

/// Bars from pole to pole and rings around, on a sphere.
fn cage() -> Mesh {
    let radius = 0.68;
    let place = |turn: f32, height: f32| {
        let ((s, c), (t, d)) = (turn.sine_cosine(), (height * PI).sine_cosine());
        [LAMP[0] + radius * s * t, LAMP[1] - radius * d, LAMP[2] + radius * c * t]
    };
    let mut all = Mesh::default();
    for k in 0..10 {
        let turn = (k as f32 + 0.3) * TAU / 10.0;
        all.append(&Mesh::sheet(2, 32, |u, v| place(turn + (u - 0.5) * 0.17, v)));
    }
    for height in [0.04, 0.28, 0.5, 0.72, 0.96] {
        let half = if (0.1..0.9).contains(&height) { 0.014 } else { 0.04 };
        all.append(&Mesh::sheet(48, 2, |u, v| place(u * TAU, height + (v * 2.0 - 1.0) * half)));
    }
    all.coloured([0.8, 0.6, 0.3, 1.0])
}
