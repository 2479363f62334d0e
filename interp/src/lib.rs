//! The oracle: PICA200 shader programs, interpreted beside the manual.
#![forbid(unsafe_code)]

use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::stage::{Emission, GeometryRun, ShadedVertices, ShaderStage, VertexBatch};

/// The reference engine.
#[derive(Debug, Default)]
pub struct Interpreter {}

impl Interpreter {
    /// An interpreter.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ShaderStage for Interpreter {
    fn shade(&mut self, _: &VertexBatch<'_>, _: &mut ShadedVertices, _: &mut FaultList) {
        unimplemented!()
    }

    fn run_geometry(&mut self, _: &mut GeometryRun<'_>, _: &mut Vec<Emission>, _: &mut FaultList) {
        unimplemented!()
    }
}
