//! Rectangles whose groups are copies of each other, and others that are nearly so, on both engines.

use super::Flat;
use crate::emit::ge::span::PixelConstants;
use crate::ge::key::PixelKey;
use crate::ge::pixel::side_by_side::{Random, drawn_through, of_target};
use crate::{Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::{PixelStage, PixelState};
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::{BlockMemory, Memory as _, write_bytes};

const MAPS: [AddressMaps; 4] =
    [AddressMaps::Flat, AddressMaps::Off, AddressMaps::Shift(0), AddressMaps::Shift(3)];

/// One of some numbers.
fn one_of<const N: usize>(random: &mut Random, of: [u32; N]) -> u32 {
    of[random.below(N as u64) as usize]
}

/// A state without texture, whose tests pass always, nearly always, or not.
fn registers(random: &mut Random) -> Registers {
    let mut registers = of_target();
    let bits = |random: &mut Random, count: u32| random.below(1 << count) as u32;
    let near_end = VRAM_BYTES - 0x1000 * (1 + bits(random, 4));
    let places = [0, 0x8000, 0x1_2340, near_end];
    let is_clear = bits(random, 1);
    let words = [
        (op::VTYPE, bits(random, 1) << 23),
        (op::PSM, bits(random, 2)),
        (op::FBP, one_of(random, places)),
        (op::FBW, one_of(random, [64, 64, 68, 512, 32, 4])),
        (op::ZBP, one_of(random, [0x10_0000, 0x10_0000, 0x10_4560, near_end])),
        (op::ZBW, one_of(random, [64, 64, 72, 512, 16])),
        (op::CLEAR, is_clear | bits(random, 3) << 8),
        (op::PMSKC, one_of(random, [0, 0, 0xff_ffff, 0xf0_00ff, 0x12_3456])),
        (op::PMSKA, one_of(random, [0, 0, 0xff, 0x3c])),
        (op::DTE, bits(random, 1)),
        (op::DTH0, bits(random, 16)),
        (op::DTH0 + 1, bits(random, 16)),
        (op::DTH0 + 2, bits(random, 16)),
        (op::DTH0 + 3, bits(random, 16)),
        (op::FGE, bits(random, 1)),
        (op::FCOL, bits(random, 24)),
        (op::ZTE, bits(random, 1)),
        (op::ZTST, one_of(random, [1, 1, 1, 1, 0, 7])),
        (op::ZMSK, bits(random, 1)),
        (op::NEARZ, one_of(random, [0, 0, 0x3000])),
        (op::ATE, bits(random, 1)),
        (
            op::ATST,
            one_of(random, [1, 4, 5, 6, 7]) | bits(random, 8) << 8 | one_of(random, [0xff, 0xf0]) << 16,
        ),
        (op::STE, bits(random, 1)),
        (op::STST, one_of(random, [1, 1, 1, 4]) | bits(random, 8) << 8 | 0xff_0000),
        (op::SOP, bits(random, 3) | bits(random, 3) << 8 | one_of(random, [0, 1, 2, 2, 3]) << 16),
        (op::LOE, one_of(random, [0, 0, 1])),
        (op::LOP, bits(random, 4)),
        (op::ABE, one_of(random, [0, 0, 0, 1])),
        (op::ALPHA, 2 | 3 << 4),
    ];
    words.iter().for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
    registers
}

fn rectangle(random: &mut Random) -> Primitive {
    let mut corner = |fog: u32| Corner {
        texture: [0.0, 0.0, 1.0],
        w: 1.0,
        x: random.below(16 * 100) as i32 - 16 * 16,
        y: random.below(16 * 100) as i32 - 16 * 16,
        z: random.below(0x1_0000) as i32,
        colour: random.below(1 << 32) as u32,
        secondary: 0,
        fog,
    };
    let fog = corner(0).colour & 0xff;
    // Halves with a fog of their own are no copies.
    let other = if fog & 3 == 0 { fog ^ 0x80 } else { fog };
    let (from, to) = (corner(fog), corner(other));
    Primitive { corners: [from, to, to], shape: Shape::Rectangle, reserved: 0 }
}

#[test]
fn copies_are_what_the_oracle_draws() {
    let mut random = Random(11);
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().expect("an engine");
    let noise: Vec<u8> = (0..VRAM_BYTES).map(|_| random.below(256) as u8).collect();
    let (mut flat, mut others) = (0, 0);
    for round in 0..if cfg!(miri) { 2 } else { 400 } {
        let registers = registers(&mut random);
        let primitives = [(); 3].map(|()| rectangle(&mut random));
        let maps = MAPS[round % MAPS.len()];
        let after = |stage: &mut dyn PixelStage| {
            let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES)]);
            write_bytes(&memory, VRAM, &noise);
            let pixels = drawn_through(stage, (&registers, maps), &primitives, &memory);
            (pixels, memory.region(VRAM, VRAM_BYTES).expect("VRAM").to_vec())
        };
        assert!(after(&mut Interpreter::new()) == after(&mut engine), "round {round}");

        let (clut, memory) = (Clut::default(), BlockMemory::zeroed(&[]));
        let state =
            PixelState { registers: &registers, clut: &clut, memory: &memory, maps, is_immediate: false };
        let key = PixelKey::of(&state, Shape::Rectangle).expect("a state that is compiled");
        let is_flat = Flat::of(&key, &PixelConstants::default()).is_some();
        *(if is_flat { &mut flat } else { &mut others }) += 1;
    }
    assert!(flat > 100 && others > 100, "{flat} flat, {others} others");
}
