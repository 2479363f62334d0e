//! Draws one by one, on the thread that submits them.

use super::TileQueue;
use super::pool::area;
use crate::memory::Memory;
use crate::pica::lut::LutMemory;
use crate::pica::raster::Triangle;
use crate::pica::regs::Registers;
use crate::pica::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use crate::pica::surface::Target;
use crate::tile::{Bytes, visible};

/// A draw as the machine submits it.
pub struct Submitted<'a> {
    /// All registers as they are during the draw.
    pub registers: &'a Registers,
    /// Tables of the fragment units.
    pub luts: &'a LutMemory,
    /// What to draw. Afterwards it holds nothing of use.
    pub triangles: &'a mut Vec<Triangle>,
    /// Whether these are the first triangles of the draw. Otherwise nothing but they differs from the piece
    /// before.
    pub is_first: bool,
    /// Whether no more follow.
    pub is_last: bool,
}

/// Draws everything at once.
pub(crate) struct InPlace<'m> {
    memory: &'m dyn Memory,
    fragments: u64,
}

impl<'m> InPlace<'m> {
    pub(crate) const fn new(memory: &'m dyn Memory) -> Self {
        Self { memory, fragments: 0 }
    }
}

impl TileQueue for InPlace<'_> {
    fn is_idle(&self) -> bool {
        true
    }

    fn wants_pieces(&self) -> bool {
        false
    }

    fn start_list(&mut self, _: Bytes) {}

    fn before_read(&mut self, _: Bytes) {}

    fn draw(&mut self, stage: &mut dyn FragmentStage, submitted: Submitted<'_>) {
        let Submitted { registers, luts, triangles, .. } = submitted;
        let state = FragmentState { registers, luts: luts.get(), memory: self.memory };
        let routine = stage.fragment_routine(&state);
        let target = Target::new(registers, self.memory);
        self.fragments += draw_whole(&*routine, state, triangles, &target);
        target.notify_written();
    }

    fn finish(&mut self) {}

    fn take_fragments(&mut self) -> u64 {
        std::mem::take(&mut self.fragments)
    }
}

/// Draws as one tile. Returns how many fragments there were.
pub(super) fn draw_whole(
    routine: &dyn TileRoutine,
    state: FragmentState<'_>,
    triangles: &[Triangle],
    target: &Target<'_>,
) -> u64 {
    let tile = area(state.registers, target);
    let order = &visible(triangles, tile);
    if order.is_empty() { 0 } else { routine.run(&TileBatch { state, triangles, order, tile, target }) }
}
