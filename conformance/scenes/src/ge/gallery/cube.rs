//! The textured cube, the classic first scene; here several cubes, in fog.

use super::super::Scene;
use super::super::kit::Kit;
use super::super::texture::{Style, format};
use super::pictures;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;

pub(super) const SCENES: &[Scene] = &[Scene {
    name: "cubes",
    about: "Textured cubes on a floor in perspective, with fog, back faces left out",
    build: cubes,
}];

const MIST: [u8; 3] = [150, 178, 205];

fn cubes(kit: &mut Kit) {
    kit.start(MIST);
    kit.look(0.8, [3.2, 2.7, 5.6], [0.3, 0.4, -0.5]);
    kit.fog(5.0, 24.0, MIST);
    let floor = kit.texture(&pictures::tiles(), Style::of(format::RGB5650).swizzled());
    kit.use_texture(&floor);
    kit.draw_mesh(&Mesh::floor(40.0, 8).tiled(16.0).moved(1.0, [0.0, -1.0, -12.0]));
    let boards = kit.texture(&pictures::boards(), Style::of(format::RGBA8888).swizzled());
    kit.use_texture(&boards);
    let cube = Mesh::cube().lit([0.5, 1.0, 0.7], 0.35);
    let cube = kit.mesh(&cube, super::super::draw::MESH);
    let places =
        [[0.0, 0.0, 0.0, 0.5], [-3.0, 0.0, -3.0, 0.2], [2.6, 0.0, -5.0, 0.9], [-1.0, 0.0, -9.0, 0.1]];
    for [x, y, z, turn] in places.into_iter().chain([[0.35, 1.6, 0.1, 1.3], [4.5, 0.0, -13.0, 0.4]]) {
        let size = if y > 0.0 { 0.6 } else { 1.0 };
        let turned = Matrix::rotation_y(turn).after(Matrix::scale(size, size, size));
        kit.world(&Matrix::translation(x, y, z).after(turned));
        kit.draw(&cube);
    }
    kit.show();
}
