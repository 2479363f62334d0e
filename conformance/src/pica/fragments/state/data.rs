//! Random data, which select no code: tables, memory, colours, positions, references.

use super::{BASE, DEPTH, State, TEXTURES, colour, float_bits, number};
use crate::random::Random;
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::regs::Registers;

/// Tables of random entries; some follow a curve, as those of programs do.
pub(super) fn luts(random: &mut Random) -> Luts {
    let mut luts = Luts::default();
    for table in luts.lighting.iter_mut() {
        fill(random, table, curve12);
    }
    fill(random, luts.fog.as_mut_slice(), |n, _| {
        let value = 2047 - 16 * n;
        value << 13 | (-16_i32 as u32 & 0x1fff)
    });
    for table in [&mut luts.noise, &mut luts.colour_map, &mut luts.alpha_map] {
        fill(random, table.as_mut_slice(), |n, _| 32 * n + (32 << 12));
    }
    fill(random, luts.colours.as_mut_slice(), |n, _| n * 0x0101_0101);
    fill(random, luts.colour_differences.as_mut_slice(), |_, random| random.word() & 0x0303_0303);
    fill(random, luts.gas.as_mut_slice(), |n, _| n);
    luts
}

fn fill(random: &mut Random, table: &mut [u32], curve: impl Fn(u32, &mut Random) -> u32) {
    let follows = random.chance(40);
    for (n, entry) in (0..).zip(table) {
        *entry = if follows { curve(n, random) } else { random.word() };
    }
}

/// An entry of a lighting table: a ramp with its differences.
fn curve12(n: u32, _: &mut Random) -> u32 {
    16 * n + (8 << 12)
}

/// The target and textures.
pub(super) fn memory(random: &mut Random) -> Vec<u8> {
    let mut memory: Vec<u8> = (0..super::SIZE / 8).flat_map(|_| random.bits().to_le_bytes()).collect();
    if random.chance(30) {
        let texture = &mut memory[(TEXTURES - BASE) as usize..];
        // Textures of few values: their alpha and their edges matter more.
        texture.iter_mut().for_each(|byte| *byte = if *byte < 128 { 0 } else { 255 });
    }
    memory
}

/// Changes data, and a little of the memory.
pub(super) fn vary(random: &mut Random, state: &mut State) {
    let r = &mut state.registers;
    for stage in super::rooms::STAGES {
        r.set_raw(stage + 3, colour(random));
    }
    for id in [0x081, 0x091, 0x099, 0x0fd, 0x103] {
        r.set_raw(id, colour(random));
    }
    r.set_raw(0x0e1, random.word() & 0x00ff_ffff);
    r.set_raw(0x130, random.word());
    references(random, r);
    for light in 0..8 {
        if random.chance(40) {
            self::light(random, r, 0x140 + 0x10 * light);
        }
    }
    if random.chance(15) {
        state.luts = luts(random);
    }
    depth_buffer(random, state);
}

/// References and masks of the tests.
fn references(random: &mut Random, r: &mut Registers) {
    r.set_raw(0x104, r.raw(0x104) & !0xff00 | random.below(256) << 8);
    let masks = |random: &mut Random| if random.chance(50) { 255 } else { random.below(256) };
    let stencil = random.below(256) << 16 | masks(random) << 8 | masks(random) << 24;
    r.set_raw(0x105, r.raw(0x105) & 0xff | stencil);
}

/// Depth: one value everywhere, few values, or the memory as it is.
fn depth_buffer(random: &mut Random, state: &mut State) {
    let bytes = &mut state.memory[(DEPTH - BASE) as usize..(TEXTURES - BASE) as usize];
    match random.below(4) {
        0 => {
            let word = random.word().to_le_bytes();
            bytes.as_chunks_mut().0.fill(word);
        }
        1 => {
            let words = [random.word(), random.word(), 0, u32::MAX].map(u32::to_le_bytes);
            bytes.as_chunks_mut().0.iter_mut().enumerate().for_each(|(n, word)| *word = words[n >> 2 & 3]);
        }
        _ => {}
    }
}

/// Colours, place and attenuation of a light whose registers begin at `first`.
pub(super) fn light(random: &mut Random, r: &mut Registers, first: u16) {
    for id in first..first + 4 {
        let wide = if random.chance(5) { 0x3fff_ffff } else { 0x0ff3_fcff };
        r.set_raw(id, random.word() & wide);
    }
    let reach = if random.chance(80) { 2.0 } else { 200.0 };
    let mut half = || match random.below(50) {
        0 => random.word() & 0xffff,
        1 => 0,
        _ => float_bits(number(random, -reach, reach), 5, 10),
    };
    let [x, y, z] = [(); 3].map(|()| half());
    r.set_raw(first + 4, y << 16 | x);
    r.set_raw(first + 5, z);
    r.set_raw(first + 6, random.word() & 0x1fff_1fff);
    r.set_raw(first + 7, random.word() & 0x1fff);
    let mut factor = |low, high| match random.below(30) {
        0 => random.word() & 0xf_ffff,
        _ => float_bits(number(random, low, high), 7, 12),
    };
    r.set_raw(first + 10, factor(-0.5, 1.0));
    r.set_raw(first + 11, factor(0.0, 0.5));
}
