//! Engines of the PICA200 with a clock.

use super::spans::{Ledger, Span, length, merged};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryRun, ShadedVertices, ShaderStage, Stages, TileBatch,
    TileRoutine, VertexBatch,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An engine whose work is timed.
pub(super) struct Clocked<'a> {
    inner: &'a mut dyn Stages,
    shaded: u64,
    vertex: Vec<Span>,
    fragment: Ledger,
}

/// How long the engine took.
pub(super) struct Times {
    /// Vertices that were shaded.
    pub(super) shaded: u64,
    pub(super) vertex: Duration,
    pub(super) fragment: Duration,
    /// Either or both of them.
    pub(super) either: Duration,
}

impl<'a> Clocked<'a> {
    pub(super) fn new(inner: &'a mut dyn Stages) -> Self {
        Self { inner, shaded: 0, vertex: Vec::new(), fragment: Ledger::default() }
    }

    pub(super) fn times(self) -> Times {
        let fragment = merged(self.fragment.spans());
        let vertex = merged(self.vertex);
        Times {
            shaded: self.shaded,
            vertex: length(&vertex),
            fragment: length(&fragment),
            either: length(&merged([vertex, fragment].concat())),
        }
    }
}

impl ShaderStage for Clocked<'_> {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        let start = Instant::now();
        self.inner.shade(batch, out, faults);
        self.vertex.push((start, Instant::now()));
        self.shaded += batch.indices.len() as u64;
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        let start = Instant::now();
        self.inner.run_geometry(run, emitted, faults);
        self.vertex.push((start, Instant::now()));
    }
}

impl FragmentStage for Clocked<'_> {
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        let start = Instant::now();
        let inner = self.inner.fragment_routine(state);
        self.fragment.note(start);
        Arc::new(ClockedRoutine { inner, ledger: self.fragment.clone() })
    }

    fn list_begins(&mut self) {
        self.inner.list_begins();
    }

    fn list_ends(&mut self) {
        self.inner.list_ends();
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
