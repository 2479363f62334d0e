//! Random numbers for the tests of every crate: SplitMix64 (Steele, Lea and Flood, 2014), the same on every host.
//!
//! The caller keeps the state, which starts as any seed.

/// 64 random bits.
pub const fn bits(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mix(*state)
}

/// 32 random bits.
pub const fn word(state: &mut u64) -> u32 {
    (bits(state) >> 32) as u32
}

/// Output function of SplitMix64: a permutation of 64-bit words.
#[must_use]
pub const fn mix(state: u64) -> u64 {
    let a = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let b = (a ^ a >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    b ^ b >> 31
}

#[cfg(test)]
mod tests {
    /// First outputs from state 1234567, as the authors' program prints them.
    #[test]
    fn reference_values() {
        let mut state = 1_234_567;
        let outputs = [super::bits(&mut state), super::bits(&mut state)];
        assert_eq!(outputs, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }
}
