//! `Lists`: the queue of display lists kept by the console's system software, one method for each system call.
//!
//! ```text
//!  enqueue ──► queue ──► run ──► Ge::run ──► interrupts ──► the host's handlers ──► acknowledge
//!               ▲ stall, break, continue, sync
//! ```
//!
//! Nothing happens between calls. After each call that may have given the machine work, the host calls
//! [`Lists::run`]; then it runs the guest's handler for every [`Interrupt`].
//!
//! Source: psp-ge.md 2.2-2.4, 2.6, measured on a console (ge/break, ge/queue, ge/enqueueparam, ge/context,
//! signals).

mod control;
mod error;
mod schedule;
mod slot;
#[cfg(test)]
mod tests;

use super::display_list::DisplayList;
use super::stats::Stats;
use crate::persist::Words;
use crate::snapshot::{Saved, Snapshot, SnapshotError};
pub use control::DrawState;
pub use error::ListError;
pub use schedule::{Interrupt, InterruptKind, Progress};
pub use slot::ListState;
use slot::{Slot, Waits};
use std::collections::VecDeque;

/// Maximum number of lists.
pub const SLOTS: usize = 64;
/// First SDK version whose calls check more and return more specific errors.
const STRICT_SDK: u32 = 0x0200_0000;
/// Last SDK version in which a list whose signal is being handled reports that it is paused.
const PAUSED_SDK: u32 = 0x0200_0010;
/// Smallest size of the arguments that includes the depth of the stack.
const SIZE_WITH_STACK: u32 = 16;
/// Number of calls that a stack can hold, plus one.
const STACK_LIMIT: u32 = 256;
/// Maximum number of pending interrupts; also the capacity of a snapshot.
const MOST_INTERRUPTS: usize = 256;

/// The number of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListId(u32);

impl ListId {
    /// The list number that a guest passed to a system call.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number as the guest gets it.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// Arguments that a guest passes with a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arguments {
    /// Size of the structure in bytes.
    pub size: u32,
    /// Address at which the state of the machine is saved while the list runs; 0: not saved. Used whatever the size
    /// is.
    pub context: u32,
    /// Number of calls that the stack can hold; at most 255.
    pub stack_depth: u32,
    /// Address of the stack.
    pub stack: u32,
}

/// Request to execute a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Address of the first word.
    pub list: u32,
    /// Stall address; 0: none.
    pub stall: u32,
    /// Number of the handlers to call; `None`: no handlers.
    pub callback: Option<u32>,
    /// Optional arguments.
    pub arguments: Option<Arguments>,
}

/// The queue, for programs built with one version of the SDK.
#[derive(Debug, Clone)]
pub struct Lists {
    sdk: u32,
    slots: Vec<Slot>,
    /// Slots of the lists that are not complete; the first one owns the machine.
    queue: VecDeque<usize>,
    /// Slot at which the search for a free one begins.
    next: usize,
    interrupts: VecDeque<Interrupt>,
    /// Counters of the machine when each was raised, unless a state was loaded since.
    stamps: VecDeque<Option<Stats>>,
    /// Those of the interrupt that was handed out last.
    last_stamp: Option<Stats>,
}

impl Lists {
    /// An empty queue. `sdk`: SDK version that the program declares; 0 if it declares none.
    #[must_use]
    pub fn new(sdk: u32) -> Self {
        let slots = vec![Slot::default(); SLOTS];
        let (queue, interrupts, stamps) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        Self { sdk, slots, queue, next: 0, interrupts, stamps, last_stamp: None }
    }

    /// The SDK version.
    #[must_use]
    pub const fn sdk(&self) -> u32 {
        self.sdk
    }

    /// Changes the SDK version.
    pub const fn set_sdk(&mut self, sdk: u32) {
        self.sdk = sdk;
    }

    /// Appends a list to the queue.
    ///
    /// # Errors
    /// If an address is not a multiple of 4, the stack is too deep, the list is queued already, or no slot is free.
    pub fn enqueue(&mut self, request: &Request) -> Result<ListId, ListError> {
        let number = self.place(request)?;
        self.queue.push_back(number);
        let is_first = self.queue.len() == 1;
        self.slots[number].state = if is_first { ListState::Drawing } else { ListState::Queued };
        Ok(ListId(number as u32))
    }

    /// Inserts a list before all others. The first of those has to be paused; then the new list is paused too, and
    /// the other one waits. In an empty queue the call equals [`enqueue`](Self::enqueue) (assumed).
    ///
    /// # Errors
    /// As [`enqueue`](Self::enqueue), and if the first list is not paused.
    pub fn enqueue_head(&mut self, request: &Request) -> Result<ListId, ListError> {
        let Some(&first) = self.queue.front() else {
            return self.enqueue(request);
        };
        check(request)?;
        if self.slots[first].state != ListState::Paused {
            return Err(ListError::InvalidValue);
        }
        let number = self.place(request)?;
        self.slots[first].state = ListState::Queued;
        self.queue.push_front(number);
        self.slots[number].state = ListState::Paused;
        Ok(ListId(number as u32))
    }

    /// Allocates a slot for a list.
    fn place(&mut self, request: &Request) -> Result<usize, ListError> {
        check(request)?;
        if self.sdk >= STRICT_SDK && self.has_same(request) {
            return Err(ListError::Busy);
        }
        let mut places = (self.next..SLOTS).chain(0..self.next);
        let number = places.find(|&n| self.slots[n].is_free()).ok_or(ListError::NoMemory)?;
        self.next = (number + 1) % SLOTS;
        let list = DisplayList::new(request.list, request.stall);
        self.slots[number] = Slot {
            is_used: true,
            start: list.pc,
            list,
            callback: request.callback,
            context: request.arguments.map_or(0, |arguments| arguments.context),
            stack: stack_of(request),
            ..Slot::default()
        };
        Ok(number)
    }

    /// True if a list that is not complete has the same address or the same stack.
    fn has_same(&self, request: &Request) -> bool {
        let (start, stack) = (DisplayList::new(request.list, 0).pc, stack_of(request));
        let is_same = |slot: &Slot| slot.start == start || (stack != 0 && slot.stack == stack);
        self.slots.iter().any(|slot| slot.is_active() && is_same(slot))
    }

    /// The list with this number.
    fn slot(&self, id: ListId) -> Result<usize, ListError> {
        let number = id.0 as usize;
        self.slots.get(number).filter(|slot| slot.is_used).map(|_| number).ok_or(ListError::InvalidId)
    }

    /// Snapshot of the queue, without the machine, which has [its own](crate::ge::Ge::save).
    #[must_use]
    pub fn save(&self) -> Snapshot {
        Snapshot::of(self)
    }

    /// The same as [`save`](Self::save), which without memory for the snapshot ends the process.
    ///
    /// # Errors
    /// [`SnapshotError::NoMemory`]; the queue is as before.
    pub fn try_save(&self) -> Result<Snapshot, SnapshotError> {
        Snapshot::try_of(self)
    }

    /// Restores the queue from a snapshot.
    ///
    /// # Errors
    /// If the words are no snapshot of lists; the queue is then unchanged.
    pub fn load(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        *self = snapshot.state()?;
        Ok(())
    }
}

impl Saved for Lists {
    const VERSION: u32 = 0x4c69_0001;
    fn blank() -> Self {
        Self::new(0)
    }

    fn persist(&mut self, words: &mut Words) {
        words.word(&mut self.sdk);
        words.count(&mut self.next, SLOTS - 1);
        self.slots.iter_mut().for_each(|slot| slot.persist(words));
        let mut queue: Vec<_> = self.queue.drain(..).map(|number| number as u32).collect();
        words.list(&mut queue, SLOTS, |number, words| words.word(number));
        queue.retain(|&number| (number as usize) < SLOTS);
        self.queue = queue.into_iter().map(|number| number as usize).collect();
        let mut interrupts: Vec<_> = self.interrupts.drain(..).collect();
        words.list(&mut interrupts, MOST_INTERRUPTS, Interrupt::persist);
        self.stamps = vec![None; interrupts.len()].into();
        self.interrupts = interrupts.into();
    }
}

/// Checks of one request alone, in the order of the console.
fn check(request: &Request) -> Result<(), ListError> {
    if (request.list | request.stall) & 3 != 0 {
        return Err(ListError::InvalidPointer);
    }
    let too_deep = |a: Arguments| a.size >= SIZE_WITH_STACK && a.stack_depth >= STACK_LIMIT;
    if request.arguments.is_some_and(too_deep) {
        return Err(ListError::InvalidSize);
    }
    Ok(())
}

/// The stack of a list, if its arguments are long enough to have one.
fn stack_of(request: &Request) -> u32 {
    request.arguments.filter(|a| a.size >= SIZE_WITH_STACK).map_or(0, |arguments| arguments.stack)
}
