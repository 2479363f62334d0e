//! Engines of the GE with a clock.

use crate::timing::{Clock, Ledger};
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::blit::BlitStage;
use picaflor_pipeline::ge::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::stage::surface::{Surface, SurfaceBatch};
use picaflor_pipeline::ge::stage::{
    PixelStage, PixelState, Remembered, Stages, TileBatch, TileRoutine, TransformStage, VertexBatch,
};
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::picture::Picture;
use picaflor_pipeline::tile::Workers;
use std::sync::Arc;
use std::time::Instant;

/// An engine with a clock.
pub struct Clocked<'a> {
    inner: &'a mut dyn Stages,
    clock: Clock,
}

impl<'a> Clocked<'a> {
    pub(super) fn new(inner: &'a mut dyn Stages) -> Self {
        Self { inner, clock: Clock::default() }
    }

    pub(super) fn clock(self) -> Clock {
        self.clock
    }
}

impl TransformStage for Clocked<'_> {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        let start = Instant::now();
        self.inner.transform(batch, out);
        self.clock.shaded(start, batch.indices.len());
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        self.inner.remembered(batch)
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        self.inner.is_outside(batch)
    }

    fn is_unseen(&mut self, batch: &VertexBatch<'_>, shape: Shape) -> bool {
        self.inner.is_unseen(batch, shape)
    }

    fn immediate(&mut self, registers: &Registers) -> Vertex {
        self.inner.immediate(registers)
    }

    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        self.inner.surface(batch)
    }
}

impl PrimitiveStage for Clocked<'_> {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        self.inner.primitives(batch, pending, out);
    }
}

impl BlitStage for Clocked<'_> {
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        self.inner.block_transfer(memory, registers, maps)
    }

    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
        self.inner.scan_out(memory, maps, frame)
    }
}

impl PixelStage for Clocked<'_> {
    fn pixel_routine(&mut self, state: &PixelState<'_>, primitives: &[Primitive]) -> Arc<dyn TileRoutine> {
        let start = Instant::now();
        let inner = self.inner.pixel_routine(state, primitives);
        self.clock.fragment.note(start);
        Arc::new(ClockedRoutine { inner, ledger: self.clock.fragment.clone() })
    }

    fn next_draw(&mut self, pixels: u64) {
        self.inner.next_draw(pixels);
    }

    fn is_full(&mut self) -> bool {
        self.inner.is_full()
    }

    fn list_begins(&mut self) {
        self.inner.list_begins();
    }

    fn list_ends(&mut self) {
        self.inner.list_ends();
    }

    fn workers(&mut self) -> Option<&mut Workers> {
        self.inner.workers()
    }

    fn changed(&mut self, address: u32, length: u32) {
        self.inner.changed(address, length);
    }
}

struct ClockedRoutine {
    inner: Arc<dyn TileRoutine>,
    ledger: Ledger,
}

impl TileRoutine for ClockedRoutine {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let start = Instant::now();
        let covered = self.inner.run(batch);
        self.ledger.note(start);
        covered
    }
}

#[cfg(test)]
mod tests {
    use crate::ge::Ge;
    use crate::timing::{first_frames, replay};
    use picaflor_interp::Interpreter;
    use picaflor_scenes::ge::Scene;

    #[test]
    fn stages_add_up_on_one_thread() {
        let capture = Scene::by_name("lists").expect("a scene").capture();
        let timing = replay::<Ge>(&capture, &mut Interpreter::new(), 1).unwrap();
        assert_eq!(timing.vertex + timing.fragment + timing.command, timing.whole);
        assert!([timing.vertex, timing.fragment, timing.command].iter().all(|time| !time.is_zero()));
        assert!(timing.shaded > 0 && timing.per_vertex() > 0.0 && timing.per_fragment() > 0.0);
    }

    #[test]
    fn an_engine_becomes_steady() {
        let capture = Scene::by_name("sprites").expect("a scene").capture();
        let first = first_frames::<Ge>(&capture, 1).unwrap();
        let until = first.until_steady.expect("a scene that is compiled wholly");
        assert!(until >= 1 && until < first.frames.len(), "{until} of {}", first.frames.len());
        assert_eq!(first.frames.last().unwrap().interpreted_tiles, 0);
        assert!(first.stats.compiles > 0);
    }
}
