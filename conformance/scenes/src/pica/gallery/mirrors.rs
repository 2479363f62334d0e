//! Cube maps: surroundings, and mirrors of them.

use super::cube::{FACES, Face};
use crate::modelling::math::Real;
use crate::modelling::matrix::{Matrix, unit};
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, clouds, mix};
use crate::pica::Scene;
use crate::pica::encode::{self, format};
use crate::pica::kit::{Kit, Screen, ShaderProgram, Texture};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, func, op, source};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "cube_map",
    about: "A chrome ball and rings of gold and copper mirror the sky that is all around them",
    build: cube_map,
}];

const SIDE: u32 = 256;
const LEVELS: u32 = 4;
/// Bytes of a face and its smaller levels, half a byte for each texel.
const FACE_BYTES: u32 = SIDE * SIDE / 2 * 85 / 64;
const EYE: [f32; 3] = [1.0, 0.75, 4.5];

fn cube_map(kit: &mut Kit) {
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0xff);
    kit.list.defaults(&buffers).units(1);
    let sky = sky_texture(kit);
    let sampler = Sampler { kind: 1, ..Sampler::LINEAR.wrap(0, 0) };
    kit.list.texture(0, &sky, &sampler);
    let faces: Vec<_> = (1..6).map(|face| (sky.address + face * FACE_BYTES) >> 3 & 0x3f_ffff).collect();
    kit.list.burst(0x086, &faces);
    let eye = Screen::Top.perspective(0.85, 0.5, 60.0).after(Matrix::look_at(EYE, [0.0; 3]));
    surroundings(kit, &eye);
    mirrors(kit, &eye);
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

/// A box around the eye whose texture coordinates are its directions.
fn surroundings(kit: &mut Kit, eye: &Matrix) {
    let program = ShaderProgram::assemble(programs::PROJECTED);
    kit.vertex_program(&program);
    kit.matrix(&program, "projection", eye);
    kit.uniform(&program, "modelview", &Matrix::IDENTITY.affine());
    let [x, y, z] = EYE.map(|v| -v);
    kit.uniform(&program, "projector", &Matrix::translation(x, y, z).affine());
    kit.list.combiners(&[Combiner::replace(source::TEXTURE0)]);
    let around = kit.mesh(&Mesh::cube().moved(20.0, EYE));
    kit.draw(&around);
}

fn mirrors(kit: &mut Kit, eye: &Matrix) {
    let program = ShaderProgram::assemble(programs::MIRROR);
    kit.list.depth_test(func::GREATER, true);
    kit.vertex_program(&program);
    kit.matrix(&program, "transform", eye);
    let [x, y, z] = EYE;
    kit.uniform(&program, "eye", &[[x, y, z, 1.0]]);
    kit.list.combiners(&[Combiner::both(
        op::MULTIPLY_ADD,
        [source::TEXTURE0, source::VERTEX, source::CONSTANT],
    )
    .constant([14, 10, 10, 0])]);
    let ring = |size: f32, turn: f32, tilt: f32| {
        let place = Matrix::rotation_y(turn).after(Matrix::rotation_x(tilt));
        Mesh::torus(96, 24, 0.09).placed(&place.after(Matrix::scale(size, size, size)))
    };
    for (mesh, colour) in [
        (Mesh::sphere(64, 48).moved(0.95, [0.0; 3]), [0.94, 0.97, 1.0, 1.0]),
        (ring(1.42, 0.5, 1.15), [1.0, 0.78, 0.36, 1.0]),
        (ring(1.78, -0.4, 0.35), [1.0, 0.56, 0.4, 1.0]),
    ] {
        let placed = kit.mesh(&mesh.coloured(colour));
        kit.draw(&placed);
    }
}

/// The six faces, +X, -X, +Y, -Y, +Z, -Z, one after the other.
fn sky_texture(kit: &mut Kit) -> Texture {
    let face = |face: Face| {
        let canvas = Canvas::paint(SIDE, SIDE, |x, y| surroundings_at(face.direction(x, 1.0 - y)));
        encode::mip_chain(&canvas, format::ETC1, LEVELS)
    };
    let address = kit.data(FACES.into_iter().flat_map(face).collect());
    Texture { address, width: SIDE, height: SIDE, format: format::ETC1, levels: LEVELS }
}

/// An evening over a tiled plain, by direction.
fn surroundings_at([x, y, z]: [f32; 3]) -> [f32; 4] {
    let around = x.angle(z) / std::f32::consts::TAU + 0.5;
    let haze = [0.98, 0.66, 0.42, 1.0];
    if y < 0.0 {
        // Edges are as soft as a texel of the largest level is wide on the ground.
        let edge = |p: f32| ((p.rem_euclid(2.0) - 1.0).abs() - 0.5) * (y * y * 160.0).clamp(0.01, 40.0);
        let (a, b) = (edge(x / -y * 0.9).clamp(-1.0, 1.0), edge(z / -y * 0.9).clamp(-1.0, 1.0));
        let tile = mix([0.2, 0.18, 0.3, 1.0], [0.72, 0.6, 0.5, 1.0], 0.5 + 0.5 * a * b);
        return mix(haze, tile, -y * 3.4);
    }
    let ridge = 0.05 + 0.2 * (clouds(around, 0.2, 31) - 0.3).max(0.0) * 2.0;
    let sky = mix(haze, [0.08, 0.2, 0.52, 1.0], (y * 1.7).power(0.7));
    let cloud = (clouds((x / (y + 0.25) * 0.12).rem_euclid(1.0), (z / (y + 0.25) * 0.12).rem_euclid(1.0), 8)
        - 0.46)
        .max(0.0)
        * 3.4;
    let clouded = mix(sky, [1.0, 0.88, 0.8, 1.0], cloud * (y * 3.0).min(1.0));
    let sun = unit([-0.55, 0.32, -0.75]);
    let towards = x * sun[0] + y * sun[1] + z * sun[2];
    let glow = mix(clouded, [1.0, 0.85, 0.55, 1.0], towards.max(0.0).powi(60) * 0.8);
    let sky = mix(glow, [1.0, 0.99, 0.9, 1.0], (towards - 0.994) * 600.0);
    let mountain = mix([0.34, 0.2, 0.42, 1.0], haze, 0.55 - y * 4.0);
    mix(mountain, sky, (y - ridge) * 160.0 + 0.5)
}
