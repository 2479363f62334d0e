//! Primitives that sample their own target, pixel by pixel against the interpreter.

use crate::ge::pixel::side_by_side::{Random, SIDE, drawn, has_area};
use crate::ge::raster::triangle::signed_area;
use crate::{Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};

/// Target and texture overlap: formats, offset of the texture, filter, wrap mode, swizzle, written depth at random.
fn registers(random: &mut Random) -> Registers {
    let mut registers = Registers::default();
    let mut set = |command: u8, argument: u64| {
        registers.write(u32::from(command) << 24 | argument as u32);
    };
    let format = random.below(4);
    let texture = [format, 3, 1, 5, 4, 6][random.below(6) as usize];
    set(op::VTYPE, 1 << 23);
    set(op::FBP, 0x4000);
    set(op::FBW, 64);
    set(op::ZBP, [0x1_0000, 0x8000][random.below(2) as usize]);
    set(op::ZBW, 64);
    set(op::PSM, format);
    set(op::SCISSOR2, 0x3f | 0x3f << 10);
    set(op::REGION2, 0xf_ffff);
    set(op::FARZ, 0xffff);
    set(op::TME, 1);
    // Also through the mirrors that mix bytes.
    let mirror = [0, 0, 0x20_0000, 0x60_0000][random.below(4) as usize];
    set(op::TBP0, mirror + 0x4000 + 16 * random.below(3) * random.below(200) - 0x400 * random.below(4));
    // Also rows that are shorter than the texture is wide.
    set(op::TBW0, 4 << 16 | [64, 64, 16, 4][random.below(4) as usize]);
    set(op::TSIZE0, 6 | 6 << 8);
    set(op::TMODE, u64::from(random.below(4) == 0));
    set(op::TPSM, texture);
    set(op::CMODE, 3 | 0xff << 8);
    set(op::TFUNC, 1 << 8 | random.below(2));
    set(op::TFLT, [0, 0x101, 0x100][random.below(3) as usize]);
    set(op::TWRAP, random.below(4) & 1 | (random.below(2) << 8));
    set(op::ABE, random.below(2));
    set(op::ALPHA, 2 | 3 << 4);
    set(op::ZTE, u64::from(random.below(3) == 0));
    set(op::ZTST, 1);
    registers
}

fn primitive(random: &mut Random, shape: Shape, divides: bool) -> Primitive {
    let mut corner = || Corner {
        texture: [(); 2]
            .map(|()| random.below(4 * 72) as f64 / if random.below(2) == 0 { 1.0 } else { 4.0 } - 4.0)
            .into_iter()
            .chain([1.0])
            .collect::<Vec<_>>()
            .try_into()
            .expect("three"),
        w: if divides { 1.0 + random.below(64) as f64 / 16.0 } else { 1.0 },
        x: random.below(16 * 70) as i32,
        y: random.below(16 * 70) as i32,
        z: 77,
        colour: 0x80c0_a0ff,
        secondary: 0,
        fog: 255,
    };
    let (mut a, mut b, mut c) = (corner(), corner(), corner());
    // As games do it: a texel for each pixel, here or some pixels away.
    if random.below(3) != 0 {
        let [dx, dy] = [(); 2].map(|()| random.below(7) as i32 - 3);
        for corner in [&mut a, &mut b, &mut c] {
            corner.texture[0] = f64::from(corner.x / 16 + dx);
            corner.texture[1] = f64::from(corner.y / 16 + dy);
            (corner.x, corner.y) = (corner.x / 16 * 16, corner.y / 16 * 16);
        }
    }
    if divides {
        for corner in [&mut a, &mut b, &mut c] {
            corner.texture[..2].iter_mut().for_each(|coordinate| *coordinate /= f64::from(SIDE));
        }
    }
    if shape == Shape::Rectangle {
        return Primitive { corners: [a, b, b], shape, reserved: 0 };
    }
    let corners =
        if signed_area([a, b, c].map(|corner| (corner.x, corner.y))) > 0 { [a, b, c] } else { [c, b, a] };
    Primitive { corners, shape, reserved: 0 }
}

/// Without the interpreter to fall back to.
#[test]
fn primitives_that_read_themselves() {
    let mut random = Random(14);
    let bytes: Vec<u8> = (0..0x2_0000).map(|_| random.below(256) as u8).collect();
    let mut engine = Engine::builder().mode(EngineMode::Blocking).fallback(false).build().expect("an engine");
    let (mut pixels, mut fed_back) = (0, 0);
    for case in 0..800 {
        let shape = [Shape::Rectangle, Shape::Triangle][case % 2];
        let mut registers = registers(&mut random);
        // Not in through mode, coordinates are divided by w.
        let divides = shape == Shape::Triangle && random.below(2) == 0;
        if divides {
            registers.write(u32::from(op::VTYPE) << 24);
        }
        let primitives: Vec<_> =
            (0..3).map(|_| primitive(&mut random, shape, divides)).filter(has_area).collect();
        if primitives.is_empty() {
            continue;
        }
        let (expected_pixels, expected) = drawn(&mut Interpreter::new(), &registers, &primitives, &bytes);
        let (found_pixels, found) = drawn(&mut engine, &registers, &primitives, &bytes);
        assert_eq!(found_pixels, expected_pixels, "case {case}");
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(differs, None, "case {case}: word of the first difference; {primitives:?}");
        let before: Vec<u32> =
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        fed_back += u32::from(expected != before);
        pixels += found_pixels;
    }
    assert!(pixels > 200_000 && fed_back > 600, "{pixels} pixels, {fed_back} pictures changed");
}
