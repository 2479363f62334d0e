//! Z-buffer and W-buffer.

use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::mix;
use crate::pica::Scene;
use crate::pica::encode::format;
use crate::pica::flat::{self, Label};
use crate::pica::kit::{Buffers, Kit, Screen, ShaderProgram, Texture};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, func, source};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "depth_modes",
    about: "Interpenetrating walls at three distances with 16 bits of depth: Z-buffer and W-buffer",
    build: depth_modes,
}];

/// The nearest and the farthest distance.
const NEAR: f32 = 0.05;
const FAR: f32 = 60.0;
/// The buffers are larger than the screen, so that the depths make a texture; the screen lies at their upper
/// end, where memory begins.
const SIZE: (u32, u32) = (256, 512);
const LIFT: i32 = 512 - 400;

fn depth_modes(kit: &mut Kit) {
    let buffers = buffers(kit);
    scenery(kit, &buffers);
    depths(kit, &buffers);
    kit.frame();
}

/// RGBA8 colours, 16 bits of depth.
fn buffers(kit: &mut Kit) -> Buffers {
    let (width, height) = SIZE;
    let (colour, depth) = (kit.reserve(width * height * 4), kit.reserve(width * height * 2));
    kit.fill(colour, width * height * 4, 0x9cc4_dcff);
    kit.fill_units(depth, width * height * 2, 0, 0);
    Buffers { width, height, colour, colour_format: 0, depth, depth_format: 0 }
}

fn scenery(kit: &mut Kit, buffers: &Buffers) {
    let program = ShaderProgram::assemble(programs::COLOUR);
    kit.vertex_program(&program);
    kit.list.defaults(buffers).depth_test(func::GREATER, true);
    let eye = Matrix::perspective(0.9, 200.0 / 240.0, NEAR, FAR)
        .tilted()
        .after(Matrix::look_at([0.0, 2.6, 7.0], [0.0, 1.7, 0.0]));
    kit.matrix(&program, "transform", &eye);
    let meshes: Vec<_> = [floor(), walls()].iter().map(|mesh| kit.mesh(mesh)).collect();
    for (left, scale, w_buffer) in [(200, -1.0, false), (0, -1.0 / NEAR, true)] {
        kit.list.viewport(0, LIFT + left, 240, 200).depth_map(scale, 0.0, w_buffer);
        meshes.iter().for_each(|mesh| kit.draw(mesh));
    }
    kit.submit();
    kit.list.defaults(buffers).viewport(0, LIFT, 240, 400);
    captions(kit, buffers);
    kit.submit();
    kit.show(Screen::Top, buffers);
}

fn captions(kit: &mut Kit, buffers: &Buffers) {
    let raised = Buffers { ..*buffers };
    let program = flat::overlay(kit, Screen::Top, &raised);
    kit.matrix(&program, "transform", &raise());
    kit.list.combiners(&[Combiner::replace(source::VERTEX)]);
    let placed = kit.mesh(&flat::rect([199.0, 0.0, 201.0, 240.0], [1.0, 1.0, 1.0, 1.0]));
    kit.draw(&placed);
    let ink = [20, 36, 64, 255];
    let text = |x, text| Label::centred(x, 8, 2, text).coloured(ink);
    flat::labels_with(kit, &raised, &raise(), &[text(100, "Z-BUFFER"), text(300, "W-BUFFER")]);
}

/// Pixels of the screen within the larger buffers.
fn raise() -> Matrix {
    let lifted = Matrix::translation(0.0, LIFT as f32 / 256.0, 0.0);
    let (x, y) = (240.0 / 256.0, 400.0 / 512.0);
    let shrunk =
        Matrix([[x, 0.0, 0.0, x - 1.0], [0.0, y, 0.0, y - 1.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
    lifted.after(shrunk).after(Screen::Top.flat())
}

fn floor() -> Mesh {
    let mut mesh = Mesh::default();
    for row in 0..30_u32 {
        for column in 0..16_u32 {
            let light = (row + column) % 2 == 0;
            let colour = if light { [0.86, 0.84, 0.78, 1.0] } else { [0.36, 0.46, 0.56, 1.0] };
            let far = (row as f32 / 24.0).powi(2);
            let (x, z) = (column as f32 * 2.0 - 16.0, 6.0 - row as f32 * 2.0);
            let place = |u: f32, v: f32| [x + u * 2.0, 0.0, z - v * 2.0];
            mesh.append(&Mesh::sheet(1, 1, place).coloured(mix(colour, [0.61, 0.77, 0.86, 1.0], far)));
        }
    }
    mesh
}

/// At each distance two walls that cross at a small angle, and columns that pierce them.
fn walls() -> Mesh {
    let mut mesh = Mesh::default();
    let warm = [[0.93, 0.42, 0.2, 1.0], [0.95, 0.62, 0.24, 1.0], [0.85, 0.3, 0.35, 1.0]];
    let cool = [[0.12, 0.34, 0.62, 1.0], [0.1, 0.46, 0.6, 1.0], [0.24, 0.26, 0.62, 1.0]];
    for (k, (x, distance, wide, high)) in
        [(-1.7, 1.0, 2.6, 2.2), (0.4, -9.0, 7.0, 4.2), (7.0, -32.0, 17.0, 8.6)].into_iter().enumerate()
    {
        for (colour, angle) in [(warm[k], 0.012), (cool[k], -0.012)] {
            let turn = Matrix::translation(x, high / 2.0, distance).after(Matrix::rotation_y(angle));
            let wall = Mesh::sheet(1, 1, |u, v| [(u - 0.5) * wide, (v - 0.5) * high, 0.0]);
            mesh.append(&wall.coloured(colour).placed(&turn));
        }
        for side in [-0.36, 0.36] {
            let column = Mesh::revolution(20, 1, |v| [wide * 0.055, v * high * 1.15]);
            let place = Matrix::translation(x + side * wide, 0.0, distance);
            let stone = column.coloured([0.96, 0.93, 0.86, 1.0]).placed(&place);
            mesh.append(&stone.lit([-0.6, 0.5, 0.7], 0.4));
        }
    }
    mesh
}

/// The depths as pictures on the bottom screen.
fn depths(kit: &mut Kit, top: &Buffers) {
    let buffers = kit.screen_buffers(Screen::Bottom);
    kit.clear(&buffers, 0x1018_28ff);
    let depth = Texture { address: top.depth, width: SIZE.0, height: SIZE.1, format: format::IA8, levels: 1 };
    flat::overlay(kit, Screen::Bottom, &buffers);
    let four = Combiner::both(0, [source::TEXTURE0; 3]).alpha(0, [source::CONSTANT; 3]);
    let again = Combiner::PASS.alpha(0, [source::CONSTANT; 3]);
    for (left, times) in [(0.0, 2), (160.0, 0)] {
        kit.list.texture(0, &depth, &Sampler::LINEAR.wrap(0, 0)).units(1);
        kit.list.combiners(&[four.scaled(times, 0), again.scaled(times, 0), again.scaled(times, 0)]);
        let picture = flat::rect([left + 6.0, 40.0, left + 154.0, 218.0], [1.0; 4]);
        let placed = kit.mesh(&picture.map(|vertex| {
            let [x, y, _] = vertex.position;
            let (right, up) = ((x - left - 6.0) / 148.0, (y - 22.0) / 178.0);
            let first = if left == 0.0 { 0.0 } else { 200.0 };
            vertex.uv = [up * 240.0 / 256.0, (512.0 - first - right * 200.0) / 512.0];
        }));
        kit.draw(&placed);
    }
    let text = |x, text| Label::centred(x, 14, 2, text);
    let small = |x, text| Label::centred(x, 225, 1, text).coloured([150, 190, 220, 255]);
    let words = [text(80, "Z X 64"), text(240, "W"), small(80, "FALLS AS 1/W"), small(240, "EVEN STEPS")];
    flat::labels(kit, Screen::Bottom, &buffers, &words);
    kit.submit();
    kit.show(Screen::Bottom, &buffers);
}
