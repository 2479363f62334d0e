//! `InPlace`: the queue that draws each submission at once, with the whole target as one tile.

use super::footprint::{Footprint, covered};
use super::{Queue, Submitted};
use crate::ge::stage::{PixelStage, TileBatch};
use crate::ge::target::Target;
use crate::memory::Memory;
use crate::tile::Footprint as _;

/// Queue that draws on the submitting thread.
pub(super) struct InPlace<'m> {
    memory: &'m dyn Memory,
    order: Vec<u32>,
    pixels: u64,
}

impl<'m> InPlace<'m> {
    pub(super) const fn new(memory: &'m dyn Memory) -> Self {
        Self { memory, order: Vec::new(), pixels: 0 }
    }
}

impl Queue for InPlace<'_> {
    fn draw(&mut self, stage: &mut dyn PixelStage, draw: Submitted<'_>) {
        let Submitted { state, primitives } = draw;
        let tile = state.registers.drawing_area();
        let covered = covered(primitives, tile);
        let target = Target::new(state.registers, state.maps, self.memory);
        if let (Some(target), false, Some(first)) = (target, covered.is_empty(), primitives.first()) {
            self.order.clear();
            self.order.extend(0..primitives.len() as u32);
            let routine = stage.pixel_routine(&state, first.shape);
            let batch = TileBatch { state, primitives, order: &self.order, tile, target: &target };
            self.pixels += routine.run(&batch);
            for (address, length) in Footprint::new(state.registers, &target, covered).changed() {
                self.memory.written(address, length);
            }
        }
        primitives.clear();
    }

    fn before_read(&mut self, _: (u32, u32)) {}

    fn before_write(&mut self, _: (u32, u32)) {}

    fn finish(&mut self) {}

    fn take_pixels(&mut self) -> u64 {
        std::mem::take(&mut self.pixels)
    }
}
