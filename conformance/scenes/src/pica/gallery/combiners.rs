//! The texture combiners: operations, operands, sources and the buffer.

use super::eye::{Eye, LIT};
use super::test_card::{Card, DIM, PAPER};
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::Canvas;
use crate::pica::Scene;
use crate::pica::kit::{Kit, Screen};
use crate::pica::light::{Light, Lighting, input, table};
use crate::pica::state::{Combiner, Sampler, State, op, source};
use std::f32::consts::TAU;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "combiner_card",
        about: "The ten operations of a combiner stage on three textures, with scales 1, 2 and 4",
        build: combiner_card,
    },
    Scene {
        name: "combiner_operands",
        about: "Operands, sources, and what the combiner buffer holds in each stage",
        build: combiner_operands,
    },
];

/// Name and formula of the operations.
const OPERATIONS: [[&str; 2]; 10] = [
    ["0 REPLACE", "A"],
    ["1 MODULATE", "A*B"],
    ["2 ADD", "A+B"],
    ["3 SIGNED", "A+B-1/2"],
    ["4 MIX", "A*C+B(1-C)"],
    ["5 SUBTRACT", "A-B"],
    ["6 DOT3 RGB", "A.B"],
    ["7 DOT3 RGBA", "A.B ALPHA"],
    ["8 MUL ADD", "A*B+C"],
    ["9 ADD MUL", "(A+B)*C"],
];

fn combiner_card(kit: &mut Kit) {
    let card = Card::new(kit, Screen::Top, paint_operations);
    inputs(kit);
    kit.list.blend_alpha();
    for (k, source) in [source::TEXTURE0, source::TEXTURE1, source::TEXTURE2].into_iter().enumerate() {
        kit.list.combiners(&[Combiner::replace(source)]);
        let left = 224 + 58 * k as i32;
        card.cell(kit, [left, 8, left + 48, 56]);
    }
    for k in 0..10 {
        operation_cell(kit, &card, k);
    }
    card.show(kit);
    kit.frame();
}

fn paint_operations(canvas: &mut Canvas) {
    canvas.text(12, 12, 2, PAPER, "COMBINERS");
    canvas.text(12, 36, 1, DIM, "TEN OPERATIONS ON A B C");
    canvas.text(12, 48, 1, DIM, "LARGE *1  SMALL *2 AND *4");
    for (k, name) in ["A", "B", "C"].into_iter().enumerate() {
        canvas.text(216 + 58 * k as u32, 8, 1, PAPER, name);
    }
    for (k, [name, formula]) in OPERATIONS.into_iter().enumerate() {
        let [x, y] = place(k as u32);
        canvas.text(x, y, 1, PAPER, name).text(x, y + 66, 1, DIM, formula);
        checkers(canvas, [x, y + 10, x + 66, y + 62]);
    }
}

/// A pattern that shows where alpha lets the background through.
fn checkers(canvas: &mut Canvas, [left, top, right, bottom]: [u32; 4]) {
    for y in top..bottom {
        for x in left..right {
            let light = ((x - left) / 4 + (y - top) / 4) % 2 == 0;
            canvas.set(x, y, if light { [72, 84, 120, 255] } else { [44, 54, 84, 255] });
        }
    }
}

fn place(k: u32) -> [u32; 2] {
    [12 + k % 5 * 77, 72 + k / 5 * 84]
}

/// Three pictures for the units: a wheel of hues, a stripe of warm and cold, a soft disc.
fn inputs(kit: &mut Kit) {
    let wheel = Canvas::paint(64, 64, |x, y| {
        let (dx, dy) = (x - 0.5, y - 0.5);
        let (angle, radius) = (dy.angle(dx), (dx * dx + dy * dy).sqrt() * 2.0);
        let hue = |turn: f32| 0.5 + 0.5 * radius.min(1.0) * (angle - turn * TAU).cosine();
        [hue(0.0), hue(1.0 / 3.0), hue(2.0 / 3.0), 1.0]
    });
    let stripes = Canvas::paint(64, 64, |x, y| {
        let wave = 0.5 + 0.5 * ((x + y) * TAU * 1.5).sine();
        [0.15 + 0.8 * wave, 0.35 + 0.3 * wave, 0.75 - 0.6 * wave, 1.0]
    });
    let disc = Canvas::paint(64, 64, |x, y| {
        let radius = ((x - 0.5).powi(2) + (y - 0.5).powi(2)).sqrt();
        let v = ((0.46 - radius) * 4.0).clamp(0.0, 1.0);
        [v, v, v * 0.9, 1.0]
    });
    for (unit, canvas) in [wheel, stripes, disc].iter().enumerate() {
        let texture = kit.texture(canvas, 0);
        kit.list.texture(unit, &texture, &Sampler::LINEAR.wrap(0, 0));
    }
    kit.list.units(7);
}

fn operation_cell(kit: &mut Kit, card: &Card, k: u32) {
    let [x, y] = place(k).map(|v| v as i32);
    let sources = [source::TEXTURE0, source::TEXTURE1, source::TEXTURE2];
    let opaque = Combiner::both(k, sources).alpha(op::REPLACE, [source::TEXTURE0; 3]);
    let corners =
        [[x, y + 10, x + 43, y + 62], [x + 44, y + 10, x + 66, y + 35], [x + 44, y + 36, x + 66, y + 62]];
    for (scale, corners) in (0..).zip(corners) {
        kit.list.combiners(&[opaque.scaled(scale, scale)]);
        card.cell(kit, corners);
    }
}

/// Operands of red, green, blue, with labels.
const RGB_OPERANDS: [(u32, &str); 10] = [
    (0, "RGB"),
    (1, "1-RGB"),
    (2, "A"),
    (3, "1-A"),
    (4, "R"),
    (5, "1-R"),
    (8, "G"),
    (9, "1-G"),
    (12, "B"),
    (13, "1-B"),
];
/// Operands of alpha, with labels.
const ALPHA_OPERANDS: [&str; 8] = ["A", "1-A", "R", "1-R", "G", "1-G", "B", "1-B"];
/// Labels of the sources that are shown.
const SOURCES: [(u32, &str); 7] = [
    (source::VERTEX, "VTX"),
    (source::TEXTURE0, "TEX 0"),
    (source::TEXTURE1, "TEX 1"),
    (source::TEXTURE2, "TEX 2"),
    (source::CONSTANT, "CONST"),
    (source::PRIMARY, "PRIM"),
    (source::SECONDARY, "SECOND"),
];

fn combiner_operands(kit: &mut Kit) {
    let card = Card::new(kit, Screen::Top, paint_operands);
    inputs(kit);
    let subject = kit.texture(&subject(), 0);
    kit.list.texture(0, &subject, &Sampler::LINEAR.wrap(0, 0));
    for (k, (operand, _)) in RGB_OPERANDS.into_iter().enumerate() {
        kit.list.combiners(&[Combiner::replace(source::TEXTURE0).operands([operand; 3])]);
        card.cell(kit, cell(k, 22));
    }
    for k in 0..8 {
        kit.list.combiners(&alpha_as_grey(k as u32));
        card.cell(kit, cell(k, 78));
    }
    for (k, (source, _)) in SOURCES.into_iter().enumerate().take(5) {
        kit.list.combiners(&[Combiner::replace(source).constant([214, 120, 60, 255])]);
        card.draw(kit, &rainbow(cell(k, 134)));
    }
    buffer_cells(kit, &card);
    lit_cells(kit, &card);
    card.show(kit);
    kit.frame();
}

fn cell(k: usize, top: i32) -> [i32; 4] {
    let left = 8 + 39 * k as i32;
    [left, top, left + 34, top + 32]
}

fn paint_operands(canvas: &mut Canvas) {
    canvas.text(8, 4, 1, PAPER, "OPERANDS OF COLOUR").text(8, 60, 1, PAPER, "OPERANDS OF ALPHA");
    canvas.text(8, 116, 1, PAPER, "SOURCES").text(8, 172, 1, PAPER, "COMBINER BUFFER IN STAGES 0 TO 5");
    canvas.text(248, 194, 1, DIM, "EACH STAGE HAS A COLOUR.");
    canvas.text(248, 204, 1, DIM, "STAGES 0 AND 2 SAVE IT.");
    canvas.text(248, 214, 1, DIM, "IT IS SEEN TWO STAGES ON.");
    let mut label = |k: usize, y: u32, text: &str| {
        canvas.text(8 + 39 * k as u32, y, 1, DIM, text);
    };
    RGB_OPERANDS.into_iter().enumerate().for_each(|(k, (_, text))| label(k, 13, text));
    ALPHA_OPERANDS.into_iter().enumerate().for_each(|(k, text)| label(k, 69, text));
    SOURCES.into_iter().enumerate().for_each(|(k, (_, text))| label(k, 125, text));
    ["0", "1", "2", "3", "4", "5"].into_iter().enumerate().for_each(|(k, text)| label(k, 181, text));
}

/// A picture whose four channels all differ: three discs, and alpha as a ramp.
fn subject() -> Canvas {
    Canvas::paint(64, 64, |x, y| {
        let disc = |cx: f32, cy: f32| {
            let distance = ((x - cx).powi(2) + (y - cy).powi(2)).sqrt();
            0.1 + 0.85 * ((0.34 - distance) * 12.0).clamp(0.0, 1.0)
        };
        [disc(0.5, 0.34), disc(0.35, 0.62), disc(0.65, 0.62), x]
    })
}

/// Alpha through an operand, then shown as grey.
fn alpha_as_grey(operand: u32) -> [Combiner; 2] {
    let mut first = Combiner::replace(source::TEXTURE0);
    first.alpha_operands = [operand; 3];
    [first, Combiner::PASS.operands([2; 3])]
}

fn rainbow(corners: [i32; 4]) -> Mesh {
    super::test_card::shaded(corners, |u, v| [u, v, 1.0 - u, 1.0])
}

/// Constants of the stages before the one that shows the buffer.
const STAGE_COLOURS: [[u8; 4]; 6] = [
    [226, 84, 60, 255],
    [240, 180, 60, 255],
    [110, 190, 90, 255],
    [60, 150, 210, 255],
    [130, 90, 190, 255],
    [200, 90, 150, 255],
];

fn buffer_cells(kit: &mut Kit, card: &Card) {
    for shown in 0..6 {
        let stage = |k: usize| match k {
            _ if k < shown => Combiner::replace(source::CONSTANT).constant(STAGE_COLOURS[k]),
            _ if k == shown => Combiner::replace(source::BUFFER),
            _ => Combiner::PASS,
        };
        kit.list.combiners(&[0, 1, 2, 3, 4, 5].map(stage));
        kit.list.write_bytes(0x0e0, 0x5500, 0b0010).write(0x0fd, 0xffe8_e0d0);
        card.cell(kit, cell(shown, 190));
    }
}

/// The two colours of lighting, on balls.
fn lit_cells(kit: &mut Kit, card: &Card) {
    let ball = kit.mesh(&Mesh::sphere(32, 20).coloured([1.0; 4]));
    let lens = Matrix::perspective(0.5, 34.0 / 32.0, 1.0, 20.0).tilted();
    let eye = Eye::new(kit, &lens, [0.0, 0.0, 4.4], [0.0; 3]);
    let light = Light::directional([-0.5, 0.6, 0.6]).diffuse([0.9, 0.6, 0.4]).specular([1.0; 3], [0.0; 3]);
    kit.list.cull(2).light_table(table::D0, false, &|x| x.powi(24));
    Lighting::new(0).table(table::D0, input::NH).ambient([0.1, 0.12, 0.2]).write(&mut kit.list, &[light]);
    for (k, (source, _)) in SOURCES.into_iter().enumerate().skip(5) {
        let [left, top, right, bottom] = cell(k, 134);
        kit.list.viewport(240 - bottom, 400 - right, (bottom - top) as u32, (right - left) as u32);
        kit.list.combiners(&[Combiner { rgb: (op::REPLACE, [source; 3]), ..LIT }]);
        eye.draw(kit, &Matrix::IDENTITY, &ball);
    }
    kit.list.viewport(0, 0, card.buffers.width, card.buffers.height);
}
