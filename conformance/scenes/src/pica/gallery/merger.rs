//! Test cards of the output merger: blending and logic operations.

use super::test_card::{Card, DIM, PAPER, rect, shaded};
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, mix};
use crate::pica::Scene;
use crate::pica::kit::{Kit, Screen};
use crate::pica::state::{Combiner, Sampler, State, source};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "blend_modes",
        about: "Every source factor with every destination factor, and the five equations",
        build: blend_modes,
    },
    Scene {
        name: "logic_ops",
        about: "The sixteen logic operations on bits of two pictures",
        build: logic_ops,
    },
];

/// Names of the factors.
const FACTORS: &str = "0123456789ABCDEF";
/// Names of the equations.
const EQUATIONS: [&str; 5] = ["S+D", "S-D", "D-S", "MIN", "MAX"];

fn blend_modes(kit: &mut Kit) {
    let card = Card::new(kit, Screen::Top, paint_blending);
    kit.list.units(0).combiners(&[Combiner::replace(source::VERTEX)]);
    kit.list.write(0x103, u32::from_le_bytes([220, 140, 60, 150]));
    let mut below = Mesh::default();
    let cells = (0..256).map(|k| matrix_cell(k % 16, k / 16));
    cells.chain(equation_cells()).for_each(|corners| {
        below.append(&shaded(corners, destination_colour));
    });
    card.draw(kit, &below);
    card.draw(kit, &shaded([250, 44, 318, 78], source_colour));
    card.draw(kit, &shaded([324, 44, 392, 78], destination_colour));
    for k in 0..256 {
        kit.list.blend(0, k / 16, k % 16);
        card.draw(kit, &shaded(matrix_cell(k as i32 % 16, k as i32 / 16), source_colour));
    }
    for (k, corners) in (0..).zip(equation_cells()) {
        let (source, destination) = if k % 2 == 0 { (1, 1) } else { (6, 7) };
        kit.list.blend(k / 2, source, destination);
        card.draw(kit, &shaded(corners, source_colour));
    }
    card.show(kit);
    kit.frame();
}

fn paint_blending(canvas: &mut Canvas) {
    for (k, name) in (0..).zip(FACTORS.chars().map(String::from)) {
        canvas.text(18 + 14 * k, 4, 1, DIM, &name).text(4, 18 + 14 * k, 1, DIM, &name);
    }
    canvas.text(250, 6, 2, PAPER, "BLENDING");
    canvas.text(250, 24, 1, DIM, "FACTORS OF S DOWN").text(250, 34, 1, DIM, "S");
    canvas.text(324, 34, 1, DIM, "D, ACROSS");
    canvas.text(292, 84, 1, DIM, "1 1").text(344, 84, 1, DIM, "SA 1-SA");
    for (k, name) in (0..).zip(EQUATIONS) {
        canvas.text(250, 104 + 29 * k, 1, PAPER, name);
    }
}

fn matrix_cell(column: i32, row: i32) -> [i32; 4] {
    let (left, top) = (14 + 14 * column, 14 + 14 * row);
    [left, top, left + 13, top + 13]
}

/// Two for each equation: with factors 1 and 1, and with alpha.
fn equation_cells() -> impl Iterator<Item = [i32; 4]> {
    (0..10).map(|k| {
        let (left, top) = (292 + k % 2 * 52, 94 + k / 2 * 29);
        [left, top, left + 48, top + 26]
    })
}

/// Downward from rose to gold, and denser.
fn source_colour(_: f32, v: f32) -> [f32; 4] {
    mix([0.96, 0.78, 0.3, 1.0], [0.82, 0.16, 0.42, 0.12], v)
}

/// From blue to green across, and denser.
fn destination_colour(u: f32, _: f32) -> [f32; 4] {
    mix([0.1, 0.24, 0.66, 0.1], [0.3, 0.8, 0.52, 1.0], u)
}

/// Names of the logic operations.
const OPERATIONS: [&str; 16] = [
    "0 ZERO",
    "1 S AND D",
    "2 S AND NOT D",
    "3 S",
    "4 ONE",
    "5 NOT S",
    "6 D",
    "7 NOT D",
    "8 S NAND D",
    "9 S OR D",
    "10 S NOR D",
    "11 S XOR D",
    "12 S EQUAL D",
    "13 D AND NOT S",
    "14 S OR NOT D",
    "15 D OR NOT S",
];

fn logic_ops(kit: &mut Kit) {
    let card = Card::new(kit, Screen::Top, |canvas| {
        for (k, name) in (0..).zip(OPERATIONS) {
            canvas.text(5 + k % 4 * 98, 5 + k / 4 * 60, 1, PAPER, name);
        }
    });
    let pictures = [Canvas::paint(16, 8, columns), Canvas::paint(16, 8, rows)];
    let [above, below] = pictures.map(|canvas| kit.texture(&canvas, 0));
    kit.list.texture(0, &below, &Sampler::NEAREST);
    for k in 0..16 {
        card.cell(kit, logic_cell(k));
    }
    kit.list.texture(0, &above, &Sampler::NEAREST);
    for k in 0..16 {
        kit.list.logic_op(k);
        card.draw(kit, &rect(logic_cell(k as i32)));
    }
    card.show(kit);
    kit.frame();
}

fn logic_cell(k: i32) -> [i32; 4] {
    let (left, top) = (4 + k % 4 * 98, 15 + k / 4 * 60);
    [left, top, left + 96, top + 40]
}

/// Bits that count from left to right, in another order in each channel.
fn columns(x: f32, _: f32) -> [f32; 4] {
    let n = (x * 16.0) as u8;
    [n << 4 | n, n.reverse_bits() | n.reverse_bits() >> 4, !(n << 4 | n), 255].map(|c| f32::from(c) / 255.0)
}

/// Bits that count from top to bottom.
fn rows(_: f32, y: f32) -> [f32; 4] {
    let n = (y * 8.0) as u8;
    let up = n << 5 | n << 2 | n >> 1;
    [up, up.reverse_bits(), 0x66 ^ up >> 1, 255].map(|c| f32::from(c) / 255.0)
}
