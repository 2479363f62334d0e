//! Implementation of the seams of the PICA200 by the engine.

use super::{blit, fragment, trace};
use crate::code::fp_mode;
use crate::engine::{CompileReport, RunReport};
use crate::error::CompileError;
use crate::machines::Engine;
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
use picaflor_pipeline::picture::{Picture, PictureBuffer, PictureError};
use picaflor_pipeline::tile::Workers;
use std::sync::Arc;

impl Engine {
    /// Report on the last batch or run.
    #[must_use]
    pub fn last_run(&self) -> &RunReport {
        self.pica.shading.last_run()
    }

    /// Compiles the routine of a batch on this thread, replacing an existing one, and caches it: for warming up, or
    /// for measurements. Does not use the disk cache.
    ///
    /// # Errors
    /// The reason for a refusal. [`EngineMode::InterpreterOnly`](crate::EngineMode::InterpreterOnly) gives
    /// [`CompileError::Host`].
    pub fn compile(&mut self, batch: &VertexBatch<'_>) -> Result<CompileReport, CompileError> {
        self.pica.shading.compile(&mut self.core, batch)
    }
}

impl ShaderStage for Engine {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        self.pica.shading.shade(&mut self.core, batch, out, faults);
        self.core.tracer.vertices(batch.indices, |position| fp_mode::ieee(|| trace::vertex(batch, position)));
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.core.tracer.geometry_run(|| fp_mode::ieee(|| trace::geometry_run(run)));
        self.pica.shading.run_geometry(&mut self.core, run, emitted, faults);
    }

    fn run_geometry_batch(
        &mut self,
        batch: &mut GeometryBatch<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        if !self.core.tracer.wants_geometry_runs() {
            return self.pica.shading.run_geometry_batch(&mut self.core, batch, emitted, faults);
        }
        // The registers before each run are needed.
        for inputs in batch.inputs.chunks_exact(batch.each.get()) {
            batch.load(inputs);
            self.run_geometry(&mut batch.run, emitted, faults);
        }
    }
}

impl PrimitiveStage for Engine {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Primitives,
    ) {
        // A trace of a pixel shows attributes that nobody else reads.
        let is_drawn = batch.is_drawn && self.core.tracer.pixel().is_none();
        let batch = PrimitiveBatch { is_drawn, ..*batch };
        fp_mode::ieee(|| self.pica.primitives.primitives(&batch, pending, out));
    }
}

impl BlitStage for Engine {
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
        blit::fill(memory, fill)
    }

    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
        blit::transfer(memory, registers)
    }

    fn scan_out(&mut self, memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
        blit::scan_out(memory, source)
    }

    fn scan_out_into(
        &mut self,
        memory: &dyn Memory,
        source: &ScanOut,
        buffer: &mut PictureBuffer<'_>,
    ) -> Result<[u32; 2], PictureError> {
        blit::scan_out_into(memory, source, buffer)
    }
}

impl FragmentStage for Engine {
    fn list_begins(&mut self) {
        self.pica.binder.list_begins();
        self.textures.list_begins();
    }

    fn list_ends(&mut self) {
        self.pica.binder.list_ends();
        self.textures.list_ends();
    }

    fn workers(&mut self) -> Option<&mut Workers> {
        Some(&mut self.workers)
    }

    fn is_full(&mut self) -> bool {
        self.textures.is_full()
    }

    fn next_draw(&mut self, pixels: u64) {
        self.pica.binder.next_pixels = pixels;
    }

    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        fragment::stage::fragment_routine(&mut self.core, &mut self.pica.binder, &mut self.textures, state)
    }
}
