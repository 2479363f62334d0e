//! The stencil: a mirror and shadows.

use super::super::Scene;
use super::super::draw::shape;
use super::super::kit::Kit;
use super::super::state::{Light, compare, stencil};
use super::super::texture::{Style, format};
use super::super::vertices::{Corner, layout};
use super::pictures;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use picaflor_pipeline::ge::regs::op;

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "mirror",
        about: "A mirror in the floor: what it shows is drawn upside down where the stencil says so",
        build: mirror,
    },
    Scene {
        name: "shadows",
        about: "Shadows flattened onto a floor, each pixel darkened once, and a shadow volume counted in the stencil",
        build: shadows,
    },
];

const SUN: Light = Light::directional([0.5, 1.0, 0.7], [255, 250, 240]);

/// Where the light comes from when shadows are long.
const AFTERNOON: [f32; 3] = [0.9, 1.0, 0.2];

fn things(kit: &mut Kit, under: &Matrix) {
    let boards = kit.texture(&pictures::boards(), Style::of(format::RGB5650).swizzled());
    kit.use_texture(&boards);
    kit.world(&under.after(Matrix::translation(-1.4, 1.0, 0.2)).after(Matrix::rotation_y(0.6)));
    kit.draw_mesh(&Mesh::cube().moved(0.8, [0.0; 3]));
    kit.list.switch(op::TME, false);
    kit.material([190, 60, 70], [255; 3], 20.0);
    kit.world(&under.after(Matrix::translation(1.3, 1.2, 0.0)).after(Matrix::rotation_x(0.9)));
    kit.draw_mesh(&Mesh::torus(40, 18, 0.38));
    kit.material([255; 3], [255; 3], 20.0);
}

fn mirror(kit: &mut Kit) {
    kit.start([150, 170, 190]);
    kit.look(0.75, [0.6, 3.0, 7.0], [0.0, 0.3, 0.0]);
    kit.lights([70, 70, 80], &[SUN.shiny()]);
    // Where the mirror is, the stencil becomes 1, and depth stays open.
    let glass = kit.mesh(&Mesh::floor(5.2, 6), layout::COLOUR | layout::NORMAL | layout::POSITION);
    kit.stencil(compare::ALWAYS, 1, [stencil::KEEP, stencil::KEEP, stencil::REPLACE]);
    kit.depth(compare::GREATER_EQUAL, false);
    kit.material([90, 110, 120], [0; 3], 1.0);
    kit.draw(&glass);
    kit.stencil(compare::EQUAL, 1, [stencil::KEEP; 3]);
    kit.depth(compare::GREATER_EQUAL, true);
    kit.list.write(op::FFACE, 1);
    let upside_down = Light { position: [0.5, -1.0, 0.7], ..SUN };
    kit.lights([70, 70, 80], &[upside_down.shiny()]);
    kit.material([255; 3], [255; 3], 20.0);
    things(kit, &Matrix::scale(1.0, -1.0, 1.0));
    kit.list.write(op::FFACE, 0);
    kit.lights([70, 70, 80], &[SUN.shiny()]);
    // The glass over it, then the floor around it, then the things.
    kit.world(&Matrix::IDENTITY);
    kit.blend_alpha();
    kit.list.switch(op::LTE, false).write(op::AMC, 0xb0_9a70).write(op::AMA, 0x50);
    let sheet = kit.mesh(&Mesh::floor(5.2, 1), layout::POSITION);
    kit.draw(&sheet);
    kit.list.switch(op::ABE, false).write(op::AMA, 0xff);
    kit.stencil(compare::EQUAL, 0, [stencil::KEEP; 3]);
    let tiles = kit.texture(&pictures::tiles(), Style::of(format::RGB5650).swizzled());
    kit.use_texture(&tiles);
    kit.draw_mesh(&Mesh::floor(14.0, 6).tiled(7.0));
    kit.list.switch(op::STE, false).switch(op::LTE, true);
    kit.material([255; 3], [255; 3], 20.0);
    things(kit, &Matrix::IDENTITY);
    kit.show();
}

fn shadows(kit: &mut Kit) {
    kit.start([160, 190, 220]);
    kit.look(0.75, [1.0, 3.6, 7.4], [0.0, 0.4, 0.0]);
    let tiles = kit.texture(&pictures::grass(64), Style::of(format::RGB5650).swizzled());
    kit.use_texture(&tiles);
    kit.draw_mesh(&Mesh::floor(20.0, 8).tiled(6.0));
    kit.lights([70, 70, 80], &[Light { position: AFTERNOON, ..SUN }.shiny()]);
    things(kit, &Matrix::translation(-0.8, 0.0, 0.6));
    flattened(kit);
    volume(kit);
    kit.show();
}

/// The things once more, flat on the floor, black and half clear; the stencil lets each pixel be darkened once.
fn flattened(kit: &mut Kit) {
    let flat = Matrix([
        [1.0, -AFTERNOON[0], 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.012],
        [0.0, -AFTERNOON[2], 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]);
    kit.list.switch(op::LTE, false);
    kit.cull(false);
    kit.blend_alpha();
    kit.stencil(compare::EQUAL, 0, [stencil::KEEP, stencil::KEEP, stencil::INCREASE]);
    kit.depth(compare::GREATER_EQUAL, false);
    let black = [0.0, 0.0, 0.1, 0.5];
    let shadow = flat.after(Matrix::translation(-0.8, 0.0, 0.6));
    kit.world(&shadow.after(Matrix::translation(-1.4, 1.0, 0.2)).after(Matrix::rotation_y(0.6)));
    kit.draw_mesh(&Mesh::cube().moved(0.8, [0.0; 3]).coloured(black));
    kit.world(&shadow.after(Matrix::translation(1.3, 1.2, 0.0)).after(Matrix::rotation_x(0.9)));
    kit.draw_mesh(&Mesh::torus(40, 18, 0.38).coloured(black));
    kit.list.switch(op::ABE, false).switch(op::STE, false);
    kit.cull(true);
    kit.world(&Matrix::IDENTITY);
}

/// A ball in the air; a tube of its shadow counts in front minus behind, and the screen darkens where that is left.
fn volume(kit: &mut Kit) {
    let towards = AFTERNOON;
    let ball = [4.0, 2.4, -0.4];
    // Half the corners of a ball move along the light, far below the floor.
    let tube = Mesh::sphere(28, 18).moved(0.69, ball).map(|vertex| {
        let n = vertex.normal;
        if n[0] * towards[0] + n[1] * towards[1] + n[2] * towards[2] < 0.0 {
            vertex.position.iter_mut().zip(towards).for_each(|(place, by)| *place -= by * 4.0);
        }
    });
    let tube = kit.mesh(&tube, layout::POSITION);
    kit.list.write(op::PMSKC, 0xff_ffff);
    // Clear what the flat shadows counted.
    kit.list.write(op::CLEAR, 0x201);
    kit.plate([0.0, 0.0, 480.0, 272.0], [0; 4]);
    kit.list.write(op::CLEAR, 0);
    kit.depth(compare::GREATER_EQUAL, false);
    for (face, counted) in [(0, stencil::INCREASE), (1, stencil::DECREASE)] {
        kit.cull(true);
        kit.list.write(op::FFACE, face);
        kit.stencil(compare::ALWAYS, 0, [stencil::KEEP, stencil::KEEP, counted]);
        kit.draw(&tube);
    }
    kit.list.write(op::PMSKC, 0).switch(op::ZTE, false);
    kit.stencil(compare::LESS, 0, [stencil::KEEP; 3]);
    kit.blend_alpha();
    let corner =
        |x: f32, y: f32| Corner { colour: [0, 0, 25, 128], position: [x, y, 0.0], ..Corner::default() };
    let vertex_type = layout::COLOUR | layout::POSITION16 | layout::THROUGH;
    kit.draw_corners(shape::RECTANGLES, vertex_type, &[corner(0.0, 0.0), corner(480.0, 272.0)]);
    kit.list.switch(op::STE, false).switch(op::ABE, false);
    // The ball itself comes last: its own light is its shadow.
    kit.depth(compare::GREATER_EQUAL, true);
    let mesh = Mesh::sphere(28, 18).moved(0.7, ball).coloured([0.95, 0.8, 0.3, 1.0]).lit(towards, 0.3);
    kit.draw_mesh(&mesh);
}
