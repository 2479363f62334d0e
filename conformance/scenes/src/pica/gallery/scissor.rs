//! The scissor rectangle.

use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::pica::Scene;
use crate::pica::flat::{self, Label};
use crate::pica::kit::{Buffers, Kit, Screen, ShaderProgram};
use crate::pica::programs;
use crate::pica::state::{State, func};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "scissor",
    about: "The same ring with the scissor off, drawing inside and drawing outside its rectangle",
    build: scissor,
}];

const TOP: Screen = Screen::Top;
/// Panels, left, top, right, bottom for the viewer.
const PANELS: [[u32; 4]; 3] = [[6, 30, 132, 234], [137, 30, 263, 234], [268, 30, 394, 234]];
/// Modes of 0x065, and their names.
const MODES: [(u32, &str); 3] = [(0, "0: OFF"), (3, "3: INSIDE"), (1, "1: OUTSIDE")];

fn scissor(kit: &mut Kit) {
    let buffers = kit.screen_buffers(TOP);
    kit.clear(&buffers, 0x0b12_20ff);
    backgrounds(kit, &buffers);
    let program = ShaderProgram::assemble(programs::COLOUR);
    kit.list.defaults(&buffers).cull(2);
    kit.vertex_program(&program);
    let bright = ring();
    let dim = bright.clone().map(|vertex| {
        let [r, g, b, _] = vertex.colour;
        let grey = 0.12 + 0.1 * (r + g + b) / 3.0;
        vertex.colour = [grey * 0.8, grey * 0.95, grey * 1.3, 1.0];
    });
    let rings = [kit.mesh(&dim), kit.mesh(&bright)];
    for (panel, (mode, _)) in PANELS.into_iter().zip(MODES) {
        let [x, y, width, height] = flat::machine(TOP, panel);
        kit.list.viewport(x as i32, y as i32, width, height);
        kit.matrix(&program, "transform", &eye(panel));
        kit.list.depth_test(func::GREATER, true).scissor(0, [0, 0], [0, 0]);
        kit.draw(&rings[0]);
        let [x, y, width, height] = flat::machine(TOP, window(panel));
        kit.list.scissor(mode, [x, x + width - 1], [y, y + height - 1]);
        kit.list.depth_test(func::GREATER_EQUAL, true);
        kit.draw(&rings[1]);
    }
    frames(kit, &buffers);
    kit.submit();
    kit.show(TOP, &buffers);
    kit.frame();
}

fn eye([x0, y0, x1, y1]: [u32; 4]) -> Matrix {
    let aspect = (x1 - x0) as f32 / (y1 - y0) as f32;
    Matrix::perspective(0.75, aspect, 1.0, 20.0).tilted().after(Matrix::look_at([0.0, 0.0, 6.6], [0.0; 3]))
}

/// Three rings in one another, like the gimbals of a compass.
fn ring() -> Mesh {
    let mut mesh = Mesh::default();
    for (k, size) in [1.42, 1.06, 0.7].into_iter().enumerate() {
        let turn = Matrix::rotation_x(1.1 - 0.9 * k as f32).after(Matrix::rotation_z(0.5 * k as f32 - 0.4));
        let hoop = Mesh::torus(72, 20, 0.19).map(|vertex| {
            let stripe = (vertex.uv[0] * 12.0).fract() < 0.5;
            let warm = [[1.0, 0.78, 0.25], [1.0, 0.42, 0.2], [0.95, 0.25, 0.4]][k];
            let [r, g, b] = if stripe { warm } else { [0.98, 0.95, 0.88] };
            vertex.colour = [r, g, b, 1.0];
        });
        mesh.append(&hoop.moved(size, [0.0; 3]).placed(&turn));
    }
    let core = Mesh::sphere(32, 20).moved(0.32, [0.0; 3]).coloured([0.35, 0.7, 1.0, 1.0]);
    mesh.append(&core).clone().lit([-0.4, 0.7, 0.8], 0.25)
}

/// The scissor rectangle in a panel.
const fn window([x0, y0, x1, y1]: [u32; 4]) -> [u32; 4] {
    [x0 + 28, y0 + 62, x1 - 28, y1 - 62]
}

fn backgrounds(kit: &mut Kit, buffers: &Buffers) {
    let mut mesh = Mesh::default();
    for panel in PANELS {
        mesh.append(&flat::shaded(panel.map(|v| v as f32), [0.09, 0.14, 0.24, 1.0], [0.05, 0.07, 0.13, 1.0]));
    }
    flat::panels(kit, TOP, buffers, &mesh);
}

/// The edges of the rectangle, just outside of it, and the captions.
fn frames(kit: &mut Kit, buffers: &Buffers) {
    let mut mesh = Mesh::default();
    for panel in PANELS {
        let [x0, y0, x1, y1] = window(panel).map(|v| v as f32);
        let line = [0.55, 0.85, 1.0, 1.0];
        for edge in [
            [x0 - 1.0, y0 - 1.0, x1 + 1.0, y0],
            [x0 - 1.0, y1, x1 + 1.0, y1 + 1.0],
            [x0 - 1.0, y0, x0, y1],
            [x1, y0, x1 + 1.0, y1],
        ] {
            mesh.append(&flat::rect(edge, line));
        }
    }
    flat::panels(kit, TOP, buffers, &mesh);
    let captions: Vec<_> = PANELS
        .into_iter()
        .zip(MODES)
        .map(|([x0, _, x1, _], (_, text))| Label::centred((x0 + x1) / 2, 8, 2, text))
        .collect();
    flat::labels(kit, TOP, buffers, &captions);
}
