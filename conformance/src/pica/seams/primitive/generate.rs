//! Random vertices, streams and states.

use super::PrimitiveCase;
use crate::random::Random;
use picaflor_pipeline::pica::float::encode_f24;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::primitive::{PendingVertices, StreamVertex};
use picaflor_pipeline::pica::vertex::{COLOUR, SEMANTICS, Vertex, condition_colour};

/// The shape of a position.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// Inside, or a little outside.
    Near,
    /// On planes of the clip volume, or next to them.
    Planes,
    /// On sixteenths of pixels and halves of them.
    Grid,
    /// In front of the eye and behind it.
    Behind,
    /// Of any exponent.
    Any,
    /// Infinities, NaN, zeros.
    Special,
}

const SPECIAL: [f32; 10] =
    [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-42, f32::MAX, -1e-30, 1e30, -1.0];

/// A random case.
pub(super) fn case(random: &mut Random) -> PrimitiveCase {
    let registers = registers(random);
    let shapes = [Shape::Near, Shape::Planes, Shape::Grid, Shape::Behind, Shape::Any, Shape::Special];
    let usual = random.pick(&shapes);
    let truncates = random.chance(70);
    let count = random.weighted(&[(30, 3), (40, 8), (20, 20), (2, 1100)]);
    let mut vertices: Vec<Vertex> = Vec::new();
    for _ in 0..count {
        let shape = random.weighted(&[(80, usual), (15, Shape::Near), (5, Shape::Special)]);
        let mut vertex = vertex(random, shape);
        if random.chance(5) && !vertices.is_empty() {
            vertex = random.pick(&vertices);
        }
        if truncates {
            vertex = vertex.map(|value| f32::from_bits(value.to_bits() & !0x7f));
        }
        vertices.push(vertex);
    }
    let batches = (0..random.between(1, 3)).map(|_| stream(random, count)).collect();
    PrimitiveCase { pending: pending(random, &vertices), registers, vertices, batches }
}

fn stream(random: &mut Random, count: u32) -> Vec<StreamVertex> {
    let length = random.below(if count > 100 { 2600 } else { 14 });
    let in_order = random.chance(50);
    let start = random.below(count);
    let reverses = random.chance(30);
    let at = |n: u32, random: &mut Random| {
        let position = if in_order { (start + n) % count } else { random.below(count) };
        let vertex = StreamVertex::new(position);
        if reverses && random.chance(20) { vertex.reversing() } else { vertex }
    };
    (0..length).map(|n| at(n, random)).collect()
}

/// Mostly nothing; else anything that a snapshot can restore.
fn pending(random: &mut Random, vertices: &[Vertex]) -> PendingVertices {
    if random.chance(70) {
        return PendingVertices::default();
    }
    PendingVertices {
        places: [random.pick(vertices), random.pick(vertices)],
        filled: random.below(3) as u8,
        is_ready: random.chance(50),
        is_reversed: random.chance(50),
    }
}

fn registers(random: &mut Random) -> Registers {
    let mut registers = Registers::new();
    let usual = [120.0, 200.0, 160.0, 1.0, 0.5, 512.0, 100.3, -120.0, 0.0, 3.0e4];
    let float = |random: &mut Random| match random.below(20) {
        0 => random.word() & 0xff_ffff,
        _ => encode_f24(random.pick(&usual)),
    };
    for id in [0x041, 0x042, 0x043, 0x044, 0x04d, 0x04e] {
        let word = float(random);
        registers.set_raw(id, word);
    }
    if random.chance(30) {
        registers.set_raw(0x068, random.word() & random.word());
    }
    registers.set_raw(0x040, random.below(4) | if random.chance(10) { random.word() & !3 } else { 0 });
    registers.set_raw(0x25e, random.below(4) << 8 | random.word() & 0xf);
    registers.set_raw(
        0x058,
        u32::from(random.chance(20)) | if random.chance(10) { random.word() & !1 } else { 0 },
    );
    if random.chance(30) {
        registers.set_raw(0x047, 1);
        for id in 0x048..0x04c {
            let plane = random.pick(&[0.0, 1.0, -1.0, 0.5, -0.25, 1e-10, 3.0]);
            let word = if random.chance(10) { random.word() & 0xff_ffff } else { encode_f24(plane) };
            registers.set_raw(id, word);
        }
    }
    if random.chance(5) {
        for id in 0x040..0x070 {
            if random.chance(20) {
                registers.set_raw(id, random.word());
            }
        }
    }
    registers
}

/// From -1 to 1.
fn unit(random: &mut Random) -> f32 {
    random.below(4001) as f32 / 2000.0 - 1.0
}

fn any(random: &mut Random) -> f32 {
    f32::from_bits(random.word())
}

fn position(random: &mut Random, shape: Shape) -> [f32; 4] {
    match shape {
        Shape::Near => {
            let w = 0.25 + 4.0 * unit(random).abs();
            [1.3 * unit(random) * w, 1.3 * unit(random) * w, (unit(random) - 0.9) * w * 0.6, w]
        }
        Shape::Planes => {
            let w = random.pick(&[1.0, 2.0, 0.5, 1e-5, 2e-5, 2.2e-19, 1e-10, 3.0]);
            let on = |random: &mut Random, values: &[f32]| {
                let value = random.pick(values) * w;
                let step = random.pick(&[0_i32, 0, 0, 1, -1, 128, -128]);
                f32::from_bits(value.to_bits().wrapping_add_signed(step))
            };
            let sides = [1.0, -1.0, 0.0, 0.5, -0.5, 1.5];
            [on(random, &sides), on(random, &sides), on(random, &[0.0, -1.0, -0.5, 1e-8, -1.0 - 1e-7]), w]
        }
        Shape::Grid => {
            let grid = |random: &mut Random, half: f32| (random.below(960) as f32 - 480.0) / (32.0 * half);
            [grid(random, 15.0), grid(random, 20.0), -0.5, 1.0]
        }
        Shape::Behind => {
            let w = 3.0 * unit(random);
            [2.0 * unit(random), 2.0 * unit(random), 2.0 * unit(random), w]
        }
        Shape::Any => {
            let scale = any(random);
            [any(random), unit(random) * scale, any(random), if random.chance(50) { scale } else { 1.0 }]
        }
        Shape::Special => std::array::from_fn(|_| match random.chance(50) {
            true => random.pick(&SPECIAL),
            false => unit(random),
        }),
    }
}

fn vertex(random: &mut Random, shape: Shape) -> Vertex {
    let mut vertex = [0.0; SEMANTICS];
    vertex[..4].copy_from_slice(&position(random, shape));
    for value in &mut vertex[4..] {
        *value = match random.below(40) {
            0 => random.pick(&SPECIAL),
            1 => any(random),
            _ => 2.0 * unit(random),
        };
    }
    vertex[COLOUR].iter_mut().for_each(|colour| *colour = condition_colour(*colour));
    vertex
}
