//! For tests: primitives drawn by compiled code and by the interpreter, of one state and in one tile.

use crate::ge::raster::triangle::signed_area;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileBatch};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::{BlockMemory, Memory, read_word, write_bytes};
use picaflor_pipeline::rect::Rect;

/// Side of the tile.
pub(super) const SIDE: i32 = 64;

/// A seeded stream of numbers.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        (picaflor_pipeline::random::bits(&mut self.0) >> 24) % n
    }
}

/// Registers of a target as large as the tile, of 32 bits, that takes all depths.
pub(super) fn of_target() -> Registers {
    let mut registers = Registers::default();
    let last = SIDE as u32 - 1;
    let words = [
        (op::FBW, SIDE as u32),
        (op::PSM, 3),
        (op::SCISSOR2, last | last << 10),
        (op::REGION2, 0xf_ffff),
        (op::FARZ, 0xffff),
    ];
    words.iter().for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
    registers
}

/// True if it covers more than a line.
pub(super) fn has_area(primitive: &Primitive) -> bool {
    let places = primitive.corners.map(|corner| (corner.x, corner.y));
    primitive.shape == Shape::Rectangle || signed_area(places) > 0
}

/// Draws on an engine. Returns the pixels covered, and the words of the first bytes of VRAM, which begins with these.
pub(super) fn drawn(
    stage: &mut dyn PixelStage,
    registers: &Registers,
    primitives: &[Primitive],
    bytes: &[u8],
) -> (u64, Vec<u32>) {
    let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES)]);
    write_bytes(&memory, VRAM, bytes);
    let pixels = drawn_in(stage, registers, primitives, &memory);
    (pixels, (0..bytes.len() as u32).step_by(4).map(|at| read_word(&memory, VRAM + at)).collect())
}

/// Draws on an engine, in memory with VRAM. Returns the pixels covered.
pub(super) fn drawn_in(
    stage: &mut dyn PixelStage,
    registers: &Registers,
    primitives: &[Primitive],
    memory: &dyn Memory,
) -> u64 {
    drawn_through(stage, (registers, AddressMaps::default()), primitives, memory)
}

/// Likewise, with mirrors of some wiring.
pub(super) fn drawn_through(
    stage: &mut dyn PixelStage,
    (registers, maps): (&Registers, AddressMaps),
    primitives: &[Primitive],
    memory: &dyn Memory,
) -> u64 {
    let mut clut = Clut::default();
    *clut.change() = std::array::from_fn(|n| (n * 7) as u8);
    let state = PixelState { registers, clut: &clut, memory, maps, is_immediate: false };
    let routine = stage.pixel_routine(&state, primitives);
    let target = &Target::new(registers, maps, memory).expect("VRAM is there");
    let order: Vec<u32> = (0..primitives.len() as u32).collect();
    let tile = Rect { x0: 0, y0: 0, x1: SIDE, y1: SIDE };
    routine.run(&TileBatch { state, primitives, order: &order, tile, target })
}
