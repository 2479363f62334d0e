//! Random memory and calls.

use super::{BlitCase, Call, Screen};
use crate::pica::notation::Word;
use crate::random::Random;

/// First address of memory.
const BASE: u32 = 0x1800_0000;

/// A random case.
pub(super) fn case(random: &mut Random) -> BlitCase {
    let mut blocks = Vec::new();
    let mut at = BASE;
    for _ in 0..random.between(1, 4) {
        let length = random.pick(&[0x40, 0x400, 0x1000, 0x4000]) + 16 * random.below(64);
        blocks.push((Word(at), Word(length)));
        // Holes, and blocks that follow each other without one.
        at += length + if random.chance(50) { 0 } else { 16 * random.below(40) };
    }
    let end = at - BASE;
    let calls = (0..random.between(1, 3)).map(|_| call(random, end)).collect();
    BlitCase { blocks, seed: random.bits(), calls }
}

fn call(random: &mut Random, end: u32) -> Call {
    match random.weighted(&[(25, 0), (40, 1), (20, 2), (15, 3)]) {
        0 => fill(random, end),
        1 => transfer(random, end),
        2 => copy(random, end),
        _ => scan_out(random, end),
    }
}

/// An address, mostly in memory.
fn address(random: &mut Random, end: u32, grain: u32) -> u32 {
    match random.below(40) {
        0 => random.word() & !(grain - 1),
        1 => 0,
        2 => 0xffff_fff0,
        3..20 => BASE,
        _ => BASE + random.below(end) / grain * grain,
    }
}

/// An address register, sometimes with bits that are not there.
fn register(random: &mut Random, end: u32) -> u32 {
    let word = address(random, end, 16) >> 3;
    if random.chance(10) { word | random.word() & 0xe000_0001 } else { word }
}

fn fill(random: &mut Random, end: u32) -> Call {
    let start = address(random, end, 8);
    let length = if random.chance(5) { random.word() } else { 8 * random.below(end / 8 + 4) };
    let stop = if random.chance(5) { random.word() } else { start.wrapping_add(length) };
    Call::Fill([start, stop, random.word(), random.below(4)].map(Word))
}

/// A side of an image: mostly a small multiple of 8.
fn side(random: &mut Random) -> u32 {
    match random.below(40) {
        0 => 0,
        1 => random.below(0x2000),
        2 => 0xfff8,
        3..8 => random.below(100),
        _ => 8 * random.between(1, 9),
    }
}

fn transfer(random: &mut Random, end: u32) -> Call {
    let mut flag = |bit: u32, percent: u32| u32::from(random.chance(percent)) << bit;
    let switches = flag(0, 40) | flag(1, 40) | flag(2, 40) | flag(5, 20) | flag(16, 20);
    let formats = random.below(6) << 8 | random.below(6) << 12;
    let scale = random.pick(&[0, 0, 1, 2, 2, 3]) << 24;
    let scale = if scale == 3 << 24 && random.chance(70) { 0 } else { scale };
    let other = if random.chance(10) { random.word() & !8 } else { 0 };
    let (width, height) = (side(random), side(random));
    let input = match random.below(4) {
        0 => side(random),
        1 => width + 8 * random.below(4),
        _ => width,
    };
    let words = [
        register(random, end),
        register(random, end),
        width | height << 16,
        input | side(random) << 16,
        switches | formats | scale | other,
        random.word(),
        random.word(),
        random.word(),
    ];
    Call::Transfer(words.map(Word))
}

fn copy(random: &mut Random, end: u32) -> Call {
    let size = match random.below(20) {
        0 => random.word() & 0x1f_ffff,
        1 => random.below(16),
        _ => random.below(end + 64),
    };
    let line = |random: &mut Random| match random.below(12) {
        0 => random.word(),
        1 => random.below(100) << 16,
        2..6 => random.below(40),
        _ => random.between(1, 40) | random.between(1, 20) << 16,
    };
    let flags = 8 | if random.chance(20) { random.word() } else { 0 };
    let words = [
        register(random, end),
        register(random, end),
        random.word(),
        random.word(),
        flags,
        size,
        line(random),
        line(random),
    ];
    Call::Transfer(words.map(Word))
}

fn scan_out(random: &mut Random, end: u32) -> Call {
    let (width, height) = match random.below(20) {
        0 => (random.below(1100), random.below(12)),
        1 => (random.below(12), random.below(1100)),
        2 => (random.pick(&[0, 1024, 1025]), random.pick(&[0, 1, 0xffff])),
        _ => (random.between(1, 40), random.between(1, 40)),
    };
    let row = 4 * width;
    let stride = match random.below(10) {
        0 => random.word(),
        1 => 0,
        2 => row.wrapping_neg(),
        3 => (16 * random.below(40)).wrapping_neg(),
        4 | 5 => 16 * random.below(40),
        _ => row,
    };
    let source = [address(random, end, 16), random.below(8), stride, width, height].map(Word);
    let solid = random.chance(10).then(|| [0; 3].map(|_: u8| random.word() as u8));
    let gamma = random.chance(30).then(|| random.bits());
    Call::ScanOut(Screen { source, solid, gamma })
}
