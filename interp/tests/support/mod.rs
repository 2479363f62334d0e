//! Numbers for random tests.

/// Random numbers, from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn word(&mut self) -> u32 {
        picaflor_pipeline::random::word(&mut self.0)
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.word() % n
    }

    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn of<T: Copy, const N: usize>(&mut self, all: [T; N]) -> T {
        all[self.below(N as u32) as usize]
    }
}
