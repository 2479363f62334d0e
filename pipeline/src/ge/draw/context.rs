//! `DrawContext`: what drawing commands get of the machine.

use crate::fault::FaultList;
use crate::ge::clut::Clut;
use crate::ge::limits::Limits;
use crate::ge::matrices::Matrices;
use crate::ge::queue::Queue;
use crate::ge::regs::Registers;
use crate::ge::stage::{PixelState, Remembered, Stages};
use crate::ge::stats::Stats;
use crate::ge::vram::AddressMaps;
use crate::memory::Memory;

/// What a draw needs of the machine.
pub(crate) struct DrawContext<'a> {
    /// All registers; the drawing command is already among them.
    pub registers: &'a Registers,
    /// All matrices.
    pub matrices: &'a Matrices,
    /// The colour look-up table.
    pub clut: &'a Clut,
    /// What vertex formats leave out.
    pub remembered: &'a mut Remembered,
    /// Where vertices are read; advances (2.5).
    pub vertex_pointer: &'a mut u32,
    /// Where indices are read; advances (2.5).
    pub index_pointer: &'a mut u32,
    /// The engines.
    pub stages: &'a mut dyn Stages,
    /// Guest memory.
    pub memory: &'a dyn Memory,
    /// How mirrors of VRAM are wired.
    pub maps: AddressMaps,
    /// Where primitives go.
    pub queue: &'a mut dyn Queue,
    /// Budgets.
    pub limits: &'a Limits,
    /// What the guest did wrong.
    pub faults: &'a mut FaultList,
    /// Counters.
    pub stats: &'a mut Stats,
}

impl<'a> DrawContext<'a> {
    /// What pixels of a draw with these registers depend on.
    #[must_use]
    pub(crate) const fn pixel_state(&self, is_immediate: bool) -> PixelState<'a> {
        let (registers, clut, memory, maps) = (self.registers, self.clut, self.memory, self.maps);
        PixelState { registers, clut, memory, maps, is_immediate }
    }
}
