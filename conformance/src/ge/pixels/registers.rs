//! Random registers of the pixel path.

use super::{PixelCase, RAM};
use crate::generate::random::Random;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM};

/// Where colour, depth and textures lie unless they overlap on purpose.
const COLOUR: u32 = 0x0000_0000;
const DEPTH: u32 = 0x0008_0000;
const TEXTURE: u32 = 0x0010_0000;

fn set(registers: &mut Registers, command: u8, argument: u32) {
    registers.write(u32::from(command) << 24 | argument & 0xff_ffff);
}

/// Whether a case is drawn in another order by several tiles: rows that share memory, or buffers that overlap.
pub(super) fn tiles_are_apart(case: &PixelCase) -> bool {
    let stride = |register| case.registers.arg(register) & 0x7fc;
    stride(op::FBW) >= 64 && stride(op::ZBW) >= 64
}

/// Addresses of what a case reads and writes.
pub(super) fn places(registers: &Registers) -> [u32; 4] {
    let vram = |register| VRAM + (registers.arg(register) & 0x1f_ffff).min(0x1f_0000);
    let texture = registers.arg(op::TBP0) & 0x1f_fff0;
    [vram(op::FBP), vram(op::ZBP), VRAM + texture.min(0x1f_0000), RAM]
}

/// How mirrors are wired.
pub(super) fn maps(random: &mut Random) -> AddressMaps {
    let others = [AddressMaps::Off, AddressMaps::Shift(0), AddressMaps::Shift(2), AddressMaps::Shift(3)];
    match random.below(10) {
        0..5 => AddressMaps::Flat,
        5..8 => AddressMaps::default(),
        _ => random.pick(&others),
    }
}

/// A state, and whether its vertices are immediate ones.
pub(super) fn registers(random: &mut Random) -> (Registers, bool) {
    let mut registers = Registers::default();
    let r = &mut registers;
    set(r, op::VTYPE, if random.chance(40) { 1 << 23 } else { 0 });
    target(random, r);
    tests(random, r);
    texture(random, r);
    output(random, r);
    for (enable, percent) in [
        (op::TME, 60),
        (op::FGE, 25),
        (op::DTE, 25),
        (op::ABE, 40),
        (op::ATE, 30),
        (op::ZTE, 60),
        (op::STE, 30),
        (op::CTE, 12),
        (op::LOE, 12),
        (op::SHADE, 60),
        (op::LMODE, 25),
        (op::CLEAR, 0),
    ] {
        set(r, enable, u32::from(random.chance(percent)));
    }
    if random.chance(12) {
        set(r, op::CLEAR, 1 | random.below(8) << 8);
        // As the machine has it for such draws.
        set(r, op::SHADE, 0);
    }
    (registers, random.chance(10))
}

fn target(random: &mut Random, r: &mut Registers) {
    let near = |random: &mut Random, base: u32| base + 16 * random.below(256);
    let colour = near(random, COLOUR);
    let depth = match random.below(20) {
        0 => near(random, COLOUR),
        1 => 0x1f_ff00,
        _ => near(random, DEPTH),
    };
    let strides = [0, 4, 60, 64, 64, 64, 68, 128, 512, 512, 512, 2044];
    set(r, op::FBP, if random.chance(3) { 0x1f_fe00 } else { colour });
    set(r, op::FBW, random.pick(&strides));
    set(r, op::ZBP, depth);
    set(r, op::ZBW, random.pick(&strides));
    set(r, op::PSM, random.below(4));
    let corner = |random: &mut Random, most: u32| random.below(most) | random.below(most) << 10;
    set(r, op::SCISSOR1, if random.chance(70) { 0 } else { corner(random, 16) });
    set(r, op::SCISSOR2, if random.chance(50) { 63 | 63 << 10 } else { corner(random, 64) });
    set(r, op::REGION2, if random.chance(90) { 0xf_ffff } else { corner(random, 64) });
}

fn tests(random: &mut Random, r: &mut Registers) {
    let masked = |random: &mut Random| {
        let mask = if random.chance(70) { 0xff } else { random.below(256) };
        random.below(8) | random.below(256) << 8 | mask << 16
    };
    let [alpha, stencil] = [masked(random), masked(random)];
    set(r, op::ATST, alpha);
    set(r, op::STST, stencil);
    set(r, op::SOP, random.below(8) | random.below(8) << 8 | random.below(8) << 16);
    set(r, op::ZTST, if random.chance(30) { 1 } else { random.below(8) });
    set(r, op::ZMSK, u32::from(random.chance(25)));
    set(r, op::CTST, random.below(4));
    set(r, op::CREF, random.word());
    set(r, op::CMSK, random.pick(&[0, 0xff_ffff, 0x80_8080, 0xff, 0xc0_0000]));
    let range = random.chance(70);
    set(r, op::NEARZ, if range { 0 } else { random.below(0x9000) });
    set(r, op::FARZ, if range { 0xffff } else { random.below(0x1_0000) });
}

fn texture(random: &mut Random, r: &mut Registers) {
    let formats = [0, 1, 2, 3, 3, 3, 4, 5, 5, 6, 7, 8, 9, 10, 12];
    set(r, op::TPSM, random.pick(&formats));
    set(r, op::TMODE, u32::from(random.chance(40)) | random.below(2) << 8 | random.below(8) << 16);
    set(
        r,
        op::CMODE,
        random.below(4)
            | random.below(8) << 2
            | random.pick(&[0xff, 0xff, 0x0f]) << 8
            | random.below(32) << 16,
    );
    set(
        r,
        op::TFLT,
        if random.chance(60) { random.pick(&[0, 0x101]) } else { random.below(8) | random.below(2) << 8 },
    );
    set(r, op::TWRAP, random.below(2) | random.below(2) << 8);
    set(r, op::TBIAS, random.below(4) | random.pick(&[0, 0, 0x10, 0x28, 0xe8]) << 16);
    set(r, op::TSLOPE, (random.pick(&[1.0_f32, 0.25, -2.0, 0.0])).to_bits() >> 8);
    set(r, op::TFUNC, random.below(8) | random.below(2) << 8 | u32::from(random.chance(30)) << 16);
    set(r, op::TEC, random.word());
    for level in 0..8 {
        let (high, base) = match random.below(12) {
            0 => (4 << 16, COLOUR),
            1 => (4 << 16, 0x0060_0000 | TEXTURE),
            2 => (4 << 16, 0x0020_0000 | TEXTURE),
            3 => (4 << 16, 0x1f_ff00),
            4..8 => (8 << 16, 0x0080_0000),
            _ => (4 << 16, TEXTURE),
        };
        set(r, op::TBP0 + level, base + 16 * random.below(64));
        set(r, op::TBW0 + level, high | random.pick(&[0, 4, 8, 16, 32, 64, 128, 33]));
        let side = |random: &mut Random| if random.chance(90) { random.below(7) } else { random.below(16) };
        set(r, op::TSIZE0 + level, side(random) | side(random) << 8);
    }
}

fn output(random: &mut Random, r: &mut Registers) {
    set(
        r,
        op::ALPHA,
        random.below(12) | random.below(12) << 4 | random.pick(&[0, 0, 0, 1, 2, 3, 4, 5, 6]) << 8,
    );
    set(r, op::LOP, random.below(16));
    set(r, op::PMSKC, if random.chance(80) { 0 } else { random.pick(&[0xff_ffff, 0x0f_f00f, 0x5a_a57e]) });
    set(r, op::PMSKA, if random.chance(80) { 0 } else { random.pick(&[0xff, 0x80, 0x0f]) });
}

/// What changes from case to case of a state: data.
pub(super) fn vary(random: &mut Random, r: &mut Registers) {
    for register in [op::SFIX, op::DFIX, op::FCOL, op::TEC] {
        set(r, register, random.word());
    }
    for row in 0..4 {
        set(r, op::DTH0 + row, random.word() & 0xffff);
    }
}
