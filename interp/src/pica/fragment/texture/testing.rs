//! Fragments, images and random numbers for the tests of the texture units.

use super::Drawn;
use crate::pica::fragment::{Coordinate, Inputs};
use crate::pica::surface::address::Order;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::FragmentState;

/// A coordinate that does not change.
pub(crate) fn at(value: f32) -> Coordinate {
    Coordinate { value, dx: 0.0, dy: 0.0 }
}

/// A fragment with u, v and w of set 0; sets 1 and 2 are as set 0.
pub(crate) fn fragment(u: Coordinate, v: Coordinate, w: Coordinate) -> Inputs {
    Inputs {
        x: 0,
        y: 0,
        depth: 0.0,
        colour: [0; 4],
        quaternion: [0.0; 4],
        texcoord: [[u, v]; 3],
        texcoord0_w: w,
        view: [0.0; 3],
    }
}

/// The bytes of an image of eight-bit texels, rows counted upward. Sides are multiples of 8.
pub(crate) fn image8([width, height]: [u32; 2], texel: impl Fn(u32, u32) -> u8) -> Vec<u8> {
    let mut bytes = vec![0; (width * height) as usize];
    for (j, i) in (0..height).flat_map(|j| (0..width).map(move |i| (j, i))) {
        let index = Order::Blocks8.index(i, height - 1 - j, width);
        bytes[index as usize] = texel(i, j);
    }
    bytes
}

/// State of a fragment for one test.
#[derive(Default)]
pub(crate) struct Scene {
    pub(crate) registers: Registers,
    pub(crate) luts: Luts,
    pub(crate) memory: FlatMemory,
}

impl Scene {
    /// With register words and with bytes from 0x1000 on.
    pub(crate) fn new(words: &[(u16, u32)], bytes: Vec<u8>) -> Self {
        let mut scene = Self { memory: FlatMemory::new(0x1000, bytes), ..Self::default() };
        scene.set(words);
        scene
    }

    pub(crate) fn set(&mut self, words: &[(u16, u32)]) {
        for &(id, word) in words {
            self.registers.set_raw(id, word);
        }
    }

    pub(crate) fn state(&self) -> Drawn<'_> {
        let state = FragmentState { registers: &self.registers, luts: &self.luts, memory: &self.memory };
        Drawn { state, replaced: &[] }
    }
}

/// Random numbers, from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn word(&mut self) -> u32 {
        picaflor_pipeline::random::word(&mut self.0)
    }

    /// A number between -4 and 4, or any bit pattern, or one of the odd ones.
    pub(crate) fn float(&mut self) -> f32 {
        const ODD: [f32; 8] =
            [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE / 4.0];
        match self.word() >> 24 & 3 {
            0 => f32::from_bits(self.word()),
            1 => ODD[(self.word() >> 24 & 7) as usize],
            _ => (self.word() as f32 / 2_147_483_648.0 - 1.0) * 4.0,
        }
    }

    pub(crate) fn coordinate(&mut self) -> Coordinate {
        Coordinate { value: self.float(), dx: self.float(), dy: self.float() }
    }

    pub(crate) fn fragment(&mut self) -> Inputs {
        let texcoord = [0; 3].map(|_| [0; 2].map(|_| self.coordinate()));
        Inputs { texcoord, ..fragment(at(0.0), at(0.0), self.coordinate()) }
    }

    /// Random words in the registers of the texture units.
    pub(crate) fn texture_registers(&mut self) -> Registers {
        let mut registers = Registers::new();
        for id in 0x080..0x0c0 {
            registers.set_raw(id, self.word());
        }
        registers
    }
}
