//! Lights: each kind, on things that show it.

use super::super::Scene;
use super::super::draw::MESH;
use super::super::kit::Kit;
use super::super::state::{Light, rgb};
use super::super::texture::{Style, format};
use super::pictures;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use picaflor_pipeline::ge::regs::op;

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "lights",
        about: "Spheres under directional light, a highlight, powered diffuse light, ambient and emitted light",
        build: lights,
    },
    Scene {
        name: "lamps",
        about: "A room with a point light and two spots of different cones, shiny things, separate specular colour",
        build: lamps,
    },
];

fn lights(kit: &mut Kit) {
    kit.start([24, 26, 34]);
    kit.look(0.62, [0.0, 0.0, 9.0], [0.0, 0.0, 0.0]);
    let sphere = kit.mesh(&Mesh::sphere(36, 22), MESH & !0x1f);
    let sun = Light::directional([-1.0, 1.0, 0.8], [255, 240, 210]);
    let red = Light::directional([1.0, 0.1, 0.2], [220, 40, 30]);
    let blue = Light::directional([0.0, -1.0, 0.3], [30, 60, 220]);
    let powered = Light { components: 2, ..sun };
    let setups: [(&[Light], [u8; 3], f32); 8] = [
        (&[sun], [0; 3], 1.0),
        (&[sun], [70, 70, 90], 1.0),
        (&[sun.shiny()], [40; 3], 8.0),
        (&[sun.shiny()], [40; 3], 60.0),
        (&[powered], [20; 3], 4.0),
        (&[red, blue], [0; 3], 1.0),
        (&[sun, red, blue, powered.shiny()], [10; 3], 20.0),
        (&[], [60, 50, 80], 1.0),
    ];
    for (n, (lights, ambient, power)) in setups.into_iter().enumerate() {
        let (column, row) = ((n % 4) as f32, (n / 4) as f32);
        kit.world(&Matrix::translation(column * 2.3 - 3.45, 1.2 - row * 2.4, 0.0));
        kit.lights(ambient, lights);
        kit.material([200, 190, 170], [255, 255, 240], power);
        kit.list.write(op::EMC, if n == 7 { rgb([20, 90, 50]) } else { 0 });
        kit.draw(&sphere);
    }
    kit.show();
}

fn lamps(kit: &mut Kit) {
    kit.start([0; 3]);
    kit.look(0.9, [0.0, 2.6, 7.2], [0.0, 0.9, 0.0]);
    let lamp = Light::point([0.3, 1.5, 1.2], [255, 190, 110], [0.45, 0.05, 0.06]).shiny();
    let wide = Light::spot([-3.2, 4.0, 0.5], [90, 255, 120], [0.15, 1.0, 0.1], [4.0, 0.8]);
    let narrow = Light::spot([3.4, 4.0, 0.8], [120, 140, 255], [0.3, 1.0, 0.05], [0.0, 0.93]);
    kit.lights([40, 40, 48], &[lamp, wide, narrow]);
    let tiles = kit.texture(&pictures::tiles(), Style::of(format::RGBA8888).swizzled());
    kit.use_texture(&tiles);
    kit.material([230; 3], [0; 3], 1.0);
    kit.draw_mesh(&Mesh::floor(12.0, 48).tiled(6.0));
    let wall = Mesh::sheet(40, 24, |u, v| [u * 12.0 - 6.0, v * 6.0, -4.0]);
    kit.draw_mesh(&wall.tiled(3.0));
    things(kit);
    kit.show();
}

fn things(kit: &mut Kit) {
    kit.list.switch(op::LMODE, true);
    kit.material([150, 60, 50], [255, 255, 255], 24.0);
    kit.world(&Matrix::translation(-1.6, 0.9, 0.6).after(Matrix::scale(0.9, 0.9, 0.9)));
    kit.draw_mesh(&Mesh::sphere(36, 24).tiled(2.0));
    kit.material([70, 90, 160], [255, 255, 255], 40.0);
    kit.world(&Matrix::translation(1.7, 0.75, 0.8).after(Matrix::rotation_x(1.2)));
    kit.draw_mesh(&Mesh::torus(44, 20, 0.35).tiled(2.0));
}
