//! The registers on which the pixels of a draw depend: what says that two draws are in the same state.
//!
//! What is left out here has no effect; a test draws random states with other values of it. Some registers stay in that
//! would have none either: two states that differ in them are two states for the one who wrote them too.

use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::combiner::fog::FogMode;
use std::ops::RangeInclusive;

/// Interrupts, ports of tables, pointers to vertices, triggers, immediate vertices, command lists, ports of uniforms and
/// programs. What came through a port is data, as vertices and texels are.
const NEVER: [RangeInclusive<u16>; 21] = [
    0x000..=0x03f,
    0x0af..=0x0b7,
    0x0e6..=0x0ef,
    0x110..=0x111,
    0x123..=0x124,
    0x1c5..=0x1c5,
    0x1c8..=0x1cf,
    0x200..=0x200,
    0x227..=0x228,
    0x22a..=0x22a,
    0x22d..=0x236,
    0x238..=0x23d,
    0x25f..=0x25f,
    0x290..=0x298,
    0x29b..=0x2a3,
    0x2a5..=0x2ad,
    0x2af..=0x2af,
    0x2c0..=0x2c8,
    0x2cb..=0x2d3,
    0x2d5..=0x2dd,
    0x2df..=0x2ff,
];

/// Registers of texture units 0 to 2, and of the procedural texture.
const TEXTURES: [RangeInclusive<u16>; 4] = [0x081..=0x08e, 0x091..=0x096, 0x099..=0x09e, 0x0a8..=0x0ad];

/// The words of the registers with 0 in place of those without effect.
pub(super) fn essence(registers: &Registers) -> Vec<u32> {
    let mut words = registers.words().to_vec();
    let mut clear =
        |range: RangeInclusive<u16>| words[usize::from(*range.start())..=usize::from(*range.end())].fill(0);
    NEVER.into_iter().for_each(&mut clear);
    // Offsets of the arrays of vertices.
    (0..12).map(|n| 0x203 + 3 * n).for_each(|id| clear(id..=id));
    let config = registers.texunit_config();
    for (unit, range) in TEXTURES.into_iter().enumerate() {
        let is_on = if unit < 3 { config.enable(unit) } else { registers.raw(0x080) & 1 << 10 != 0 };
        if !is_on {
            clear(range);
        }
    }
    if registers.texenv_update_buffer().fog_mode() == FogMode::None {
        clear(0x0e1..=0x0e1);
    }
    if registers.raw(0x065) & 3 == 0 {
        clear(0x066..=0x067);
    }
    if registers.raw(0x047) & 1 == 0 {
        clear(0x048..=0x04b);
    }
    if registers.raw(0x100) & 1 << 8 == 0 {
        clear(0x101..=0x101);
        clear(0x103..=0x103);
    } else {
        clear(0x102..=0x102);
    }
    if registers.raw(0x104) & 1 == 0 {
        clear(0x104..=0x104);
    }
    if registers.raw(0x105) & 1 == 0 {
        clear(0x105..=0x106);
    }
    if registers.raw(0x229) & 3 != 2 {
        clear(0x280..=0x2af);
    }
    lights(registers, &mut clear);
    words
}

/// Lights that are off, or all of lighting.
fn lights(registers: &Registers, clear: &mut dyn FnMut(RangeInclusive<u16>)) {
    if registers.lighting_disable().disabled() {
        clear(0x140..=0x1c4);
        clear(0x1d0..=0x1d9);
        return;
    }
    let slots = (registers.raw(0x1c2) & 7) as usize + 1;
    let order = registers.light_permutation();
    for light in 0..8 {
        if (0..slots).all(|slot| order.light(slot) != light) {
            let first = 0x140 + 0x10 * light as u16;
            clear(first..=first + 0xf);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::fragments::draws_the_same;
    use crate::random::Random;

    #[test]
    fn what_is_left_out_changes_no_pixel() {
        let mut random = Random::of_item(7, 0);
        let mut all = 0;
        for number in 0..600 {
            all += draws_the_same(13, number, |registers| {
                let (known, mut count) = (essence(registers), 0);
                for id in 0..Registers::COUNT as u16 {
                    let before = registers.raw(id);
                    registers.set_raw(id, random.word());
                    if essence(registers) == known {
                        count += 1;
                    } else {
                        registers.set_raw(id, before);
                    }
                }
                count
            });
        }
        assert!(all > 20_000, "{all}");
    }

    #[test]
    fn states_that_differ() {
        let mut registers = Registers::new();
        let base = essence(&registers);
        let mut with = |id: u16, value: u32| {
            registers.set_raw(id, value);
            essence(&registers)
        };
        assert_eq!(with(0x228, 12), base, "another count of vertices is no other state");
        assert_eq!(with(0x104, 0x40), base, "no alpha test");
        assert_ne!(with(0x104, 0x41), base);
        assert_ne!(with(0x11d, 0x123), base);
    }
}
