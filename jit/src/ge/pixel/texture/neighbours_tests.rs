//! Sprites as large as their texels, at any place of a texture and beyond it, pixel by pixel against the interpreter.

use crate::ge::pixel::side_by_side::{Random, drawn, has_area, of_target};
use crate::ge::raster::triangle::signed_area;
use crate::{Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};

/// Bytes of VRAM: the target, and the texture behind it.
const BYTES: usize = 0x1_4000;
const TEXTURE: u64 = 0x8000;

/// A texture of 32 bits, of 1 to 64 texels a side; filter, wrap modes and blending at random.
fn registers(random: &mut Random) -> Registers {
    let mut registers = of_target();
    let mut set = |command: u8, argument: u64| {
        registers.write(u32::from(command) << 24 | argument as u32);
    };
    set(op::VTYPE, random.below(2) << 23);
    set(op::TME, 1);
    set(op::TBP0, TEXTURE);
    set(op::TBW0, 4 << 16 | 64);
    set(
        op::TSIZE0,
        [random.below(7), 6, 6][random.below(3) as usize]
            | [random.below(7), 6][random.below(2) as usize] << 8,
    );
    set(op::TPSM, 3);
    set(op::TFUNC, 1 << 8 | 3);
    set(op::TFLT, [0, 0x101][random.below(2) as usize]);
    set(op::TWRAP, random.below(2) | (random.below(2) << 8));
    set(op::ABE, random.below(2));
    set(op::ALPHA, 2 | 3 << 4);
    registers
}

/// A triangle, or a rectangle, with a texel for each pixel, or nearly.
fn sprite(random: &mut Random, registers: &Registers) -> Primitive {
    let shape = if random.below(2) == 0 { Shape::Triangle } else { Shape::Rectangle };
    let size = registers.texture_size_log2(0).map(|log| f64::from(1 << log));
    let from = [(); 2]
        .map(|()| random.below(100) as f64 - 40.0 + [0.0, 0.5, 0.03125, 0.09375][random.below(4) as usize]);
    let step = [1.0, [1.0, -1.0, 2.0, 0.25][random.below(4) as usize]];
    let turned = if random.below(6) == 0 { 1.0 / 64.0 } else { 0.0 };
    let grid = [1, 8, 16][random.below(3) as usize];
    let mut corner = || {
        let [x, y] = [(); 2].map(|()| random.below(16 * 70) as i32 / grid * grid);
        let [along, down] = [x, y].map(|at| f64::from(at) / 16.0);
        let texels = [from[0] + along * step[0] + down * turned, from[1] + down * step[1]];
        let scale =
            |axis: usize| if registers.is_through() { texels[axis] } else { texels[axis] / size[axis] };
        let texture = [scale(0), scale(1), 1.0];
        Corner { texture, w: 1.0, x, y, z: 77, colour: 0xff80_ff80, secondary: 0, fog: 255 }
    };
    let (a, b, c) = (corner(), corner(), corner());
    let is_turned = signed_area([a, b, c].map(|corner| (corner.x, corner.y))) <= 0;
    let corners = if shape == Shape::Triangle && is_turned { [c, b, a] } else { [a, b, c] };
    Primitive { corners, shape, reserved: 0 }
}

/// Without the interpreter to fall back to. Half of the texture is opaque.
#[test]
fn sprites() {
    let mut random = Random(31);
    let mut bytes: Vec<u8> = (0..BYTES).map(|_| random.below(256) as u8).collect();
    for (n, texel) in bytes[TEXTURE as usize..].chunks_mut(4).enumerate() {
        texel[3] |= if n / 8 % 2 == 0 { 255 } else { 0 };
    }
    let mut engine = Engine::builder().mode(EngineMode::Blocking).fallback(false).build().expect("an engine");
    let mut pixels = 0;
    for case in 0..3000 {
        let registers = registers(&mut random);
        let primitives = [sprite(&mut random, &registers)];
        if !primitives.iter().all(has_area) {
            continue;
        }
        let expected = drawn(&mut Interpreter::new(), &registers, &primitives, &bytes);
        let found = drawn(&mut engine, &registers, &primitives, &bytes);
        let differs = found.1.iter().zip(&expected.1).position(|(a, b)| a != b);
        assert_eq!((found.0, differs), (expected.0, None), "case {case}: {primitives:?}");
        pixels += found.0;
    }
    assert!(pixels > 1_000_000, "{pixels} pixels");
}
