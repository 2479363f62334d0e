//! Mutations that know what lists and dumps are made of: commands, words and records are added, removed, repeated, put
//! elsewhere and changed as wholes, so that what a fuzzer tries is as sound as what it began with. What is common to the
//! machines; their own mutations are in `pica/mutate.rs` and `ge/mutate.rs`.

use crate::random::Random;

/// Words that mean much: limits of fields, enables, floats.
const WORDS: [u32; 12] =
    [0, 1, 2, 3, 0xff, 0x100, 0xffff, 0x3f_8000, 0xff_ffff, 0x8000_0000, 0x3f80_0000, u32::MAX];

/// A change of the bytes of a target's input; `None` if they have not the structure for it.
pub type Mutation = fn(&mut Random, &[u8]) -> Option<Vec<u8>>;

/// Applies a mutation to the first `size` bytes of a fuzzer's buffer, three times of four; returns their new number. `None`
/// if the fuzzer is to change them in its own way.
pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32, mutation: Mutation) -> Option<usize> {
    let mut random = Random::new(seed.into());
    if random.chance(25) {
        return None;
    }
    let changed = mutation(&mut random, data.get(..size)?)?;
    if changed.len() > most || changed == data[..size] {
        return None;
    }
    data.get_mut(..changed.len())?.copy_from_slice(&changed);
    Some(changed.len())
}

/// One of some items, or none of no items.
pub(super) fn any<'a, T>(random: &mut Random, items: &'a mut [T]) -> Option<&'a mut T> {
    if items.is_empty() { None } else { items.get_mut(random.below(items.len() as u32) as usize) }
}

/// Adds, repeats, removes or moves an item, or none.
pub(super) fn rearranged<T: Clone>(
    random: &mut Random,
    items: &mut Vec<T>,
    new: impl FnOnce(&mut Random) -> T,
) {
    let count = items.len() as u32;
    let place = |random: &mut Random| random.below(count) as usize;
    match random.below(6) {
        0 => {
            let at = random.below(count + 1) as usize;
            items.insert(at, new(random));
        }
        1 if count > 0 => {
            let (from, to) = (place(random), place(random));
            items.insert(to, items[from].clone());
        }
        2 if count > 1 => drop(items.remove(place(random))),
        3 if count > 1 => {
            let (a, b) = (place(random), place(random));
            items.swap(a, b);
        }
        _ => {}
    }
}

/// A value near another one, or one that means much.
pub(super) fn value(random: &mut Random, now: u32) -> u32 {
    match random.below(4) {
        0 => random.pick(&WORDS),
        1 => now ^ 1 << random.below(32),
        2 => now.wrapping_add(random.below(33)).wrapping_sub(16),
        _ => now ^ random.word() >> random.below(32),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Mutation, mutate};
    use crate::random::Random;

    /// Chains of mutations stay what they were: sound inputs, of which most differ from the one before.
    pub(in crate::target) fn chains(mutation: Mutation, first: &[u8], is_sound: impl Fn(&[u8]) -> bool) {
        let (mut bytes, mut changed) = (first.to_vec(), 0);
        for n in 0..400 {
            let next = mutation(&mut Random::of_item(8, n), &bytes).expect("a sound input");
            assert!(is_sound(&next), "mutation {n}");
            changed += u32::from(next != bytes);
            bytes = if next.len() > 20_000 { first.to_vec() } else { next };
        }
        assert!(changed > 250, "{changed} of 400");
    }

    #[test]
    fn buffers_of_a_fuzzer() {
        let longer = |_: &mut Random, bytes: &[u8]| Some([bytes, &[1; 6]].concat());
        let mut changed = 0;
        for seed in 0..200 {
            let mut data = [0; 200];
            if let Some(size) = mutate(&mut data, 61, 67, seed, longer) {
                assert!(size == 67 && data[67..] == [0; 133] && data[61..67] == [1; 6]);
                changed += 1;
            }
            assert_eq!(mutate(&mut data, 61, 66, seed, longer), None, "too long");
            assert_eq!(mutate(&mut data, 61, 67, seed, |_, _| None), None, "without the structure");
        }
        assert!((60..180).contains(&changed), "{changed}");
    }
}
