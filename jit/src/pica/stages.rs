//! Implementation of both seams of the PICA200 by the engine.

use super::fragment;
use crate::engine::{CompileReport, RunReport};
use crate::error::CompileError;
use crate::machines::Engine;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryRun, ShadedVertices, ShaderStage, TileRoutine,
    VertexBatch,
};
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
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.pica.shading.run_geometry(&mut self.core, run, emitted, faults);
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

    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        fragment::stage::fragment_routine(&mut self.core, &mut self.pica.binder, &mut self.textures, state)
    }
}
