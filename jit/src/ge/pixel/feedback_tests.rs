//! Textures that change before each draw, of which only the rows that draws read are decoded.

use crate::ge::pixel::side_by_side::{Random, drawn, has_area, of_target};
use crate::ge::raster::triangle::signed_area;
use crate::{Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};

/// Bytes of VRAM: the target, and the texture behind it.
const BYTES: usize = 0x1_4000;
const TEXTURE: u64 = 0x8000;

/// A texture of 128x64 texels or less: formats, filter, wrap mode and swizzle at random.
fn registers(random: &mut Random, divides: bool) -> Registers {
    let mut registers = of_target();
    let mut set = |command: u8, argument: u64| {
        registers.write(u32::from(command) << 24 | argument as u32);
    };
    set(op::VTYPE, u64::from(!divides) << 23);
    set(op::TME, 1);
    set(op::TBP0, TEXTURE);
    set(op::TBW0, 4 << 16 | [128, 64][random.below(2) as usize]);
    set(op::TSIZE0, random.below(8) | [6, 6, 6, 3][random.below(4) as usize] << 8);
    set(op::TMODE, u64::from(random.below(6) == 0));
    set(op::TPSM, [0, 1, 2, 3, 4, 5, 6, 7][random.below(8) as usize]);
    set(op::CMODE, 3 | random.below(9) << 2 | 0xff << 8);
    set(op::TFUNC, 1 << 8 | random.below(2));
    set(op::TFLT, [0, 0x101, 0x100][random.below(3) as usize]);
    set(op::TWRAP, random.below(2) | (random.below(2) << 8));
    registers
}

/// Some rows of the texture anywhere on the target, at times from above it, below or mirrored.
fn primitive(random: &mut Random, registers: &Registers, divides: bool) -> Primitive {
    let shape = if divides || random.below(2) == 0 { Shape::Triangle } else { Shape::Rectangle };
    let size = registers.texture_size_log2(0).map(|log| f64::from(1 << log));
    let from = random.below(80) as f64 / 80.0 - if random.below(8) == 0 { 0.3 } else { 0.0 };
    let part = random.below(40) as f64 / 40.0;
    let mut corner = || {
        let place = [0.0, from].map(|first: f64| first + part * random.below(33) as f64 / 32.0);
        let scale = |axis: usize| if divides { 1.0 } else { size[axis] };
        Corner {
            texture: [place[0] * scale(0), place[1] * scale(1), 1.0],
            w: if divides { 1.0 + random.below(64) as f64 / 16.0 } else { 1.0 },
            x: random.below(16 * 70) as i32,
            y: random.below(16 * 70) as i32,
            z: 77,
            colour: 0xff80_ff80,
            secondary: 0,
            fog: 255,
        }
    };
    let (a, b, c) = (corner(), corner(), corner());
    if shape == Shape::Rectangle {
        return Primitive { corners: [a, b, b], shape, reserved: 0 };
    }
    let turns_right = signed_area([a, b, c].map(|corner| (corner.x, corner.y))) > 0;
    Primitive { corners: if turns_right { [a, b, c] } else { [c, b, a] }, shape, reserved: 0 }
}

/// Texels that are not decoded are those of a content before, or zeros.
#[test]
fn textures_that_change_before_each_draw() {
    let mut random = Random(23);
    let mut engine = Engine::builder().mode(EngineMode::Blocking).fallback(false).build().expect("an engine");
    let (mut pixels, mut decoding) = (0, 0);
    for case in 0..120 {
        let divides = case % 3 == 0;
        let registers = registers(&mut random, divides);
        let mut bytes = vec![0; BYTES];
        for draw in 0..10 {
            // Two draws of each content.
            if draw % 2 == 0 {
                bytes.iter_mut().for_each(|byte| *byte = random.below(256) as u8);
            }
            let primitives: Vec<_> = (0..1 + random.below(2))
                .map(|_| primitive(&mut random, &registers, divides))
                .filter(has_area)
                .collect();
            let Some(first) = primitives.first() else { continue };
            let primitives: Vec<_> =
                primitives.iter().copied().filter(|other| other.shape == first.shape).collect();
            let before = engine.stats().textures.decoded_bytes;
            let expected = drawn(&mut Interpreter::new(), &registers, &primitives, &bytes);
            let found = drawn(&mut engine, &registers, &primitives, &bytes);
            assert!(found == expected, "case {case}, draw {draw}: {registers:?} {primitives:?}");
            pixels += found.0;
            decoding += u64::from(engine.stats().textures.decoded_bytes > before);
        }
    }
    let stats = engine.stats().textures;
    // Each case once, and again where a draw read rows that were not decoded.
    let anew = stats.misses - stats.stale;
    assert!(pixels > 100_000 && decoding > 400 && anew > 130, "{pixels} pixels, {decoding} draws, {stats:?}");
}
