//! Colours over a triangle.

use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, hash, mix};
use crate::pica::Scene;
use crate::pica::encode::format;
use crate::pica::flat::{self, Label};
use crate::pica::kit::{Kit, Screen};
use crate::pica::state::{Combiner, Sampler, State, func, source};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "flat_and_smooth",
    about: "An island with the colour of each triangle's last corner, and with interpolated colours",
    build: flat_and_smooth,
}];

const TOP: Screen = Screen::Top;

fn flat_and_smooth(kit: &mut Kit) {
    let buffers = kit.screen_buffers(TOP);
    kit.clear(&buffers, 0x86b8_d8ff);
    let sky = flat::shaded([0.0, 0.0, 400.0, 150.0], [0.16, 0.36, 0.66, 1.0], [0.98, 0.82, 0.66, 1.0]);
    flat::panels(kit, TOP, &buffers, &sky);
    let texture = kit.texture(&edges(), format::I8);
    let program = flat::overlay(kit, TOP, &buffers);
    kit.list.logic_op(3).depth_test(func::GREATER, true).cull(2);
    kit.list.texture(0, &texture, &Sampler::LINEAR).units(1);
    kit.list.combiners(&[Combiner::modulate(source::TEXTURE0, source::VERTEX)]);
    let eye = TOP.perspective(0.62, 1.0, 60.0).after(Matrix::look_at([0.0, 5.4, 12.0], [0.0, 1.1, 0.0]));
    kit.matrix(&program, "transform", &eye);
    let (sea, island) = (kit.mesh(&sea()), kit.mesh(&island()));
    for (flat, y) in [(1, [200, 399]), (0, [0, 199])] {
        kit.list.write(0x058, flat).scissor(3, [0, 239], y);
        kit.draw(&sea);
        kit.draw(&island);
    }
    kit.list.write(0x058, 0);
    flat::panels(kit, TOP, &buffers, &flat::rect([199.0, 0.0, 201.0, 240.0], [1.0, 1.0, 1.0, 0.8]));
    let ink = [24, 40, 72, 255];
    let text = |x, text| Label::centred(x, 10, 2, text).coloured(ink);
    flat::labels(kit, TOP, &buffers, &[text(100, "FLAT"), text(300, "SMOOTH")]);
    kit.submit();
    kit.show(TOP, &buffers);
    kit.frame();
}

/// A cell with a faint edge: texture coordinates are interpolated on both sides.
fn edges() -> Canvas {
    Canvas::paint(32, 32, |x, y| {
        let diagonal = (x - (1.0 - y)).abs() < 0.035;
        let border = x.min(y).min(1.0 - x).min(1.0 - y) < 0.035;
        [if diagonal || border { 0.9 } else { 1.0 }; 4]
    })
}

/// Height of the land, in cells of a 26 x 26 grid of 0..1.
fn height(u: f32, v: f32) -> f32 {
    let (x, z) = (u - 0.5, v - 0.5);
    let far = (x * x * 1.0 + z * z * 1.5).sqrt();
    let peak = |px: f32, pz: f32, wide: f32, high: f32| {
        let d = ((x - px).powi(2) + (z - pz).powi(2)) / (wide * wide);
        high * (-d).exponential()
    };
    let rough = hash((u * 26.0 + 0.5) as u32, (v * 26.0 + 0.5) as u32, 7) - 0.5;
    let land = peak(-0.02, -0.04, 0.13, 3.4) + peak(0.2, 0.0, 0.11, 1.9) + peak(-0.22, 0.05, 0.1, 1.7);
    land * (1.0 + 0.35 * rough) + 0.9 - far * 4.1 + 0.35 * rough
}

fn island() -> Mesh {
    let mesh = Mesh::sheet(26, 26, |u, v| [(u - 0.5) * 13.0, height(u, v), (0.5 - v) * 9.0]);
    mesh.map(|vertex| {
        let [_, y, _] = vertex.position;
        let bands = [
            (0.25, [0.96, 0.86, 0.6, 1.0]),
            (0.75, [0.52, 0.76, 0.32, 1.0]),
            (1.7, [0.22, 0.55, 0.32, 1.0]),
            (2.5, [0.52, 0.46, 0.44, 1.0]),
        ];
        let band = bands.into_iter().find(|(top, _)| y < *top);
        vertex.colour = band.map_or([1.0, 1.0, 1.0, 1.0], |(_, colour)| colour);
        vertex.uv = vertex.uv.map(|t| t * 26.0);
    })
    .lit([-0.7, 0.75, 0.35], 0.3)
}

fn sea() -> Mesh {
    let wave = |u: f32, v: f32| 0.22 * hash((u * 30.0 + 0.5) as u32, (v * 20.0 + 0.5) as u32, 3);
    Mesh::sheet(30, 20, |u, v| [(u - 0.5) * 44.0, wave(u, v) - 0.12, 10.0 - v * 34.0])
        .map(|vertex| {
            let t = hash((vertex.uv[0] * 30.0 + 0.5) as u32, (vertex.uv[1] * 20.0 + 0.5) as u32, 4);
            let near = mix([0.1, 0.42, 0.62, 1.0], [0.2, 0.6, 0.74, 1.0], t);
            vertex.colour = mix(near, [0.62, 0.78, 0.84, 1.0], vertex.uv[1] * 0.9);
            vertex.uv = [vertex.uv[0] * 30.0, vertex.uv[1] * 20.0];
        })
        .lit([-0.7, 0.75, 0.35], 0.5)
}
