//! Test rig for drawing single pixels.

use super::draw_pixel;
use super::texture::Drawn;
use crate::Interpreter;
use crate::ge::raster::fragment::{Fragment, Quad};
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::Primitive;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileBatch};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::{BlockMemory, Memory, read_bytes, write_bytes};
use picaflor_pipeline::rect::Rect;

/// Offset of the depth buffer of [`Rig::new`].
pub(super) const DEPTH: u32 = 0x10_0000;

/// The same changes everywhere.
pub(super) struct Still {
    /// See [`Quad::change`].
    pub(super) change: [f64; 2],
    /// See [`Quad::w`].
    pub(super) w: f64,
}

impl Quad for Still {
    fn change(&self, _: i32, _: i32) -> [f64; 2] {
        self.change
    }
    fn w(&self, _: i32, _: i32) -> f64 {
        self.w
    }
}

/// A white fragment at (0, 0).
pub(super) fn fragment() -> Fragment {
    Fragment { x: 0, y: 0, z: 0, colour: [255; 4], secondary: [0; 4], fog: 255, u: 0.0, v: 0.0 }
}

/// Registers, memory and the table of colours.
pub(super) struct Rig {
    pub(super) registers: Registers,
    pub(super) memory: BlockMemory,
    pub(super) clut: Clut,
    pub(super) maps: AddressMaps,
    pub(super) is_immediate: bool,
}

impl Rig {
    /// Frame buffer at 0, depth buffer at [`DEPTH`], both of 512 pixels; all depths are kept. `words` come after.
    pub(super) fn new(words: &[u32]) -> Self {
        let mut rig = Self {
            registers: Registers::default(),
            memory: BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (0x0880_0000, 0x20_0000)]),
            clut: Clut::default(),
            maps: AddressMaps::Flat,
            is_immediate: false,
        };
        rig.set(&[0x9d00_0200, 0x9e00_0000 | DEPTH, 0x9f00_0200, 0xd200_0003, 0xd700_ffff]);
        rig.set(words);
        rig
    }

    /// Writes registers.
    pub(super) fn set(&mut self, words: &[u32]) {
        words.iter().for_each(|&word| self.registers.write(word));
    }

    /// The state of a draw.
    pub(super) fn state(&self) -> Drawn<'_> {
        let state = PixelState {
            registers: &self.registers,
            clut: &self.clut,
            memory: &self.memory,
            maps: self.maps,
            is_immediate: self.is_immediate,
        };
        Drawn { state, replaced: &[] }
    }

    /// Draws a fragment.
    pub(super) fn draw(&self, at: &Fragment) {
        let target = Target::new(&self.registers, self.maps, &self.memory).expect("VRAM is mapped");
        draw_pixel(&self.state(), &target, at, &Still { change: [0.0; 2], w: 1.0 }, &());
    }

    /// Draws primitives, wherever they are on 512 x 512 pixels.
    pub(super) fn draw_all(&self, primitives: &[Primitive]) -> u64 {
        let target = Target::new(&self.registers, self.maps, &self.memory).expect("VRAM is mapped");
        let order: Vec<u32> = (0..primitives.len() as u32).collect();
        let tile = Rect { x0: 0, y0: 0, x1: 512, y1: 512 };
        let batch = TileBatch { state: self.state().state, primitives, order: &order, tile, target: &target };
        Interpreter::new().pixel_routine(&batch.state, primitives).run(&batch)
    }

    /// Draws `colour`, 0xAABBGGRR, over a pixel of these bits at (0, 0), and gives the bits afterwards.
    pub(super) fn over(&self, stored: u32, colour: u32) -> u32 {
        self.poke(VRAM, stored);
        self.draw(&Fragment { colour: colour.to_le_bytes(), ..fragment() });
        self.peek(VRAM)
    }

    /// Writes a word.
    pub(super) fn poke(&self, address: u32, word: u32) {
        write_bytes(&self.memory as &dyn Memory, address, &word.to_le_bytes());
    }

    /// Reads a word.
    pub(super) fn peek(&self, address: u32) -> u32 {
        u32::from_le_bytes(read_bytes(&self.memory, address))
    }
}
