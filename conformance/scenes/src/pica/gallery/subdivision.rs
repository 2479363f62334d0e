//! Faces of any number of corners, subdivided by a geometry program.

use crate::modelling::math::Real;
use crate::modelling::matrix::{Matrix, cross, dot, sub, unit};
use crate::modelling::mesh::{Mesh, Vertex};
use crate::pica::Scene;
use crate::pica::flat::{self, Label};
use crate::pica::kit::{Buffers, FCRAM, Kit, Screen, ShaderProgram};
use crate::pica::state::{State, func};
use picaflor_pipeline::pica::command::list_builder::Bank;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "subdivision",
    about: "Faces of 3 to 6 corners, one primitive each in variable mode, rounded in ever finer steps",
    build: subdivision,
}];

const TOP: Screen = Screen::Top;

/// A face: corners around it, colour.
struct Face {
    corners: Vec<[f32; 3]>,
    colour: [f32; 4],
}

/// Faces in guest memory: vertices, the stream of counts and indices.
struct Solid {
    vertices: u32,
    indices: u32,
    count: u32,
}

fn subdivision(kit: &mut Kit) {
    let buffers = kit.screen_buffers(TOP);
    kit.clear(&buffers, 0x1b24_3cff);
    backdrop(kit, &buffers);
    let program = ShaderProgram::assemble(include_str!("../programs/raw.v.pica"));
    let divide = ShaderProgram::assemble(include_str!("../programs/subdivide.g.pica"));
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true);
    kit.geometry_program(&program, &divide);
    kit.geometry_uniform(&divide, "lamp", &[[-0.42, 0.6, 0.68, 0.28]]);
    for (row, faces) in [ball(), gem()].iter().enumerate() {
        let solid = place(kit, faces);
        for (column, cells) in [1_u8, 2, 5].into_iter().enumerate() {
            let left = 400 - 133 * (column as i32 + 1);
            kit.list.viewport(124 - 114 * row as i32, left, 112, 132);
            let turn = Matrix::rotation_x(0.35).after(Matrix::rotation_y(0.4 + row as f32 * 0.25));
            let eye = Matrix::perspective(0.5, 132.0 / 112.0, 1.0, 20.0).tilted();
            let eye = eye.after(Matrix::translation(0.0, 0.0, -4.4)).after(turn);
            kit.geometry_uniform(&divide, "transform", &eye.0);
            kit.geometry_uniform(&divide, "fine", &[[1.0 / f32::from(cells), 0.0, 1.0, 0.0]]);
            kit.list.int_uniform(Bank::Geometry, 0, [cells - 1, 0, 1]);
            kit.arrays(solid.vertices, 48, &[(3, 3), (3, 3), (3, 2), (3, 4)]);
            kit.list.draw_elements(3, solid.indices - FCRAM, solid.count);
        }
    }
    captions(kit, &buffers);
    kit.submit();
    kit.show(TOP, &buffers);
    kit.frame();
}

fn backdrop(kit: &mut Kit, buffers: &Buffers) {
    let (high, low) = ([0.2, 0.28, 0.46, 1.0], [0.08, 0.11, 0.2, 1.0]);
    let mut mesh = flat::shaded([0.0, 0.0, 400.0, 240.0], high, low);
    for column in 0..3 {
        for row in 0..2 {
            let (x, y) = (66.5 + 133.0 * column as f32, 108.0 + 114.0 * row as f32);
            let shadow = Mesh::sheet(32, 1, |u, v| {
                let (s, c) = (u * std::f32::consts::TAU).sine_cosine();
                [x + s * 40.0 * v, 240.0 - y + c * 6.0 * v, 0.0]
            });
            let dark = |v: &mut Vertex| v.colour = [0.0, 0.0, 0.05, 0.5 * (1.0 - v.uv[1])];
            mesh.append(&shadow.map(dark));
        }
    }
    flat::panels(kit, TOP, buffers, &mesh);
}

fn captions(kit: &mut Kit, buffers: &Buffers) {
    let names = ["1 CELL", "2 X 2", "5 X 5"];
    let label =
        |k: usize| Label::centred(67 + 133 * k as u32, 229, 1, names[k]).coloured([190, 210, 240, 255]);
    flat::labels(kit, TOP, buffers, &[label(0), label(1), label(2)]);
}

/// Vertices of all faces, and for each face its count, its centre, its corners and the first again.
fn place(kit: &mut Kit, faces: &[Face]) -> Solid {
    let (mut vertices, mut stream) = (Vec::new(), Vec::<u16>::new());
    for face in faces {
        let first = vertices.len() as u16;
        let count = face.corners.len() as u16;
        let sum = |c: usize| face.corners.iter().map(|p| p[c]).sum::<f32>() / f32::from(count);
        let centre = [sum(0), sum(1), sum(2)];
        for position in [centre].iter().chain(&face.corners) {
            let normal = [0.0, 0.0, 1.0];
            vertices.push(Vertex { position: *position, normal, uv: [0.0; 2], colour: face.colour });
        }
        stream.push(count + 2);
        stream.extend(first..=first + count);
        stream.push(first + 1);
    }
    let count = stream.len() as u32;
    let placed = kit.mesh(&Mesh { vertices, indices: stream });
    Solid { vertices: placed.vertices, indices: placed.indices, count }
}

/// The corners that lie farthest in a direction, around it.
fn face(corners: &[[f32; 3]], towards: [f32; 3], colour: [f32; 4]) -> Face {
    let towards = unit(towards);
    let far = corners.iter().map(|&p| dot(p, towards)).fold(f32::MIN, |a, b| if b > a { b } else { a });
    let mut ring: Vec<_> = corners.iter().copied().filter(|&p| dot(p, towards) > far - 1e-3).collect();
    let right = unit(sub(ring[0], towards.map(|v| v * far)));
    let up = cross(towards, right);
    let angle = |p: &[f32; 3]| dot(*p, up).angle(dot(*p, right));
    ring.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    Face { corners: ring, colour }
}

/// A football: 12 faces of five corners, 20 of six.
fn ball() -> Vec<Face> {
    let golden = (1.0 + 5.0_f32.sqrt()) / 2.0;
    let mut axes = Vec::new();
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        axes.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]]);
    }
    let near = |a: [f32; 3], b: [f32; 3]| (dot(sub(a, b), sub(a, b)) - 4.0).abs() < 0.01;
    let mut corners = Vec::new();
    for &a in &axes {
        for &b in axes.iter().filter(|&&b| near(a, b)) {
            let third: [f32; 3] = std::array::from_fn(|c| a[c] + (b[c] - a[c]) / 3.0);
            corners.push(unit(third));
        }
    }
    let mut faces: Vec<_> = axes.iter().map(|&axis| face(&corners, axis, [0.16, 0.2, 0.3, 1.0])).collect();
    for (i, &a) in axes.iter().enumerate() {
        for (j, &b) in axes.iter().enumerate().skip(i + 1) {
            for &c in axes.iter().skip(j + 1).filter(|&&c| near(a, b) && near(b, c) && near(a, c)) {
                let middle = std::array::from_fn(|k| a[k] + b[k] + c[k]);
                faces.push(face(&corners, middle, [0.96, 0.95, 0.9, 1.0]));
            }
        }
    }
    faces
}

/// A cuboctahedron: 8 faces of three corners, 6 of four.
fn gem() -> Vec<Face> {
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let corners: Vec<_> =
        signs.iter().flat_map(|&(a, b)| [[a, b, 0.0], [0.0, a, b], [b, 0.0, a]]).map(unit).collect();
    let mut faces = Vec::new();
    for (axis, colour) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into_iter().zip([
        [0.94, 0.36, 0.26, 1.0],
        [0.98, 0.72, 0.24, 1.0],
        [0.9, 0.5, 0.2, 1.0],
    ]) {
        faces.push(face(&corners, axis, colour));
        faces.push(face(&corners, axis.map(|v| -v), colour));
    }
    for (a, b) in signs {
        for c in [1.0, -1.0] {
            faces.push(face(&corners, [a, b, c], [0.16, 0.6, 0.68, 1.0]));
        }
    }
    faces
}
