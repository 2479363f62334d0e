//! Triangles with levels of detail, pixel by pixel against the interpreter.

use crate::ge::pixel::side_by_side::{Random, SIDE, drawn, has_area, of_target};
use crate::ge::raster::triangle::signed_area;
use crate::{Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};

/// Textures of 64x64 texels of 16 bits; mode, bias, slope, filters, wrap mode and sizes of levels at random.
fn registers(random: &mut Random) -> Registers {
    let mut registers = of_target();
    let mut set = |command: u8, argument: u64| {
        registers.write(u32::from(command) << 24 | argument as u32);
    };
    set(op::TME, 1);
    set(op::TPSM, 1);
    set(op::TFUNC, 1 << 8 | 3);
    set(op::TMODE, 5 << 16);
    let mut at = 0x1_0000;
    for level in 0..6_u8 {
        // Mostly half as large each, sometimes not.
        let log = |random: &mut Random| match random.below(40) {
            0 => 7,
            1 => 0,
            // Larger than what bits of positions reach, and than what textures have.
            2..8 if level == 0 => 10 + random.below(6),
            _ => 6 - u64::from(level),
        };
        let (width, height) = (log(random), log(random));
        set(op::TBP0 + level, at);
        set(op::TBW0 + level, 4 << 16 | 64);
        set(op::TSIZE0 + level, width | height << 8);
        at += 0x1000;
    }
    // Levels and filters; the last two have one level and one filter.
    let filters = [0x005, 0x104, 0x105, 0x007, 0x106, 0x107, 0x006, 0x001, 0x100, 0x000, 0x101];
    set(op::TFLT, filters[random.below(11) as usize]);
    set(op::TWRAP, random.below(2) | random.below(2) << 8);
    set(op::TBIAS, random.below(3) | (random.below(48).wrapping_sub(24) & 0xff) << 16);
    let slope = [0.25_f32, 0.5, 0.1, 3.0, -1.0][random.below(5) as usize];
    set(op::TSLOPE, u64::from(slope.to_bits() >> 8));
    if random.below(2) == 0 {
        set_tests(random, &mut registers);
    }
    registers
}

/// Tests at random, with a depth buffer behind the target: pixels that fail may change the stencil.
fn set_tests(random: &mut Random, registers: &mut Registers) {
    let mut set = |command: u8, argument: u64| {
        registers.write(u32::from(command) << 24 | argument as u32);
    };
    set(op::ZBP, 0x8000);
    set(op::ZBW, 64);
    set(op::ZTE, 1);
    set(op::ZTST, random.below(8));
    set(op::ZMSK, random.below(2));
    set(op::ATE, random.below(2));
    set(op::ATST, random.below(8) | random.below(256) << 8 | 0xff_0000);
    set(op::STE, random.below(2));
    set(op::STST, random.below(8) | random.below(256) << 8 | 0xff_0000);
    set(op::SOP, random.below(6) | random.below(6) << 8 | random.below(6) << 16);
}

/// A triangle in perspective. `grid` has coordinates, and w, on which many positions lie on the edges of texels.
fn triangle(random: &mut Random, is_grid: bool) -> Primitive {
    let depth = [1, 8, 200][random.below(3) as usize];
    let span = [8, 64, 300, 1500, 100_000][random.below(5) as usize];
    let mut corner = || {
        let coordinate = |random: &mut Random| {
            let texel = random.below(span * 256) as f64 / 256.0 - span as f64 / 3.0;
            if is_grid { (texel / 4.0).round() / 16.0 } else { texel / 64.0 }
        };
        let w = match is_grid {
            true => [0.5, 1.0, 2.0, 4.0][random.below(4) as usize],
            false => 0.5 + random.below(1 << 20) as f64 / f64::from(1 << 20) * depth as f64,
        };
        let place = |random: &mut Random| random.below(16 * 80) as i32 - 128;
        let (x, y) = (place(random), place(random));
        Corner {
            texture: [coordinate(random), coordinate(random), 1.0],
            w,
            x: if is_grid { x & !0x3f } else { x },
            y: if is_grid { y & !0x3f } else { y },
            z: random.below(0x1_0000) as i32,
            colour: 0xffff_ffff,
            secondary: 0,
            fog: 255,
        }
    };
    let (a, b, c) = (corner(), corner(), corner());
    let is_turned = signed_area([a, b, c].map(|corner| (corner.x, corner.y))) <= 0;
    let corners = if is_turned { [c, b, a] } else { [a, b, c] };
    Primitive { corners, shape: Shape::Triangle, reserved: 0 }
}

/// Without the interpreter to fall back to.
#[test]
fn triangles_with_levels() {
    let mut random = Random(26);
    let bytes: Vec<u8> = (0..0x2_0000).map(|_| random.below(256) as u8).collect();
    let mut engine = Engine::builder().mode(EngineMode::Blocking).fallback(false).build().expect("an engine");
    let mut pixels = 0;
    for case in 0..1500 {
        let registers = registers(&mut random);
        let is_grid = random.below(4) == 0;
        let primitives: Vec<_> = (0..8).map(|_| triangle(&mut random, is_grid)).filter(has_area).collect();
        if primitives.is_empty() {
            continue;
        }
        let (expected_pixels, expected) = drawn(&mut Interpreter::new(), &registers, &primitives, &bytes);
        let (found_pixels, found) = drawn(&mut engine, &registers, &primitives, &bytes);
        assert_eq!(found_pixels, expected_pixels, "case {case}");
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        if let Some(word) = differs {
            let place = [word as i32 % SIDE, word as i32 / SIDE];
            panic!("case {case}: pixel {place:?}: {:#x}, {:#x}", found[word], expected[word]);
        }
        pixels += found_pixels;
    }
    assert!(pixels > 5_000_000, "{pixels} pixels");
}
