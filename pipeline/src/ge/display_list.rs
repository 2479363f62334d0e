//! `DisplayList`: a list and the position of its execution.
//!
//! Source: psp-ge.md 2.1-2.4.

use crate::persist::Words;

/// Bits of an address inside the GE.
pub(super) const ADDRESS: u32 = 0x0fff_ffff;
/// Maximum number of nested calls.
pub const CALL_DEPTH: usize = 32;

/// Return frame of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Frame {
    /// Return address: the word after the call.
    pub pc: u32,
    /// OFFSET at the call.
    pub offset: u32,
    /// The word of `BASE` at the call: `RET` does not restore it, the returning signal does.
    pub base: u32,
}

/// Effect that a signal has set for the next `FINISH`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pending {
    /// None: the list ends there.
    #[default]
    Nothing,
    /// The list continues there.
    Sync,
    /// The list pauses there.
    Pause {
        /// Argument of the signal.
        token: u16,
    },
}

/// A list: the state that belongs to it and not to the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayList {
    /// Address of the next word.
    pub pc: u32,
    /// Stall address: execution waits before this word until the address is moved; 0: none.
    pub stall: u32,
    /// OFFSET (1.2).
    pub offset: u32,
    /// True if the last bounding box was outside.
    pub is_outside: bool,
    /// Effect of the next `FINISH`.
    pub pending: Pending,
    /// Return frames, innermost last; at most [`CALL_DEPTH`].
    pub stack: Vec<Frame>,
}

impl DisplayList {
    /// A list that begins at `address` and stalls at `stall`; `stall` 0: no stall.
    #[must_use]
    pub const fn new(address: u32, stall: u32) -> Self {
        Self {
            pc: address & ADDRESS & !3,
            stall: stall & ADDRESS,
            offset: 0,
            is_outside: true,
            pending: Pending::Nothing,
            stack: Vec::new(),
        }
    }

    /// True if the next word is at the stall address.
    #[must_use]
    #[inline]
    pub const fn is_stalled(&self) -> bool {
        self.stall != 0 && self.pc == self.stall
    }

    pub(super) const fn jump(&mut self, address: u32) {
        self.pc = address & ADDRESS & !3;
    }

    /// Calls an address; ignored if calls are nested too deep.
    pub(super) fn call(&mut self, address: u32, offset: u32, base: u32) {
        if self.stack.len() < CALL_DEPTH {
            self.stack.push(Frame { pc: self.pc, offset, base });
            self.jump(address);
        }
    }

    /// Returns from the innermost call; without one, execution continues.
    pub(super) fn ret(&mut self) -> Option<Frame> {
        let frame = self.stack.pop()?;
        self.jump(frame.pc);
        Some(frame)
    }

    pub(super) fn persist(&mut self, words: &mut Words) {
        words.words([&mut self.pc, &mut self.stall, &mut self.offset]);
        words.flag(&mut self.is_outside);
        self.pending.persist(words);
        words.list(&mut self.stack, CALL_DEPTH, |frame, words| {
            words.words([&mut frame.pc, &mut frame.offset, &mut frame.base]);
        });
        self.pc &= ADDRESS & !3;
    }
}

impl Pending {
    fn persist(&mut self, words: &mut Words) {
        let mut word = match *self {
            Self::Nothing => 0,
            Self::Sync => 1,
            Self::Pause { token } => 2 | u32::from(token) << 16,
        };
        words.word(&mut word);
        *self = match word & 3 {
            0 => Self::Nothing,
            1 => Self::Sync,
            _ => Self::Pause { token: (word >> 16) as u16 },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restored(words: Vec<u32>) -> DisplayList {
        let mut list = DisplayList::new(0, 0);
        list.persist(&mut Words::load(words));
        list
    }

    fn saved(mut list: DisplayList) -> Vec<u32> {
        let mut words = Words::save();
        list.persist(&mut words);
        words.into_words()
    }

    /// 2.4: all that a signal may have set for the end of the list.
    #[test]
    fn pending_effects_are_saved() {
        for pending in [Pending::Nothing, Pending::Sync, Pending::Pause { token: 0x1234 }] {
            let mut list = DisplayList { pending, ..DisplayList::new(0x0880_0000, 0x0880_0010) };
            list.stack.push(Frame { pc: 0x0880_0100, offset: 4, base: 0x1000_0001 });
            assert_eq!(restored(saved(list.clone())), list);
        }
    }

    /// 1.2: addresses of words have 28 bits, whatever a stream says.
    #[test]
    fn damaged_addresses_are_those_of_words() {
        let mut words = saved(DisplayList::new(0x0880_0000, 0));
        words[0] = u32::MAX;
        assert_eq!(restored(words).pc, 0x0fff_fffc);
    }
}
