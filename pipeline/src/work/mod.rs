//! The account of a run: whatever a guest can make the machine do is paid from it.
//!
//! A unit is about a nanosecond of one core of the default engine, for the slowest form of what is paid for. The prices are
//! those of the two machines (`pica::prices`, `ge::prices`). They follow from what the guest asks for, never from what a
//! cache holds or from how often a thread was woken: a list ends at the same command on every engine, with any number of
//! threads. What cannot be paid is not begun.

pub(crate) mod states;
pub(crate) mod textures;

/// Default of both machines, in units: twenty times the largest list of a recorded frame, and at most some seconds of
/// compiled code on one core. The chapter on the threat model has the measurements.
pub(crate) const DEFAULT_WORK: u64 = 6_500_000_000;

/// Bytes of an access that one slice of guest memory serves, for one unit.
const BYTES_IN_PLACE: u64 = 8;
/// Units for a byte of an access that no slice serves: such bytes are looked up one by one.
const BYTE_APART: u64 = 20;

/// Units for reading, comparing, copying or clearing bytes; `in_place`: one slice of memory has them all.
pub(crate) const fn bytes(count: u64, in_place: bool) -> u64 {
    if in_place { count / BYTES_IN_PLACE } else { count.saturating_mul(BYTE_APART) }
}

/// Units that a run may still spend.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Account {
    limit: u64,
    left: u64,
    /// Units that are left when somebody should look whether the run is to end.
    due: u64,
    is_overdrawn: bool,
}

/// Units between two looks.
const LOOK: u64 = 1000;

impl Account {
    /// An account with so many units.
    pub(crate) const fn new(limit: u64) -> Self {
        Self { limit, left: limit, due: limit, is_overdrawn: false }
    }

    /// Pays for work that is about to be done; false if there is not enough left, then and in all later calls.
    pub(crate) const fn pay(&mut self, units: u64) -> bool {
        match self.left.checked_sub(units) {
            Some(left) if !self.is_overdrawn => self.left = left,
            _ => self.is_overdrawn = true,
        }
        !self.is_overdrawn
    }

    /// True if something could not be paid.
    pub(crate) const fn is_overdrawn(&self) -> bool {
        self.is_overdrawn
    }

    /// True at first, and when a microsecond's worth was spent since it last was.
    pub(crate) const fn is_due(&mut self) -> bool {
        let is_due = self.left <= self.due;
        if is_due {
            self.due = self.left.saturating_sub(LOOK);
        }
        is_due
    }

    /// Units that are left; 0 once something could not be paid.
    #[inline]
    pub(crate) const fn left(&self) -> u64 {
        if self.is_overdrawn { 0 } else { self.left }
    }

    /// Units that were there at first.
    pub(crate) const fn limit(&self) -> u64 {
        self.limit
    }

    /// Units spent.
    pub(crate) const fn spent(&self) -> u64 {
        self.limit - self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_end_at_the_unit() {
        let mut account = Account::new(10);
        assert!(account.pay(4) && account.pay(6) && account.pay(0));
        assert!(!account.pay(1) && !account.pay(0) && account.is_overdrawn());
        assert_eq!((account.spent(), account.limit()), (10, 10));
        assert!(!Account::new(10).pay(u64::MAX));
    }

    #[test]
    fn bytes_apart_cost_more() {
        assert_eq!([bytes(0, false), bytes(64, true), bytes(64, false)], [0, 8, 1280]);
        assert_eq!(bytes(u64::MAX, false), u64::MAX);
    }
}
