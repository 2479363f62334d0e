//! Whether short runs take longer on several threads than on one: now and then one is drawn the other way, and its time for each
//! pixel compared.
//!
//! What waking a thread, sorting and sharing caches cost differs from program to program more than what a run takes.

use std::time::Duration;

/// Runs before the first trial; at most so many between two.
const FIRST: u32 = 4;
const MOST: u32 = 256;

/// Time and pixels of runs, of which earlier ones count less and less.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    nanoseconds: u64,
    pixels: u64,
}

impl Rate {
    /// A run that takes more than twice as long as others counts as twice as long: somebody may have held it up.
    fn note(&mut self, time: Duration, pixels: u64) {
        let usual = u128::from(self.nanoseconds) * u128::from(pixels) / u128::from(self.pixels.max(1));
        let most = if self.pixels == 0 { u128::MAX } else { 2 * usual };
        let nanoseconds = u64::try_from(time.as_nanos().min(most)).unwrap_or(u64::MAX);
        let fade = |sum: u64, new| (sum - sum / 8).saturating_add(new);
        self.nanoseconds = fade(self.nanoseconds, nanoseconds);
        self.pixels = fade(self.pixels, pixels);
    }

    /// True if a pixel takes no longer than at another rate, or one of them is not known.
    fn is_no_slower_than(self, other: Self) -> bool {
        u128::from(self.nanoseconds) * u128::from(other.pixels)
            <= u128::from(other.nanoseconds) * u128::from(self.pixels)
            || self.pixels == 0
            || other.pixels == 0
    }
}

/// What short runs took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trials {
    alone: Rate,
    shared: Rate,
    /// Runs until the next trial, and from then on to the one after it, if nothing changes.
    left: u32,
    interval: u32,
}

impl Default for Trials {
    fn default() -> Self {
        Self { alone: Rate::default(), shared: Rate::default(), left: FIRST, interval: FIRST }
    }
}

impl Trials {
    /// True if the next run is to be shared out.
    pub(super) fn shares(&self) -> bool {
        self.is_better_shared() != (self.left == 0)
    }

    fn is_better_shared(&self) -> bool {
        self.shared.is_no_slower_than(self.alone)
    }

    /// Notes a run. One without pixels says nothing.
    pub(super) fn note(&mut self, is_shared: bool, time: Duration, pixels: u64) {
        if pixels == 0 {
            return;
        }
        let before = self.is_better_shared();
        let rate = if is_shared { &mut self.shared } else { &mut self.alone };
        rate.note(time, pixels);
        let is_changed = self.is_better_shared() != before;
        if self.left == 0 || is_changed {
            self.interval = if is_changed { FIRST } else { MOST.min(2 * self.interval) };
            self.left = self.interval;
        } else {
            self.left -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of so many runs that take so long alone and shared out, those that were shared out; some have many pixels.
    fn shared(trials: &mut Trials, runs: u32, [alone, shared]: [u64; 2]) -> u32 {
        let mut count = 0;
        for n in 0..runs {
            let is_shared = trials.shares();
            let pixels = [1000, 3000, 70_000][n as usize % 3];
            let each = if is_shared { shared } else { alone };
            trials.note(is_shared, Duration::from_nanos(pixels * each), pixels);
            count += u32::from(is_shared);
        }
        count
    }

    #[test]
    fn runs_go_the_faster_way() {
        let mut trials = Trials::default();
        assert!(trials.shares(), "nothing is known");
        // Few are tried the other way, less and less often.
        assert!((1..=10).contains(&(1000 - shared(&mut trials, 1000, [3, 2]))));
        assert!((1..=4).contains(&(1000 - shared(&mut trials, 1000, [3, 2]))));
        // Until the program changes.
        let before = shared(&mut trials, 400, [2, 3]);
        assert!(before < 300, "{before}");
        assert!((1..=10).contains(&shared(&mut trials, 1000, [2, 3])));
        assert!(shared(&mut trials, 1000, [3, 2]) > 600);
    }

    /// Lists without draws between the others: a trial is one of a run with pixels.
    #[test]
    fn runs_without_pixels_are_no_trials() {
        let mut trials = Trials::default();
        for _ in 0..1000 {
            trials.note(trials.shares(), Duration::from_micros(100), 0);
        }
        assert!(trials.shares() && trials.left == FIRST);
        assert!((1..=10).contains(&(1000 - shared(&mut trials, 1000, [3, 2]))));
    }

    /// A run that somebody held up.
    #[test]
    fn a_run_that_took_long_is_forgotten() {
        let mut trials = Trials::default();
        shared(&mut trials, 1000, [2, 3]);
        trials.note(false, Duration::from_millis(3), 70_000);
        assert!(shared(&mut trials, 200, [2, 3]) < 10);
    }
}
