//! The queue that draws each submission at once, on the submitting thread.

use super::TileQueue;
use super::pool::{area, pixels};
use crate::memory::Memory;
use crate::pica::lut::LutMemory;
use crate::pica::raster::Triangle;
use crate::pica::regs::Registers;
use crate::pica::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use crate::pica::surface::Target;
use crate::tile::{Bytes, visible};

/// A draw, as the machine submits it.
pub struct Submitted<'a> {
    /// All registers during the draw.
    pub registers: &'a Registers,
    /// Tables of the fragment units.
    pub luts: &'a LutMemory,
    /// Triangles to draw, in order. Their content is unspecified afterwards.
    pub triangles: &'a mut Vec<Triangle>,
    /// True for the first piece of a draw. Later pieces differ from it only in their triangles.
    pub is_first: bool,
    /// True for the last piece of a draw.
    pub is_last: bool,
}

/// Queue that draws each submission at once.
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
        let target = Target::new(registers, self.memory);
        stage.next_draw(pixels(triangles, area(registers, &target)));
        let routine = stage.fragment_routine(&state);
        self.fragments += draw_whole(&*routine, state, triangles, &target);
        target.notify_written();
    }

    fn finish(&mut self) {}

    fn take_fragments(&mut self) -> u64 {
        std::mem::take(&mut self.fragments)
    }
}

/// Draws the whole target as one tile. Returns the number of fragments.
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
