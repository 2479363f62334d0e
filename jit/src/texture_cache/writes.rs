//! Announced writes to memory during a list; outside a list, writes are unknown.

use super::{Piece, Range};

/// Maximal number of targets tracked in a list; above it, every texture is compared before each draw.
const MOST_TARGETS: usize = 64;
/// Maximal number of changes tracked in a list; above it, all textures are compared again.
const MOST_CHANGES: usize = 4096;

/// Time of a comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    list: u64,
    /// Index of the first change after the comparison.
    changes: usize,
}

/// Ranges written in a list.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// Number of the current list.
    list: u64,
    in_list: bool,
    /// Written at any time until the list ends.
    targets: Vec<Range>,
    /// Written one after the other.
    changes: Vec<Range>,
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
        self.changes.clear();
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
        if !self.in_list || range.1 == 0 || self.changes.last() == Some(&range) {
            return;
        }
        if self.changes.len() == MOST_CHANGES {
            self.forget_changes();
        }
        self.changes.push(range);
    }

    /// The current time. Excludes the last change, which may belong to a draw that is still to come.
    pub(super) fn now(&self) -> Moment {
        Moment { list: self.list, changes: self.changes.len().saturating_sub(1) }
    }

    /// True if no announced write since `checked` overlaps the pieces.
    pub(super) fn spare(&self, pieces: &[Piece], checked: Moment) -> bool {
        self.in_list
            && checked.list == self.list
            && self.targets.len() <= MOST_TARGETS
            && !self
                .targets
                .iter()
                .chain(&self.changes[checked.changes..])
                .any(|&written| pieces.iter().any(|piece| overlap(piece.range, written)))
    }
}

/// Overlap of two ranges, each of which may wrap around to address 0.
const fn overlap(a: Range, b: Range) -> bool {
    a.1 > 0 && b.1 > 0 && (b.0.wrapping_sub(a.0) < a.1 || a.0.wrapping_sub(b.0) < b.1)
}
