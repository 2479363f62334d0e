//! The colour buffer after every draw.

use super::views;
use crate::inspect::AfterDraw;
use picaflor_pipeline::ge::observer::{Observer, View};
use picaflor_pipeline::ge::vram::AddressMaps;

/// An observer that hands buffers on.
pub(super) struct Film {
    pub(super) each: AfterDraw,
    pub(super) maps: AddressMaps,
}

impl Observer for Film {
    fn draw_done(&mut self, view: View<'_>) {
        let buffer = views::buffer(view.registers);
        let of = || views::buffers(view.registers, self.maps, view.memory);
        (self.each)([buffer.width, buffer.height], &of);
    }
}
