//! Geometry runs on compiled code.

use super::Shading;
use crate::code::pica::geometry::GeometryRoutine;
use crate::engine::Served;
use crate::engine::core::Core;
use crate::error::CompileError;
use crate::pica::key::shader::{GeometryKey, exact};
use crate::pica::shader::known::KnownRun;
use crate::pica::shader::vertex::UNIFORM_LIMIT;
use picaflor_pipeline::pica::shader::unit::Vec4;
use picaflor_pipeline::pica::stage::{Emission, GeometryBatch, GeometryRun};
use std::sync::Arc;

/// Nanoseconds that the interpreter needs for a run, roughly: 100 instructions.
const INTERPRETED: u64 = 3000;

impl Shading {
    /// Runs the program on compiled code. `false` or an error: no routine (yet), and nothing has changed.
    pub(super) fn geometry_compiled(
        &mut self,
        core: &mut Core,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
    ) -> Result<bool, CompileError> {
        let Some(routine) = self.geometry_routine(core, run)? else { return Ok(false) };
        if !self.run_once(&routine, run, emitted) {
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
        let Some(routine) = self.geometry_routine(core, &batch.run)? else { return Ok(()) };
        let mut groups = 0;
        while let Some((inputs, others)) = rest.split_at_checked(batch.each.get()) {
            batch.load(inputs);
            if !self.run_once(&routine, &mut batch.run, emitted) {
                break;
            }
            *rest = others;
            groups += 1;
        }
        self.geometry_ran(core, groups);
        Ok(())
    }

    /// The routine of a run, without building a key if runs like it were seen lately.
    fn geometry_routine(
        &mut self,
        core: &mut Core,
        run: &GeometryRun<'_>,
    ) -> Result<Option<Arc<GeometryRoutine>>, CompileError> {
        if !core.compiles() {
            return Ok(None);
        }
        let arithmetic = exact(run.precision);
        let routine = match self.runs.find(run, arithmetic) {
            Some(known) => known,
            None => {
                let program = self.programs.intern(run.program);
                let Some(found) =
                    core.find(&GeometryKey::of(run, &program, arithmetic), &program, INTERPRETED)?
                else {
                    return Ok(None);
                };
                self.runs.keep(run, arithmetic, KnownRun::new(run, arithmetic), &found);
                found
            }
        };
        routine.facts.length.affords(run.instruction_budget)?;
        Ok(Some(routine))
    }

    /// Runs the program once. Returns false, with nothing changed, if the interpreter has to do the run.
    fn run_once(
        &mut self,
        routine: &GeometryRoutine,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
    ) -> bool {
        self.tables.fill(run.uniforms, run.precision, &routine.uses, UNIFORM_LIMIT);
        self.before.clone_from(run.unit);
        let length = emitted.len();
        let b15 = run.uniforms.bool(15);
        let budget = run.instruction_budget;
        if routine.run(&self.tables, run.unit, b15, run.output_mask, budget, emitted) {
            run.uniforms.set_bools(run.uniforms.bools() | 0x8000);
            return true;
        }
        run.unit.clone_from(&self.before);
        emitted.truncate(length);
        false
    }

    fn geometry_ran(&mut self, core: &Core, groups: u32) {
        self.last.served = Served::Compiled;
        self.last.groups = groups;
        core.profile.ran(groups, 0);
    }
}
