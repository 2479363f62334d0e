//! The registers' words as far as a key can depend on them.
//!
//! To make a [key](super::FragmentKey) takes as long as to draw a small triangle. So an engine finds the keys
//! that it has made by these words, which are only masked. States with equal words have equal keys, because the
//! key is made of [`StateWords::to_registers`]; many words lead to one key.

use picaflor_pipeline::pica::regs::Registers;

/// Registers, and their bits that can select code: first those that always do.
const PLACES: [(u16, u32); COUNT] = [
    // Flat colour, w buffer, units that are on.
    (0x058, 1),
    (0x06d, 1),
    (0x080, u32::MAX),
    // Textures: size, filters and wrapping, last and first level; the bias is data.
    (0x082, u32::MAX),
    (0x083, u32::MAX),
    (0x084, 0x0f0f_0000),
    (0x092, u32::MAX),
    (0x093, u32::MAX),
    (0x094, 0x0f0f_0000),
    (0x09a, u32::MAX),
    (0x09b, u32::MAX),
    (0x09c, 0x0f0f_0000),
    // Shadow textures without their division.
    (0x08b, 1),
    // Combiner stages without their constants; buffer updates and fog.
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
    (0x0e0, u32::MAX),
    // Tests without references, blending, masks, formats and access to the buffers.
    (0x100, u32::MAX),
    (0x101, u32::MAX),
    (0x102, u32::MAX),
    (0x104, 0xff),
    (0x105, 0xffff),
    (0x106, u32::MAX),
    (0x107, u32::MAX),
    (0x112, 15),
    (0x113, 15),
    (0x114, 3),
    (0x115, 3),
    (0x116, u32::MAX),
    (0x117, u32::MAX),
    // Whether lighting is off.
    (0x1c6, u32::MAX),
    // Addresses of textures, of which only counts whether they are 0.
    (0x085, 0x0fff_ffff),
    (0x095, 0x0fff_ffff),
    (0x09d, 0x0fff_ffff),
    // The procedural texture without the width of its table, where it is on.
    (0x0a8, u32::MAX),
    (0x0ac, !(0xff << 11)),
    // Lighting, where it is on.
    (0x149, u32::MAX),
    (0x159, u32::MAX),
    (0x169, u32::MAX),
    (0x179, u32::MAX),
    (0x189, u32::MAX),
    (0x199, u32::MAX),
    (0x1a9, u32::MAX),
    (0x1b9, u32::MAX),
    (0x1c2, u32::MAX),
    (0x1c3, u32::MAX),
    (0x1c4, u32::MAX),
    (0x1d0, u32::MAX),
    (0x1d1, u32::MAX),
    (0x1d9, u32::MAX),
];

const COUNT: usize = 71;
/// Where in the table lighting, the procedural texture and addresses begin.
const LIGHTING: usize = COUNT - 14;
const PROCTEX: usize = LIGHTING - 2;
const ADDRESSES: usize = PROCTEX - 3;

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
            words[PROCTEX..LIGHTING].fill(0);
        }
        if registers.lighting_disable().disabled() {
            words[LIGHTING..].fill(0);
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
