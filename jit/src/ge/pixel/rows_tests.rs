//! Primitives that compiled code leaves to the interpreter, and points and lines, of which it leaves few.

use crate::ge::pixel::side_by_side::{Random, SIDE, drawn, drawn_in};
use crate::{Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::queue::{Submitted, with_queue};
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::{PixelStage, PixelState};
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::tile::Tiling;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// A memory of a run that ends after so many questions.
struct Ending {
    memory: BlockMemory,
    left: AtomicU32,
}

impl Memory for Ending {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn is_stopping(&self) -> bool {
        self.left.try_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// Through mode, depth is tested and written, blended: the order at a pixel matters.
fn registers() -> Registers {
    let mut registers = Registers::default();
    let words = [
        (op::VTYPE, 1 << 23),
        (op::FBW, 64),
        (op::PSM, 3),
        (op::ZBP, 0x1_0000),
        (op::ZBW, 64),
        (op::SCISSOR2, 0x3f | 0x3f << 10),
        (op::REGION2, 0xf_ffff),
        (op::FARZ, 0xffff),
        (op::SHADE, 1),
        (op::ABE, 1),
        (op::ALPHA, 2 | 3 << 4),
        (op::ZTE, 1),
        (op::ZTST, 7),
    ];
    words.iter().for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
    registers
}

/// A triangle whose right angle is at a column and row, in sixteenths, and whose other sides are this long.
fn triangle([x, y]: [i32; 2], side: i32, colour: u32) -> Primitive {
    let corner = |x, y, z, colour| {
        let texture = [0.0, 0.0, 1.0];
        Corner { texture, w: 1.0, x, y, z, colour, secondary: 0, fog: 255 }
    };
    let corners = [
        corner(x, y, 0, colour),
        corner(x + side, y, 0xffff, 0x80ff_8040),
        corner(x, y + side, 0x8000, colour),
    ];
    Primitive { corners, shape: Shape::Triangle, reserved: 0 }
}

/// Over the whole tile, of more than 5,000 pixels a side.
fn vast(colour: u32) -> Primitive {
    let vast = triangle([-1600, -1600], 160_000, colour);
    assert!(vast.is_vast());
    vast
}

fn engine() -> Engine {
    Engine::builder().mode(EngineMode::Blocking).build().expect("an engine")
}

#[test]
fn bands_are_the_whole() {
    let primitives = [
        vast(0x8040_2010),
        triangle([5, 9], 700, 0xc020_ff30),
        vast(0x4000_ff80),
        vast(0xff11_2233),
        triangle([320, 200], 90, 0x8080_8080),
    ];
    let bytes: Vec<u8> = (0..0x2_0000_u32).map(|n| (n * 7) as u8).collect();
    let expected = drawn(&mut Interpreter::new(), &registers(), &primitives, &bytes);
    assert!(expected == drawn(&mut engine(), &registers(), &primitives, &bytes));
    assert!(expected.0 > 3 * 4096);
}

/// Half of the tile at once.
#[test]
fn bands_end_with_the_run() {
    const PIXELS: u64 = (SIDE * SIDE) as u64;
    for (questions, expected) in [(0, 0), (1, 0), (2, PIXELS / 2), (3, PIXELS), (9, 2 * PIXELS)] {
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES)]);
        let memory = Ending { memory, left: AtomicU32::new(questions) };
        let primitives = [vast(1), vast(2)];
        assert_eq!(drawn_in(&mut engine(), &registers(), &primitives, &memory), expected, "{questions}");
    }
}

/// Draws that wait together share a vector: the first primitive in it may be one of another shape.
#[test]
fn draws_of_other_shapes_wait_together() {
    let mut registers = registers();
    [(op::VTYPE, 0), (op::TME, 1), (op::TBW0, 16), (op::TPSM, 3), (op::TSIZE0, 4 | 4 << 8)]
        .iter()
        .for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
    let bytes: Vec<u8> = (0..0x4000).map(|n| (n * 7) as u8).collect();
    let mut far = triangle([40, 40], 640, 0x8020_4060);
    for (corner, texture) in far.corners.iter_mut().zip([[0.0, 0.0, 1.0], [1.5, 0.0, 1.5], [0.0, 1.0, 1.0]]) {
        (corner.texture, corner.w) = (texture, texture[2]);
    }
    let mut line = triangle([16, 200], 320, 0x8040_2010);
    (line.shape, line.corners[2]) = (Shape::Line, line.corners[1]);
    let point = Primitive { shape: Shape::Point, corners: [line.corners[0]; 3], reserved: 0 };
    for draws in [[line, far], [point, far], [far, line], [far, point]] {
        let together = |stage: &mut dyn PixelStage, threads: usize| {
            let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES)]);
            write_bytes(&memory, VRAM, &bytes);
            let (clut, maps) = (Clut::default(), AddressMaps::default());
            let state =
                PixelState { registers: &registers, clut: &clut, memory: &memory, maps, is_immediate: false };
            let pixels = with_queue(Tiling::new(threads), &memory, |queue| {
                draws.iter().for_each(|draw| queue.draw(stage, Submitted::new(state, &mut vec![*draw])));
                queue.finish();
                queue.take_pixels()
            });
            (pixels, memory.region(VRAM, 0x4000).expect("VRAM").to_vec())
        };
        let expected = together(&mut Interpreter::new(), 1);
        assert!(expected.1 != bytes);
        [1, 2].into_iter().for_each(|threads| {
            assert!(together(&mut engine(), threads) == expected, "{:?}, {threads} threads", draws[0].shape);
        });
    }
}

/// psp-ge.md 9.8: a secondary colour is added wherever it is separate. Vertices that a draw continues, or a host's own, have
/// one also where no light gives it.
#[test]
fn secondary_colours_that_no_light_gives() {
    let shaded = |shape: Shape, secondary: u32| {
        let Primitive { mut corners, .. } = triangle([40, 40], 640, 0x8020_4060);
        corners[1].secondary = secondary;
        match shape {
            Shape::Triangle => {}
            Shape::Rectangle => corners = [corners[0], Corner { y: 700, ..corners[1] }, corners[2]],
            Shape::Point | Shape::Line => corners[2] = corners[1],
        }
        if shape == Shape::Point {
            corners[0].secondary = secondary;
        }
        Primitive { corners, shape, reserved: 0 }
    };
    let bytes = vec![0; 0x2_0000];
    let states: [&[(u8, u32)]; 3] = [&[], &[(op::LTE, 1), (op::LTE0, 1)], &[(op::LTE0, 1), (op::LT0, 1)]];
    for shape in [Shape::Triangle, Shape::Rectangle, Shape::Line, Shape::Point] {
        for state in states {
            let mut registers = registers();
            [&[(op::VTYPE, 0), (op::LMODE, 1)], state].concat().iter().for_each(|&(command, argument)| {
                registers.write(u32::from(command) << 24 | argument);
            });
            assert!(!registers.has_secondary(false));
            let mut engine = engine();
            let primitives = [0, 0x0040_8070, 0].map(|secondary| shaded(shape, secondary));
            let expected = drawn(&mut Interpreter::new(), &registers, &primitives, &bytes);
            assert!(expected == drawn(&mut engine, &registers, &primitives, &bytes), "{shape:?} {state:?}");
            let black = [primitives[0]; 3];
            let without = drawn(&mut Interpreter::new(), &registers, &black, &bytes);
            assert!(without != expected && without.0 == expected.0, "{shape:?}");
            let before = engine.stats().interpreted_tiles;
            assert!(without == drawn(&mut engine, &registers, &black, &bytes));
            assert_eq!(engine.stats().interpreted_tiles, before, "{shape:?}");
        }
    }
}

/// A state of points and lines, in which any of their values may be read.
fn thin_registers(random: &mut Random) -> Registers {
    let mut registers = registers();
    let mut any = |command: u8, of: &[u32]| (command, of[random.below(of.len() as u64) as usize]);
    let words = [
        any(op::VTYPE, &[0, 1 << 23]),
        any(op::TME, &[0, 1]),
        any(op::TPSM, &[3]),
        any(op::TBP0, &[0x8000]),
        any(op::TBW0, &[0x04_0010]),
        any(op::TSIZE0, &[0x303]),
        any(op::TFLT, &[0, 0x101]),
        any(op::TFUNC, &[0, 0x100, 0x10101, 4]),
        any(op::FGE, &[0, 1]),
        any(op::FCOL, &[0x80_40_20]),
        any(op::LTE, &[0, 1]),
        any(op::LTE0, &[1]),
        any(op::LT0, &[1]),
        any(op::LMODE, &[0, 1]),
        any(op::ABE, &[0, 1]),
        any(op::DTE, &[0, 1]),
        any(op::DTH0 + 1, &[0x7935]),
        any(op::ZTE, &[0, 1]),
        any(op::ZMSK, &[0, 1]),
        any(op::NEARZ, &[0, 0x4000]),
        any(op::ATE, &[0, 1]),
        any(op::ATST, &[0xff_4006]),
        any(op::CLEAR, &[0, 0, 0, 0x701]),
    ];
    words.iter().for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
    registers
}

/// Values that change, or do not, and coordinates that are numbers, divided or not, or none.
fn thin(random: &mut Random, shape: Shape, registers: &Registers) -> Primitive {
    let is_flat = random.below(3) == 0;
    let kind = random.below(4);
    let mut corner = || Corner {
        texture: match kind {
            0 => [f64::NAN, 0.5, 1.0],
            1 => [random.below(900) as f64 / 100.0, 3.0, [1.0, 0.0, 2.5][random.below(3) as usize]],
            _ => [random.below(900) as f64 / 100.0 - 2.0, random.below(99) as f64 / 8.0, 1.0],
        },
        w: 1.0,
        x: random.below(16 * 80) as i32 - 128,
        y: random.below(16 * 80) as i32 - 128,
        z: random.below(0x1_0000) as i32,
        colour: random.below(1 << 32) as u32,
        secondary: if registers.has_secondary(false) { random.below(1 << 24) as u32 } else { 0 },
        fog: random.below(256) as u32,
    };
    let (a, mut b) = (corner(), corner());
    if is_flat {
        b = Corner { x: b.x, y: b.y, texture: b.texture, ..a };
    }
    Primitive { corners: [a, b, b], shape, reserved: 0 }
}

/// Only coordinates that are read and may be no numbers are left to the interpreter.
#[test]
fn points_and_lines() {
    let (mut random, mut engine) = (Random(21), engine());
    let bytes: Vec<u8> = (0..0x2_0000_u32).map(|n| (n * 7 + n / 256) as u8).collect();
    let (mut left, mut textured) = (0, 0);
    for round in 0..if cfg!(miri) { 4 } else { 400 } {
        let registers = thin_registers(&mut random);
        let shape = [Shape::Point, Shape::Line][round % 2];
        let primitives: Vec<_> =
            (0..1 + random.below(12)).map(|_| thin(&mut random, shape, &registers)).collect();
        let before = engine.stats().interpreted_tiles;
        let expected = drawn(&mut Interpreter::new(), &registers, &primitives, &bytes);
        let found = drawn(&mut engine, &registers, &primitives, &bytes);
        assert!(found == expected, "round {round}: {primitives:?}");
        let is_left = engine.stats().interpreted_tiles > before;
        assert!(!is_left || registers.is_textured(), "round {round}");
        textured += u32::from(registers.is_textured());
        left += u32::from(is_left);
    }
    assert!(cfg!(miri) || left > 20 && textured > left + 20, "{left} of {textured}");
}
