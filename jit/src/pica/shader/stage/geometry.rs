//! Geometry runs on compiled code: fast code first, exact code for what it flags.

use super::vertices::first_arithmetic;
use super::{Shading, interpreted};
use crate::code::pica::facts::GeometryForm;
use crate::code::pica::geometry::{
    GeometryRoutine, RunSettings, RunsJob, append_cleared, lanes_of_runs, turn,
};
use crate::code::pica::tables::{Tables, are_ordinary};
use crate::emit::pica::layout::RunInputs;
use crate::emit::pica::number::Arithmetic;
use crate::engine::Served;
use crate::engine::core::Core;
use crate::error::CompileError;
use crate::pica::key::shader::{GeometryKey, exact, run_inputs};
use crate::pica::shader::fetch::INPUT_LIMIT;
use crate::pica::shader::geometry::UNIFORM_LIMIT;
use crate::pica::shader::known::{KnownRun, RunCall};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::unit::Vec4;
use picaflor_pipeline::pica::stage::{Emission, GeometryBatch, GeometryRun};
use std::sync::Arc;

impl Shading {
    /// Runs the program on compiled code. `false` or an error: no routine (yet), and nothing has changed.
    pub(super) fn geometry_compiled(
        &mut self,
        core: &mut Core,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
    ) -> Result<bool, CompileError> {
        let inputs = RunInputs::Unit;
        let arithmetic = first_arithmetic(core.variant, run.precision);
        let Some(routine) = self.geometry_routine(core, (run, inputs), arithmetic)? else { return Ok(false) };
        if !self.run_once(core, &routine, inputs, run, emitted)? {
            return Ok(false);
        }
        self.geometry_ran(core, 1);
        Ok(true)
    }

    /// Runs the program for the first sets of inputs of `rest`, and leaves those that the interpreter has to do.
    pub(super) fn geometry_batch_compiled(
        &mut self,
        core: &mut Core,
        batch: &mut GeometryBatch<'_>,
        emitted: &mut Vec<Emission>,
        rest: &mut &[Vec4],
    ) -> Result<(), CompileError> {
        let each = batch.each.get();
        let inputs = run_inputs(batch.destination, each);
        let arithmetic = first_arithmetic(core.variant, batch.run.precision);
        let Some(routine) = self.geometry_routine(core, (&batch.run, inputs), arithmetic)? else {
            return Ok(());
        };
        if let GeometryForm::SideBySide { emissions } = routine.facts.form {
            let runs = rest.len() / each;
            if runs > 0 && self.run_side_by_side(core, &routine, emissions as usize, batch, emitted)? {
                *rest = &rest[runs * each..];
                self.geometry_ran(core, runs as u32);
            }
            return Ok(());
        }
        let mut groups = 0;
        let mut result = Ok(true);
        while let Some((now, others)) = rest.split_at_checked(each) {
            batch.load(now);
            result = self.run_once(core, &routine, inputs, &mut batch.run, emitted);
            if !matches!(result, Ok(true)) {
                break;
            }
            *rest = others;
            groups += 1;
        }
        self.geometry_ran(core, groups);
        result.map(|_| ())
    }

    /// The routine of a run, without building a key if runs like it were seen lately.
    fn geometry_routine(
        &mut self,
        core: &mut Core,
        call: RunCall<'_, '_>,
        arithmetic: Arithmetic,
    ) -> Result<Option<Arc<GeometryRoutine>>, CompileError> {
        if !core.compiles() {
            return Ok(None);
        }
        let (run, inputs) = call;
        let routine = match self.runs.find(&call, arithmetic) {
            Some(known) => known,
            None => {
                let program = self.programs.intern(run.program);
                let key = GeometryKey::of(run, inputs, &program, arithmetic);
                let (steps, budget) = (&mut self.run_steps, run.instruction_budget);
                let work = || interpreted(steps.most(run.program, run.entry, run.uniforms, budget));
                let is_stopping = || run.memory.is_stopping();
                let Some(found) = core.find(&key, &program, work, &is_stopping)? else { return Ok(None) };
                self.runs.keep(&call, arithmetic, KnownRun::new(call, arithmetic), &found);
                found
            }
        };
        routine.facts.length.affords(run.instruction_budget)?;
        Ok(Some(routine))
    }

    /// Fills in the uniforms that a routine reads. Returns true if they and the registers are in its range.
    fn prepare(&mut self, routine: &GeometryRoutine, run: &GeometryRun<'_>) -> bool {
        let in_range = self.run_tables.fill(run.uniforms, run.precision, &routine.uses, UNIFORM_LIMIT);
        let is_limited = routine.is_fast() && run.precision == Precision::Console;
        !is_limited || in_range && routine.takes(run.unit, INPUT_LIMIT)
    }

    /// Runs the program once. `false` or an error: the interpreter has to do the run, and nothing has changed.
    fn run_once(
        &mut self,
        core: &mut Core,
        routine: &GeometryRoutine,
        inputs: RunInputs,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
    ) -> Result<bool, CompileError> {
        let in_range = self.prepare(routine, run);
        if in_range && self.run_with(routine, run, emitted) {
            return Ok(true);
        }
        if !routine.is_fast() {
            return Ok(false);
        }
        self.last.replayed += u32::from(in_range);
        let Some(routine) = self.geometry_routine(core, (run, inputs), exact(run.precision))? else {
            return Ok(false);
        };
        self.prepare(&routine, run);
        Ok(self.run_with(&routine, run, emitted))
    }

    fn run_with(
        &self,
        routine: &GeometryRoutine,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
    ) -> bool {
        let settings = RunSettings { b15: run.uniforms.bool(15), instruction_budget: run.instruction_budget };
        let done = routine.run(&self.run_tables, run.unit, settings, emitted);
        if done {
            run.uniforms.set_bools(run.uniforms.bools() | 0x8000);
        }
        done
    }

    /// Runs the program for all sets of inputs, at least one. `false` or an error: nothing has changed.
    fn run_side_by_side(
        &mut self,
        core: &mut Core,
        routine: &GeometryRoutine,
        emissions: usize,
        batch: &mut GeometryBatch<'_>,
        emitted: &mut Vec<Emission>,
    ) -> Result<bool, CompileError> {
        let runs = batch.inputs.len() / batch.each.get();
        let length = emitted.len();
        self.before.clone_from(batch.run.unit);
        let place = append_cleared(emitted, runs * emissions);
        let done = self.run_groups(core, routine, batch, place);
        if !matches!(done, Ok(true)) {
            batch.run.unit.clone_from(&self.before);
            emitted.truncate(length);
            return done;
        }
        turn(batch.run.unit, runs * emissions);
        let inputs = batch.inputs;
        batch.load(&inputs[(runs - 1) * batch.each.get()..][..batch.each.get()]);
        batch.run.uniforms.set_bools(batch.run.uniforms.bools() | 0x8000);
        Ok(true)
    }

    /// Runs all groups in fast code, and the flagged ones in exact code. `false` or an error: registers and emissions are
    /// in an intermediate state.
    fn run_groups(
        &mut self,
        core: &mut Core,
        routine: &GeometryRoutine,
        batch: &mut GeometryBatch<'_>,
        place: &mut [Emission],
    ) -> Result<bool, CompileError> {
        let runs = batch.inputs.len() / batch.each.get();
        let mut lanes = std::mem::take(&mut self.lanes);
        lanes_of_runs(runs, &mut lanes);
        let [mut flagged, mut left] = std::mem::take(&mut self.flagged);
        let is_limited = routine.is_fast() && batch.run.precision == Precision::Console;
        let in_range = self.prepare(routine, &batch.run);
        if routine.is_fast() && in_range && (!is_limited || are_ordinary(batch.inputs, INPUT_LIMIT)) {
            let job = job(&self.run_tables, batch, &lanes);
            routine.run_groups(&job, &[], batch.run.unit, place, &mut flagged);
            self.last.replayed = (4 * flagged.len()).min(runs) as u32;
        } else {
            flagged.clear();
            flagged.extend(0..lanes.len() as u32 / 4);
        }
        let done = match flagged.is_empty() {
            true => Ok(true),
            false => self.run_exactly(core, batch, place, &lanes, &flagged, &mut left),
        };
        self.flagged = [flagged, left];
        self.lanes = lanes;
        done
    }

    /// Runs the groups of a list in exact code.
    fn run_exactly(
        &mut self,
        core: &mut Core,
        batch: &mut GeometryBatch<'_>,
        place: &mut [Emission],
        lanes: &[u32],
        groups: &[u32],
        left: &mut Vec<u32>,
    ) -> Result<bool, CompileError> {
        let call = (&batch.run, run_inputs(batch.destination, batch.each.get()));
        let Some(routine) = self.geometry_routine(core, call, exact(batch.run.precision))? else {
            return Ok(false);
        };
        self.prepare(&routine, &batch.run);
        routine.run_groups(&job(&self.run_tables, batch, lanes), groups, batch.run.unit, place, left);
        Ok(left.is_empty())
    }

    fn geometry_ran(&mut self, core: &Core, runs: u32) {
        self.last.served = Served::Compiled;
        self.last.groups = runs;
        core.profile.ran(runs, self.last.replayed);
    }
}

fn job<'a>(tables: &'a Tables, batch: &GeometryBatch<'a>, lanes: &'a [u32]) -> RunsJob<'a> {
    let (each, destination) = (batch.each.get(), batch.destination);
    let runs = batch.inputs.len() / each;
    RunsJob { tables, inputs: &batch.inputs[..runs * each], each, destination, lanes }
}
