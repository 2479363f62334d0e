//! Vertex batches on compiled code: fast code first, exact code for flagged groups, the interpreter for the remaining
//! ones.

use super::{Shading, interpreted};
use crate::code::fp_mode::HOST_FLUSHES_AFTER_ROUNDING;
use crate::code::pica::shade::{VertexJob, VertexRoutine};
use crate::code::pica::tables::Tables;
use crate::emit::pica::number::Arithmetic;
use crate::engine::core::Core;
use crate::engine::{Served, Variant};
use crate::error::CompileError;
use crate::pica::key::programs::KnownProgram;
use crate::pica::key::shader::{VertexKey, exact, fast};
use crate::pica::shader::batch::Staging;
use crate::pica::shader::known::KnownBatch;
use crate::pica::shader::vertex::UNIFORM_LIMIT;
use picaflor_interp::Interpreter;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::steps::MostSteps;
use picaflor_pipeline::pica::stage::{ShadedVertices, ShaderStage as _, VertexBatch};
use std::sync::Arc;

/// Arithmetic of the first run for a precision.
pub(super) const fn first_arithmetic(variant: Variant, precision: Precision) -> Arithmetic {
    match variant {
        Variant::Fast => fast(precision, HOST_FLUSHES_AFTER_ROUNDING),
        Variant::Exact => exact(precision),
    }
}

impl Shading {
    /// Shades a batch on compiled code. `false` or an error: no routine (yet).
    pub(super) fn shade_compiled(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
        out: &mut ShadedVertices,
        faults: &mut FaultList,
    ) -> Result<bool, CompileError> {
        let arithmetic = first_arithmetic(core.variant, batch.precision);
        let Some(first) = self.first_routine(core, batch, arithmetic)? else { return Ok(false) };
        first.facts.length.affords(batch.instruction_budget)?;
        let in_range = self.fill(batch, &first);
        let groups = batch.indices.len().div_ceil(4) as u32;
        self.last.served = Served::Compiled;
        let exact_first = !arithmetic.is_fast() || (is_console(arithmetic) && !in_range);
        if exact_first {
            self.flagged[0].clear();
            self.flagged[0].extend(0..groups);
        } else {
            let buffers = (&mut self.staging, &self.tables);
            run(&first, batch, buffers, &[], out, &mut self.flagged[0]);
            self.last.replayed = self.flagged[0].len() as u32;
        }
        if !self.flagged[0].is_empty() && !self.replay(core, batch, exact_first, out, faults)? {
            return Ok(false);
        }
        self.last.groups = groups;
        core.profile.ran(groups, self.last.replayed);
        // Semantics that no output feeds are 1.
        out.set_all_ones(first.facts.untouched & rows_of(out));
        Ok(true)
    }

    /// The routine of a batch, without building a key if batches like it were seen lately.
    fn first_routine(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
        arithmetic: Arithmetic,
    ) -> Result<Option<Arc<VertexRoutine>>, CompileError> {
        if let Some(known) = self.batches.find(batch, arithmetic) {
            return Ok(Some(known));
        }
        let program = self.programs.intern(batch.program);
        let found = routine(core, batch, &program, arithmetic, &mut self.vertex_steps)?;
        if let Some(routine) = &found {
            self.batches.keep(batch, arithmetic, KnownBatch::new(batch, arithmetic), routine);
        }
        Ok(found)
    }

    /// Fills in what a routine reads beside the arrays. Returns true if all of it is in the range of fast code.
    fn fill(&mut self, batch: &VertexBatch<'_>, routine: &VertexRoutine) -> bool {
        let uses = &routine.uses;
        let uniforms = self.tables.fill(batch.uniforms, batch.precision, uses, UNIFORM_LIMIT);
        let fixed = self.tables.fill_fixed(batch.inputs, batch.precision, uses, UNIFORM_LIMIT);
        uniforms && fixed
    }

    /// Replays the flagged groups in exact code, and the remaining ones in the interpreter. `is_whole`: these are all
    /// groups of the batch; returns false for such a batch without exact code.
    fn replay(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
        is_whole: bool,
        out: &mut ShadedVertices,
        faults: &mut FaultList,
    ) -> Result<bool, CompileError> {
        let program = self.programs.intern(batch.program);
        let [groups, mut left] = std::mem::take(&mut self.flagged);
        left.clear();
        let found = routine(core, batch, &program, exact(batch.precision), &mut self.vertex_steps);
        let found = match found {
            Ok(Some(routine)) => {
                self.fill(batch, &routine);
                run(&routine, batch, (&mut self.staging, &self.tables), &groups, out, &mut left);
                Ok(true)
            }
            // The interpreter serves until the exact code is there.
            Ok(None) if is_whole => Ok(false),
            Err(reason) if is_whole => Err(reason),
            found => {
                self.last.refusal = found.err();
                groups.clone_into(&mut left);
                Ok(true)
            }
        };
        if !left.is_empty() {
            self.interpret_groups(core, batch, &left, out, faults);
        }
        self.flagged = [groups, left];
        found
    }

    /// Runs groups in the interpreter: groups with faults to report, or without exact code.
    fn interpret_groups(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
        groups: &[u32],
        out: &mut ShadedVertices,
        faults: &mut FaultList,
    ) {
        let interpreted = core.interpret(|interpreter| {
            groups.iter().for_each(|&group| self.interpret_group(interpreter, batch, group, out, faults));
        });
        let refusal = || self.last.refusal.clone();
        self.last.served = if interpreted { Served::Interpreter(refusal()) } else { Served::Nobody };
    }

    fn interpret_group(
        &mut self,
        interpreter: &mut Interpreter,
        batch: &VertexBatch<'_>,
        group: u32,
        out: &mut ShadedVertices,
        faults: &mut FaultList,
    ) {
        let first = group as usize * 4;
        let indices = &batch.indices[first..batch.indices.len().min(first + 4)];
        let known = faults.as_slice().len();
        interpreter.shade(&VertexBatch { indices, ..*batch }, &mut self.partial, faults);
        faults.move_vertices(known, first as u32);
        for component in 0..out.components() {
            let target = &mut out.component_mut(component)[first..first + indices.len()];
            target.copy_from_slice(self.partial.component(component));
        }
    }
}

/// Finds the routine of a batch; `steps` are those of earlier ones.
fn routine(
    core: &mut Core,
    batch: &VertexBatch<'_>,
    program: &Arc<KnownProgram>,
    arithmetic: Arithmetic,
    steps: &mut MostSteps,
) -> Result<Option<Arc<VertexRoutine>>, CompileError> {
    if !core.compiles() {
        return Ok(None);
    }
    let work = || {
        let most = steps.most(batch.program, batch.entry, batch.uniforms, batch.instruction_budget);
        batch.indices.len() as u64 * interpreted(most)
    };
    core.find(&VertexKey::of(batch, program, arithmetic), program, work, &|| batch.memory.is_stopping())
}

const fn is_console(arithmetic: Arithmetic) -> bool {
    matches!(arithmetic, Arithmetic::ConsoleFast)
}

/// Runs groups of a batch: see [`VertexRoutine::run`].
fn run<'a>(
    routine: &VertexRoutine,
    batch: &VertexBatch<'a>,
    (staging, tables): (&'a mut Staging, &'a Tables),
    groups: &[u32],
    out: &mut ShadedVertices,
    flagged: &mut Vec<u32>,
) {
    // Stays where it is made: a copy took a twentieth of a small call.
    let mut job = VertexJob {
        indices: batch.indices,
        largest: 0,
        arrays: [None; 16],
        tables,
        instruction_budget: batch.instruction_budget,
        memory: batch.memory,
    };
    staging.prepare(batch, &mut job);
    routine.run(&job, groups, out, flagged);
}

/// All components of a result as bits.
const fn rows_of(out: &ShadedVertices) -> u64 {
    if out.components() < 64 { (1 << out.components()) - 1 } else { u64::MAX }
}
