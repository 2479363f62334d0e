//! Shared helpers of the machine's tests.

use super::Pica;
use super::command::CommandList;
use super::float::Precision;
use crate::fault::{Fault, FaultList};
use crate::memory::{BlockMemory, Memory, write_bytes};
use crate::pica::display::ScanOut;
use crate::pica::machine::budget::RunError;
use crate::pica::machine::processor::Finished;
use crate::pica::stage::blit::{BlitStage, Fill};
use crate::pica::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives};
use crate::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryRun, NoEngines, ShadedVertices, ShaderStage, TileRoutine,
    VertexBatch,
};
use crate::pica::transfer::{FillWidth, TransferFlags, TransferRegisters, TransferScale, address};
use crate::picture::Picture;
use std::sync::Arc;

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
        self.pica.run(&mut Bytes, &self.memory, list)
    }

    pub(super) fn cpu(&mut self, id: u16, value: u32) -> Result<(), RunError> {
        self.pica.write_register(&mut Bytes, &self.memory, id, value, 15)
    }

    pub(super) fn mmio(&mut self, address: u32, value: u32) -> Result<(), RunError> {
        self.pica.write_mmio(&mut Bytes, &self.memory, address, value)
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

/// [`NoEngines`] that move bytes: fills, and texture copies without gaps. Display transfers move nothing.
pub(super) struct Bytes;

impl BlitStage for Bytes {
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
        let width = [2, 3, 4][[FillWidth::Bits16, FillWidth::Bits24, FillWidth::Bits32]
            .iter()
            .position(|&width| width == fill.width)
            .expect("one of three")];
        for (at, n) in (fill.start..fill.end).zip((0..width).cycle()) {
            let byte = memory.region(at, 1).ok_or(Fault::Unmapped { id: 0x8010, address: at })?;
            byte.write(0, fill.value.to_le_bytes()[n]);
        }
        if fill.end > fill.start {
            memory.written(fill.start, fill.end - fill.start);
        }
        Ok(())
    }

    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
        let (flags, size) = (TransferFlags(registers.flags), registers.copy_size & !15);
        if !flags.copy() && flags.scale() != TransferScale::Invalid {
            return Ok(());
        }
        if size == 0 || !flags.copy() {
            return Err(Fault::BadTransfer { flags: registers.flags });
        }
        let [from, to] = [registers.input, registers.output].map(address);
        for n in 0..size {
            let [from, to] = [from, to].map(|start| start.wrapping_add(n));
            let byte = memory.region(to, 1).ok_or(Fault::Unmapped { id: 0x8c04, address: to })?;
            byte.write(0, memory.byte(from));
        }
        memory.written(to, size);
        Ok(())
    }

    fn scan_out(&mut self, _: &dyn Memory, _: &ScanOut) -> Option<Picture> {
        None
    }
}

impl ShaderStage for Bytes {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        NoEngines.shade(batch, out, faults);
    }

    fn run_geometry(&mut self, _: &mut GeometryRun<'_>, _: &mut Vec<Emission>, _: &mut FaultList) {}
}

impl PrimitiveStage for Bytes {
    /// Every three vertices are a triangle of which nothing is left.
    fn primitives(&mut self, batch: &PrimitiveBatch<'_>, _: &mut PendingVertices, out: &mut Primitives) {
        out.ends.extend(batch.stream.chunks_exact(3).map(|_| 0));
    }
}

impl FragmentStage for Bytes {
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        NoEngines.fragment_routine(state)
    }
}
