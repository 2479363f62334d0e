//! Draws: from a state to rows on compiled code, or on the interpreter.

use super::bind::{self, Bound, Range};
use super::rows::CompiledRows;
use super::texture::{ImageKey, lent};
use crate::code::ge::rows::PixelRoutine;
use crate::engine::core::Core;
use crate::error::CompileError;
use crate::fallback::Fallback;
use crate::ge::key::PixelKey;
use crate::ge::key::texture::FilterKey;
use crate::texture_cache::{Images, Moment};
use picaflor_interp::Interpreter;
use picaflor_interp::ge::traced;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::same::OF_PIXELS;
use picaflor_pipeline::ge::stage::{PixelStage as _, PixelState, TileBatch, TileRoutine};
use picaflor_pipeline::ge::vram::AddressMaps;
use std::sync::Arc;

impl TileRoutine for Fallback<dyn TileRoutine> {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        self.draw(|interpreter| interpreter.run(batch))
    }
}

/// Nanoseconds that the interpreter needs for a pixel in the bounds of primitives, about, of which half are covered if they
/// are triangles (measured, but for levels).
fn interpreted(key: &PixelKey) -> u64 {
    let whole = match key.texture.map(|texture| texture.filter) {
        None => 130,
        Some(FilterKey::Nearest) => 240,
        Some(FilterKey::Linear | FilterKey::Found) => 300,
        Some(FilterKey::Lod(_)) => 450,
    };
    if key.rectangles { whole } else { whole / 2 }
}

/// The rows of the last draw on compiled code, for draws in the same state.
#[derive(Default)]
pub(crate) struct Pixels {
    last: Option<Last>,
    /// Pixels in the bounds of the next draw's primitives.
    pub(crate) next: u64,
}

impl std::fmt::Debug for Pixels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pixels").finish_non_exhaustive()
    }
}

/// A draw: everything that its rows depend on, and what they are.
struct Last {
    registers: Registers,
    clut: Clut,
    maps: AddressMaps,
    shape: Shape,
    is_immediate: bool,
    /// Version of the host's images in place of textures.
    replaced: Option<u64>,
    /// When textures were found in memory.
    checked: Moment,
    /// The buffers.
    drawn: [Range; 2],
    rows: Arc<CompiledRows>,
    /// That of the engine's routines: another may have taken the place of this one.
    generation: u64,
}

impl Last {
    /// True if a draw in a state has the same rows, as long as its textures have not changed.
    fn is_of(&self, state: &PixelState<'_>, shape: Shape) -> bool {
        (self.shape, self.is_immediate, self.maps) == (shape, state.is_immediate, state.maps)
            && self.registers.is_same(state.registers, &OF_PIXELS)
            && self.clut == *state.clut
            && self.replaced == state.memory.replacements()
    }
}

/// Draws the tiles of a state.
pub(crate) fn pixel_routine(
    core: &mut Core,
    pixels: &mut Pixels,
    textures: &mut impl Images<ImageKey>,
    state: &PixelState<'_>,
    primitives: &[Primitive],
) -> Arc<dyn TileRoutine> {
    let shape = Primitive::shape_of(primitives);
    let generation = core.generation();
    let same = pixels.last.as_ref().filter(|last| last.generation == generation && last.is_of(state, shape));
    let drawn = same.map_or_else(|| bind::target_ranges(state), |last| last.drawn);
    bind::draws(&drawn, textures);
    if let Some((subject, found)) = core.tracer.pixel() {
        return Arc::new(core.always(traced(subject, &found)));
    }
    let serves = |last: &&Last| {
        textures.spares(&last.rows.bound.read, last.checked)
            && last.rows.bound.serves(&last.rows.key, state, primitives)
    };
    if let Some(last) = same.filter(serves) {
        core.profile.fragments_drawn();
        return Arc::clone(&last.rows) as _;
    }
    let compiled = compiled(core, textures, (state, primitives, &drawn), pixels.next);
    let fallback = fallback(core, textures, (state, primitives));
    match compiled {
        Ok(Some((key, routine, bound))) => {
            core.profile.fragments_drawn();
            let overlaps = bind::buffers_overlap(&key, &drawn);
            let is_unlit = state.registers.adds_foreign_secondary(state.is_immediate);
            let rows = Arc::new(CompiledRows { key, routine, bound, overlaps, is_unlit, fallback });
            pixels.last = Some(Last {
                registers: state.registers.clone(),
                clut: state.clut.clone(),
                maps: state.maps,
                shape,
                is_immediate: state.is_immediate,
                replaced: state.memory.replacements(),
                checked: textures.now(),
                drawn,
                rows: Arc::clone(&rows),
                generation,
            });
            rows
        }
        Ok(None) | Err(CompileError::Stopped) => Arc::new(fallback),
        Err(reason) => {
            core.profile.refused(&reason);
            Arc::new(fallback)
        }
    }
}

/// Fallback: the interpreter, with the host's images from the cache.
fn fallback(
    core: &mut Core,
    textures: &mut impl Images<ImageKey>,
    (state, primitives): (&PixelState<'_>, &[Primitive]),
) -> Fallback<dyn TileRoutine> {
    let interpreted = core.interpreter.pixel_routine(state, primitives);
    let mut fallback = core.fallback(interpreted);
    if fallback.allowed
        && let Some(images) = lent(state, textures)
    {
        fallback.interpreter = Interpreter::pixels_with(images);
    }
    fallback
}

/// The routine of a state with its key and constants, `None` while it is being made, or why there is none.
fn compiled(
    core: &mut Core,
    textures: &mut impl Images<ImageKey>,
    (state, primitives, drawn): (&PixelState<'_>, &[Primitive], &[Range; 2]),
    pixels: u64,
) -> Result<Option<(PixelKey, Arc<PixelRoutine>, Bound)>, CompileError> {
    if !core.compiles() {
        return Ok(None);
    }
    let key = PixelKey::of(state, Primitive::shape_of(primitives))?;
    let (work, is_stopping) = (|| pixels * interpreted(&key), || state.memory.is_stopping());
    let Some(routine) = core.find(&key.of_code(), &(), work, &is_stopping)? else { return Ok(None) };
    let bound = bind::bind(&key, (state, drawn), primitives, textures)?;
    Ok(Some((key, routine, bound)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use crate::ge::pixel::side_by_side::drawn;
    use picaflor_pipeline::ge::raster::Corner;
    use picaflor_pipeline::ge::regs::op;

    fn registers() -> Registers {
        let mut registers = Registers::default();
        [(op::FBW, 64), (op::PSM, 3), (op::SCISSOR2, 0x3f | 0x3f << 10), (op::REGION2, 0xf_ffff)]
            .iter()
            .for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
        registers
    }

    fn rectangle() -> Primitive {
        let [a, b] = [0, 16 * 40].map(|at| Corner {
            texture: [0.0, 0.0, 1.0],
            w: 1.0,
            x: at,
            y: at,
            z: 77,
            colour: 0xff80_4020,
            secondary: 0,
            fog: 255,
        });
        Primitive { corners: [a, b, b], shape: Shape::Rectangle, reserved: 0 }
    }

    /// A list that draws in one state alone never looks for its routine again.
    #[test]
    fn the_second_version_draws_in_the_state_of_the_last_draw() {
        let (registers, primitives) = (registers(), [rectangle()]);
        let expected = drawn(&mut Interpreter::new(), &registers, &primitives, &[0; 0x4000]);
        assert_eq!(expected.0, 40 * 40);
        let mut engine = Engine::builder().build().expect("an engine");
        // Outside of lists each draw looks for its routine.
        engine.list_begins();
        let drawn_by = |engine: &mut Engine| {
            assert_eq!(drawn(engine, &registers, &primitives, &[0; 0x4000]), expected);
            engine.ge.pixels.last.as_ref().map(|last| Arc::clone(&last.rows))
        };
        assert!(drawn_by(&mut engine).is_none());
        while drawn_by(&mut engine).is_none() {
            std::thread::yield_now();
        }
        engine.wait_for_compiles();
        assert_eq!(engine.stats().refined, 1);
        let last = drawn_by(&mut engine).expect("a routine");
        let found = engine
            .core
            .find(&last.key.of_code(), &(), || 0, &|| false)
            .expect("no refusal")
            .expect("a routine");
        assert!(Arc::ptr_eq(&last.routine, &found));
    }
}
