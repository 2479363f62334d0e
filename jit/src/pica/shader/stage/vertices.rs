//! Vertex batches on compiled code: fast code first, exact code for flagged groups, the interpreter for the remaining
//! ones.

use super::Shading;
use crate::code::fp_mode::HOST_FLUSHES_AFTER_ROUNDING;
use crate::code::pica::shade::{VertexJob, VertexRoutine};
use crate::code::pica::tables::Tables;
use crate::emit::pica::number::Arithmetic;
use crate::engine::core::Core;
use crate::engine::{Served, Variant};
use crate::error::CompileError;
use crate::pica::key::programs::KnownProgram;
use crate::pica::key::shader::{VertexKey, exact, fast};
use crate::pica::shader::batch;
use crate::pica::shader::last_batch::LastBatch;
use crate::pica::shader::vertex::UNIFORM_LIMIT;
use picaflor_interp::Interpreter;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::float::Precision;
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
        let program = self.programs.intern(batch.program);
        let arithmetic = first_arithmetic(core.variant, batch.precision);
        let Some(first) = self.first_routine(core, batch, &program, arithmetic)? else { return Ok(false) };
        first.facts.length.affords(batch.instruction_budget)?;
        let fixed = batch::fixed(batch);
        let uses = (first.id, &first.facts.uses);
        let in_range = self.tables.fill(batch.uniforms, batch.precision, &fixed, uses, UNIFORM_LIMIT);
        let groups = batch.indices.len().div_ceil(4) as u32;
        let mut flagged = std::mem::take(&mut self.flagged);
        let [again, left] = &mut flagged;
        let exact_first = !arithmetic.is_fast() || (is_console(arithmetic) && !in_range);
        if exact_first {
            again.clear();
            again.extend(0..groups);
        } else {
            let views = self.staging.prepare(batch);
            let job = job(batch, &views, &self.tables);
            first.run(&job, &[], out, again);
            self.last.replayed = again.len() as u32;
        }
        let again = Again { groups: again, left, is_whole: exact_first };
        let done = self.replay(core, batch, &program, again, out, faults);
        self.flagged = flagged;
        if !matches!(done, Ok(true)) {
            return done;
        }
        self.last.groups = groups;
        core.profile.ran(groups, self.last.replayed);
        fill_unmapped(first.facts.untouched, out);
        Ok(true)
    }

    /// The routine of a batch; reuses the previous one without building a key if only data differ.
    fn first_routine(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
        program: &Arc<KnownProgram>,
        arithmetic: Arithmetic,
    ) -> Result<Option<Arc<VertexRoutine>>, CompileError> {
        let recent = self.recent.as_ref().filter(|recent| recent.fits(batch, program.id, arithmetic));
        if let Some(recent) = recent {
            return Ok(Some(Arc::clone(&recent.routine)));
        }
        let found = routine(core, batch, program, arithmetic)?;
        self.recent = found.clone().map(|routine| LastBatch::new(batch, program.id, arithmetic, routine));
        Ok(found)
    }

    /// Replays groups in exact code, and the remaining ones in the interpreter. Returns false for a whole batch
    /// without exact code.
    fn replay(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
        program: &Arc<KnownProgram>,
        Again { groups, left, is_whole }: Again<'_>,
        out: &mut ShadedVertices,
        faults: &mut FaultList,
    ) -> Result<bool, CompileError> {
        self.last.served = Served::Compiled;
        left.clear();
        if groups.is_empty() {
            return Ok(true);
        }
        match routine(core, batch, program, exact(batch.precision)) {
            Ok(Some(routine)) => {
                let fixed = batch::fixed(batch);
                let uses = (routine.id, &routine.facts.uses);
                self.tables.fill(batch.uniforms, batch.precision, &fixed, uses, UNIFORM_LIMIT);
                let views = self.staging.prepare(batch);
                routine.run(&job(batch, &views, &self.tables), groups, out, left);
            }
            // The interpreter serves until the exact code is there.
            Ok(None) if is_whole => return Ok(false),
            Ok(None) => groups.clone_into(left),
            Err(reason) if is_whole => return Err(reason),
            Err(reason) => {
                self.last.refusal = Some(reason);
                groups.clone_into(left);
            }
        }
        if !left.is_empty() {
            self.interpret_groups(core, batch, left, out, faults);
        }
        Ok(true)
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

/// Groups for the exact code.
struct Again<'a> {
    groups: &'a [u32],
    /// Receives those of them that the interpreter has to do.
    left: &'a mut Vec<u32>,
    /// True if these are all groups of the batch.
    is_whole: bool,
}

/// Finds the routine of a batch.
fn routine(
    core: &mut Core,
    batch: &VertexBatch<'_>,
    program: &Arc<KnownProgram>,
    arithmetic: Arithmetic,
) -> Result<Option<Arc<VertexRoutine>>, CompileError> {
    if !core.compiles() {
        return Ok(None);
    }
    core.find(&VertexKey::of(batch, program, arithmetic), program)
}

const fn is_console(arithmetic: Arithmetic) -> bool {
    matches!(arithmetic, Arithmetic::ConsoleFast)
}

fn job<'a>(batch: &VertexBatch<'_>, views: &batch::Views<'a>, tables: &'a Tables) -> VertexJob<'a> {
    VertexJob {
        indices: views.indices,
        largest: views.largest,
        arrays: views.arrays,
        tables,
        instruction_budget: batch.instruction_budget,
    }
}

/// Semantics that no output feeds are 1.
fn fill_unmapped(untouched: u64, out: &mut ShadedVertices) {
    for semantic in (0..out.components()).filter(|&semantic| untouched >> semantic & 1 != 0) {
        out.set_ones(semantic);
    }
}
