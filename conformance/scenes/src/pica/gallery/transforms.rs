//! Transforms and depth.

use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::pica::Scene;
use crate::pica::kit::{Kit, Placed, Screen, ShaderProgram};
use crate::pica::programs;
use crate::pica::state::{State, func};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "transforms",
    about: "Cubes that turn and overlap: matrices, culling and the depth test",
    build: transforms,
}];

fn transforms(kit: &mut Kit) {
    let buffers = kit.screen_buffers(Screen::Top);
    let program = ShaderProgram::assemble(programs::COLOUR);
    let cube = kit.mesh(&painted_cube());
    kit.clear(&buffers, 0x2030_48ff);
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true);
    kit.vertex_program(&program);
    let eye = Screen::Top.perspective(0.8, 1.0, 40.0).after(Matrix::look_at([0.0, 3.0, 12.0], [0.0; 3]));
    for k in 0..9 {
        let around = k as f32 * std::f32::consts::TAU / 9.0;
        place(kit, &program, &eye, &cube, [around.sine() * 4.2, 0.0, around.cosine() * 4.2], around);
    }
    place(kit, &program, &eye, &cube, [0.0, 0.4, 0.0], 0.6);
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

/// A cube whose corners have the colour of their place.
fn painted_cube() -> Mesh {
    Mesh::cube().map(|vertex| {
        let [x, y, z] = vertex.position.map(|p| 0.55 + 0.45 * p);
        vertex.colour = [x, y, z, 1.0];
    })
}

fn place(kit: &mut Kit, program: &ShaderProgram, eye: &Matrix, cube: &Placed, at: [f32; 3], turn: f32) {
    let [x, y, z] = at;
    let model = Matrix::translation(x, y, z)
        .after(Matrix::rotation_y(turn * 2.0))
        .after(Matrix::rotation_x(turn))
        .after(Matrix::scale(0.9, 0.9, 0.9));
    kit.matrix(program, "transform", &eye.after(model));
    kit.draw(cube);
}
