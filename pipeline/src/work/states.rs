//! States that a run has drawn in.
//!
//! A state selects code. Code that nobody has made yet is made by the thread that draws, which waits for it, or
//! makes the interpreter draw meanwhile: a list with another state for each draw has nothing else. So a state is paid when a
//! run first draws in it. What is looked at are the switches of the machine, not what an engine made of them: many states may
//! have one code.

use crate::hashing::Seeds;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hash};

/// States that are known at most, and their prices together: behind them all are new again. An engine has memory for the code of
/// so many; what it had to make again and again, nobody would pay for. Frames of games have less than a hundred.
const MOST: usize = 512;
const MOST_UNITS: u64 = 800_000_000;

/// Hashes of the states of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct States {
    seen: HashSet<u64, Seeds>,
    /// Sum of their prices.
    units: u64,
}

/// The latest state of a kind, in a run. Most changes of registers are of other ones, so switches are compared before they are
/// hashed; and a run with one state, as most of thousands in a frame are, hashes none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Latest<S> {
    /// As at first: none.
    switches: S,
    /// The price of the first state of the run, until another one comes.
    first: Option<u64>,
}

impl States {
    /// Forgets everything, for a run.
    pub(crate) fn clear(&mut self) {
        self.seen.clear();
        self.units = 0;
    }

    /// The price of a state if the run draws in it for the first time, else 0; from then on it has.
    pub(crate) fn price(&mut self, switches: impl Hash, price: impl FnOnce() -> u64) -> u64 {
        let hash = self.seen.hasher().hash_one(switches);
        if self.seen.contains(&hash) {
            return 0;
        }
        let price = price();
        if self.seen.len() >= MOST || self.units.saturating_add(price) > MOST_UNITS {
            self.clear();
        }
        self.units = self.units.saturating_add(price);
        self.seen.insert(hash);
        price
    }

    /// [`price`](Self::price) of a state of a kind; `Default` is none of its states.
    pub(crate) fn price_after<S: Copy + Default + PartialEq + Hash>(
        &mut self,
        latest: &mut Latest<S>,
        now: S,
        price: impl FnOnce() -> u64,
    ) -> u64 {
        let before = std::mem::replace(&mut latest.switches, now);
        if before == now {
            return 0;
        }
        if before == S::default() {
            return *latest.first.insert(price());
        }
        if let Some(first) = latest.first.take() {
            self.price(before, || first);
        }
        self.price(now, price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_new_once_in_a_run() {
        let mut states = States::default();
        let [a, b] = [[1, 2], [1, 3]];
        assert_eq!([a, a, b, a, b].map(|state| states.price(state, || 7)), [7, 0, 7, 0, 0]);
        states.clear();
        assert_eq!([a, b].map(|state| states.price(state, || 7)), [7; 2]);
    }

    #[test]
    fn the_first_state_of_a_run_is_known_as_well() {
        let (mut states, mut latest) = (States::default(), Latest::default());
        let mut price = |state: u32| states.price_after(&mut latest, state, || 7);
        assert_eq!([1, 1, 2, 1, 2, 3, 1].map(&mut price), [7, 0, 7, 0, 0, 7, 0]);
    }

    #[test]
    fn more_states_than_are_known() {
        let mut states = States::default();
        let mut is_new = |n: u32| states.price([n], || 1) == 1;
        assert!((0..MOST as u32).all(&mut is_new) && !is_new(0));
        assert!(is_new(MOST as u32) && is_new(0), "all are forgotten");
    }
    /// Much code: an engine would have to make that of each draw anew.
    #[test]
    fn more_code_than_is_kept() {
        let mut states = States::default();
        let mut is_new = |n: u32| states.price([n], || MOST_UNITS / 4) > 0;
        assert!((0..4).all(&mut is_new) && !(0..4).any(&mut is_new));
        assert!(is_new(4) && is_new(0), "all are forgotten");
    }
}
