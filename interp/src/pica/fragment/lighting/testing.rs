//! Common parts of the lighting tests: a fragment with its state, and random numbers.

use super::frame::Frame;
use super::light;
use crate::pica::fragment::{Coordinate, Inputs};
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::FragmentState;

pub(super) const NUM_LIGHTS: u16 = 0x1c2;
pub(super) const CONFIG0: u16 = 0x1c3;
pub(super) const CONFIG1: u16 = 0x1c4;
pub(super) const DISABLE: u16 = 0x1c6;
pub(super) const ABS: u16 = 0x1d0;
pub(super) const SELECT: u16 = 0x1d1;
pub(super) const SCALE: u16 = 0x1d2;
pub(super) const PERMUTATION: u16 = 0x1d9;
pub(super) const WHITE: u32 = 255 << 20 | 255 << 10 | 255;

/// Everything disabled that bits of 0x1C4 disable, but shadow.
pub(super) const NO_TABLES: u32 = 0xffff_ff00;
pub(super) const D0_OFF: u32 = 1 << 16;
pub(super) const D1_OFF: u32 = 1 << 17;
pub(super) const FR_OFF: u32 = 1 << 19;
pub(super) const RB_OFF: u32 = 1 << 20;
pub(super) const RG_OFF: u32 = 1 << 21;
pub(super) const RR_OFF: u32 = 1 << 22;

/// One fragment and all it depends on.
pub(super) struct Scene {
    pub(super) registers: Registers,
    pub(super) luts: Luts,
    pub(super) inputs: Inputs,
    pub(super) textures: [[u8; 4]; 4],
    memory: FlatMemory,
}

impl Scene {
    /// A surface that faces the viewer, under one directional light from there, without colours and tables.
    pub(super) fn new() -> Self {
        let mut registers = Registers::new();
        registers.set_raw(CONFIG1, NO_TABLES);
        registers.set_raw(PERMUTATION, 0x7654_3210);
        let inputs = Inputs {
            x: 0,
            y: 0,
            depth: 0.0,
            colour: [0; 4],
            quaternion: [0.0, 0.0, 0.0, 1.0],
            texcoord: [[Coordinate::default(); 2]; 3],
            texcoord0_w: Coordinate::default(),
            view: [0.0, 0.0, 1.0],
        };
        let textures = [[0; 4]; 4];
        let mut scene =
            Self { registers, luts: Luts::default(), inputs, textures, memory: FlatMemory::default() };
        (0..8).for_each(|light| scene.direction(light, [0.0, 0.0, 1.0]));
        scene
    }

    pub(super) fn set(&mut self, id: u16, word: u32) -> &mut Self {
        self.registers.set_raw(id, word);
        self
    }

    /// A register of a light.
    pub(super) fn set_light(&mut self, light: u16, offset: u16, word: u32) -> &mut Self {
        self.set(0x140 + 16 * light + offset, word)
    }

    /// Makes a light directional.
    pub(super) fn direction(&mut self, light: u16, [x, y, z]: [f32; 3]) {
        self.set_light(light, 4, f16(y) << 16 | f16(x)).set_light(light, 5, f16(z)).set_light(light, 9, 1);
    }

    /// Fills a lighting table with one value.
    pub(super) fn constant(&mut self, table: usize, value: u32) {
        self.luts.lighting[table] = [value; 256];
    }

    pub(super) fn state(&self) -> FragmentState<'_> {
        FragmentState { registers: &self.registers, luts: &self.luts, memory: &self.memory }
    }

    pub(super) fn light(&self) -> [[u8; 4]; 2] {
        light(&self.state(), &self.inputs, &self.textures, &())
    }

    pub(super) fn frame(&self) -> Frame {
        Frame::new(self.registers.lighting_config0(), self.inputs.quaternion, &self.textures)
    }
}

/// The f16 pattern of a value that has one and is not subnormal.
fn f16(value: f32) -> u32 {
    let bits = value.to_bits();
    if value == 0.0 { 0 } else { (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - (112 << 10)) }
}

/// Random numbers, from a seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn word(&mut self) -> u32 {
        picaflor_pipeline::random::word(&mut self.0)
    }

    /// Any float: numbers of all sizes, infinities, NaNs.
    pub(super) fn float(&mut self) -> f32 {
        let special = [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-45, 1.0];
        let word = self.word();
        if word & 3 == 0 { special[(word >> 2 & 7) as usize] } else { f32::from_bits(self.word()) }
    }
}
