//! Particles by geometry programs.

use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::{Mesh, Vertex};
use crate::modelling::paint::{Canvas, hash, mix};
use crate::pica::Scene;
use crate::pica::encode::format;
use crate::pica::flat;
use crate::pica::kit::{Buffers, Kit, Screen, ShaderProgram, Texture};
use crate::pica::state::{Combiner, Sampler, State, op, source};
use std::f32::consts::TAU;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "particles",
    about: "Fireworks: points that become sprites, and curves that become trails of them",
    build: particles,
}];

const TOP: Screen = Screen::Top;
/// Height of the water over the lower edge, in pixels.
const SHORE: f32 = 52.0;
/// Half a pixel's share of clip space for the machine's x and y.
const PIXEL: [f32; 4] = [2.0 / 240.0, 2.0 / 400.0, 0.0, 0.0];

/// A burst: middle, radius, colours inside and outside.
struct Burst {
    at: [f32; 2],
    radius: f32,
    inner: [f32; 4],
    outer: [f32; 4],
}

fn particles(kit: &mut Kit) {
    let buffers = kit.screen_buffers(TOP);
    kit.clear(&buffers, 0x0305_10ff);
    flat::panels(kit, TOP, &buffers, &sky());
    let glow = kit.texture(&glow(), format::A8);
    let reflection = Matrix::translation(0.0, 2.0 * SHORE, 0.0).after(Matrix::scale(1.0, -1.0, 1.0));
    for (matrix, share) in [(TOP.flat().after(reflection), 0.22), (TOP.flat(), 1.0)] {
        if share < 1.0 {
            kit.list.defaults(&buffers).scissor(3, [0, SHORE as u32 - 1], [0, 399]);
        }
        trails(kit, &buffers, &glow, &matrix, share);
        sparks(kit, &buffers, &glow, &matrix, share);
        if share < 1.0 {
            flat::panels(kit, TOP, &buffers, &skyline());
        }
    }
    kit.submit();
    kit.show(TOP, &buffers);
    kit.frame();
}

fn bursts() -> [Burst; 5] {
    let burst = |x, y, radius, inner: [f32; 3], outer: [f32; 3]| {
        let solid = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
        Burst { at: [x, y], radius, inner: solid(inner), outer: solid(outer) }
    };
    [
        burst(104.0, 164.0, 62.0, [1.0, 0.9, 0.6], [1.0, 0.35, 0.12]),
        burst(262.0, 176.0, 54.0, [0.8, 0.95, 1.0], [0.15, 0.5, 1.0]),
        burst(344.0, 132.0, 38.0, [1.0, 0.85, 0.95], [1.0, 0.2, 0.55]),
        burst(188.0, 122.0, 34.0, [0.95, 1.0, 0.8], [0.25, 0.9, 0.4]),
        burst(36.0, 112.0, 26.0, [1.0, 1.0, 0.85], [1.0, 0.75, 0.2]),
    ]
}

fn glow() -> Canvas {
    Canvas::paint(32, 32, |x, y| {
        let d = ((x - 0.5).powi(2) + (y - 0.5).powi(2)).sqrt() * 2.0;
        let soft = (1.0 - d).max(0.0);
        [1.0, 1.0, 1.0, soft * soft * 0.7 + if d < 0.3 { 0.3 } else { 0.0 }]
    })
}

/// Adding light: colour of the vertex, alpha of texture and vertex.
fn additive(kit: &mut Kit, buffers: &Buffers, glow: &Texture, share: f32) {
    kit.list.target(buffers).blend(0, 6, 1).texture(0, glow, &Sampler::LINEAR.wrap(0, 0)).units(1);
    let weight = Combiner::replace(source::VERTEX)
        .alpha(op::MODULATE, [source::TEXTURE0, source::VERTEX, source::VERTEX]);
    let share = Combiner::PASS.constant([(share * 255.0) as u8; 4]);
    kit.list.combiners(&[
        weight,
        share.alpha(op::MODULATE, [source::PREVIOUS, source::CONSTANT, source::CONSTANT]),
    ]);
}

fn point(at: [f32; 2], size: f32, colour: [f32; 4]) -> Vertex {
    Vertex { position: [at[0], at[1], 0.0], normal: [0.0, 0.0, 1.0], uv: [size, 0.0], colour }
}

/// Point mode: one vertex, one sprite.
fn sparks(kit: &mut Kit, buffers: &Buffers, glow: &Texture, matrix: &Matrix, share: f32) {
    let program = ShaderProgram::assemble(include_str!("../programs/points.v.pica"));
    let sprites = ShaderProgram::assemble(include_str!("../programs/sprites.g.pica"));
    kit.geometry_program(&program, &sprites);
    kit.matrix(&program, "transform", matrix);
    kit.geometry_uniform(&sprites, "pixel", &[PIXEL]);
    additive(kit, buffers, glow, share);
    let mut vertices = Vec::new();
    for (n, burst) in bursts().iter().enumerate() {
        for k in 0..110_u32 {
            let random = |m| hash(k, m, 20 + n as u32);
            let (s, c) = (random(1) * TAU).sine_cosine();
            let far = burst.radius * (0.15 + 0.85 * random(2).sqrt());
            let fall = far * far / burst.radius * 0.16;
            let at = [burst.at[0] + s * far, burst.at[1] + c * far - fall];
            let colour = mix(burst.inner, burst.outer, far / burst.radius);
            vertices.push(point(at, 0.9 + 2.2 * random(3) * random(4), colour));
        }
        vertices.push(point(burst.at, burst.radius * 0.8, mix(burst.outer, [0.0; 4], 0.7)));
        vertices.push(point(burst.at, 9.0, burst.inner));
    }
    let count = vertices.len() as u32;
    let placed = kit.mesh(&Mesh { vertices, indices: vec![0] });
    kit.arrays(placed.vertices, 48, &[(3, 3), (3, 3), (3, 2), (3, 4)]);
    kit.list.draw_arrays(3, 0, count);
}

/// Fixed mode: four vertices fill uniforms, each run makes 24 sprites along a curve.
fn trails(kit: &mut Kit, buffers: &Buffers, glow: &Texture, matrix: &Matrix, share: f32) {
    let program = ShaderProgram::assemble(include_str!("../programs/raw.v.pica"));
    let comet = ShaderProgram::assemble(include_str!("../programs/comet.g.pica"));
    kit.geometry_program(&program, &comet);
    kit.geometry_uniform(&comet, "transform", &matrix.0);
    kit.geometry_uniform(&comet, "pixel", &[PIXEL]);
    additive(kit, buffers, glow, share);
    let mut vertices = Vec::new();
    for (n, burst) in bursts().iter().enumerate() {
        let [x, y] = burst.at;
        let foot = x + (hash(n as u32, 0, 30) - 0.5) * 40.0;
        let rise = [[x, y], [x, y - 40.0], [foot, SHORE + 60.0], [foot, SHORE + 6.0]];
        curve(
            &mut vertices,
            rise,
            [1.6, 0.5, 5.0, 0.0],
            [mix(burst.inner, [0.0; 4], 0.2), [0.5, 0.25, 0.1, 0.3]],
        );
        let arms = 14 + (burst.radius / 6.0) as u32;
        for k in 0..arms {
            let turn = (k as f32 + 0.6 * hash(k, 1, 31 + n as u32)) / arms as f32;
            let (s, c) = (turn * TAU).sine_cosine();
            let reach = burst.radius * (0.8 + 0.35 * hash(k, 2, 31 + n as u32));
            let on = |part: f32, fall: f32| [x + s * reach * part, y + c * reach * part - fall * reach];
            let arm = [on(0.08, 0.0), on(0.5, 0.0), on(0.85, 0.06), on(1.05, 0.34)];
            curve(&mut vertices, arm, [1.2, 2.4, 5.0, 0.0], [burst.inner, burst.outer]);
        }
    }
    let count = vertices.len() as u32;
    let placed = kit.mesh(&Mesh { vertices, indices: vec![0] });
    kit.arrays(placed.vertices, 48, &[(3, 3), (3, 3), (3, 2), (3, 4)]);
    kit.list.draw_arrays(3, 0, count);
}

/// The four vertices of a trail.
fn curve(vertices: &mut Vec<Vertex>, points: [[f32; 2]; 4], sizes: [f32; 4], colours: [[f32; 4]; 2]) {
    let attributes = [colours[0], sizes, [0.0; 4], colours[1]];
    vertices.extend(points.iter().zip(attributes).map(|(&at, attribute)| point(at, 0.0, attribute)));
}

fn sky() -> Mesh {
    let (night, dusk) = ([0.02, 0.03, 0.1, 1.0], [0.2, 0.14, 0.3, 1.0]);
    let mut mesh = flat::shaded([0.0, 0.0, 400.0, 240.0 - SHORE], night, dusk);
    mesh.append(&flat::shaded([0.0, 240.0 - SHORE, 400.0, 240.0], [0.12, 0.1, 0.24, 1.0], night));
    for k in 0..70 {
        let (x, y) = ((hash(k, 1, 8) * 400.0).floor(), (hash(k, 2, 8) * 150.0).floor());
        let bright = 0.15 + 0.5 * hash(k, 3, 8);
        mesh.append(&flat::rect([x, y, x + 1.0, y + 1.0], [bright, bright, bright * 1.2, 1.0]));
    }
    mesh
}

/// Houses with lit windows on the shore, and their light on the water.
fn skyline() -> Mesh {
    let mut mesh = Mesh::default();
    let base = 240.0 - SHORE;
    let mut x = 0.0;
    for k in 0..40_u32 {
        let width = (9.0 + 14.0 * hash(k, 1, 9)).floor();
        let tall = if hash(k, 4, 9) > 0.8 { 26.0 } else { 0.0 };
        let height = (8.0 + 22.0 * hash(k, 2, 9) + tall).floor();
        mesh.append(&flat::rect([x, base - height, x + width, base], [0.02, 0.03, 0.07, 1.0]));
        for (column, row) in (0..3).flat_map(|column| (0..11).map(move |row| (column, row))) {
            let (left, top) = (x + 2.0 + column as f32 * 4.0, base - height + 3.0 + row as f32 * 5.0);
            let lit = hash(k * 40 + row, column, 10) > 0.62;
            if lit && left + 2.0 < x + width && top + 2.0 < base {
                mesh.append(&flat::rect([left, top, left + 2.0, top + 2.0], [1.0, 0.8, 0.42, 0.85]));
                let mirror = 2.0 * base - top;
                mesh.append(&flat::rect([left, mirror - 4.0, left + 2.0, mirror], [1.0, 0.7, 0.4, 0.16]));
            }
        }
        x += width + 1.0;
    }
    mesh.append(&flat::rect([0.0, base - 2.0, 400.0, base + 1.0], [0.05, 0.05, 0.1, 1.0])).clone()
}
