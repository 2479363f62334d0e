//! Random words for registers and commands.

use crate::pica::programs::generate::value::{self, Style};
use crate::random::Random;
use picaflor_pipeline::bits::FieldInfo;
use picaflor_pipeline::pica::regs::{Class, Description, Registers, describe};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

static DESCRIPTIONS: LazyLock<Vec<Description>> =
    LazyLock::new(|| (0..Registers::COUNT as u16).map(describe).collect());

/// Registers that only configure and hold no address, by unit.
static STATE: LazyLock<Vec<Vec<u16>>> = LazyLock::new(|| UNITS.map(state_of).to_vec());

/// Units whose registers are randomised together: set-up and scissor, depth and counts, textures, procedural
/// texture, combiners, fog and gas, tests and blending, buffers, shadows and gas, lighting, vertices, shader
/// banks.
const UNITS: [RangeInclusive<u16>; 12] = [
    0x040..=0x05f,
    0x060..=0x07f,
    0x080..=0x0a7,
    0x0a8..=0x0bf,
    0x0c0..=0x0df,
    0x0e0..=0x0ff,
    0x100..=0x10f,
    0x112..=0x11b,
    0x120..=0x13f,
    0x140..=0x1ff,
    0x227..=0x27f,
    0x280..=0x2df,
];

fn state_of(ids: RangeInclusive<u16>) -> Vec<u16> {
    let is_state = |&id: &u16| {
        let description = &DESCRIPTIONS[usize::from(id)];
        description.class == Class::Configuration && !is_control(id)
    };
    ids.filter(is_state).collect()
}

/// Registers that say how many vertices there are, where lists lie, and what starts them.
const fn is_control(id: u16) -> bool {
    matches!(id, 0x228 | 0x238..=0x23f)
}

/// The state registers of a random unit.
pub(super) fn unit(random: &mut Random) -> &'static [u16] {
    &STATE[random.below(STATE.len() as u32) as usize]
}

/// A word for a register: its fields one by one, or any bits.
pub(super) fn of_register(random: &mut Random, id: u16) -> u32 {
    let fields = DESCRIPTIONS.get(usize::from(id)).map_or(&[][..], |description| description.fields);
    match random.below(12) {
        0 => any(random),
        _ if fields.is_empty() => any(random),
        _ => fields.iter().fold(0, |word, info| word | field(random, info)),
    }
}

/// The bits of a field in their place, often the ends of its range.
fn field(random: &mut Random, info: &FieldInfo) -> u32 {
    let mask = u32::MAX >> (32 - (info.high - info.low).clamp(1, 32));
    let value = match random.below(8) {
        0 => 0,
        1 => mask,
        2 => mask >> 1,
        3 => (mask >> 1) + 1,
        4 => 1,
        _ => random.word(),
    };
    (value & mask) << info.low
}

/// Any bits, often at the ends of something: a float, an address, a small number.
pub(super) fn any(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => random.pick(&[0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 0x00ff_ffff, 0xffff_0000]),
        1 => value::raw_f24(random, Style::Wild),
        2 => value::word_f32(random, Style::Wild),
        3 => address(random) >> 3,
        4 => random.word() >> random.below(32),
        _ => random.word(),
    }
}

/// A physical address: in memory, around its ends, or anywhere.
pub(super) fn address(random: &mut Random) -> u32 {
    let (base, length) = random.pick(&super::REGIONS);
    match random.below(8) {
        0 => random.word(),
        1 => base.wrapping_sub(random.below(0x1000)),
        2 => base + length - random.below(0x1000),
        3 => base,
        _ => base + random.below(length),
    }
}

/// The second word of a command.
pub(super) fn header(random: &mut Random) -> u32 {
    let id = match random.below(40) {
        0 => random.word() & 0xffff,
        1 => random.pick(&[0x22e, 0x22f]),
        2 => random.pick(&[0x23c, 0x23d, 0x010, 0x228]),
        3 => random.between(0x232, 0x235),
        _ => random.below(0x400),
    };
    let mask = if random.chance(70) { 15 } else { random.below(16) };
    let extra = match random.below(10) {
        0 => random.below(256),
        1..4 => random.below(16),
        _ => 0,
    };
    id | mask << 16 | extra << 20 | u32::from(random.chance(30)) << 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_has_no_triggers() {
        let all: Vec<u16> = STATE.iter().flatten().copied().collect();
        assert!(all.len() > 240, "{} registers", all.len());
        for id in [0x010, 0x22e, 0x22f, 0x228, 0x23c, 0x23d, 0x11c, 0x11d, 0x200, 0x111] {
            assert!(!all.contains(&id), "{id:#05x}");
        }
        assert!(STATE.iter().all(|unit| !unit.is_empty()));
    }

    /// Random bits of a wide field, and both of its ends, come up.
    #[test]
    fn fields_reach_their_ends() {
        let mut random = Random::new(3);
        let widths: Vec<u32> = (0..300).map(|_| of_register(&mut random, 0x11e) & 0x7ff).collect();
        assert!(widths.contains(&0) && widths.contains(&0x7ff) && widths.contains(&1));
    }
}
