//! System calls on existing lists: stall, sync, break, continue, contexts.
//!
//! Source: psp-ge.md 2.2, 2.6.

use super::{ListError, ListId, ListState, Lists, PAUSED_SDK, STRICT_SDK, Slot, Waits};
use crate::ge::Ge;
use crate::ge::vram::AddressMaps;
use crate::memory::Memory;

/// State of all lists together; the discriminants are the numbers that the guest gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawState {
    /// All lists are complete.
    Done = 0,
    /// The first list is being executed, or paused.
    Drawing = 2,
    /// The first list waits for its stall address to move.
    Stalled = 3,
}

impl Lists {
    /// Moves the stall address of a list; 0: no stall address.
    ///
    /// # Errors
    /// If there is no such list, or it is complete.
    pub fn update_stall(&mut self, id: ListId, stall: u32) -> Result<(), ListError> {
        let number = self.slot(id)?;
        let slot = &mut self.slots[number];
        if slot.state == ListState::Completed {
            return Err(ListError::Already);
        }
        slot.list.stall = stall & 0x0fff_ffff;
        if slot.state == ListState::Stalling {
            slot.state = ListState::Drawing;
        }
        Ok(())
    }

    /// State of one list.
    ///
    /// # Errors
    /// If there is no such list.
    pub fn list_sync(&self, id: ListId) -> Result<ListState, ListError> {
        Ok(self.state_of(&self.slots[self.slot(id)?]))
    }

    fn state_of(&self, slot: &Slot) -> ListState {
        match slot.state {
            ListState::Drawing if slot.waits == Waits::Handler && self.sdk <= PAUSED_SDK => ListState::Paused,
            ListState::Drawing if slot.waits == Waits::No && slot.list.is_stalled() => ListState::Stalling,
            state => state,
        }
    }

    /// State of all lists together.
    #[must_use]
    pub fn draw_sync(&self) -> DrawState {
        match self.queue.front().map(|&number| self.state_of(&self.slots[number])) {
            None => DrawState::Done,
            Some(ListState::Stalling) => DrawState::Stalled,
            Some(_) => DrawState::Drawing,
        }
    }

    /// Invalidates the numbers of completed lists, after a wait for all lists.
    pub fn forget_completed(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.is_free()) {
            slot.is_used = false;
        }
    }

    /// Removes a list that is not being executed.
    ///
    /// # Errors
    /// If there is no such list, it is complete, its signal is being handled, or it has a context.
    pub fn dequeue(&mut self, id: ListId) -> Result<(), ListError> {
        let number = self.slot(id)?;
        let slot = &mut self.slots[number];
        if slot.state == ListState::Completed || slot.waits != Waits::No {
            return Err(ListError::Busy);
        }
        if slot.context != 0 {
            return Err(ListError::InvalidId);
        }
        *slot = Slot::default();
        self.queue.retain(|&queued| queued != number);
        self.wake_first();
        Ok(())
    }

    /// Mode 0: pauses the first list and returns its number. Mode 1: drops all lists and returns 0.
    ///
    /// # Errors
    /// If there is no list, the first one is paused already, or the mode is unknown.
    pub fn break_lists(&mut self, mode: u32) -> Result<u32, ListError> {
        if mode > 1 {
            return Err(ListError::InvalidMode);
        }
        let &first = self.queue.front().ok_or(ListError::Already)?;
        if mode == 1 {
            self.slots.fill(Slot::default());
            self.queue.clear();
            // Their handlers would be told of lists that are not there any more, or of others with their numbers.
            self.interrupts.clear();
            self.stamps.clear();
            return Ok(0);
        }
        let slot = &mut self.slots[first];
        if slot.state == ListState::Paused {
            return Err(ListError::Busy);
        }
        slot.state = ListState::Paused;
        Ok(first as u32)
    }

    /// Resumes a paused list. Without lists the call does nothing and succeeds.
    ///
    /// # Errors
    /// If the first list is not paused.
    pub fn continue_lists(&mut self) -> Result<(), ListError> {
        let Some(&first) = self.queue.front() else { return Ok(()) };
        let slot = &mut self.slots[first];
        if slot.state != ListState::Paused {
            return Err(if self.sdk >= STRICT_SDK { ListError::Already } else { ListError::Failed });
        }
        slot.state = ListState::Drawing;
        Ok(())
    }

    /// Writes the state of the machine to guest memory as a context block.
    ///
    /// # Errors
    /// While there are lists.
    pub fn save_context(&self, ge: &mut Ge, memory: &dyn Memory, address: u32) -> Result<(), ListError> {
        if !self.queue.is_empty() {
            return Err(ListError::Failed);
        }
        ge.save_context(memory, address);
        Ok(())
    }

    /// Reads the state of the machine from a context block in guest memory.
    ///
    /// # Errors
    /// While there are lists.
    pub fn restore_context(&self, ge: &mut Ge, memory: &dyn Memory, address: u32) -> Result<(), ListError> {
        if !self.queue.is_empty() {
            return Err(ListError::Busy);
        }
        ge.restore_context(memory, address);
        Ok(())
    }

    /// Sets the wiring of the VRAM mirrors to the value of the system call; returns the previous value.
    ///
    /// # Errors
    /// If the value is unknown.
    pub fn set_translation(ge: &mut Ge, value: u32) -> Result<u32, ListError> {
        let maps = AddressMaps::of(value).ok_or(ListError::InvalidValue)?;
        Ok(ge.set_address_maps(maps).value())
    }
}
