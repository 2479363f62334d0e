//! Hashes of keys that a guest chooses: textures, palettes, states, programs.
//!
//! Fast for keys of a few words, and with seeds that no guest knows: keys that were chosen so that their hashes are the same
//! would make each lookup a search of the whole table, and no account pays for that. No result depends on a hash.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

/// Seeds of a process, drawn once from the random numbers that the standard library gets from the system.
#[derive(Debug, Clone, Copy)]
pub struct Seeds {
    start: u64,
    /// Odd.
    factor: u64,
}

impl Default for Seeds {
    /// Those of this process.
    fn default() -> Self {
        static SEEDS: OnceLock<Seeds> = OnceLock::new();
        *SEEDS.get_or_init(|| {
            let random = RandomState::new();
            Self { start: random.hash_one(0), factor: random.hash_one(1) | 1 }
        })
    }
}

#[cfg(test)]
impl Seeds {
    /// Seeds of a number, for tests that try many.
    pub(crate) fn of(number: u64) -> Self {
        let fixed = Self { start: 1, factor: 0x9e37_79b9_7f4a_7c15 };
        let [start, factor] = [0_u8, 1].map(|which| fixed.hash_one((which, number, which)));
        Self { start, factor: factor | 1 }
    }
}

impl BuildHasher for Seeds {
    type Hasher = WordHasher;

    fn build_hasher(&self) -> WordHasher {
        WordHasher { state: self.start, factor: self.factor }
    }
}

/// The state of a hash: each word is mixed into it by a full 64 by 64 bit multiplication whose halves are folded together,
/// so that every input bit reaches both ends of the state; hash tables use bits from both.
#[derive(Debug, Clone, Copy)]
pub struct WordHasher {
    state: u64,
    factor: u64,
}

impl WordHasher {
    fn word(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(self.factor);
        // The addition keeps zeros from leaving the state at zero.
        self.state = ((product as u64) ^ ((product >> 64) as u64)).wrapping_add(self.factor);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(last));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.word(value.into());
    }

    fn write_u16(&mut self, value: u16) {
        self.word(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.word(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.word(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.word(value as u64);
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn hashes_of_near_keys_spread_over_both_ends() {
        for seeds in [Seeds::default(), Seeds { start: 1, factor: 0x9e37_79b9_7f4a_7c15 }] {
            let keys =
                || (0..64_u64).flat_map(|word| (0..64_u64).map(move |shift| (word << (shift % 58), shift)));
            let distinct: HashSet<_> = keys().collect();
            let hashes: HashSet<_> = keys().map(|key| seeds.hash_one(key)).collect();
            assert_eq!(hashes.len(), distinct.len());
            for shift in [0, 57] {
                let buckets: HashSet<_> = hashes.iter().map(|hash| (hash >> shift) & 127).collect();
                assert_eq!(buckets.len(), 128);
            }
            assert_ne!(seeds.hash_one([1_u8, 0].as_slice()), seeds.hash_one([1_u8].as_slice()));
        }
    }

    /// Who knows the seeds makes any number of keys with one hash; under other seeds these are like any keys.
    #[test]
    fn chosen_collisions_need_the_seeds() {
        let hash = |seeds: Seeds, [first, second]: [u64; 2]| {
            let mut hasher = seeds.build_hasher();
            hasher.write_u64(first);
            let between = hasher.state;
            hasher.write_u64(second);
            [between, hasher.state]
        };
        let known = Seeds { start: 0x1234, factor: 0x9e37_79b9_7f4a_7c15 };
        let keys: Vec<_> = (0..1000).map(|first| [first, hash(known, [first, 0])[0] ^ 77]).collect();
        let count = |seeds| keys.iter().map(|&key| hash(seeds, key)[1]).collect::<HashSet<_>>().len();
        assert_eq!(count(known), 1);
        assert_eq!(count(Seeds::default()), keys.len());
        let (one, other) = (Seeds::default(), Seeds::default());
        assert_eq!((one.start, one.factor), (other.start, other.factor), "one pair for the process");
    }
}
