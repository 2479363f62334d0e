//! Draws: from a state to tiles on compiled code, or on the interpreter.

use super::ImageKey;
use super::bind::{Binder, Bound};
use super::texture::lent;
use super::tiles::{self, CompiledTiles};
use crate::code::pica::blocks::FragmentRoutine;
use crate::engine::core::Core;
use crate::error::CompileError;
use crate::fallback::Fallback;
use crate::texture_cache::Images;
use picaflor_interp::Interpreter;
use picaflor_interp::pica::traced;
use picaflor_pipeline::pica::stage::{FragmentStage as _, FragmentState, NoEngines, TileBatch, TileRoutine};
use std::sync::Arc;

impl TileRoutine for Fallback<dyn TileRoutine> {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        self.draw(|interpreter| interpreter.run(batch))
    }
}

/// Draws the tiles of a state.
pub(crate) fn fragment_routine(
    core: &mut Core,
    binder: &mut Binder,
    textures: &mut impl Images<ImageKey>,
    state: &FragmentState<'_>,
) -> Arc<dyn TileRoutine> {
    binder.draws(state, textures);
    if let Some((subject, found)) = core.tracer.pixel() {
        return Arc::new(core.always(traced(subject, &found)));
    }
    match compiled(core, binder, textures, state) {
        Ok(Some(_)) if state.registers.colour_operation().skip_all() => Arc::new(NoEngines),
        Ok(Some((routine, bound))) => {
            core.profile.fragments_drawn();
            let skips_odd_lines = state.registers.colour_operation().skip_lines();
            let overlaps = tiles::buffers_overlap(&routine, binder.target);
            let fallback =
                if overlaps { fallback(core, textures, state) } else { plain_fallback(core, state) };
            Arc::new(CompiledTiles { routine, bound, skips_odd_lines, overlaps, fallback })
        }
        Ok(None) | Err(CompileError::Stopped) => Arc::new(fallback(core, textures, state)),
        Err(reason) => {
            core.profile.refused(&reason);
            Arc::new(fallback(core, textures, state))
        }
    }
}

/// Fallback: the interpreter, with the host's images from the cache.
fn fallback(
    core: &mut Core,
    textures: &mut impl Images<ImageKey>,
    state: &FragmentState<'_>,
) -> Fallback<dyn TileRoutine> {
    let mut fallback = plain_fallback(core, state);
    if fallback.allowed
        && let Some(images) = lent(state, textures)
    {
        fallback.interpreter = Interpreter::fragments_with(images);
    }
    fallback
}

/// Fallback: the interpreter.
fn plain_fallback(core: &mut Core, state: &FragmentState<'_>) -> Fallback<dyn TileRoutine> {
    let interpreted = core.interpreter.fragment_routine(state);
    core.fallback(interpreted)
}

/// The routine of a state with its constants, `None` while it is being made, or why there is none.
pub(super) fn compiled(
    core: &mut Core,
    binder: &mut Binder,
    textures: &mut impl Images<ImageKey>,
    state: &FragmentState<'_>,
) -> Result<Option<(Arc<FragmentRoutine>, Bound)>, CompileError> {
    if !core.compiles() {
        return Ok(None);
    }
    let number = binder.state(state.registers, core.cpu)?;
    let routine = match binder.routine(number) {
        Some(routine) => routine,
        None => {
            let key = binder.key(number);
            let (work, is_stopping) =
                (|| binder.next_pixels * binder.interpreted(number), || state.memory.is_stopping());
            let Some(routine) = core.find(key, &(), work, &is_stopping)? else { return Ok(None) };
            binder.keep(number, &routine);
            routine
        }
    };
    Ok(Some((routine, binder.bind(number, state, textures)?)))
}
