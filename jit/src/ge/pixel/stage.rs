//! Draws: from a state to rows on compiled code, or on the interpreter.

use super::bind::{self, Bound};
use super::rows::CompiledRows;
use super::texture::ImageKey;
use crate::code::ge::rows::PixelRoutine;
use crate::engine::core::Core;
use crate::error::CompileError;
use crate::fallback::Fallback;
use crate::ge::key::PixelKey;
use crate::texture_cache::Images;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::stage::{PixelStage as _, PixelState, TileBatch, TileRoutine};
use std::sync::Arc;

impl TileRoutine for Fallback<dyn TileRoutine> {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        self.draw(|interpreter| interpreter.run(batch))
    }
}

/// Draws the tiles of a state.
pub(crate) fn pixel_routine(
    core: &mut Core,
    textures: &mut impl Images<ImageKey>,
    state: &PixelState<'_>,
    shape: Shape,
) -> Arc<dyn TileRoutine> {
    bind::draws(state, textures);
    let interpreted = core.interpreter.pixel_routine(state, shape);
    let fallback = core.fallback(interpreted);
    match compiled(core, textures, state, shape) {
        Ok(Some((key, routine, bound))) => {
            core.profile.fragments_drawn();
            Arc::new(CompiledRows { key, routine, bound, fallback })
        }
        Ok(None) => Arc::new(fallback),
        Err(reason) => {
            core.profile.refused(&reason);
            Arc::new(fallback)
        }
    }
}

/// The routine of a state with its key and constants, `None` while it is being made, or why there is none.
fn compiled(
    core: &mut Core,
    textures: &mut impl Images<ImageKey>,
    state: &PixelState<'_>,
    shape: Shape,
) -> Result<Option<(PixelKey, Arc<PixelRoutine>, Bound)>, CompileError> {
    if !core.compiles() {
        return Ok(None);
    }
    let key = PixelKey::of(state, shape)?;
    let Some(routine) = core.find(&key, &())? else { return Ok(None) };
    let bound = bind::bind(&key, state, textures)?;
    Ok(Some((key, routine, bound)))
}
