//! `DrawContext`: the part of the machine that drawing commands access.

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
use crate::stop::Stopper;
use crate::work::Account;

use super::joined::Joined;
use super::texels::Texels;

/// References to the parts of the machine that a draw uses.
pub(crate) struct DrawContext<'a> {
    /// All registers; the drawing command is already among them.
    pub registers: &'a Registers,
    /// All matrices.
    pub matrices: &'a Matrices,
    /// The colour look-up table.
    pub clut: &'a Clut,
    /// Values for components that vertex formats omit.
    pub remembered: &'a mut Remembered,
    /// Address of the next vertex; advances (2.5).
    pub vertex_pointer: &'a mut u32,
    /// Address of the next index; advances (2.5).
    pub index_pointer: &'a mut u32,
    /// The engines.
    pub stages: &'a mut dyn Stages,
    /// Guest memory.
    pub memory: &'a dyn Memory,
    /// Wiring of the VRAM mirrors.
    pub maps: AddressMaps,
    /// Destination of primitives.
    pub queue: &'a mut dyn Queue,
    /// Budgets.
    pub limits: &'a Limits,
    /// Units that the run may still spend.
    pub account: &'a mut Account,
    /// Ends the run, if somebody wants so.
    pub stopper: &'a Stopper,
    /// Draws that wait for others in the same state.
    pub joined: &'a mut Joined,
    /// What textures cost.
    pub texels: &'a mut Texels,
    /// Faults of the guest.
    pub faults: &'a mut FaultList,
    /// Counters.
    pub stats: &'a mut Stats,
}

impl<'a> DrawContext<'a> {
    /// State on which the pixels of a draw with these registers depend.
    #[must_use]
    pub(crate) const fn pixel_state(&self, is_immediate: bool) -> PixelState<'a> {
        let (registers, clut, memory, maps) = (self.registers, self.clut, self.memory, self.maps);
        PixelState { registers, clut, memory, maps, is_immediate }
    }
}
