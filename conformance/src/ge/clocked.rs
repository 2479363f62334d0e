//! Engines of the GE with a clock.

use crate::timing::{Clock, Ledger};
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::stage::{
    PixelStage, PixelState, Stages, TileBatch, TileRoutine, TransformStage, VertexBatch,
};
use picaflor_pipeline::ge::vertex::Vertex;
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
}

impl PixelStage for Clocked<'_> {
    fn pixel_routine(&mut self, state: &PixelState<'_>, shape: Shape) -> Arc<dyn TileRoutine> {
        let start = Instant::now();
        let inner = self.inner.pixel_routine(state, shape);
        self.clock.fragment.note(start);
        Arc::new(ClockedRoutine { inner, ledger: self.clock.fragment.clone() })
    }

    fn list_begins(&mut self) {
        self.inner.list_begins();
    }

    fn list_ends(&mut self) {
        self.inner.list_ends();
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
        assert!(first.frames[0].interpreted_tiles > first.frames.last().unwrap().interpreted_tiles);
        assert!(first.stats.compiles > 0);
    }
}
