//! A walking figure with bones.

mod figure;

use crate::modelling::math::Real;
use crate::modelling::matrix::{Matrix, unit};
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, noise};
use crate::pica::Scene;
use crate::pica::encode::format;
use crate::pica::flat;
use crate::pica::kit::{Buffers, FCRAM, Kit, Screen, ShaderProgram};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, func, source};
use figure::{Figure, pose};
use std::f32::consts::TAU;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "skinned_character",
    about: "A walk in six poses: four-bone skinning with relative addressing and lights in a loop",
    build: skinned_character,
}];

const TOP: Screen = Screen::Top;
/// The poses.
const STEPS: u32 = 6;
/// Towards the lamps, in the world.
const SUN: [f32; 3] = [-0.55, 0.62, 0.56];
const SKY: [f32; 3] = [0.7, 0.35, -0.3];

fn skinned_character(kit: &mut Kit) {
    let buffers = kit.screen_buffers(TOP);
    kit.clear(&buffers, 0xf0b890ff);
    flat::panels(kit, TOP, &buffers, &evening());
    let view = Matrix::look_at([0.0, 1.75, 11.4], [0.0, 1.08, 0.0]);
    let lens = TOP.perspective(0.44, 1.0, 40.0);
    shadows(kit, &buffers, &lens.after(view));
    let program = ShaderProgram::assemble(include_str!("../../programs/skin.v.pica"));
    kit.vertex_program(&program);
    kit.matrix(&program, "projection", &lens);
    kit.uniform(&program, "view", &view.affine());
    kit.uniform(&program, "nrmMtx", &view.affine());
    lamps(kit, &program, &view);
    let cloth = kit.mipmapped(&cloth(), format::I8, 3);
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true);
    kit.list.texture(0, &cloth, &Sampler::LINEAR).units(1);
    kit.list.combiners(&[Combiner::modulate(source::TEXTURE0, source::VERTEX)]);
    let (vertices, indices, count) = place(kit, &Figure::new());
    let (float, byte) = (3, 1);
    kit.arrays(vertices, 68, &[(float, 3), (float, 3), (float, 2), (byte, 4), (float, 4), (float, 4)]);
    for step in 0..STEPS {
        for (bone, matrix) in pose(step as f32 / STEPS as f32).iter().enumerate() {
            let rows = stand(step).after(*matrix).affine();
            let first = program.float("bones") + 3 * bone as u8;
            kit.list.float_uniforms(
                picaflor_pipeline::pica::command::list_builder::Bank::Vertex,
                first,
                &rows,
            );
        }
        kit.list.draw_elements(3, indices - FCRAM, count);
    }
    kit.submit();
    kit.show(TOP, &buffers);
    kit.frame();
}

/// The position of a pose: in a row, walking to the right and a little towards the viewer.
fn stand(step: u32) -> Matrix {
    let x = (step as f32 - (STEPS - 1) as f32 / 2.0) * 1.28;
    Matrix::translation(x, 0.0, 0.0).after(Matrix::rotation_y(1.02))
}

/// 68 bytes a vertex: position, normal, texture coordinates, four bones as bytes, weights, colour.
fn place(kit: &mut Kit, figure: &Figure) -> (u32, u32, u32) {
    let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    let vertices = figure.mesh.vertices.iter().zip(&figure.skin).flat_map(|(vertex, skin)| {
        let geometry = [&vertex.position[..], &vertex.normal, &vertex.uv].concat();
        [floats(&geometry), skin.bones.to_vec(), floats(&skin.weights), floats(&vertex.colour)].concat()
    });
    let vertices = kit.data(vertices.collect());
    let indices = kit.data(figure.mesh.indices.iter().flat_map(|index| index.to_le_bytes()).collect());
    (vertices, indices, figure.mesh.indices.len() as u32)
}

/// Two lamps with highlights, directions in eye space.
fn lamps(kit: &mut Kit, program: &ShaderProgram, view: &Matrix) {
    let turned = |d: [f32; 3]| {
        let d = unit(d);
        let [x, y, z] = view.affine().map(|row| row[0] * d[0] + row[1] * d[1] + row[2] * d[2]);
        [x, y, z, 0.0]
    };
    let rows = [
        turned(SUN),
        [0.85, 0.72, 0.55, 0.0],
        [0.5, 0.45, 0.35, 0.0],
        turned(SKY),
        [0.42, 0.36, 0.55, 0.0],
        [0.6, 0.5, 0.6, 0.0],
    ];
    kit.uniform(program, "lights", &rows);
    kit.uniform(program, "matAmb", &[[0.4, 0.36, 0.42, 1.0], [1.0; 4], [0.35; 4]]);
    kit.uniform(program, "texMtx0", &[[3.0, 0.0, 0.0, 0.0], [0.0, 3.0, 0.0, 0.0]]);
}

/// A weave.
fn cloth() -> Canvas {
    Canvas::paint(64, 64, |x, y| {
        let thread = ((x * 16.0).fract() - 0.5).abs() * ((y * 16.0).fract() - 0.5).abs() * 4.0;
        [0.84 + 0.12 * thread + 0.08 * noise(x * 8.0, y * 8.0, 8, 2); 4]
    })
}

/// Evening sky, the sun, dunes.
fn evening() -> Mesh {
    let mut mesh = flat::shaded([0.0, 0.0, 400.0, 110.0], [0.24, 0.26, 0.5, 1.0], [0.86, 0.5, 0.46, 1.0]);
    mesh.append(&flat::shaded([0.0, 110.0, 400.0, 190.0], [0.86, 0.5, 0.46, 1.0], [1.0, 0.84, 0.56, 1.0]));
    let disc = |radius: f32, inner: [f32; 4], outer: [f32; 4]| {
        Mesh::sheet(40, 1, |u, v| {
            let (s, c) = (u * TAU).sine_cosine();
            [96.0 + s * radius * v, 128.0 + c * radius * v, 0.0]
        })
        .map(|vertex| vertex.colour = if vertex.uv[1] < 0.5 { inner } else { outer })
    };
    mesh.append(&disc(100.0, [1.0, 0.85, 0.6, 0.6], [1.0, 0.8, 0.5, 0.0]));
    mesh.append(&disc(30.0, [1.0, 0.98, 0.88, 1.0], [1.0, 0.93, 0.7, 1.0]));
    for (k, (base, high, colour)) in [
        (118.0, 22.0, [0.72, 0.42, 0.48, 1.0]),
        (96.0, 18.0, [0.8, 0.5, 0.4, 1.0]),
        (76.0, 6.0, [0.9, 0.66, 0.44, 1.0]),
    ]
    .into_iter()
    .enumerate()
    {
        let dune = Mesh::sheet(80, 1, |u, v| {
            let crest = noise(u * 5.0 + 0.3, k as f32 + 0.5, 64, 40 + k as u32);
            [u * 400.0, (base + high * (crest * 2.0 - 1.0)) * v, 0.0]
        });
        let low = [0.96, 0.78, 0.54, 1.0];
        mesh.append(&dune.map(|vertex| vertex.colour = if vertex.uv[1] > 0.5 { colour } else { low }));
    }
    mesh
}

/// Soft discs under the figures, drawn out away from the sun.
fn shadows(kit: &mut Kit, buffers: &Buffers, eye: &Matrix) {
    let mut mesh = Mesh::default();
    for step in 0..STEPS {
        let [x, _, z, _] = stand(step).apply([0.0; 3]);
        let disc = Mesh::sheet(28, 1, |u, v| {
            let (s, c) = (u * TAU).sine_cosine();
            let (along, across) = (s * v * 0.95 + 0.35, c * v * 0.36);
            [x + along * 0.9 + across * 0.3, 0.0, z - along * 0.45 + across * 0.9]
        });
        mesh.append(&disc.map(|vertex| vertex.colour = [0.3, 0.12, 0.2, 0.6 * (1.0 - vertex.uv[1])]));
    }
    let program = ShaderProgram::assemble(programs::COLOUR);
    kit.vertex_program(&program);
    kit.matrix(&program, "transform", eye);
    kit.list.defaults(buffers).blend_alpha();
    let placed = kit.mesh(&mesh);
    kit.draw(&placed);
}
