//! Containers of primitives: how batches take them, copy them and keep their room.

use super::Primitive;
use std::collections::TryReserveError;
use std::ops::Range;

/// Room of a vector, in multiples of what is in it, that a batch may hold: callers reserve for a list of triangles three times
/// what it needs.
pub(super) const MOST_ROOM: usize = 4;

/// Primitives in order, with all that they share.
pub(crate) trait Primitives: Default + Send + Sync {
    /// One of them, which is enough to know what it may cover.
    type One: Primitive;

    /// All of them, without what they share.
    fn all(&self) -> &[Self::One];

    /// Makes room for others.
    fn make_room(&mut self, others: &Self) -> Result<(), TryReserveError>;

    /// Appends others, of which nothing is left.
    fn append(&mut self, others: &mut Self);

    /// Appends some of others.
    fn append_some(&mut self, others: &Self, some: Range<usize>);

    /// Whether they have far more room than they need. A batch that took them would hold that room until it is drawn, and hundreds
    /// of batches wait where each has one costly draw.
    fn is_roomy(&self) -> bool;

    /// Drops all of them. Those that are used again and again keep room by what they held, for `most` at most.
    fn empty(&mut self, most: usize);

    /// Drops all of them; the room stays.
    fn clear(&mut self);
}

/// Primitives that share nothing.
impl<P: Primitive> Primitives for Vec<P> {
    type One = P;

    fn all(&self) -> &[P] {
        self
    }

    fn make_room(&mut self, others: &Self) -> Result<(), TryReserveError> {
        self.try_reserve(others.len())
    }

    fn append(&mut self, others: &mut Self) {
        self.append(others);
    }

    fn append_some(&mut self, others: &Self, some: Range<usize>) {
        self.extend_from_slice(&others[some]);
    }

    fn is_roomy(&self) -> bool {
        is_roomy(self)
    }

    fn empty(&mut self, most: usize) {
        empty(self, most);
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// True for a vector with far more room than it needs.
pub(crate) const fn is_roomy<T>(elements: &Vec<T>) -> bool {
    elements.capacity() / MOST_ROOM > elements.len()
}

/// Empties a vector that is used again and again: it keeps room by what it held, for `most` at most. So one that was full once
/// does not stay large where little is put into it.
pub(crate) fn empty<T>(elements: &mut Vec<T>, most: usize) {
    // One that was emptied before keeps its room.
    if !elements.is_empty() {
        let kept = most.min(MOST_ROOM * elements.len());
        elements.clear();
        elements.shrink_to(kept);
    }
}
