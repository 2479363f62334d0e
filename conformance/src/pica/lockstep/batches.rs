//! Counts of the producers of shader results: batches that were not compiled are no evidence about compiled code.

use crate::pica::engine::{NamedEngine, Service};
use picaflor_pipeline::fault::{Fault, FaultList};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::pica::stage::blit::{BlitStage, Fill};
use picaflor_pipeline::pica::stage::primitive::{
    PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives,
};
use picaflor_pipeline::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryBatch, GeometryRun, ShadedVertices, ShaderStage,
    TileRoutine, VertexBatch,
};
use picaflor_pipeline::pica::transfer::TransferRegisters;
use picaflor_pipeline::picture::Picture;
use picaflor_pipeline::tile::Workers;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Vertex batches and geometry runs, by producer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batches {
    /// By compiled code, wholly.
    pub compiled: u64,
    /// By the interpreter, asked by name.
    pub reference: u64,
    /// Other producers: the reasons, with counts.
    pub others: BTreeMap<String, u64>,
    /// Tiles of fragments that were interpreted in place of compiled code.
    pub interpreted_tiles: u64,
}

impl Batches {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.compiled + self.reference + self.others.values().sum::<u64>()
    }

    fn count(&mut self, service: &Service) {
        match service {
            Service::Compiled { .. } => self.compiled += 1,
            Service::Reference => self.reference += 1,
            other => *self.others.entry(other.reason()).or_default() += 1,
        }
    }
}

/// An engine with counts of its producers.
pub struct Counted<'a> {
    engine: &'a mut NamedEngine,
    batches: Batches,
    tiles_before: u64,
}

impl<'a> Counted<'a> {
    pub(in crate::pica) fn new(engine: &'a mut NamedEngine) -> Self {
        let tiles_before = engine.interpreted_tiles();
        Self { engine, batches: Batches::default(), tiles_before }
    }

    /// The count so far.
    pub(in crate::pica) fn batches(&self) -> Batches {
        let interpreted_tiles = self.engine.interpreted_tiles() - self.tiles_before;
        Batches { interpreted_tiles, ..self.batches.clone() }
    }
}

impl ShaderStage for Counted<'_> {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        self.engine.shade(batch, out, faults);
        self.batches.count(&self.engine.service());
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.engine.run_geometry(run, emitted, faults);
        self.batches.count(&self.engine.service());
    }

    fn run_geometry_batch(
        &mut self,
        batch: &mut GeometryBatch<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.engine.run_geometry_batch(batch, emitted, faults);
        self.batches.count(&self.engine.service());
    }
}

impl PrimitiveStage for Counted<'_> {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Primitives,
    ) {
        self.engine.primitives(batch, pending, out);
    }
}

impl BlitStage for Counted<'_> {
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
        self.engine.fill(memory, fill)
    }

    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
        self.engine.transfer(memory, registers)
    }

    fn scan_out(&mut self, memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
        self.engine.scan_out(memory, source)
    }
}

impl FragmentStage for Counted<'_> {
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        self.engine.fragment_routine(state)
    }

    fn is_full(&mut self) -> bool {
        self.engine.is_full()
    }

    fn next_draw(&mut self, pixels: u64) {
        self.engine.next_draw(pixels);
    }

    fn list_begins(&mut self) {
        self.engine.list_begins();
    }

    fn list_ends(&mut self) {
        self.engine.list_ends();
    }

    fn workers(&mut self) -> Option<&mut Workers> {
        self.engine.workers()
    }
}
