//! Reduction of failing cases: the part that all kinds of cases share.

use std::ops::Range;
use std::time::Instant;

/// A failing case. A change is kept if the case still fails; each kind of case has its own changes.
pub(crate) struct Reducer<'f, C> {
    /// The smallest that still fails.
    pub(crate) best: C,
    /// Deadline for further changes.
    pub(crate) end: Instant,
    pub(crate) fails: &'f mut dyn FnMut(&C) -> bool,
}

impl<C: Clone + PartialEq> Reducer<'_, C> {
    /// Keeps the changed case if it still fails.
    pub(crate) fn attempt(&mut self, change: impl FnOnce(&mut C)) -> bool {
        if Instant::now() >= self.end {
            return false;
        }
        let mut changed = self.best.clone();
        change(&mut changed);
        let kept = changed != self.best && (self.fails)(&changed);
        if kept {
            self.best = changed;
        }
        kept
    }

    /// Leaves out pieces of ever smaller size, down to `least`, from the end.
    pub(crate) fn pieces(
        &mut self,
        count: usize,
        least: usize,
        mut without: impl FnMut(&mut C, Range<usize>),
    ) {
        let (mut count, mut size) = (count, count.next_power_of_two());
        while size >= least.max(1) {
            let mut end = count;
            while end > 0 {
                let start = end.saturating_sub(size);
                if self.attempt(|case| without(case, start..end)) {
                    count -= end - start;
                }
                end = start;
            }
            size /= 2;
        }
    }

    /// Clears a range, or as much of it as possible, by halves.
    pub(crate) fn zero(
        &mut self,
        from: usize,
        to: usize,
        least: usize,
        clear: &dyn Fn(&mut C, usize, usize),
    ) {
        let mut cleared = self.best.clone();
        clear(&mut cleared, from, to);
        if cleared == self.best || self.attempt(|case| clear(case, from, to)) || to - from <= least {
            return;
        }
        let middle = from + (to - from) / 2;
        self.zero(from, middle, least, clear);
        self.zero(middle, to, least, clear);
    }
}
