//! Registers, room by room: the target, the rasterizer, textures, combiners, lighting, fog, the output merger.

use super::{BASE, DEPTH, SIZE, TEXTURES, colour, fields, float_bits, number};
use crate::random::Random;
use picaflor_pipeline::pica::regs::Registers;

/// First register of each combiner stage.
pub(super) const STAGES: [u16; 6] = [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8];
/// Registers that select code, those of fragments' own rooms.
const SELECTING: [(u16, u16); 12] = [
    (0x058, 0x059),
    (0x06d, 0x06e),
    (0x080, 0x085),
    (0x08b, 0x08c),
    (0x08e, 0x097),
    (0x099, 0x09f),
    (0x0a8, 0x0ae),
    (0x0c0, 0x0e1),
    (0x0f0, 0x0fe),
    (0x100, 0x108),
    (0x112, 0x118),
    (0x1c0, 0x1d3),
];

/// A register that may select code.
pub(super) fn any(random: &mut Random) -> u16 {
    if random.chance(10) {
        return 0x149 + 0x10 * random.below(8) as u16;
    }
    let (first, end) = random.pick(&SELECTING);
    first + random.below(u32::from(end - first)) as u16
}

/// A random state. `wide`: its target is worth several threads.
pub(super) fn registers(random: &mut Random, wide: bool) -> Registers {
    let mut registers = Registers::new();
    let r = &mut registers;
    target(random, r, wide);
    rasterizer(random, r);
    combiners(random, r);
    textures(random, r);
    procedural(random, r);
    lighting(random, r);
    fog(random, r);
    output(random, r);
    if random.chance(4) {
        for _ in 0..random.between(1, 8) {
            r.set_raw(any(random), random.word());
        }
    }
    registers
}

/// Gives one room new random values.
pub(super) fn renew(random: &mut Random, registers: &mut Registers) {
    let rooms: [fn(&mut Random, &mut Registers); 5] = [
        |random, r| {
            combiners(random, r);
            fog(random, r);
        },
        |random, r| {
            combiners(random, r);
            textures(random, r);
        },
        procedural,
        lighting,
        output,
    ];
    random.weighted(&[(30, rooms[0]), (25, rooms[1]), (10, rooms[2]), (10, rooms[3]), (25, rooms[4])])(
        random, registers,
    );
}

fn set(registers: &mut Registers, id: u16, word: u32) {
    registers.set_raw(id, word);
}

fn target(random: &mut Random, r: &mut Registers, wide: bool) {
    let side = |random: &mut Random| match random.below(40) {
        0..=3 => random.between(1, 96),
        4 | 5 => 72 + 8 * random.below(4),
        _ => 8 * random.between(1, 8),
    };
    let [width, height] = if wide { [128, 128] } else { [side(random), side(random)] };
    let top_first = u32::from(random.chance(85));
    set(r, 0x11e, top_first << 24 | (height - 1) << 12 | width);
    set(r, 0x06e, r.raw(0x11e));
    set(r, 0x11d, BASE >> 3);
    set(r, 0x11c, DEPTH >> 3);
    match random.below(60) {
        // Buffers that overlap, wholly or in part, and that are mapped in part, or not at all.
        0 => set(r, 0x11c, BASE >> 3),
        1 => set(r, 0x11c, (BASE + 64 * random.below(64)) >> 3),
        2 => set(r, 0x11c, (BASE + SIZE - 64 * random.below(64)) >> 3),
        3 => set(r, 0x11d, (BASE + SIZE - 64 * random.below(64)) >> 3),
        4 => set(r, 0x11c, 0),
        _ => {}
    }
    set(r, 0x117, if random.chance(2) { random.below(8) } else { random.below(5) } << 16);
    set(r, 0x116, if random.chance(4) { 1 } else { random.pick(&[0, 2, 3, 3]) });
    set(r, 0x11b, u32::from(random.chance(8)));
    for id in 0x112..=0x115 {
        let word = if random.chance(4) { 0 } else { random.pick(&[15, 3, 1, 2]) };
        set(r, id, word);
    }
}

fn rasterizer(random: &mut Random, r: &mut Registers) {
    let dim = r.framebuffer_dim();
    let half = [dim.width(), dim.height()].map(|side| float_bits(side as f32 / 2.0, 7, 16));
    set(r, 0x041, half[0]);
    set(r, 0x043, half[1]);
    set(r, 0x040, random.weighted(&[(94, 0), (3, 1), (3, 2)]));
    let (scale, offset) = match random.below(10) {
        0 => (number(random, -2.0, 2.0), number(random, -1.0, 1.0)),
        1 => (-1.0, number(random, -0.1, 0.1)),
        _ => (-1.0, 0.0),
    };
    set(r, 0x04d, float_bits(scale, 7, 16));
    set(r, 0x04e, float_bits(offset, 7, 16));
    set(r, 0x058, u32::from(random.chance(10)));
    set(r, 0x06d, u32::from(random.chance(75)));
    set(r, 0x065, random.weighted(&[(76, 0), (10, 1), (2, 2), (12, 3)]));
    let ordered = random.chance(90);
    let mut sides = |length: u32| {
        let (a, b) = (random.below(length.max(1)), random.below(length.max(1)));
        if ordered { [a.min(b), a.max(b)] } else { [a, b] }
    };
    let (x, y) = (sides(dim.width()), sides(dim.height()));
    set(r, 0x066, y[0] << 16 | x[0]);
    set(r, 0x067, y[1] << 16 | x[1]);
}

fn combiners(random: &mut Random, r: &mut Registers) {
    let used = random.weighted(&[(5, 0), (20, 1), (25, 2), (20, 3), (10, 4), (5, 5), (15, 6)]);
    for (stage, first) in STAGES.into_iter().enumerate() {
        set(r, first, if stage == 0 { 0 } else { 0x000f_000f });
        if stage < used {
            combiner(random, r, first, stage == 0);
        }
        set(r, first + 3, colour(random));
    }
    let updates = if random.chance(40) { random.below(256) << 8 } else { 0 };
    set(r, 0x0e0, updates);
    set(r, 0x0fd, colour(random));
}

fn combiner(random: &mut Random, r: &mut Registers, first: u16, is_first: bool) {
    let mut source = || match random.below(100) {
        0..3 => random.below(16),
        3..40 if !is_first => 15,
        3..20 => 0,
        _ => random.pick(&[0, 1, 2, 3, 4, 5, 6, 13, 14, 15]),
    };
    let sources = [0, 4, 8, 16, 20, 24].into_iter().fold(0, |word, shift| word | source() << shift);
    set(r, first, sources);
    let plain = random.chance(40);
    let operands = if plain { 0 } else { fields(random, first + 1) };
    set(r, first + 1, operands);
    let mut op = || if random.chance(2) { random.below(16) } else { random.below(10) };
    set(r, first + 2, op() | op() << 16);
    let mut scale = || if random.chance(70) { 0 } else { random.below(4) };
    set(r, first + 4, scale() | scale() << 16);
}

fn textures(random: &mut Random, r: &mut Registers) {
    let enabled = if random.chance(25) { 0 } else { random.below(8) };
    let unit3 = u32::from(random.chance(25)) << 10;
    let sets = if random.chance(30) { random.word() & 0x2300 } else { 0 };
    set(r, 0x080, enabled | unit3 | sets);
    for (unit, first) in [0x081, 0x091, 0x099].into_iter().enumerate() {
        texture(random, r, first, unit == 0);
    }
    let format = |random: &mut Random| if random.chance(2) { random.below(16) } else { random.below(14) };
    for id in [0x08e, 0x096, 0x09e] {
        set(r, id, format(random));
    }
    for id in 0x086..=0x08a {
        set(r, id, address(random) >> 3 & 0x003f_ffff);
    }
    set(r, 0x08b, random.word() & 0x00ff_ffff);
}

fn texture(random: &mut Random, r: &mut Registers, first: u16, has_kind: bool) {
    set(r, first, colour(random));
    let mut side = || match random.below(40) {
        0 => random.below(2048),
        1..4 => random.between(1, 70),
        _ => 8 << random.below(4),
    };
    let (width, mut height) = (side(), side());
    let kind = if has_kind {
        random.weighted(&[(60, 0), (10, 1), (9, 2), (10, 3), (7, 4), (4, 5)])
    } else {
        if random.chance(95) { 0 } else { random.below(8) }
    };
    if matches!(kind, 1 | 4) && random.chance(80) {
        height = width;
    }
    set(r, first + 1, width << 16 | height);
    set(r, first + 2, fields(random, first + 2) & 0x0fff_ffff | kind << 28);
    let any = random.below(16);
    let last = random.weighted(&[(50, 0), (20, 1), (15, 3), (10, 2), (5, any)]);
    let least = if random.chance(80) { 0 } else { random.below(4) };
    let bias = if random.chance(60) { 0 } else { random.word() & 0x1fff };
    set(r, first + 3, least << 24 | last << 16 | bias);
    set(r, first + 4, address(random) >> 3);
}

/// The address of a texture: mostly among textures, sometimes in the target, sometimes not in memory.
fn address(random: &mut Random) -> u32 {
    match random.below(40) {
        0 => BASE + 128 * random.below(16),
        1 => DEPTH + 128 * random.below(16),
        2 => BASE + SIZE - 64 * random.below(16),
        3 => random.word(),
        4 => TEXTURES + 8 * random.below(0x100),
        _ => TEXTURES + 128 * random.below(0x200),
    }
}

fn procedural(random: &mut Random, r: &mut Registers) {
    for id in 0x0a8..=0x0ad {
        set(r, id, fields(random, id));
    }
    if random.chance(60) {
        set(r, 0x0a8, r.raw(0x0a8) & !(1 << 15));
    }
    let mut half = || float_bits(number(random, -4.0, 4.0), 5, 10);
    let [phase_u, phase_v, frequency_u, frequency_v] = [(); 4].map(|()| half());
    set(r, 0x0a9, r.raw(0x0a9) & 0xffff | phase_u << 16);
    set(r, 0x0aa, r.raw(0x0aa) & 0xffff | phase_v << 16);
    set(r, 0x0ab, frequency_v << 16 | frequency_u);
    if random.chance(70) {
        // Tables of usual widths: a colour table of 128 entries, its levels after it.
        set(r, 0x0ac, r.raw(0x0ac) & !0x7ff | 128 << 11 & 0x7f800 | random.below(6));
    }
}

fn lighting(random: &mut Random, r: &mut Registers) {
    let off = u32::from(random.chance(20));
    set(r, 0x1c6, off);
    set(r, 0x08f, 1 - off);
    let any = random.below(8);
    let last = random.weighted(&[(40, 0), (20, 1), (10, 2), (10, 3), (20, any)]);
    set(r, 0x1c2, last);
    let environment = if random.chance(10) { random.below(16) } else { random.below(9) };
    set(r, 0x1c3, fields(random, 0x1c3) & !0xf0 | environment << 4);
    if random.chance(60) {
        set(r, 0x1c3, r.raw(0x1c3) & !(3 << 28 | 1));
    }
    set(r, 0x1c4, fields(random, 0x1c4));
    if random.chance(30) {
        set(r, 0x1c4, r.raw(0x1c4) | 0x007f_0000);
    }
    for id in [0x1d0, 0x1d1, 0x1d2, 0x1d9] {
        set(r, id, fields(random, id));
    }
    set(r, 0x1c0, random.word() & 0x0ff3_fcff);
    for light in 0..8 {
        super::data::light(random, r, 0x140 + 0x10 * light);
        set(r, 0x149 + 0x10 * light, random.below(16));
    }
}

fn fog(random: &mut Random, r: &mut Registers) {
    let any = random.below(8);
    let mode = random.weighted(&[(60, 0), (30, 5), (4, 7), (6, any)]);
    let flip = u32::from(random.chance(40)) << 16;
    set(r, 0x0e0, r.raw(0x0e0) | flip | mode | random.below(2) << 3);
    set(r, 0x0e1, random.word() & 0x00ff_ffff);
    for id in [0x0e4, 0x0e5, 0x120, 0x121, 0x122, 0x126] {
        set(r, id, fields(random, id));
    }
}

fn output(random: &mut Random, r: &mut Registers) {
    let mode = random.weighted(&[(92, 0), (5, 3), (1, 1), (2, 2)]);
    let blend = u32::from(random.chance(75)) << 8;
    let skip = if random.chance(2) { random.below(4) << 24 } else { 0 };
    set(r, 0x100, mode | blend | skip | 0xe4 << 16);
    let opaque = 0x0101_0000;
    set(r, 0x101, if random.chance(30) { opaque } else { fields(random, 0x101) });
    set(r, 0x102, if random.chance(50) { 3 } else { random.below(16) });
    set(r, 0x103, colour(random));
    let test = |random: &mut Random, chance| u32::from(random.chance(chance));
    // Tests that nothing passes are of little use.
    let mut func = || (if random.chance(92) { random.between(1, 7) } else { 0 }) << 4;
    let [alpha, stencil] = [func(), func()];
    set(r, 0x104, fields(random, 0x104) & !0x71 | alpha | test(random, 35));
    set(r, 0x105, fields(random, 0x105) & !0x71 | stencil | test(random, 35));
    set(r, 0x106, fields(random, 0x106));
    let mask = if random.chance(70) { 0xf00 } else { random.below(16) << 8 };
    let func = if random.chance(90) { random.between(1, 7) } else { 0 };
    let depth = test(random, 65) | func << 4 | test(random, 70) << 12;
    set(r, 0x107, mask | depth);
    set(r, 0x130, random.word());
}
