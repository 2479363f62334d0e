//! The engine's side: from a state to rows on compiled code, or on the interpreter.

use super::bind::{self, Bound};
use super::rows::CompiledRows;
use crate::code::ge::rows::PixelRoutine;
use crate::engine::Engine;
use crate::error::CompileError;
use crate::fallback::Fallback;
use crate::ge::key::PixelKey;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileBatch, TileRoutine};
use std::sync::Arc;

impl TileRoutine for Fallback<dyn TileRoutine> {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        self.draw(|interpreter| interpreter.run(batch))
    }
}

impl PixelStage for Engine {
    fn list_begins(&mut self) {
        self.textures.list_begins();
    }

    fn list_ends(&mut self) {
        self.textures.list_ends();
    }

    fn changed(&mut self, address: u32, length: u32) {
        self.textures.changed((address, length));
    }

    fn pixel_routine(&mut self, state: &PixelState<'_>, shape: Shape) -> Arc<dyn TileRoutine> {
        bind::draws(state, &mut self.textures);
        let instead = Fallback {
            interpreter: self.ge_interpreter.pixel_routine(state, shape),
            fallback: self.fallback,
            profile: Arc::clone(&self.profile),
        };
        match self.compiled_pixels(state, shape) {
            Ok(Some((key, routine, bound))) => {
                self.profile.fragments_drawn();
                Arc::new(CompiledRows { key, routine, bound, instead })
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
    /// The routine of a state with its key and constants, `None` while it is being made, or why there is none.
    fn compiled_pixels(
        &mut self,
        state: &PixelState<'_>,
        shape: Shape,
    ) -> Result<Option<(PixelKey, Arc<PixelRoutine>, Bound)>, CompileError> {
        if !self.compiles() {
            return Ok(None);
        }
        let key = PixelKey::of(state, shape)?;
        let Some(routine) = self.pixels(&key)? else { return Ok(None) };
        let bound = bind::bind(&key, state, &mut self.textures)?;
        Ok(Some((key, routine, bound)))
    }
}
