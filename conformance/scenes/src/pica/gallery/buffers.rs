//! A card for the formats of the buffers that are drawn to.

use super::card::Card;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::mix;
use crate::pica::Scene;
use crate::pica::kit::{Buffers, Kit, ShaderProgram, Texture};
use crate::pica::programs;
use crate::pica::state::{Sampler, State, func};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "framebuffer_formats",
    about: "One picture drawn to five colour formats, and two nearly parallel planes with three depth formats",
    build: framebuffer_formats,
}];

/// Side of the targets; the drawing takes 96 of it.
const SIDE: u32 = 128;

const PANELS: [(&str, u32, u32); 8] = [
    ("RGBA8", 0, 3),
    ("RGB8", 1, 3),
    ("RGB5A1", 2, 3),
    ("RGB565", 3, 3),
    ("RGBA4", 4, 3),
    ("D16", 0, 0),
    ("D24", 0, 2),
    ("D24S8", 0, 3),
];

fn framebuffer_formats(kit: &mut Kit) {
    let mut card = Card::new(kit, 0x1423_3aff);
    let program = ShaderProgram::assemble(programs::COLOUR);
    for (k, (name, colour_format, depth_format)) in PANELS.into_iter().enumerate() {
        let k = k as u32;
        let target = target(kit, colour_format, depth_format);
        kit.list.defaults(&target).viewport(0, 0, 96, 96).depth_test(func::GREATER, true);
        kit.vertex_program(&program);
        if k < 5 {
            still_life(kit, &program);
        } else {
            planes(kit, &program);
        }
        kit.submit();
        card.resume(kit);
        let (x, y) = (3 + k % 4 * 99, 17 + k / 4 * 118);
        let picture =
            Texture { address: target.colour, width: SIDE, height: SIDE, format: colour_format, levels: 1 };
        let place = [x as f32, y as f32, 96.0, 96.0];
        card.picture(kit, (&picture, &Sampler::NEAREST), place, [0.0, 0.0, 0.75, 0.75]);
        card.centred(x, 96, y - 11, name);
    }
    card.finish(kit);
}

/// Buffers of the formats, black and farthest.
fn target(kit: &mut Kit, colour_format: u32, depth_format: u32) -> Buffers {
    let depth_bytes = [2, 2, 3, 4][depth_format as usize];
    let buffers = Buffers { colour_format, depth_format, ..kit.buffers(SIDE, SIDE) };
    for (address, bytes) in [(buffers.colour, buffers.colour_bytes()), (buffers.depth, depth_bytes)] {
        kit.fill_units(address, SIDE * SIDE * bytes, 0, bytes - 2);
    }
    buffers
}

/// A ball before an evening sky, with soft gradients.
fn still_life(kit: &mut Kit, program: &ShaderProgram) {
    kit.matrix(program, "transform", &Matrix::perspective(0.6, 1.0, 1.0, 20.0));
    let sky = Mesh::sheet(1, 8, |u, v| [(u - 0.5) * 7.0, (v - 0.5) * 7.0, -10.0]).map(|corner| {
        corner.colour =
            mix([0.75, 0.36, 0.24, 1.0], [0.05, 0.09, 0.26, 1.0], (corner.position[1] + 2.0) / 4.0);
    });
    let ball = Mesh::sphere(48, 32).map(|corner| {
        let [x, y, z] = corner.normal;
        let light = (0.5 * x + 0.6 * y + 0.62 * z).max(0.0);
        corner.colour = mix([0.03, 0.07, 0.1, 1.0], [0.3, 0.82, 0.7, 1.0], light * light);
        corner.position = [x * 1.3, y * 1.3 - 0.2, z * 1.3 - 7.0];
    });
    for mesh in [sky, ball] {
        let placed = kit.mesh(&mesh);
        kit.draw(&placed);
    }
}

/// Two planes that cut each other at a very small angle, far from the nearest depth.
fn planes(kit: &mut Kit, program: &ShaderProgram) {
    kit.matrix(program, "transform", &Matrix::perspective(0.6, 1.0, 0.1, 400.0));
    let plane = |tilt: f32, colour: [f32; 4]| {
        Mesh::sheet(1, 1, |u, v| {
            [(u - 0.5) * 60.0, (v - 0.5) * 60.0, -90.0 + tilt * (u - 0.5) + 6.0 * (v - 0.5)]
        })
        .coloured(colour)
    };
    for mesh in [plane(5.0, [0.9, 0.55, 0.22, 1.0]), plane(-5.0, [0.16, 0.42, 0.66, 1.0])] {
        let placed = kit.mesh(&mesh);
        kit.draw(&placed);
    }
}
