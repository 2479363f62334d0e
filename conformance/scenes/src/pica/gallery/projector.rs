//! A projected picture: a texture thrown onto a room.

use super::lamp::{Lamp, Lighting, light};
use super::shadows::rows;
use crate::modelling::math::Real;
use crate::modelling::matrix::{Matrix, unit};
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, clouds, mix};
use crate::pica::Scene;
use crate::pica::encode::format;
use crate::pica::kit::{Kit, Screen, ShaderProgram, Texture};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, func, op, source};
use std::f32::consts::TAU;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "projected_texture",
    about: "A slide projector throws a rose window into the corner of a room",
    build: projected_texture,
}];

/// Position and target of the projector.
const LENS: [f32; 3] = [2.0, 1.9, 1.9];
const AIM: [f32; 3] = [-1.6, 0.95, -1.8];

fn projected_texture(kit: &mut Kit) {
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0x0708_0eff);
    kit.list.defaults(&buffers).depth_test(func::GREATER, true).units(0b11);
    let program = ShaderProgram::assemble(programs::PROJECTED);
    let view = Matrix::look_at([2.0, 2.6, 4.6], [-0.75, 0.95, -1.2]);
    let eye = Screen::Top.perspective(0.72, 0.5, 30.0);
    let thrown = Matrix::perspective(0.8, 1.0, 0.5, 20.0).after(Matrix::look_at(LENS, AIM));
    kit.vertex_program(&program);
    kit.matrix(&program, "projection", &eye);
    kit.uniform(&program, "modelview", &view.affine());
    kit.uniform(&program, "projector", &rows(&thrown, 1.0));
    let [x, y, z, _] = view.apply(LENS);
    let lamp = Lamp { at: [x, y, z], far: false, diffuse: [1.0; 3], specular: [0.0; 3] };
    light(&mut kit.list, &Lighting { ambient: [0.0; 3], shine: 1.0, shadow: false }, &[lamp]);
    kit.list.combiners(&[
        Combiner::modulate(source::TEXTURE0, source::PRIMARY).scaled(1, 0),
        Combiner::both(op::ADD_MULTIPLY, [source::PREVIOUS, source::VERTEX, source::TEXTURE1]),
    ]);
    let slide = kit.texture(&rose_window(), format::RGB8);
    let sampler = Sampler { kind: 3, border: [0, 0, 0, 255], ..Sampler::LINEAR.wrap(1, 1) };
    kit.list.texture(0, &slide, &sampler);
    room(kit);
    apparatus(kit, &eye.after(view));
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

fn room(kit: &mut Kit) {
    let plaster =
        Canvas::paint(64, 64, |x, y| mix([0.86, 0.84, 0.8, 1.0], [0.96, 0.95, 0.92, 1.0], clouds(x, y, 3)));
    let boards = Canvas::paint(64, 64, |x, y| {
        let board = (y * 8.0).floor();
        let joint = (y * 8.0 - board - 0.5).abs() > 0.44;
        let wood = mix([0.8, 0.6, 0.42, 1.0], [0.58, 0.4, 0.28, 1.0], clouds(x * 0.25 + board * 0.31, y, 7));
        if joint { [0.3, 0.2, 0.15, 1.0] } else { wood }
    });
    let (plaster, boards) =
        (kit.texture(&plaster, format::RGB565), kit.mipmapped(&boards, format::RGB565, 4));
    let mut walls = Mesh::sheet(12, 8, |u, v| [-3.0 + u * 8.0, v * 4.5, -3.0]);
    walls.append(&Mesh::sheet(12, 8, |u, v| [-3.0, v * 4.5, 5.0 - u * 8.0]));
    part(kit, &plaster, walls.tiled(2.0));
    part(kit, &plaster, Mesh::sphere(48, 32).moved(0.55, [-0.9, 0.55, -0.9]));
    part(
        kit,
        &plaster,
        Mesh::revolution(40, 8, |v| [if v < 0.9 { 0.32 } else { (1.0 - v) * 3.2 }, v.min(0.9) * 1.4])
            .moved(1.0, [0.9, 0.0, -1.9]),
    );
    part(kit, &boards, Mesh::sheet(12, 12, |u, v| [-3.0 + u * 8.0, 0.0, 5.0 - v * 8.0]).tiled(3.0));
}

/// A part of the room, which the evening light from outside hardly reaches.
fn part(kit: &mut Kit, texture: &Texture, mesh: Mesh) {
    kit.list.texture(1, texture, &Sampler::LINEAR);
    let placed = kit.mesh(&mesh.map(|corner| {
        let ([x, y, z], [nx, ny, nz]) = (corner.position, corner.normal);
        let open = (0.25 + (x + z + 6.0) / 9.0).min(1.0) * (0.45 + 0.55 * (y / 2.0).min(1.0));
        let facing = 0.55 + 0.2 * ny + 0.12 * nx + 0.22 * nz;
        corner.colour = mix([0.07, 0.07, 0.13, 1.0], [0.52, 0.58, 0.85, 1.0], open * facing);
    }));
    kit.draw(&placed);
}

/// The projector and the beam, which have colours of their own.
fn apparatus(kit: &mut Kit, eye: &Matrix) {
    let program = ShaderProgram::assemble(programs::COLOUR);
    kit.vertex_program(&program);
    kit.matrix(&program, "transform", eye);
    kit.list.write(0x08f, 0).write(0x1c6, 1).units(0).combiners(&[Combiner::replace(source::VERTEX)]);
    let body = kit.mesh(&body());
    kit.draw(&body);
    kit.list.writes(0xf, Some(func::GREATER), false).blend(0, 1, 1);
    let beam = kit.mesh(&beam());
    kit.draw(&beam);
}

/// A box behind the lens, and the lens.
fn body() -> Mesh {
    let [right, up, back, _] = Matrix::look_at(LENS, AIM).0;
    let mut all = Mesh::cube().map(|corner| {
        let [x, y, z] = corner.position;
        let [nx, ny, nz] = corner.normal;
        corner.position = std::array::from_fn(|c| {
            LENS[c] + right[c] * 0.14 * x + up[c] * 0.11 * y + back[c] * (0.26 + 0.22 * z)
        });
        let light = 0.4 + 0.25 * ny + 0.1 * nz - 0.12 * nx;
        corner.colour = [0.3 * light, 0.3 * light, 0.38 * light, 1.0];
    });
    all.append(&Mesh::sphere(20, 12).moved(0.09, LENS).coloured([1.0, 0.95, 0.84, 1.0]));
    all
}

/// Dust in the light: a faint pyramid from the lens.
fn beam() -> Mesh {
    let forward = unit(std::array::from_fn(|c| AIM[c] - LENS[c]));
    let turned = Matrix::look_at(LENS, AIM).0;
    let pyramid = Mesh::sheet(4, 12, |u, v| {
        let (side, up) = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)][(u * 4.0 + 0.5) as usize % 4];
        let reach = v * 4.2;
        let spread = reach * 0.4;
        std::array::from_fn(|c| {
            LENS[c] + forward[c] * reach + (turned[0][c] * side + turned[1][c] * up) * spread
        })
    });
    pyramid.map(|corner| {
        let faint = 0.085 * (1.0 - corner.uv[1]).powi(2) + 0.004;
        corner.colour = [faint, faint * 0.9, faint * 0.75, 1.0];
    })
}

/// Stained glass: rings of petals around a centre, with lead between the panes.
fn rose_window() -> Canvas {
    Canvas::paint(256, 256, |x, y| {
        let (dx, dy) = (x - 0.5, y - 0.5);
        let (r, turn) = (dx.hypotenuse(dy) * 2.0, dy.angle(dx) / TAU + 0.5);
        if r > 0.97 {
            return [0.0, 0.0, 0.0, 1.0];
        }
        pane(r, turn)
    })
}

fn pane(r: f32, turn: f32) -> [f32; 4] {
    let lead = [0.02, 0.02, 0.03, 1.0];
    let rings = [(0.16, 1.0), (0.42, 8.0), (0.72, 16.0), (0.97, 24.0)];
    let k = rings.iter().position(|ring| r < ring.0).unwrap_or(3);
    let inner = if k == 0 { 0.0 } else { rings[k - 1].0 };
    let (outer, count) = rings[k];
    let along = turn * count + if k % 2 == 0 { 0.5 } else { 0.0 };
    let across = (along - along.floor() - 0.5).abs() * 2.0;
    let up = (r - inner) / (outer - inner);
    let edge = (1.0 - across) * r * 3.2 / count * TAU;
    if k > 0 && edge < 0.045 || (outer - r).min(r - inner) < 0.014 && r > 0.1 {
        return lead;
    }
    let petal = across < (up * std::f32::consts::PI).sine() * 0.75;
    let glass = [
        [[1.0, 0.86, 0.4, 1.0], [1.0, 0.86, 0.4, 1.0]],
        [[0.92, 0.2, 0.16, 1.0], [0.12, 0.22, 0.8, 1.0]],
        [[0.98, 0.66, 0.16, 1.0], [0.1, 0.5, 0.36, 1.0]],
        [[0.24, 0.5, 0.96, 1.0], [0.6, 0.12, 0.4, 1.0]],
    ][k][usize::from(!petal)];
    mix(glass, lead, 0.3 * clouds(turn, r, 11))
}
