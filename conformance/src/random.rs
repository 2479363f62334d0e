//! The source of every random decision: reproducible from a seed, the same on every host.

/// A stream of decisions: SplitMix64 (Steele, Lea and Flood, 2014).
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The stream of item `number` of a seed, unrelated to that of its neighbours.
    #[must_use]
    pub fn of_item(seed: u64, number: u64) -> Self {
        let mut first = Self::new(seed);
        Self::new(first.bits() ^ mix(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        (self.bits() >> 32) as u32
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// A random item; there must be at least one.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// A random item, in proportion to its weight.
    pub fn weighted<T: Copy>(&mut self, items: &[(u32, T)]) -> T {
        let mut at = self.below(items.iter().map(|item| item.0).sum());
        for &(weight, item) in items {
            if at < weight {
                return item;
            }
            at -= weight;
        }
        items[items.len() - 1].1
    }

    /// The numbers below `count` in random order.
    pub fn shuffled(&mut self, count: u8) -> Vec<u8> {
        let mut items: Vec<u8> = (0..count).collect();
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at as u32 + 1) as usize);
        }
        items
    }
}

/// The output function of SplitMix64.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs of SplitMix64 from state 1234567, as its authors' program prints them.
    #[test]
    fn splitmix_reference_values() {
        let mut random = Random::new(1_234_567);
        assert_eq!([random.bits(), random.bits()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }
}
