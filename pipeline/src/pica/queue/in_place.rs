//! The queue that draws each submission at once, on the submitting thread.

use super::TileQueue;
use super::area;
use crate::memory::Memory;
use crate::pica::lut::LutMemory;
use crate::pica::raster::triangles::Triangles;
use crate::pica::regs::Registers;
use crate::pica::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use crate::pica::surface::Target;
use crate::stop::Stopper;
use crate::tile::{Bytes, Covered, Cut, draw_pieces};
use std::sync::Arc;

/// A draw, as the machine submits it.
pub struct Submitted<'a> {
    /// All registers during the draw.
    pub registers: &'a Registers,
    /// Tables of the fragment units.
    pub luts: &'a LutMemory,
    /// Triangles to draw, in order, of which the machine leaves out those without a pixel in the drawing area. Their content is
    /// unspecified afterwards.
    pub triangles: &'a mut Triangles,
    /// What they cover inside of the drawing area.
    pub(crate) covered: Covered,
    /// True for the first piece of a draw. Later pieces differ from it only in their triangles.
    pub is_first: bool,
    /// True for the last piece of a draw.
    pub is_last: bool,
}

impl<'a> Submitted<'a> {
    /// A whole draw, of which nobody knows yet what it covers.
    pub(super) fn new(
        (registers, luts): (&'a Registers, &'a LutMemory),
        triangles: &'a mut Triangles,
        memory: &dyn Memory,
    ) -> Self {
        let covered = Covered::by(triangles.faces(), area(registers, &Target::new(registers, memory)));
        Self { registers, luts, triangles, covered, is_first: true, is_last: true }
    }
}

/// Queue that draws each submission at once.
pub(crate) struct InPlace<'m> {
    memory: &'m dyn Memory,
    stopper: &'m Stopper,
    /// Of the draw that is being submitted in pieces.
    routine: Option<Arc<dyn TileRoutine>>,
    order: Vec<u32>,
    fragments: u64,
}

impl<'m> InPlace<'m> {
    pub(crate) const fn new(memory: &'m dyn Memory, stopper: &'m Stopper) -> Self {
        Self { memory, stopper, routine: None, order: Vec::new(), fragments: 0 }
    }
}

impl TileQueue for InPlace<'_> {
    fn is_idle(&self) -> bool {
        true
    }

    fn start_list(&mut self, _: Bytes) {}

    fn before_read(&mut self, _: Bytes) {}

    fn draw(&mut self, stage: &mut dyn FragmentStage, submitted: Submitted<'_>) {
        let Submitted { registers, luts, triangles, covered, is_first, is_last } = submitted;
        let (target, luts) = (Target::new(registers, self.memory), luts.get());
        let state = FragmentState { registers, luts, memory: self.memory };
        let routine = self.routine.take().filter(|_| !is_first).unwrap_or_else(|| {
            stage.next_draw(covered.pixels);
            stage.fragment_routine(&state)
        });
        self.order.clear();
        self.order.extend(0..triangles.len() as u32);
        self.fragments += draw_whole(&*routine, state, (&*triangles, &self.order), &target, self.stopper);
        target.notify_written();
        self.routine = (!is_last).then_some(routine);
    }

    fn finish(&mut self) {
        self.routine = None;
    }

    fn take_fragments(&mut self) -> u64 {
        std::mem::take(&mut self.fragments)
    }
}

/// Draws an order of triangles with the whole target as one tile. Returns the number of fragments.
pub(super) fn draw_whole(
    routine: &dyn TileRoutine,
    state: FragmentState<'_>,
    (triangles, order): (&Triangles, &[u32]),
    target: &Target<'_>,
    stopper: &Stopper,
) -> u64 {
    let tile = area(state.registers, target);
    let cut = cut(target, routine);
    draw_pieces((triangles.faces(), order), tile, (stopper, cut), |order, tile| {
        if order.is_empty() { 0 } else { routine.run(&TileBatch { state, triangles, order, tile, target }) }
    })
}

/// Where a tile of a draw may be cut.
pub(super) fn cut(target: &Target<'_>, routine: &dyn TileRoutine) -> Cut {
    let (lead, top_first) = (target.place().lead(), target.top_first());
    Cut { pixels: routine.pixels_at_once(), lead, top_first, by_blocks: true }
}
