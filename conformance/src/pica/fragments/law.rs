//! States that have to draw the same as another one because they have the same key and data: the plainest one, and
//! neighbours.

use super::case::FragmentCase;
use crate::random::Random;
use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::regs::Registers;

/// Registers that are data as a whole: viewport and depth map, scissor, border, size, level of detail and
/// address of textures, the procedural texture's numbers, fog and blend colours, the target's place and size.
const WHOLE: [(u16, u16); 14] = [
    (0x040, 0x04f),
    (0x065, 0x069),
    (0x081, 0x083),
    (0x084, 0x08b),
    (0x08e, 0x08f),
    (0x091, 0x093),
    (0x094, 0x097),
    (0x099, 0x09b),
    (0x09c, 0x09f),
    (0x0a9, 0x0ac),
    (0x0ad, 0x0af),
    (0x0e1, 0x0e2),
    (0x103, 0x104),
    (0x11b, 0x11f),
];

/// Bits that are data in registers that select code too.
const PARTS: [(u16, u32); 7] = [
    (0x08b, !1),
    (0x0a8, 0x0ff0_0000),
    (0x0ac, !7),
    (0x100, 1 << 24),
    (0x104, 0xff00),
    (0x105, 0xffff_0000),
    (0x130, u32::MAX),
];

/// The plainest state of a case's key, with the case's data; `None` where data has no place of its own in
/// registers: combiner constants, which keys take from wherever they were passed on, and levels that a filter
/// lost.
#[must_use]
pub fn plainest(case: &FragmentCase) -> Option<(Registers, Luts)> {
    let key = FragmentStateKey::of(&case.registers).ok()?;
    let text = key.to_string();
    let combiners = text.split(':').nth(2)?;
    let mut registers = key.to_registers();
    let filters = [&registers, &case.registers].map(|registers| registers.raw(0x0ac) & 7);
    if combiners.contains('k') || registers.raw(0x080) & 1 << 10 != 0 && filters[0] != filters[1] {
        return None;
    }
    for id in WHOLE.into_iter().flat_map(|(first, end)| first..end) {
        registers.set_raw(id, case.registers.raw(id));
    }
    for (id, bits) in PARTS {
        registers.set_raw(id, registers.raw(id) & !bits | case.registers.raw(id) & bits);
    }
    // Nothing changes the stencil where the key says so; else the mask is data.
    if registers.raw(0x105) & 0xff00 != 0 {
        registers.set_raw(0x105, registers.raw(0x105) & !0xff00 | case.registers.raw(0x105) & 0xff00);
    }
    let luts = lights(case, &mut registers);
    Some((registers, luts))
}

/// Bits of registers that are never data: they select code, or have no effect.
const SELECTING: [(u16, u32); 44] = [
    (0x06d, 1),
    (0x080, 0x2407),
    (0x083, 0x7100_7706),
    (0x093, 0x0100_7706),
    (0x09b, 0x0100_7706),
    (0x0a8, 0x000f_ffff),
    (0x0c0, u32::MAX),
    (0x0c1, u32::MAX),
    (0x0c2, u32::MAX),
    (0x0c4, u32::MAX),
    (0x0c8, u32::MAX),
    (0x0c9, u32::MAX),
    (0x0ca, u32::MAX),
    (0x0cc, u32::MAX),
    (0x0d0, u32::MAX),
    (0x0d1, u32::MAX),
    (0x0d2, u32::MAX),
    (0x0d4, u32::MAX),
    (0x0d8, u32::MAX),
    (0x0d9, u32::MAX),
    (0x0da, u32::MAX),
    (0x0dc, u32::MAX),
    (0x0f0, u32::MAX),
    (0x0f1, u32::MAX),
    (0x0f2, u32::MAX),
    (0x0f4, u32::MAX),
    (0x0f8, u32::MAX),
    (0x0f9, u32::MAX),
    (0x0fa, u32::MAX),
    (0x0fc, u32::MAX),
    (0x0e0, 0x0001_ff07),
    (0x100, 0x0000_0fff),
    (0x101, u32::MAX),
    (0x102, u32::MAX),
    (0x104, 0xff),
    (0x105, 0xff),
    (0x106, u32::MAX),
    (0x107, u32::MAX),
    (0x112, u32::MAX),
    (0x113, u32::MAX),
    (0x114, u32::MAX),
    (0x115, u32::MAX),
    (0x1c3, u32::MAX),
    (0x1c4, u32::MAX),
];

/// Lights, continued: inputs of lighting tables, and effects of lights.
const OF_LIGHTS: [u16; 10] = [0x149, 0x159, 0x169, 0x179, 0x189, 0x199, 0x1a9, 0x1b9, 0x1d0, 0x1d1];

/// Number of changed bits.
const CHANGES: u32 = 24;

/// A state of the same key and the same constants, with as many bits that select code changed as a few attempts
/// allow. Tables and memory are those of the case.
#[must_use]
pub fn neighbour(case: &FragmentCase, key: FragmentStateKey, random: &mut Random) -> Registers {
    let constants = key.constants(&case.registers);
    let mut registers = case.registers.clone();
    for _ in 0..CHANGES {
        let number = random.below((SELECTING.len() + OF_LIGHTS.len()) as u32) as usize;
        let of_light = || (OF_LIGHTS[number - SELECTING.len()], u32::MAX);
        let (id, bits) = SELECTING.get(number).copied().unwrap_or_else(of_light);
        let before = registers.raw(id);
        // One bit, a few, or all that there are.
        let some = match random.below(3) {
            0 => 1 << random.below(32),
            1 => random.word() & random.word(),
            _ => random.word(),
        };
        registers.set_raw(id, before ^ some & bits);
        if FragmentStateKey::of(&registers) != Ok(key) || key.constants(&registers) != constants {
            registers.set_raw(id, before);
        }
    }
    registers
}

/// Copies the data of lights, which are sorted by slot; their tables are sorted with them.
fn lights(case: &FragmentCase, registers: &mut Registers) -> Luts {
    for id in [0x1c0, 0x1d2] {
        registers.set_raw(id, case.registers.raw(id));
    }
    let mut luts = case.luts.clone();
    let order = case.registers.light_permutation();
    for slot in 0..8 {
        let id = order.light(slot);
        for offset in (0..12).filter(|&offset| offset != 9) {
            let word = case.registers.raw(0x140 + 0x10 * id as u16 + offset);
            registers.set_raw(0x140 + 0x10 * slot as u16 + offset, word);
        }
        for first in [8, 16] {
            luts.lighting[first + slot] = case.luts.lighting[first + id];
        }
    }
    luts
}
