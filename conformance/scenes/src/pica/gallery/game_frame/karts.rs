//! The karts, with light from the fragment unit.

use super::art::Art;
use super::track::{SUN, Track, heading, slope};
use crate::modelling::math::Real;
use crate::modelling::matrix::{Matrix, unit};
use crate::modelling::mesh::Mesh;
use crate::pica::kit::{Kit, Placed, ShaderProgram, Subroutine};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, op, source};
use picaflor_pipeline::pica::float::encode_f16;

/// The position of a kart, and its colour.
pub(super) struct Kart {
    pub(super) t: f32,
    pub(super) side: f32,
    /// Angle between its nose and the way ahead.
    pub(super) drift: f32,
    pub(super) colour: [f32; 4],
}

/// The meshes of a kart.
struct Parts {
    body: Placed,
    driver: Placed,
}

/// Draws the karts; `wheel` becomes a subroutine of its own.
pub(super) fn draw(kit: &mut Kit, art: &Art, track: &Track, karts: &[Kart], view: &Matrix, lens: &Matrix) {
    let wheel = kit.mesh(&wheel());
    let wheel = kit.subroutine(|kit| kit.draw(&wheel));
    let program = ShaderProgram::assemble(programs::LIT);
    kit.vertex_program(&program);
    kit.matrix(&program, "projection", lens);
    lamps(kit, view);
    kit.list.texture(0, &art.livery, &Sampler::LINEAR).units(1);
    kit.list.combiners(&[
        Combiner::modulate(source::TEXTURE0, source::VERTEX),
        Combiner::modulate(source::PREVIOUS, source::PRIMARY).alpha(op::REPLACE, [source::CONSTANT; 3]),
        Combiner::both(op::INTERPOLATE, [source::CONSTANT, source::PREVIOUS, source::SECONDARY])
            .alpha(op::REPLACE, [source::CONSTANT; 3])
            .operands([0, 0, 2])
            .constant([190, 222, 245, 255]),
        Combiner::both(op::ADD, [source::PREVIOUS, source::SECONDARY, source::PREVIOUS])
            .alpha(op::REPLACE, [source::CONSTANT; 3]),
    ]);
    for kart in karts {
        let parts = Parts { body: kit.mesh(&body(kart.colour)), driver: kit.mesh(&driver(kart.colour)) };
        one(kit, &program, &view.after(stand(track, kart)), &parts, wheel);
    }
    kit.list.write(0x08f, 0).write(0x1c6, 1);
}

/// The matrix of a kart on the road.
pub(super) fn stand(track: &Track, kart: &Kart) -> Matrix {
    let ([x, y, z], ahead) = track.place(kart.t, kart.side);
    Matrix::translation(x, y + 0.1, z)
        .after(Matrix::rotation_y(heading(ahead) + kart.drift))
        .after(Matrix::rotation_x(slope(ahead)))
}

fn one(kit: &mut Kit, program: &ShaderProgram, place: &Matrix, parts: &Parts, wheel: Subroutine) {
    kit.uniform(program, "modelview", &place.affine());
    kit.draw(&parts.body);
    kit.draw(&parts.driver);
    for (x, z, size) in [(-0.62, -0.72, 0.3), (0.62, -0.72, 0.3), (-0.66, 0.68, 0.37), (0.66, 0.68, 0.37)] {
        let at = place
            .after(Matrix::translation(x, size, z))
            .after(Matrix::rotation_z(std::f32::consts::FRAC_PI_2))
            .after(Matrix::scale(size * 0.72, size * 0.72, size * 0.72));
        kit.uniform(program, "modelview", &at.affine());
        kit.call(wheel);
    }
}

/// The sun and a bluish light from the sky; highlights from D0, a rim of sky from the Fresnel table.
fn lamps(kit: &mut Kit, view: &Matrix) {
    let turned = |d: [f32; 3]| {
        let rows = view.affine();
        let d = unit(d);
        rows.map(|row| row[0] * d[0] + row[1] * d[1] + row[2] * d[2])
    };
    let colour = |[r, g, b]: [u32; 3]| b | g << 10 | r << 20;
    let lights = [(SUN, [255, 244, 220], [220, 210, 190]), ([0.4, 0.5, -0.7], [60, 80, 110], [50, 60, 80])];
    for (k, (towards, diffuse, specular)) in lights.into_iter().enumerate() {
        let base = 0x140 + 0x10 * k as u16;
        let [x, y, z] = turned(towards).map(encode_f16);
        kit.list.burst(base, &[colour(specular), 0, colour(diffuse), colour([12, 14, 20]), y << 16 | x, z]);
        kit.list.write(base + 9, 1);
    }
    kit.list.write(0x08f, 1).write(0x1c6, 0).write(0x1c0, colour([70, 78, 92])).write(0x1c2, 1);
    kit.list.write(0x1c3, 1 << 31 | 1 << 27 | 4 << 8 | 3 << 4 | 1 << 3);
    kit.list.write(0x1c4, 0xff << 24 | 0x76 << 16 | 0xff << 8).write(0x1d9, 0x10);
    kit.list.write(0x1d0, 0).write(0x1d1, 2 << 12).write(0x1d2, 0);
    kit.list.light_table(0, false, &|x| x.powi(48) + 0.12 * x.powi(6));
    kit.list.light_table(3, false, &|x| 0.55 * (1.0 - x).powi(3));
}

/// The hull, a nose, a wing and side boxes; forward is -z.
fn body(colour: [f32; 4]) -> Mesh {
    let dark = [0.14, 0.15, 0.19, 1.0];
    let white = [0.96, 0.95, 0.92, 1.0];
    let hull = Mesh::sphere(14, 8).map(|vertex| {
        let [x, y, z] = vertex.position;
        let narrow = 0.62 + 0.38 * ((z + 1.0) / 2.0).clamp(0.0, 1.0);
        vertex.position = [x * 0.5 * narrow, 0.42 + y * 0.24, z * 1.05];
    });
    let mut mesh = hull.coloured(colour);
    for (size, [x, y, z], paint) in [
        ([0.72, 0.07, 0.16], [0.0, 0.3, -1.02], white),
        ([0.2, 0.12, 0.5], [-0.56, 0.36, 0.02], colour),
        ([0.2, 0.12, 0.5], [0.56, 0.36, 0.02], colour),
        ([0.74, 0.035, 0.17], [0.0, 1.02, 1.0], colour),
        ([0.04, 0.2, 0.12], [-0.42, 0.82, 0.98], dark),
        ([0.04, 0.2, 0.12], [0.42, 0.82, 0.98], dark),
        ([0.3, 0.16, 0.16], [0.0, 0.62, 0.78], dark),
    ] {
        let [sx, sy, sz] = size;
        let part = Mesh::sphere(7, 4).map(|vertex| {
            let square = vertex.position.map(|v| v.signum() * v.abs().power(0.45));
            vertex.position = [x + square[0] * sx, y + square[1] * sy, z + square[2] * sz];
        });
        mesh.append(&part.coloured(paint));
    }
    for x in [-0.2, 0.2] {
        let pipe = Mesh::torus(8, 4, 0.45).placed(&Matrix::rotation_x(std::f32::consts::FRAC_PI_2));
        mesh.append(&pipe.moved(0.1, [x, 0.5, 1.08]).coloured([0.7, 0.72, 0.78, 1.0]));
    }
    mesh
}

/// A driver: suit, helmet, visor.
fn driver(colour: [f32; 4]) -> Mesh {
    let mut mesh = Mesh::revolution(9, 3, |v| [0.29 * (1.0 - v * v * 0.55), 0.5 + 0.5 * v])
        .coloured(colour.map(|c| c * 0.6 + 0.15))
        .moved(1.0, [0.0, 0.0, 0.25]);
    let helmet = Mesh::sphere(14, 9).map(|vertex| {
        let [_, y, z] = vertex.position;
        let visor = z < -0.45 && (-0.3..0.35).contains(&y);
        let band = (0.4..0.62).contains(&y);
        vertex.colour = match (visor, band) {
            (true, _) => [0.12, 0.16, 0.24, 1.0],
            (_, true) => colour,
            _ => [0.97, 0.96, 0.93, 1.0],
        };
    });
    mesh.append(&helmet.moved(0.31, [0.0, 1.2, 0.22])).clone()
}

fn wheel() -> Mesh {
    let tyre = Mesh::torus(12, 6, 0.42).coloured([0.13, 0.13, 0.15, 1.0]);
    let hub = Mesh::sphere(7, 4).coloured([0.85, 0.86, 0.9, 1.0]).map(|vertex| {
        let [x, y, z] = vertex.position;
        vertex.position = [x * 0.52, y * 0.36, z * 0.52];
    });
    let mut mesh = tyre;
    mesh.append(&hub).clone()
}
