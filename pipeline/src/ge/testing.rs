//! Shared helpers of the machine's tests.

mod sketch;

use super::Ge;
use super::display_list::DisplayList;
use super::stage::NoEngines;
use super::vram::{VRAM, VRAM_BYTES};
use crate::ge::machine::processor::{RunError, Stop};
use crate::memory::{BlockMemory, write_bytes};
pub(super) use sketch::Sketch;

/// Address of test lists.
pub(super) const LIST: u32 = 0x0880_0000;

/// A machine with memory.
pub(super) struct Bench {
    pub(super) ge: Ge,
    pub(super) memory: BlockMemory,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self { ge: Ge::new(), memory: BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (LIST, 0x1_0000)]) }
    }

    pub(super) fn put(&self, address: u32, words: &[u32]) {
        for (address, word) in (address..).step_by(4).zip(words) {
            write_bytes(&self.memory, address, &word.to_le_bytes());
        }
    }

    /// Writes a list to the usual address and runs it until it stops.
    pub(super) fn run(&mut self, words: &[u32]) -> Result<Stop, RunError> {
        self.put(LIST, words);
        self.go_on(&mut DisplayList::new(LIST, 0))
    }

    pub(super) fn go_on(&mut self, list: &mut DisplayList) -> Result<Stop, RunError> {
        self.ge.run(&mut NoEngines, &self.memory, list)
    }

    pub(super) fn execute(&mut self, words: &[u32]) {
        assert_eq!(self.ge.execute(&mut NoEngines, &self.memory, words), Ok(()));
    }

    pub(super) fn word(&self, command: u8) -> u32 {
        self.ge.registers().word(command)
    }
}
