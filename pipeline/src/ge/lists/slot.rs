//! `Slot`: a list as the system software keeps it.
//!
//! Source: psp-ge.md 2.2.

use crate::ge::display_list::DisplayList;
use crate::persist::Words;

/// What a list is doing; the numbers are those that the guest gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListState {
    /// It is done.
    #[default]
    Completed = 0,
    /// It waits for those before it.
    Queued = 1,
    /// It is being executed.
    Drawing = 2,
    /// It waits for its stall address to move.
    Stalling = 3,
    /// It waits to be continued.
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

/// What lists wait for other than their turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Waits {
    #[default]
    No,
    /// For the handler of a signal.
    Handler,
    /// For the handler of its end.
    Finish,
    /// For nothing that could happen.
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

/// A place for a list.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// Whether its number is valid.
    pub(super) is_used: bool,
    pub(super) state: ListState,
    pub(super) list: DisplayList,
    /// Where the list began.
    pub(super) start: u32,
    /// Whose handlers are called.
    pub(super) callback: Option<u32>,
    /// Where the state of the machine is kept meanwhile; 0 for nowhere.
    pub(super) context: u32,
    /// The guest's area for calls, which only its address is used of.
    pub(super) stack: u32,
    /// Whether any of it was executed.
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
    /// Whether the list is queued, running or paused.
    pub(super) fn is_active(&self) -> bool {
        self.is_used && self.state != ListState::Completed
    }

    /// Whether another list may have the place.
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
