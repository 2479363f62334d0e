//! `InPlace`: the queue that draws each submission at once, with the whole target as one tile.

use super::footprint::Footprint;
use super::{Queue, Submitted};
use crate::ge::stage::{PixelStage, TileBatch, TileRoutine};
use crate::ge::target::Target;
use crate::memory::Memory;
use crate::stop::Stopper;
use crate::tile::{Cut, Footprint as _, draw_pieces};

/// Queue that draws on the submitting thread.
pub(super) struct InPlace<'m> {
    memory: &'m dyn Memory,
    stopper: &'m Stopper,
    order: Vec<u32>,
    pixels: u64,
}

impl<'m> InPlace<'m> {
    pub(super) const fn new(memory: &'m dyn Memory, stopper: &'m Stopper) -> Self {
        Self { memory, stopper, order: Vec::new(), pixels: 0 }
    }
}

impl Queue for InPlace<'_> {
    fn draw(&mut self, stage: &mut dyn PixelStage, draw: Submitted<'_>) {
        let Submitted { state, primitives, covered, .. } = draw;
        let tile = state.registers.drawing_area();
        let target = Target::new(state.registers, state.maps, self.memory);
        // Draws that were gathered come one after the other: an engine would compare the textures of each.
        let is_unseen = covered.is_empty() || self.stopper.asks();
        if let (Some(target), false, false) = (target, is_unseen, primitives.is_empty()) {
            self.order.clear();
            self.order.extend(0..primitives.len() as u32);
            let routine = stage.pixel_routine(&state, primitives);
            let (stopper, target) = (self.stopper, &target);
            self.pixels +=
                draw_pieces((primitives, &self.order), tile, (stopper, cut(&*routine)), |order, tile| {
                    routine.run(&TileBatch { state, primitives, order, tile, target })
                });
            for (address, length) in Footprint::new(state.registers, target, covered).changed() {
                self.memory.written(address, length);
            }
        }
        primitives.clear();
    }

    fn before_read(&mut self, _: (u32, u32)) {}

    fn before_write(&mut self, _: (u32, u32)) {}

    fn is_pending(&self) -> bool {
        false
    }

    fn finish(&mut self) {}

    fn take_pixels(&mut self) -> u64 {
        std::mem::take(&mut self.pixels)
    }
}

/// Where a tile of a draw may be cut: rows of memory follow each other downward.
pub(super) fn cut(routine: &dyn TileRoutine) -> Cut {
    Cut { pixels: routine.pixels_at_once(), lead: 0, top_first: false, by_blocks: false }
}
