//! Geometry runs on compiled code.

use super::Shading;
use crate::engine::Served;
use crate::engine::core::Core;
use crate::error::CompileError;
use crate::pica::key::shader::{GeometryKey, exact};
use crate::pica::shader::vertex::UNIFORM_LIMIT;
use picaflor_pipeline::pica::stage::{Emission, GeometryRun};

impl Shading {
    /// Runs the program on compiled code. `false` or an error: no routine (yet), and nothing has changed.
    pub(super) fn geometry_compiled(
        &mut self,
        core: &mut Core,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
    ) -> Result<bool, CompileError> {
        let program = self.programs.intern(run.program);
        if !core.compiles() {
            return Ok(false);
        }
        let key = GeometryKey::of(run, &program, exact(run.precision));
        let Some(routine) = core.find(&key, &program)? else { return Ok(false) };
        routine.facts.length.affords(run.instruction_budget)?;
        let uses = (routine.id, &routine.facts.uses);
        self.tables.fill(run.uniforms, run.precision, &[None; 16], uses, UNIFORM_LIMIT);
        let before = (run.unit.clone(), emitted.len());
        let b15 = run.uniforms.bool(15);
        let budget = run.instruction_budget;
        if routine.run(&self.tables, run.unit, b15, run.output_mask, budget, emitted) {
            run.uniforms.set_bools(run.uniforms.bools() | 0x8000);
            self.last.served = Served::Compiled;
            self.last.groups = 1;
            core.profile.ran(1, 0);
            return Ok(true);
        }
        *run.unit = before.0;
        emitted.truncate(before.1);
        Ok(false)
    }
}
