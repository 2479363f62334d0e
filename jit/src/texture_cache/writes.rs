//! What is known about writes to memory: nothing, or, during a list, where they are.

use super::{Piece, Range};

/// Targets of one list that are told apart; with more of them every texture is compared before each draw.
const MOST_TARGETS: usize = 64;
/// Changes of one list that are told apart; after so many everything is compared again.
const MOST_CHANGES: usize = 4096;

/// When bytes were looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    list: u64,
    /// Changes before that do not count any more.
    changes: usize,
}

/// Where the writes of a list are.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// Counts lists.
    list: u64,
    in_list: bool,
    /// Written at any time until the list ends.
    targets: Vec<Range>,
    /// Written one after the other.
    changes: Vec<Range>,
}

impl Writes {
    /// A list that another machine left open keeps its targets.
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

    /// As if another list began: everything is compared again.
    fn forget_changes(&mut self) {
        self.list += 1;
        self.changes.clear();
    }

    /// These bytes may be written at any time until the list ends.
    pub(super) fn target(&mut self, range: Range) {
        let is_known = || self.targets.len() > MOST_TARGETS || self.targets.contains(&range);
        if self.in_list && range.1 > 0 && !is_known() {
            self.targets.push(range);
        }
    }

    /// These bytes are written now, or by the draw that comes next.
    pub(super) fn changed(&mut self, range: Range) {
        if !self.in_list || range.1 == 0 || self.changes.last() == Some(&range) {
            return;
        }
        if self.changes.len() == MOST_CHANGES {
            self.forget_changes();
        }
        self.changes.push(range);
    }

    /// For what is looked at now. The last change may be that of a draw that is not drawn yet: it counts again.
    pub(super) fn now(&self) -> Moment {
        Moment { list: self.list, changes: self.changes.len().saturating_sub(1) }
    }

    /// Whether pieces are as they were found to be at that moment.
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

/// Whether two ranges, which may go on at address 0, share a byte.
const fn overlap(a: Range, b: Range) -> bool {
    a.1 > 0 && b.1 > 0 && (b.0.wrapping_sub(a.0) < a.1 || a.0.wrapping_sub(b.0) < b.1)
}
