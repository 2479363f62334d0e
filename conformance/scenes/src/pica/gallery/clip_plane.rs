//! The user clip plane.

use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{clouds, hash, mix};
use crate::pica::Scene;
use crate::pica::flat;
use crate::pica::kit::{Kit, Screen, ShaderProgram};
use crate::pica::programs;
use crate::pica::state::{State, func};
use picaflor_pipeline::pica::float::encode_f24;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "clip_plane",
    about: "A planet of shells and its ring, cut open by the user clip plane",
    build: clip_plane,
}];

const TOP: Screen = Screen::Top;
/// Towards the lamp.
const LAMP: [f32; 3] = [-0.45, 0.6, 0.65];
/// Points of the world with `plane . (x, y, z, 1) >= 0` are kept.
const CUT: [f32; 4] = [-0.72, -0.3, -0.62, 0.15];

fn clip_plane(kit: &mut Kit) {
    let buffers = kit.screen_buffers(TOP);
    kit.clear(&buffers, 0x0508_14ff);
    flat::panels(kit, TOP, &buffers, &stars());
    let program = ShaderProgram::assemble(programs::COLOUR);
    kit.vertex_program(&program);
    let eye = TOP.perspective(0.5, 1.0, 40.0).after(Matrix::look_at([0.0, 3.0, 10.5], [0.0; 3]));
    kit.matrix(&program, "transform", &eye);
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true);
    let plane = eye.plane(CUT).map(encode_f24);
    kit.list.burst(0x048, &plane);
    draw(kit, &core());
    kit.list.write(0x047, 1);
    for (k, radius) in [2.1, 1.98, 1.5, 1.42, 1.0, 0.94].into_iter().enumerate() {
        let outside = shell(k, radius).lit(LAMP, if k == 0 { 0.12 } else { 0.5 });
        draw(kit, &outside);
        draw(kit, &shell(k, radius).inside_out().lit(LAMP, 0.45));
    }
    let ring = ring();
    draw(kit, &ring.clone().lit(LAMP, 0.2));
    draw(kit, &ring.inside_out().map(|v| v.colour = v.colour.map(|c| c * 0.55)).lit(LAMP, 0.4));
    kit.submit();
    kit.show(TOP, &buffers);
    kit.frame();
}

fn draw(kit: &mut Kit, mesh: &Mesh) {
    let placed = kit.mesh(mesh);
    kit.draw(&placed);
}

fn core() -> Mesh {
    Mesh::sphere(40, 24).moved(0.62, [0.0; 3]).map(|vertex| {
        let glow = vertex.normal[2] * 0.5 + 0.5;
        vertex.colour = mix([1.0, 0.62, 0.12, 1.0], [1.0, 0.98, 0.8, 1.0], glow);
    })
}

/// Two spheres for each layer: its outer face and its inner one.
fn shell(k: usize, radius: f32) -> Mesh {
    let layer = [[0.42, 0.3, 0.26, 1.0], [0.86, 0.3, 0.16, 1.0], [0.98, 0.56, 0.16, 1.0]][k / 2];
    Mesh::sphere(64, 40).moved(radius, [0.0; 3]).map(|vertex| {
        let [u, v] = vertex.uv;
        let grain = 0.8 + 0.4 * clouds(u * 2.0, v * 1.0, 9 + k as u32 / 2);
        vertex.colour = layer.map(|c| c * grain);
        if k == 0 {
            let land = clouds(u, v, 4);
            let sea = mix([0.06, 0.22, 0.55, 1.0], [0.12, 0.45, 0.78, 1.0], land * 2.0);
            let green = mix([0.3, 0.62, 0.28, 1.0], [0.78, 0.7, 0.44, 1.0], (land - 0.52) * 9.0);
            let ice = (v - 0.5).abs() > 0.42;
            vertex.colour = if ice {
                [0.95, 0.97, 1.0, 1.0]
            } else if land > 0.5 {
                green
            } else {
                sea
            };
        }
    })
}

/// A hollow ring around the planet.
fn ring() -> Mesh {
    let tilt = Matrix::rotation_z(0.22).after(Matrix::rotation_x(0.12));
    Mesh::torus(112, 20, 0.075).moved(3.35, [0.0; 3]).placed(&tilt).map(|vertex| {
        let plate = hash((vertex.uv[0] * 56.0) as u32, (vertex.uv[1] * 10.0) as u32, 5);
        vertex.colour = mix([0.62, 0.66, 0.75, 1.0], [0.86, 0.88, 0.92, 1.0], plate);
    })
}

fn stars() -> Mesh {
    let mut mesh = Mesh::default();
    for k in 0..110 {
        let (x, y) = (hash(k, 1, 1) * 400.0, hash(k, 2, 1) * 240.0);
        let size = 1.0 + (hash(k, 3, 1) * 1.4).floor();
        let bright = 0.25 + 0.75 * hash(k, 4, 1);
        let (x, y) = (x.floor(), y.floor());
        mesh.append(&flat::rect([x, y, x + size, y + size], [bright, bright, bright * 1.1, 1.0]));
    }
    mesh
}
