//! Programs for both units, as lists upload them.

use super::words;
use crate::pica::programs::generate::shader::{Shader, Shape, USED_UNIFORMS};
use crate::pica::programs::generate::value::{self, Style};
use crate::random::Random;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::shader::program::UnitKind;
use picaflor_scenes::modelling::matrix::Matrix;
use picaflor_scenes::pica::kit::{Kit, ShaderProgram};
use picaflor_scenes::pica::programs;
use std::sync::LazyLock;

/// Programs that bring vertices to the screen.
static SENSIBLE: LazyLock<[(ShaderProgram, &str); 3]> = LazyLock::new(|| {
    [(programs::COLOUR, "transform"), (programs::TEXTURED, "transform"), (programs::LIT, "projection")]
        .map(|(source, matrix)| (ShaderProgram::assemble(source), matrix))
});

/// A program whose positions are those of its first attribute.
pub(super) fn sensible(random: &mut Random, kit: &mut Kit) {
    let (program, matrix) = &SENSIBLE[random.below(3) as usize];
    kit.vertex_program(program);
    kit.matrix(program, matrix, &Matrix::IDENTITY);
    if *matrix == "projection" {
        kit.uniform(program, "modelview", &Matrix::IDENTITY.0[..3]);
    }
}

/// A random program for a unit, with uniforms, entry and outputs.
pub(super) fn random(random: &mut Random, list: &mut ListBuilder, kind: UnitKind, style: Style) {
    let bank = if kind == UnitKind::Vertex { 0x2b0 } else { 0x280 };
    let shape = random.weighted(&[
        (40, Shape::Straight),
        (45, Shape::Structured),
        (12, Shape::Irregular),
        (3, Shape::Raw),
    ]);
    let shader = Shader::of(random, kind, shape);
    list.write(bank + 0x1b, 0).feed(bank + 0x1c, &shader.code).write(bank + 0x0f, 1);
    list.write(bank + 0x25, 0).feed(bank + 0x26, &shader.descriptors);
    list.write(bank + 0x0a, 0x7fff_0000 | u32::from(shader.entry));
    let role = if kind == UnitKind::Vertex { 0xa000_0000 } else { 0x0800_0000 };
    list.write(bank + 0x09, role | u32::from(shader.inputs.saturating_sub(1)));
    list.write(bank + 0x0d, if random.chance(70) { 0x7f } else { words::any(random) });
    uniforms(random, list, bank, style);
}

fn uniforms(random: &mut Random, list: &mut ListBuilder, bank: u16, style: Style) {
    list.write(bank, 0x7fff_0000 | random.below(1 << 16));
    for n in 0..4 {
        let trips = if random.chance(95) { random.below(4) } else { random.below(256) };
        list.write(bank + 1 + n, trips | random.below(8) << 8 | random.below(4) << 16);
    }
    let floats: Vec<u32> = (0..USED_UNIFORMS * 4).map(|_| value::word_f32(random, style)).collect();
    list.write(bank + 0x10, 0x8000_0000).feed(bank + 0x11, &floats);
}

/// `GPUREG_SH_OUTATTR_CLOCK`, 0x06F: every attribute is passed on.
const ALL_CLOCKS: u32 = 0x0103_0703;

/// Which output component means what.
pub(super) fn output_map(random: &mut Random, list: &mut ListBuilder) {
    let total = random.between(1, 7);
    let mut slots = vec![total];
    // Positions first, most of the time; then anything, also what has no meaning.
    slots.push(if random.chance(80) { 0x0302_0100 } else { random.word() & 0x1f1f_1f1f });
    slots.extend((1..total).map(|_| random.word() & 0x1f1f_1f1f));
    // An attribute whose clock is off reads as a constant, which hides the colours of a whole case: 1 of 8 has such.
    let (mode, word) = (random.below(2), random.word());
    let clocks = if word >> 29 == 0 { word & ALL_CLOCKS } else { ALL_CLOCKS };
    list.burst(0x04f, &slots).write(0x064, mode).write(0x06f, clocks);
    list.write(0x24a, total - 1).write(0x251, total - 1).write_bytes(0x25e, total - 1, 1);
}

/// The geometry stage, in a random mode.
pub(super) fn geometry(random: &mut Random, list: &mut ListBuilder, style: Style) {
    list.write_bytes(0x229, 2, 1).write(0x244, 1);
    self::random(random, list, UnitKind::Geometry, style);
    list.write(0x28b, 0x7654_3210).write(0x28c, 0xfedc_ba98);
    list.write(0x252, words::of_register(random, 0x252)).write(0x254, random.below(8));
}
