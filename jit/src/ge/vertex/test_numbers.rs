//! Random numbers of the tests of vertices.

use picaflor_pipeline::ge::number::t16;

/// A source of random numbers.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number below `end`.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        picaflor_pipeline::random::word(&mut self.0) % end
    }

    /// A number of a console up to `most`; once in `hard` one that is hard, and more often 0.
    pub(super) fn number(&mut self, most: f64, hard: u32) -> f32 {
        const HARD: [f32; 8] = [0.0, -0.0, f32::INFINITY, f32::NAN, 1e-38, -3e38, 1.0, 1e-45];
        match self.below(hard) {
            0 => HARD[self.below(8) as usize],
            n if n < 1 + hard / 8 => 0.0,
            _ => t16((f64::from(self.below(1 << 16)) - 32768.0) / 32768.0 * most) as f32,
        }
    }
}
