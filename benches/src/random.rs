//! Random numbers that scenes are made of, the same on every host.

/// Random numbers from a seed.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The sequence of `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        picaflor_pipeline::random::bits(&mut self.0)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        (self.bits() >> 32) as u32 % limit
    }

    /// A value between `low` and `high`, on a grid of 2^-16 of the distance.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.bits() >> 48) as f32 / 65_536.0
    }

    /// A direction of length 1.
    pub fn direction(&mut self) -> [f32; 3] {
        loop {
            let v = [self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0)];
            let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            if (0.01..=1.0).contains(&square) {
                return v.map(|x| x / square.sqrt());
            }
        }
    }
}
