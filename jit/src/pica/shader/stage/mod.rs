//! Shading: from batches and geometry runs to compiled code, or to the interpreter.
//!
//! [`vertices`] runs batches and replays the groups flagged by fast code, [`geometry`] runs geometry programs.

mod geometry;
mod vertices;

use super::batch::Staging;
use super::known::{KnownBatches, KnownRuns};
use crate::code::pica::tables::Tables;
use crate::engine::core::Core;
use crate::engine::{CompileReport, RunReport, Served};
use crate::error::CompileError;
use crate::pica::key::programs::Programs;
use crate::pica::key::shader::VertexKey;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::shader::steps::MostSteps;
use picaflor_pipeline::pica::shader::unit::ShaderUnit;
use picaflor_pipeline::pica::stage::{
    Emission, GeometryBatch, GeometryRun, ShadedVertices, ShaderStage as _, VertexBatch,
};
use std::time::Instant;

/// State kept between batches.
#[derive(Debug)]
pub(crate) struct Shading {
    programs: Programs,
    staging: Staging,
    /// Uniforms of vertex programs, and of geometry programs, which run in turn.
    tables: Tables,
    run_tables: Tables,
    /// The runs of a geometry batch in lanes.
    lanes: Vec<u32>,
    /// Groups that the fast and the exact code flagged.
    flagged: [Vec<u32>; 2],
    batches: KnownBatches,
    runs: KnownRuns,
    /// Bounds of the programs of the last batch and the last run without code. Where it is another program than before, the
    /// account of a run pays for the words.
    vertex_steps: MostSteps,
    run_steps: MostSteps,
    /// The registers before the current geometry batch.
    before: ShaderUnit,
    /// Results of a group that the interpreter ran.
    partial: ShadedVertices,
    /// Report on the last batch or run.
    last: RunReport,
}

/// Nanoseconds that the interpreter needs for an invocation of so many instructions, about (measured: 34 to 60 for each).
fn interpreted(instructions: u32) -> u64 {
    200 + 40 * u64::from(instructions)
}

impl Shading {
    pub(crate) fn new() -> Self {
        Self {
            programs: Programs::default(),
            staging: Staging::default(),
            tables: Tables::new(),
            run_tables: Tables::new(),
            lanes: Vec::new(),
            flagged: [Vec::new(), Vec::new()],
            batches: KnownBatches::default(),
            runs: KnownRuns::default(),
            vertex_steps: MostSteps::default(),
            run_steps: MostSteps::default(),
            before: ShaderUnit::default(),
            partial: ShadedVertices::new(),
            last: RunReport::default(),
        }
    }

    /// Report on the last batch or run.
    pub(crate) const fn last_run(&self) -> &RunReport {
        &self.last
    }

    /// True if the bound of a vertex program is known.
    #[cfg(test)]
    pub(crate) fn knows_steps(&self) -> bool {
        format!("{:?}", self.vertex_steps) != format!("{:?}", MostSteps::default())
    }

    /// See [`Engine::compile`](crate::Engine::compile).
    pub(crate) fn compile(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
    ) -> Result<CompileReport, CompileError> {
        let program = self.programs.intern(batch.program);
        let key = VertexKey::of(batch, &program, vertices::first_arithmetic(core.variant, batch.precision));
        let start = Instant::now();
        let routine = core.make_now(&key, &program)?;
        let time = start.elapsed();
        Ok(CompileReport { time, words: routine.facts.words, code_bytes: routine.code().size() })
    }

    /// Shades a batch.
    pub(crate) fn shade(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
        out: &mut ShadedVertices,
        faults: &mut FaultList,
    ) {
        self.last = RunReport::default();
        out.reset(batch.indices.len(), batch.output.components());
        if batch.indices.is_empty() {
            self.last.served = Served::Compiled;
            return;
        }
        let refusal = match self.shade_compiled(core, batch, out, faults) {
            Ok(true) => return,
            Ok(false) => None,
            Err(refusal) => Some(refusal),
        };
        let interpreted = core.interpret(|interpreter| interpreter.shade(batch, out, faults));
        self.left(interpreted, refusal);
    }

    /// Runs a geometry program.
    pub(crate) fn run_geometry(
        &mut self,
        core: &mut Core,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.last = RunReport::default();
        let refusal = match self.geometry_compiled(core, run, emitted) {
            Ok(true) => return,
            Ok(false) => None,
            Err(refusal) => Some(refusal),
        };
        let interpreted = core.interpret(|interpreter| interpreter.run_geometry(run, emitted, faults));
        self.left(interpreted, refusal);
    }

    /// Runs a geometry program for each set of inputs.
    pub(crate) fn run_geometry_batch(
        &mut self,
        core: &mut Core,
        batch: &mut GeometryBatch<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.last = RunReport::default();
        let mut rest = batch.inputs;
        let refusal = self.geometry_batch_compiled(core, batch, emitted, &mut rest).err();
        if rest.is_empty() {
            return;
        }
        let interpreted = core.interpret(|interpreter| {
            for inputs in rest.chunks_exact(batch.each.get()) {
                batch.load(inputs);
                interpreter.run_geometry(&mut batch.run, emitted, faults);
            }
        });
        self.left(interpreted, refusal);
    }

    /// Records a batch without compiled code: served by the interpreter, or not at all.
    fn left(&mut self, interpreted: bool, refusal: Option<CompileError>) {
        self.last.refusal.clone_from(&refusal);
        self.last.served = if interpreted { Served::Interpreter(refusal) } else { Served::Nobody };
    }
}
