//! States that a run has drawn in.
//!
//! A state selects code. Code that nobody has made yet is made by the thread that draws, which waits for it, or
//! makes the interpreter draw meanwhile: a list with another state for each draw has nothing else. So a state is paid when a
//! run first draws in it. What is looked at are the switches of the machine, not what an engine made of them: many states may
//! have one code.

use crate::hashing::Seeds;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hash};

/// States that are known at most: behind them all are new again. So much code fits into an engine's memory, about; frames of
/// games have less than a hundred.
const MOST: usize = 512;

/// Hashes of the states of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct States {
    seen: HashSet<u64, Seeds>,
}

impl States {
    /// Forgets everything, for a run.
    pub(crate) fn clear(&mut self) {
        self.seen.clear();
    }

    /// True if the run draws in this state for the first time; from then on it has.
    pub(crate) fn is_new(&mut self, switches: impl Hash) -> bool {
        let hash = self.seen.hasher().hash_one(switches);
        if self.seen.contains(&hash) {
            return false;
        }
        if self.seen.len() >= MOST {
            self.seen.clear();
        }
        self.seen.insert(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_new_once_in_a_run() {
        let mut states = States::default();
        let [a, b] = [[1, 2], [1, 3]];
        assert_eq!([a, a, b, a, b].map(|state| states.is_new(state)), [true, false, true, false, false]);
        states.clear();
        assert_eq!([a, b].map(|state| states.is_new(state)), [true; 2]);
    }

    #[test]
    fn more_states_than_are_known() {
        let mut states = States::default();
        assert!((0..MOST as u32).all(|n| states.is_new([n])) && !states.is_new([0_u32]));
        assert!(states.is_new([MOST as u32]) && states.is_new([0_u32]), "all are forgotten");
    }
}
