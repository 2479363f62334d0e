//! `Slot`: the record of a list in the system software.
//!
//! Source: psp-ge.md 2.2.

use crate::ge::display_list::DisplayList;
use crate::persist::Words;

/// State of a list; the discriminants are the numbers that the guest gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListState {
    /// Complete.
    #[default]
    Completed = 0,
    /// Waiting for the lists before it.
    Queued = 1,
    /// Being executed.
    Drawing = 2,
    /// Waiting for its stall address to move.
    Stalling = 3,
    /// Paused, until it is continued.
    Paused = 4,
}

impl ListState {
    const fn of(word: u32) -> Self {
        match word {
            1 => Self::Queued,
            2 => Self::Drawing,
            3 => Self::Stalling,
            4 => Self::Paused,
            _ => Self::Completed,
        }
    }
}

/// Events that a list waits for, other than its turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Waits {
    #[default]
    No,
    /// Return of the handler of a signal.
    Handler,
    /// Return of the handler of its end.
    Finish,
    /// No event: the list never continues.
    Forever,
}

impl Waits {
    const fn of(word: u32) -> Self {
        match word {
            1 => Self::Handler,
            2 => Self::Finish,
            3 => Self::Forever,
            _ => Self::No,
        }
    }
}

/// A slot for a list.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// True if its number is valid.
    pub(super) is_used: bool,
    pub(super) state: ListState,
    pub(super) list: DisplayList,
    /// Address of the first word of the list.
    pub(super) start: u32,
    /// Number of the handlers to call.
    pub(super) callback: Option<u32>,
    /// Address at which the state of the machine is saved while the list runs; 0: not saved.
    pub(super) context: u32,
    /// Address of the guest's call stack; the stack itself is never accessed.
    pub(super) stack: u32,
    /// True if any word of it was executed.
    pub(super) is_started: bool,
    pub(super) waits: Waits,
}

impl Default for Slot {
    fn default() -> Self {
        Self {
            is_used: false,
            state: ListState::Completed,
            list: DisplayList::new(0, 0),
            start: 0,
            callback: None,
            context: 0,
            stack: 0,
            is_started: false,
            waits: Waits::No,
        }
    }
}

impl Slot {
    /// True if the list is queued, running or paused.
    pub(super) fn is_active(&self) -> bool {
        self.is_used && self.state != ListState::Completed
    }

    /// True if the slot can be given to another list.
    pub(super) fn is_free(&self) -> bool {
        !self.is_used || (self.state == ListState::Completed && self.waits == Waits::No)
    }

    pub(super) fn persist(&mut self, words: &mut Words) {
        words.flag(&mut self.is_used);
        let (mut state, mut waits) = (self.state as u32, self.waits as u32);
        words.words([&mut state, &mut waits, &mut self.start, &mut self.context, &mut self.stack]);
        (self.state, self.waits) = (ListState::of(state), Waits::of(waits));
        words.flag(&mut self.is_started);
        let mut callback = self.callback.unwrap_or(u32::MAX);
        words.word(&mut callback);
        self.callback = Some(callback).filter(|&callback| callback != u32::MAX);
        self.list.persist(words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Saved states come back; what no version saved is as after reset.
    #[test]
    fn states_by_their_codes() {
        use ListState::{Completed, Drawing, Paused, Queued, Stalling};
        for state in [Completed, Queued, Drawing, Stalling, Paused] {
            assert_eq!(ListState::of(state as u32), state);
        }
        for waits in [Waits::No, Waits::Handler, Waits::Finish, Waits::Forever] {
            assert_eq!(Waits::of(waits as u32), waits);
        }
        assert_eq!((ListState::of(5), Waits::of(4)), (Completed, Waits::No));
    }
}
