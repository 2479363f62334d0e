//! The plainest state of a key, with the data of another state that has the key: it has to draw the same.

use super::case::FragmentCase;
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

/// The case in the plainest state of its key, `None` where data has no place of its own in registers:
/// combiner constants, which keys take from wherever they were passed on, and levels that a filter lost.
#[must_use]
pub fn plainest(case: &FragmentCase) -> Option<FragmentCase> {
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
    Some(FragmentCase { registers, luts, ..case.clone() })
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
