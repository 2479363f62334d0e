//! Shared helpers of the machine's tests.

use super::Pica;
use super::command::CommandList;
use super::float::Precision;
use crate::memory::{BlockMemory, Memory, write_bytes};
use crate::pica::machine::budget::RunError;
use crate::pica::machine::processor::Finished;
use crate::pica::stage::NoEngines;

/// Address of test lists.
pub(super) const LIST: u32 = 0x2000_0000;

/// A machine with memory.
pub(super) struct Bench {
    pub(super) pica: Pica,
    pub(super) memory: BlockMemory,
}

impl Bench {
    pub(super) fn new() -> Self {
        let memory = BlockMemory::zeroed(&[(0x1800_0000, 0x1_0000), (LIST, 0x1_0000)]);
        Self { pica: Pica::new(Precision::Console), memory }
    }

    pub(super) fn put(&self, address: u32, words: &[u32]) {
        for (address, word) in (address..).step_by(4).zip(words) {
            write_bytes(&self.memory, address, &word.to_le_bytes());
        }
    }

    /// Writes a list to the usual address, padded to its granularity, and runs it.
    pub(super) fn run(&mut self, words: &[u32]) -> Result<Finished, RunError> {
        self.put(LIST, words);
        let size_bytes = 4 * words.len().next_multiple_of(4) as u32;
        self.run_at(CommandList { address: LIST, size_bytes })
    }

    pub(super) fn run_at(&mut self, list: CommandList) -> Result<Finished, RunError> {
        self.pica.run(&mut NoEngines, &self.memory, list)
    }

    pub(super) fn cpu(&mut self, id: u16, value: u32) -> Result<(), RunError> {
        self.pica.write_register(&mut NoEngines, &self.memory, id, value, 15)
    }

    pub(super) fn mmio(&mut self, address: u32, value: u32) -> Result<(), RunError> {
        self.pica.write_mmio(&mut NoEngines, &self.memory, address, value)
    }

    pub(super) fn word(&self, id: u16) -> u32 {
        self.pica.registers().raw(id)
    }

    pub(super) fn bytes(&self, address: u32, length: u32) -> Vec<u8> {
        self.memory.region(address, length).expect("mapped").to_vec()
    }
}

/// Header of a command without extra parameters.
pub(super) const fn header(id: u16, mask: u8) -> u32 {
    id as u32 | (mask as u32) << 16
}
