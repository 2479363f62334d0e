//! The registers' words as far as a key can depend on them.
//!
//! To make a [key](super::FragmentKey) takes as long as to draw a small triangle. So an engine finds the keys
//! that it has made by these words, which are only masked. States with equal words have equal keys, because the
//! key is made of [`StateWords::to_registers`]; many words lead to one key.

use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::switches::{FRAGMENTS, LIGHTING, PROCEDURAL};

/// Textures beside their switches: sizes, and addresses, of which only counts whether they are 0.
const TEXTURES: [(u16, u32); 6] = [
    (0x082, u32::MAX),
    (0x092, u32::MAX),
    (0x09a, u32::MAX),
    (0x085, 0x0fff_ffff),
    (0x095, 0x0fff_ffff),
    (0x09d, 0x0fff_ffff),
];

/// Where the parts of [`PLACES`] begin.
const SIZES: usize = FRAGMENTS.len();
const ADDRESSES: usize = SIZES + 3;
const PROCTEX: usize = SIZES + TEXTURES.len();
const LIGHTS: usize = PROCTEX + PROCEDURAL.len();
const COUNT: usize = LIGHTS + LIGHTING.len();

/// Registers, and their bits that can select code: a run pays for the [switches](picaflor_pipeline::pica::switches) among them.
const PLACES: [(u16, u32); COUNT] = {
    let mut places = [(0, 0); COUNT];
    places.split_at_mut(SIZES).0.copy_from_slice(&FRAGMENTS);
    places.split_at_mut(SIZES).1.split_at_mut(TEXTURES.len()).0.copy_from_slice(&TEXTURES);
    places.split_at_mut(PROCTEX).1.split_at_mut(PROCEDURAL.len()).0.copy_from_slice(&PROCEDURAL);
    places.split_at_mut(LIGHTS).1.copy_from_slice(&LIGHTING);
    places
};

/// The words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct StateWords([u32; COUNT]);

impl StateWords {
    /// The words of a state.
    pub(crate) fn of(registers: &Registers) -> Self {
        let all = registers.words();
        let mut words = PLACES.map(|(id, bits)| all[usize::from(id)] & bits);
        for address in &mut words[ADDRESSES..PROCTEX] {
            *address = u32::from(*address != 0);
        }
        if !registers.texunit_config().enable3() {
            words[PROCTEX..LIGHTS].fill(0);
        }
        if registers.lighting_disable().disabled() {
            words[LIGHTS..].fill(0);
        }
        Self(words)
    }

    /// The plainest registers with these words.
    pub(crate) fn to_registers(self) -> Registers {
        let mut registers = Registers::new();
        for (word, (id, _)) in self.0.into_iter().zip(PLACES) {
            registers.set_raw(id, word);
        }
        registers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::key::fragment::FragmentKey;

    /// What the words leave out does not matter to the key, in states where much is switched on.
    #[test]
    fn keys_depend_on_nothing_else() {
        let mut seed = 1_u64;
        let mut random = || picaflor_pipeline::random::word(&mut seed);
        let mut keys = std::collections::HashSet::new();
        for round in 0..20_000 {
            let mut registers = Registers::new();
            (0x040..0x200).for_each(|id| registers.set_raw(id, random() & random()));
            registers.set_raw(0x100, random() & 0x101);
            registers.set_raw(0x1c6, random() & 1);
            for id in 0x112..0x116 {
                registers.set_raw(id, random() | random());
            }
            if round % 3 == 0 {
                registers.set_raw([0x085, 0x095, 0x09d][round % 9 / 3], 0);
            }
            let key = FragmentKey::of(&registers);
            assert_eq!(FragmentKey::of(&StateWords::of(&registers).to_registers()), key, "round {round}");
            keys.extend(key.ok());
        }
        assert!(keys.len() > 3_000, "{} keys", keys.len());
    }
}
