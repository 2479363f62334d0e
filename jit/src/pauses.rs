//! `Pauses`: how often work of unknown size asks whether the run is to end.

use picaflor_pipeline::memory::Memory;

/// Bytes that any work of the engine moves, compares or decodes in well below a millisecond.
pub(crate) const PAUSE: usize = 1 << 18;
/// Bytes that a step without any counts as.
const STEP: usize = 64;

/// A count of bytes worked on, which asks the [memory](Memory::is_stopping) of the run from time to time.
pub(crate) struct Pauses<'a> {
    memory: &'a dyn Memory,
    /// Bytes until the next question.
    left: usize,
}

impl<'a> Pauses<'a> {
    pub(crate) const fn new(memory: &'a dyn Memory) -> Self {
        Self { memory, left: PAUSE }
    }

    /// Counts a step of so many bytes; true if the run is to end.
    pub(crate) fn stops_after(&mut self, bytes: usize) -> bool {
        let counted = bytes + STEP;
        if counted < self.left {
            self.left -= counted;
            return false;
        }
        self.left = PAUSE;
        self.memory.is_stopping()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use picaflor_pipeline::guest_slice::GuestSlice;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Memory of a run that is to end after some questions.
    pub(crate) struct Ending<M>(pub(crate) M, pub(crate) AtomicU32);

    impl<M> Ending<M> {
        pub(crate) fn after(questions: u32, memory: M) -> Self {
            Self(memory, AtomicU32::new(questions))
        }
    }

    impl<M: Memory> Memory for Ending<M> {
        fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
            self.0.region(address, length)
        }

        fn is_stopping(&self) -> bool {
            self.1.fetch_sub(1, Ordering::Relaxed).cast_signed() <= 0
        }
    }

    #[test]
    fn asks_about_four_times_for_each_megabyte() {
        for (step, asked) in [(0, 4 << 20 >> 6), (1 << 12, 1 << 20), (PAUSE, 1 << 18), (1 << 30, 1 << 30)] {
            let memory = Ending::after(1, picaflor_pipeline::memory::FlatMemory::default());
            let mut pauses = Pauses::new(&memory);
            let steps = (0_u32..).take_while(|_| !pauses.stops_after(step)).count();
            assert!(steps * step.max(STEP) <= 2 * PAUSE.max(step), "{step} {asked}: {steps} steps");
        }
    }
}
