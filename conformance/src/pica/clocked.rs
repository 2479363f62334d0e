//! Engines of the PICA200 with a clock.

use crate::timing::{Clock, Ledger};
use picaflor_pipeline::fault::{Fault, FaultList};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::pica::stage::blit::{BlitStage, Fill};
use picaflor_pipeline::pica::stage::primitive::{
    PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives,
};
use picaflor_pipeline::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryBatch, GeometryRun, ShadedVertices, ShaderStage, Stages,
    TileBatch, TileRoutine, VertexBatch,
};
use picaflor_pipeline::pica::transfer::TransferRegisters;
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

impl ShaderStage for Clocked<'_> {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        let start = Instant::now();
        self.inner.shade(batch, out, faults);
        self.clock.shaded(start, batch.indices.len());
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        let start = Instant::now();
        self.inner.run_geometry(run, emitted, faults);
        self.clock.shaded(start, 0);
    }

    fn run_geometry_batch(
        &mut self,
        batch: &mut GeometryBatch<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        let start = Instant::now();
        self.inner.run_geometry_batch(batch, emitted, faults);
        self.clock.shaded(start, 0);
    }
}

impl PrimitiveStage for Clocked<'_> {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Primitives,
    ) {
        self.inner.primitives(batch, pending, out);
    }
}

impl BlitStage for Clocked<'_> {
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
        self.inner.fill(memory, fill)
    }

    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
        self.inner.transfer(memory, registers)
    }

    fn scan_out(&mut self, memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
        self.inner.scan_out(memory, source)
    }
}

impl FragmentStage for Clocked<'_> {
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        let start = Instant::now();
        let inner = self.inner.fragment_routine(state);
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
}

struct ClockedRoutine {
    inner: Arc<dyn TileRoutine>,
    ledger: Ledger,
}

impl TileRoutine for ClockedRoutine {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let start = Instant::now();
        let drawn = self.inner.run(batch);
        self.ledger.note(start);
        drawn
    }
}

#[cfg(test)]
mod tests {
    use crate::pica::Pica;
    use crate::timing::{Frame, first_frames, replay, steady, unclocked};
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::capture::Capture;
    use picaflor_pipeline::pica::capture::replay::Player;
    use picaflor_pipeline::pica::float::Precision;
    use picaflor_scenes::pica::Scene;
    use std::time::Duration;

    #[test]
    fn stages_add_up_on_one_thread() {
        let capture = Scene::all()[0].capture(Precision::Console);
        let timing = replay::<Pica>(&capture, &mut Interpreter::new(), 1).unwrap();
        let stages = timing.vertex + timing.fragment + timing.transfer + timing.command;
        assert_eq!(stages, timing.whole);
        for time in [timing.vertex, timing.fragment, timing.transfer, timing.command] {
            assert!(time > Duration::ZERO, "{timing:?}");
        }
        assert!(timing.shaded > 0 && timing.per_vertex() > 0.0 && timing.per_fragment() > 0.0);
    }

    /// The snapshot that a recording begins with has what the machine had counted until then.
    #[test]
    fn counters_are_those_of_the_replay() {
        let capture = Scene::all()[0].capture(Precision::Console);
        let mut player = Player::new(&capture).unwrap();
        while player.run_frame(&mut Interpreter::new()).is_some() {}
        let later = Capture { initial: player.pica().save(), ..capture.clone() };
        let of = |capture| replay::<Pica>(capture, &mut Interpreter::new(), 1).unwrap().stats;
        assert!(of(&capture).draws > 0);
        assert_eq!(of(&later), of(&capture));
    }

    #[test]
    fn steady_runs_at_least_once() {
        let capture = Scene::all()[0].capture(Precision::Console);
        let mut clocks = vec![];
        let mut once = |is_clocked| {
            clocks.push(is_clocked);
            let replay = if is_clocked { replay::<Pica> } else { unclocked::<Pica> };
            replay(&capture, &mut Interpreter::new(), 2)
        };
        let steady = steady(Duration::ZERO, &mut once).unwrap();
        assert_eq!((steady.replays, steady.median), (1, steady.best.whole));
        assert!(steady.stages.shaded > 0 && steady.best.shaded == 0);
        assert_eq!(clocks, [false, true, false]);
    }

    #[test]
    fn an_engine_becomes_steady() {
        let capture = Scene::all()[0].capture(Precision::Console);
        let first = first_frames::<Pica>(&capture, 1).unwrap();
        let until = first.until_steady.expect("a scene that is compiled wholly");
        assert!(until >= 1 && until < first.frames.len());
        assert_eq!(first.frames.len() % crate::replay::frames::<Pica>(&capture), 0);
        assert_eq!(first.frames.last().map(Frame::interpreted), Some([0, 0]));
        // What costs more than compiling is compiled at once; the smallest draws are not.
        assert!(first.frames[0].interpreted_tiles + first.frames[0].interpreted_batches > 0);
        assert!(first.stats.compiles > 0);
        assert!(first.first_wait > Duration::ZERO && first.first_wait <= first.stats.longest_lookup);
    }
}
