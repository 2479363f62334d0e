//! The engine's side: from a state to tiles on compiled code, or on the interpreter.

use super::bind::Bound;
use super::tiles::CompiledTiles;
use crate::code::pica::blocks::FragmentRoutine;
use crate::engine::Engine;
use crate::error::CompileError;
use crate::fallback::Fallback;
use picaflor_pipeline::pica::stage::{FragmentStage, FragmentState, NoEngines, TileBatch, TileRoutine};
use std::sync::Arc;

impl TileRoutine for Fallback<dyn TileRoutine> {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        self.draw(|interpreter| interpreter.run(batch))
    }
}

impl FragmentStage for Engine {
    fn list_begins(&mut self) {
        self.binder.list_begins();
        self.textures.list_begins();
    }

    fn list_ends(&mut self) {
        self.binder.list_ends();
        self.textures.list_ends();
    }

    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        self.binder.draws(state, &mut self.textures);
        let instead = Fallback {
            interpreter: self.interpreter.fragment_routine(state),
            fallback: self.fallback,
            profile: Arc::clone(&self.profile),
        };
        match self.compiled_fragments(state) {
            Ok(Some(_)) if state.registers.colour_operation().skip_all() => Arc::new(NoEngines),
            Ok(Some((routine, bound))) => {
                self.profile.fragments_drawn();
                let skips_odd_lines = state.registers.colour_operation().skip_lines();
                Arc::new(CompiledTiles { routine, bound, skips_odd_lines, instead })
            }
            Ok(None) => Arc::new(instead),
            Err(reason) => {
                self.profile.refused(&reason);
                Arc::new(instead)
            }
        }
    }
}

impl Engine {
    /// The routine of a state with its constants, `None` while it is being made, or why there is none.
    pub(super) fn compiled_fragments(
        &mut self,
        state: &FragmentState<'_>,
    ) -> Result<Option<(Arc<FragmentRoutine>, Bound)>, CompileError> {
        if !self.compiles() {
            return Ok(None);
        }
        let number = self.binder.state(state.registers)?;
        let routine = match self.binder.routine(number) {
            Some(routine) => routine,
            None => {
                let key = *self.binder.key(number);
                let Some(routine) = self.fragment(&key)? else { return Ok(None) };
                self.binder.keep(number, &routine);
                routine
            }
        };
        Ok(Some((routine, self.binder.bind(number, state, &mut self.textures)?)))
    }
}
