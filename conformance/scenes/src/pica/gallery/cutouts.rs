//! The alpha test: leaves and laths cut out of rectangles.

use super::test_card::{Card, PAPER};
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, bytes, clouds, hash, mix};
use crate::pica::Scene;
use crate::pica::kit::{Kit, Placed, Screen, ShaderProgram, Texture};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, func, source};
use std::f32::consts::{PI, TAU};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "alpha_test",
    about: "Trees, grass and a fence cut out by the alpha test, in no order; below, its eight functions",
    build: alpha_test,
}];

fn alpha_test(kit: &mut Kit) {
    garden(kit);
    functions(kit);
    kit.frame();
}

/// The program and the way from the world to the screen.
struct View {
    program: ShaderProgram,
    world: Matrix,
}

impl View {
    fn draw(&self, kit: &mut Kit, placed: &Placed, model: Matrix) {
        kit.matrix(&self.program, "transform", &self.world.after(model));
        kit.draw(placed);
    }
}

fn garden(kit: &mut Kit) {
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0x9cc8_e0ff);
    kit.list.defaults(&buffers).depth_test(func::GREATER, true).units(1);
    kit.list.combiners(&[Combiner::modulate(source::TEXTURE0, source::VERTEX)]);
    let program = ShaderProgram::assemble(programs::TEXTURED);
    kit.vertex_program(&program);
    let lens = Screen::Top.perspective(0.7, 1.0, 50.0);
    let view = View { program, world: lens.after(Matrix::look_at([0.0, 2.0, 7.5], [0.0, 1.9, 0.0])) };
    sky(kit, &view);
    meadow(kit, &view);
    kit.list.alpha_test(func::GREATER, 127);
    fence(kit, &view);
    grass(kit, &view);
    trees(kit, &view);
    kit.submit();
    kit.show(Screen::Top, &buffers);
}

fn picture(kit: &mut Kit, canvas: &Canvas, levels: u32, sampler: &Sampler) -> Texture {
    let texture = kit.mipmapped(canvas, 0, levels);
    kit.list.texture(0, &texture, sampler);
    texture
}

fn sky(kit: &mut Kit, view: &View) {
    let sky = Canvas::paint(128, 64, |x, y| {
        let cloud = ((clouds(x, y * 0.5, 5) - 0.52) * 4.0).clamp(0.0, 1.0);
        let clear = mix([0.3, 0.56, 0.84, 1.0], [0.96, 0.86, 0.7, 1.0], y * 1.15);
        mix(clear, [1.0, 0.97, 0.92, 1.0], cloud * 0.8)
    });
    picture(kit, &sky, 1, &Sampler::LINEAR.wrap(0, 0));
    let placed = kit.mesh(&Mesh::quad(60.0, 22.0));
    view.draw(kit, &placed, Matrix::translation(0.0, 9.0, -24.0));
}

fn meadow(kit: &mut Kit, view: &View) {
    let turf = Canvas::paint(128, 128, |x, y| {
        let tone = 0.7 * clouds(x, y, 14) + 0.3 * hash((x * 128.0) as u32, (y * 128.0) as u32, 2);
        mix([0.2, 0.38, 0.14, 1.0], [0.56, 0.62, 0.24, 1.0], tone)
    });
    picture(kit, &turf, 5, &Sampler::LINEAR);
    let placed = kit.mesh(&Mesh::floor(60.0, 1).tiled(16.0));
    view.draw(kit, &placed, Matrix::IDENTITY);
}

fn fence(kit: &mut Kit, view: &View) {
    let laths = Canvas::paint(64, 64, |x, y| {
        let across = (x * 4.0).fract() - 0.5;
        let top = 0.12 + across.abs() * 0.4;
        let lath = across.abs() < 0.3 && y > top;
        let rail = (0.34..0.44).contains(&y) || (0.72..0.82).contains(&y);
        let grain = 0.82 + 0.18 * clouds(x, y * 0.3, 8) - if lath { 0.0 } else { 0.14 };
        [0.93 * grain, 0.88 * grain, 0.78 * grain, f32::from(u8::from(lath || rail))]
    });
    picture(kit, &laths, 4, &Sampler::LINEAR.wrap(2, 0));
    let fence = Mesh::quad(14.0, 1.15).map(|vertex| vertex.uv[0] *= 11.0);
    let placed = kit.mesh(&fence);
    view.draw(kit, &placed, Matrix::translation(0.0, 0.57, 1.6));
}

/// Tufts all over the meadow, each one a rectangle.
fn grass(kit: &mut Kit, view: &View) {
    let blades = Canvas::paint(64, 64, |x, y| {
        let blade = |k: u32| {
            let (root, lean, tall) = (hash(k, 0, 1), hash(k, 1, 1) - 0.5, 0.4 + 0.6 * hash(k, 2, 1));
            let up = (1.0 - y) / tall;
            let middle = 0.2 + 0.6 * root + lean * 0.5 * up * up;
            up < 1.0 && (x - middle).abs() < 0.03 * (1.0 - up)
        };
        let [r, g, b, _] = mix([0.2, 0.4, 0.12, 1.0], [0.66, 0.74, 0.3, 1.0], 1.0 - y);
        [r, g, b, f32::from(u8::from((0..14).any(blade)))]
    });
    picture(kit, &blades, 4, &Sampler::LINEAR.wrap(0, 0));
    let tuft = kit.mesh(&Mesh::quad(1.0, 0.8).moved(1.0, [0.0, 0.38, 0.0]));
    for k in 0..70 {
        let (x, z) = ((hash(k, 5, 3) - 0.5) * 15.0, 4.0 - 11.0 * hash(k, 6, 3));
        view.draw(kit, &tuft, Matrix::translation(x, 0.0, z));
    }
}

/// Each tree is three rectangles crossed.
fn trees(kit: &mut Kit, view: &View) {
    picture(kit, &tree(), 5, &Sampler::LINEAR.wrap(0, 0));
    let sheet = kit.mesh(&Mesh::quad(3.4, 4.4).moved(1.0, [0.0, 2.18, 0.0]));
    for (k, [x, z]) in
        (0..).zip([[-3.9, -0.6], [0.5, -2.6], [3.8, -0.2], [-1.9, -6.0], [2.9, -6.5], [6.4, -4.0]])
    {
        for turn in [0.2, 1.25, 2.3] {
            let size = 0.85 + 0.3 * hash(k, 0, 77);
            let place = Matrix::translation(x, 0.0, z).after(Matrix::rotation_y(turn + 0.1 * k as f32));
            view.draw(kit, &sheet, place.after(Matrix::scale(size, size, size)));
        }
    }
}

/// A trunk under many leaves.
fn tree() -> Canvas {
    let mut canvas = Canvas::paint(256, 256, |x, y| {
        let width = 0.03 + 0.05 * (y - 0.6).max(0.0);
        let bark = [0.36, 0.24 + 0.06 * clouds(x, y, 6), 0.16, 1.0];
        if (x - 0.5).abs() < width && y > 0.45 { bark } else { [0.26, 0.4, 0.14, 0.0] }
    });
    for k in 0..420 {
        let (angle, radius) = (hash(k, 0, 9) * TAU, hash(k, 1, 9).sqrt() * 0.36);
        let at = [0.5 + angle.sine() * radius * 1.15, 0.37 + angle.cosine() * radius * 0.9];
        let light = (0.75 - at[1]) * 0.9 + 0.35 * hash(k, 2, 9);
        leaf(
            &mut canvas,
            at,
            hash(k, 3, 9) * PI,
            bytes(mix([0.13, 0.3, 0.12, 1.0], [0.72, 0.76, 0.26, 1.0], light)),
        );
    }
    canvas
}

fn leaf(canvas: &mut Canvas, [x, y]: [f32; 2], turn: f32, colour: [u8; 4]) {
    let (s, c) = turn.sine_cosine();
    let (left, top) = ((x * 256.0) as i32, (y * 256.0) as i32);
    for (dx, dy) in (-9..=9).flat_map(|dy| (-9..=9).map(move |dx| (dx, dy))) {
        let (along, across) = (c * dx as f32 + s * dy as f32, c * dy as f32 - s * dx as f32);
        if (along / 9.0).powi(2) + (across / 4.0).powi(2) < 1.0 && left + dx >= 0 && top + dy >= 0 {
            canvas.set((left + dx) as u32, (top + dy) as u32, colour);
        }
    }
}

/// Names of the comparison functions.
const FUNCTIONS: [&str; 8] =
    ["NEVER", "ALWAYS", "= 128", "NOT 128", "BELOW", "BELOW OR =", "ABOVE", "ABOVE OR ="];

fn functions(kit: &mut Kit) {
    let card = Card::new(kit, Screen::Bottom, |canvas| {
        canvas.text(12, 8, 1, PAPER, "ALPHA TEST, REFERENCE 128");
        for (k, name) in (0..).zip(FUNCTIONS) {
            canvas.text(12 + k % 4 * 77, 30 + k / 4 * 104, 1, PAPER, name);
        }
    });
    let rings = kit.texture(&Canvas::paint(64, 64, ring), 0);
    kit.list.texture(0, &rings, &Sampler::NEAREST.wrap(0, 0));
    for k in 0..8 {
        let (left, top) = (12 + k as i32 % 4 * 77, 42 + k as i32 / 4 * 104);
        kit.list.alpha_test(k, 128);
        card.cell(kit, [left, top, left + 66, top + 66]);
    }
    card.show(kit);
}

/// Rings of alpha 0, 32, 64 ... 224 from the outside; the one of 128 is white.
fn ring(x: f32, y: f32) -> [f32; 4] {
    let step = (8.0 - 16.0 * (x - 0.5).hypotenuse(y - 0.5)).clamp(0.0, 7.0) as u8;
    let colour = mix([0.16, 0.34, 0.6, 1.0], [0.98, 0.66, 0.3, 1.0], f32::from(step) / 7.0);
    let [r, g, b, _] = if step == 4 { [1.0; 4] } else { colour };
    [r, g, b, f32::from(step) * 32.0 / 255.0]
}
