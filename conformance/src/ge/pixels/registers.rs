//! Random registers of the pixel path: a mode, which selects code, and data.

use crate::random::Random;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::vram::AddressMaps;

/// Addresses of colour, depth and textures, unless they overlap on purpose.
const COLOUR: u32 = 0x0000_0000;
const DEPTH: u32 = 0x0008_0000;
const TEXTURE: u32 = 0x0010_0000;

fn set(registers: &mut Registers, command: u8, argument: u32) {
    registers.write(u32::from(command) << 24 | argument & 0xff_ffff);
}

/// True if the order of tiles has no effect: rows of pixels do not share memory.
pub(super) fn tiles_are_apart(registers: &Registers) -> bool {
    let stride = |register| registers.arg(register) & 0x7fc;
    stride(op::FBW) >= 64 && stride(op::ZBW) >= 64
}

/// Random wiring of the mirrors of VRAM.
pub(super) fn maps(random: &mut Random) -> AddressMaps {
    let others = [AddressMaps::Off, AddressMaps::Shift(0), AddressMaps::Shift(2), AddressMaps::Shift(3)];
    match random.below(10) {
        0..5 => AddressMaps::Flat,
        5..8 => AddressMaps::default(),
        _ => random.pick(&others),
    }
}

/// The properties that many cases share.
#[derive(Debug, Clone)]
pub(in crate::ge) struct Mode {
    registers: Registers,
    /// True if vertices are immediate ones.
    pub(super) is_immediate: bool,
    /// True if depth has to lie between two bounds.
    has_range: bool,
    /// Some bits of colour, and of alpha, are kept.
    masks: [bool; 2],
    overlaps: bool,
    /// Unusual buffers: other row lengths, or an address at the end of VRAM.
    is_strange: bool,
}

impl Mode {
    pub(in crate::ge) fn random(random: &mut Random) -> Self {
        let mut registers = Registers::default();
        let r = &mut registers;
        set(r, op::VTYPE, if random.chance(40) { 1 << 23 } else { 0 });
        set(r, op::PSM, random.below(4));
        tests(random, r);
        texture_mode(random, r);
        let functions =
            random.below(12) | random.below(12) << 4 | random.pick(&[0, 0, 0, 1, 2, 3, 4, 5, 6]) << 8;
        // By alpha and by what is left of it, often.
        set(r, op::ALPHA, if random.chance(30) { 2 | 3 << 4 } else { functions });
        set(r, op::LOP, random.below(16));
        enables(random, r);
        Self {
            registers,
            is_immediate: random.chance(10),
            has_range: random.chance(30),
            masks: [random.chance(20), random.chance(20)],
            overlaps: random.chance(3),
            is_strange: random.chance(15),
        }
    }

    /// The registers of a case: all that code reads instead of being made for it changes.
    pub(in crate::ge) fn registers(&self, random: &mut Random) -> Registers {
        let mut registers = self.registers.clone();
        let r = &mut registers;
        self.target(random, r);
        self.data(random, r);
        texture(random, r);
        registers
    }

    fn target(&self, random: &mut Random, r: &mut Registers) {
        let near = |random: &mut Random, base: u32| base + 16 * random.below(1 << 14);
        let colour = near(random, COLOUR);
        let strides = [0, 4, 16, 60, 64, 68, 2044];
        let stride = |random: &mut Random| match self.is_strange {
            true => random.pick(&strides),
            false => random.pick(&[64, 64, 68, 128, 256, 480, 512, 512]),
        };
        set(r, op::FBP, if self.is_strange && random.chance(20) { 0x1f_fe00 } else { colour });
        set(r, op::FBW, stride(random));
        let depth = if self.overlaps { colour + 16 * random.below(64) } else { near(random, DEPTH) };
        set(r, op::ZBP, if self.is_strange && random.chance(20) { 0x1f_ff00 } else { depth });
        set(r, op::ZBW, stride(random));
        let corner = |random: &mut Random, most: u32| random.below(most) | random.below(most) << 10;
        let side = random.pick(&[16, 16, 32, 64]);
        set(r, op::SCISSOR1, if random.chance(70) { 0 } else { corner(random, side / 2) });
        set(
            r,
            op::SCISSOR2,
            if random.chance(50) { (side - 1) | (side - 1) << 10 } else { corner(random, side) },
        );
        set(r, op::REGION2, if random.chance(90) { 0xf_ffff } else { corner(random, side) });
    }

    fn data(&self, random: &mut Random, r: &mut Registers) {
        for register in [op::ATST, op::STST] {
            let (func, reference) = (r.arg(register) & 7, random.below(256));
            let mask = if random.chance(70) { 0xff } else { random.below(256) };
            set(r, register, func | reference << 8 | mask << 16);
        }
        set(r, op::CREF, random.word());
        set(r, op::CMSK, random.pick(&[0, 0xff_ffff, 0x80_8080, 0xff, 0xc0_0000, 0x01_0101]));
        set(r, op::NEARZ, if self.has_range { random.between(1, 0x9000) } else { 0 });
        set(r, op::FARZ, if self.has_range { random.below(0x1_0000) } else { 0xffff });
        for register in [op::SFIX, op::DFIX, op::FCOL, op::TEC] {
            set(r, register, random.word());
        }
        for row in 0..4 {
            set(r, op::DTH0 + row, random.word() & 0xffff);
        }
        let some = random.pick(&[0x0f_f00f, 0x5a_a57e, 0x80_8080, 0x07_0307, 0xff_ff00]);
        set(r, op::PMSKC, if self.masks[0] { some } else { 0 });
        set(r, op::PMSKA, if self.masks[1] { random.pick(&[0xff, 0x80, 0x0f, 0x7f, 0x55]) } else { 0 });
    }
}

fn enables(random: &mut Random, r: &mut Registers) {
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
    ] {
        set(r, enable, u32::from(random.chance(percent)));
    }
    if r.is_on(op::LMODE) && random.chance(75) {
        // A light with a specular part.
        [op::LTE, op::LTE0 + 2, op::LT0 + 2].into_iter().for_each(|command| set(r, command, 1));
    }
    if random.chance(6) {
        set(r, op::CLEAR, 1 | random.below(8) << 8);
        // As the machine has it for such draws.
        set(r, op::SHADE, 0);
    }
}

fn tests(random: &mut Random, r: &mut Registers) {
    set(r, op::ATST, random.below(8));
    set(r, op::STST, random.below(8));
    set(r, op::SOP, random.below(8) | random.below(8) << 8 | random.below(8) << 16);
    set(r, op::ZTST, if random.chance(30) { 1 } else { random.below(8) });
    set(r, op::ZMSK, u32::from(random.chance(25)));
    set(r, op::CTST, random.below(4));
}

fn texture_mode(random: &mut Random, r: &mut Registers) {
    set(
        r,
        op::TFLT,
        if random.chance(60) { random.pick(&[0, 0x101]) } else { random.below(8) | random.below(2) << 8 },
    );
    set(r, op::TMODE, u32::from(random.chance(70)) << 16);
    set(r, op::TWRAP, random.below(2) | random.below(2) << 8);
    set(r, op::TBIAS, random.below(4));
    set(r, op::TFUNC, random.below(8) | random.below(2) << 8 | u32::from(random.chance(30)) << 16);
}

/// Layout and contents of textures.
fn texture(random: &mut Random, r: &mut Registers) {
    let formats = [0, 1, 2, 3, 3, 3, 4, 5, 5, 6, 7, 8, 9, 10, 12];
    set(r, op::TPSM, random.pick(&formats));
    let last = if r.texture_mode().max_level() > 0 { random.between(1, 7) } else { 0 };
    set(r, op::TMODE, u32::from(random.chance(40)) | random.below(2) << 8 | last << 16);
    set(
        r,
        op::CMODE,
        random.below(4)
            | random.below(8) << 2
            | random.pick(&[0xff, 0xff, 0x0f]) << 8
            | random.below(32) << 16,
    );
    let bias = random.pick(&[0, 0, 0x10, 0x28, 0xe8, 0x55, 0x80]);
    set(r, op::TBIAS, r.arg(op::TBIAS) & 3 | bias << 16);
    set(r, op::TSLOPE, random.pick(&[1.0_f32, 0.25, -2.0, 0.0, 3.5]).to_bits() >> 8);
    // Now and then any size; what it costs to decode goes with it.
    let is_large = random.chance(1);
    for level in 0..=last as u8 {
        let (high, base) = match random.below(48) {
            0 => (4 << 16, COLOUR),
            1 => (4 << 16, 0x0060_0000 | TEXTURE),
            2 => (4 << 16, 0x0020_0000 | TEXTURE),
            3 => (4 << 16, 0x1f_ff00),
            4..24 => (8 << 16, 0x0080_0000),
            _ => (4 << 16, TEXTURE),
        };
        set(r, op::TBP0 + level, base + 16 * random.below(1 << 13));
        set(r, op::TBW0 + level, high | random.pick(&[0, 4, 8, 16, 32, 64, 128, 33]));
        let side = |random: &mut Random| if is_large { random.below(16) } else { random.below(6) };
        set(r, op::TSIZE0 + level, side(random) | side(random) << 8);
    }
}
