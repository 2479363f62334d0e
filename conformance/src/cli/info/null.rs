//! Engines that do nothing, for looking at lists without drawing.

use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::stage::{
    Emission, FragmentStage, FragmentState, GeometryRun, ShadedVertices, ShaderStage, TileBatch, TileRoutine,
    VertexBatch,
};
use std::sync::Arc;

/// All outputs are zero; nothing is emitted or drawn.
pub(super) struct NoEngines;

impl ShaderStage for NoEngines {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, _: &mut FaultList) {
        out.reset(batch.indices.len(), batch.output.components());
        out.values_mut().fill(0.0);
    }

    fn run_geometry(&mut self, _: &mut GeometryRun<'_>, _: &mut Vec<Emission>, _: &mut FaultList) {}
}

impl FragmentStage for NoEngines {
    fn fragment_routine(&mut self, _: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        Arc::new(Self)
    }
}

impl TileRoutine for NoEngines {
    fn run(&self, _: &TileBatch<'_>) -> u64 {
        0
    }
}
