//! Announced writes to memory during a list; outside a list, writes are unknown.

use super::Range;

/// Maximal number of targets tracked in a list; above it, every texture is compared before each draw.
const MOST_TARGETS: usize = 64;
/// Maximal number of ranges whose changes are tracked in a list; above it, all textures are compared again.
const MOST_CHANGED: usize = 256;

/// Changes that a draw announces before it is drawn: colour and depth.
const OF_A_DRAW: u64 = 2;
/// Bytes of a page, as a power of two.
const PAGE: u32 = 12;
/// Pages whose writes are told apart; others that are so many pages away count as written too.
const PAGES: usize = 4096;

/// Time of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    list: u64,
    /// Changes up to the comparison, but for the last ones, which may belong to a draw that is still to come.
    changes: u64,
}

/// Ranges written in a list.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// Number of the current list.
    list: u64,
    in_list: bool,
    /// Written at any time until the list ends.
    targets: Vec<Range>,
    /// Written ranges, each with the number of its last change.
    changed: Vec<(Range, u64)>,
    /// Number of the last change.
    changes: u64,
    /// For each page the number of the last write outside of draws; nothing before the first one.
    pages: Vec<u64>,
    /// The largest of them.
    written: u64,
}

impl Writes {
    /// Begins a list. Targets of a list that another machine left open are kept.
    pub(super) fn list_begins(&mut self) {
        if !self.in_list {
            self.targets.clear();
        }
        self.in_list = true;
        self.forget_changes();
    }

    pub(super) fn list_ends(&mut self) {
        self.in_list = false;
    }

    /// Forgets the changes and starts a new list number, which forces new comparisons.
    fn forget_changes(&mut self) {
        self.list += 1;
        self.changed.clear();
    }

    /// Adds a range that may be written at any time until the list ends.
    pub(super) fn target(&mut self, range: Range) {
        let is_known = || self.targets.len() > MOST_TARGETS || self.targets.contains(&range);
        if self.in_list && range.1 > 0 && !is_known() {
            self.targets.push(range);
        }
    }

    /// Adds a range that is written now or by the next draw.
    pub(super) fn changed(&mut self, range: Range) {
        if !self.in_list || range.1 == 0 {
            return;
        }
        self.changes += 1;
        let number = self.changes;
        match self.changed.iter_mut().find(|(known, _)| *known == range) {
            Some((_, last)) => *last = number,
            None => {
                if self.changed.len() == MOST_CHANGED {
                    self.forget_changes();
                }
                self.changed.push((range, number));
            }
        }
    }

    /// Adds a range that was written, or is before anything is compared again.
    pub(super) fn written(&mut self, range: Range) {
        if !self.in_list || range.1 == 0 {
            return;
        }
        if self.pages.try_reserve_exact(PAGES - self.pages.len()).is_err() {
            return self.forget_changes();
        }
        self.pages.resize(PAGES, 0);
        // Between two draws: what was announced before is of a draw that has come.
        self.changes += 1 + OF_A_DRAW;
        self.written = self.changes - OF_A_DRAW;
        for page in pages(range) {
            self.pages[page] = self.written;
        }
    }

    /// True if a range was written after a moment, or lies in a page that was.
    fn is_written(&self, range: Range, checked: Moment) -> bool {
        checked.changes < self.written && pages(range).any(|page| self.pages[page] > checked.changes)
    }

    /// The current time. Excludes the last changes, which may belong to a draw that is still to come.
    pub(super) fn now(&self) -> Moment {
        Moment { list: self.list, changes: self.changes.saturating_sub(OF_A_DRAW) }
    }

    /// True if no announced write since `checked` overlaps the ranges.
    pub(super) fn spare(&self, ranges: impl Iterator<Item = Range> + Clone, checked: Moment) -> bool {
        let later =
            self.changed.iter().filter(|(_, number)| *number > checked.changes).map(|(range, _)| range);
        self.in_list
            && checked.list == self.list
            && !ranges.clone().any(|range| self.is_written(range, checked))
            && self.targets.len() <= MOST_TARGETS
            && !self
                .targets
                .iter()
                .chain(later)
                .any(|&written| ranges.clone().any(|range| overlap(range, written)))
    }
}

/// The pages of a range, which may wrap around to address 0.
fn pages((address, length): Range) -> impl Iterator<Item = usize> {
    let first = (address >> PAGE) as usize;
    let bytes = u64::from(address % (1 << PAGE)) + u64::from(length);
    let count = (bytes.div_ceil(1 << PAGE) as usize).min(PAGES);
    (first..first + count).map(|page| page % PAGES)
}

/// Overlap of two ranges, each of which may wrap around to address 0.
const fn overlap(a: Range, b: Range) -> bool {
    a.1 > 0 && b.1 > 0 && (b.0.wrapping_sub(a.0) < a.1 || a.0.wrapping_sub(b.0) < b.1)
}
