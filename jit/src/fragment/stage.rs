//! The engine's side: from a state to tiles on compiled code, or on the interpreter.

use super::texture::{self, Textures};
use super::tiles::CompiledTiles;
use crate::code::blocks::FragmentRoutine;
use crate::code::fp_mode;
use crate::emit::constants::DrawConstants;
use crate::engine::Engine;
use crate::error::CompileError;
use crate::key::fragment::FragmentKey;
use picaflor_pipeline::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use std::sync::Arc;

/// The interpreter's routine. Workers run it, and what mode their threads are in is the host's business.
struct Interpreted(Arc<dyn TileRoutine>);

impl TileRoutine for Interpreted {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        fp_mode::ieee(|| self.0.run(batch))
    }
}

/// A routine, its constants, and the images they point to.
type Compiled = (Arc<FragmentRoutine>, Box<DrawConstants>, Textures);

impl FragmentStage for Engine {
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        let interpreter: Arc<dyn TileRoutine> =
            Arc::new(Interpreted(self.interpreter.fragment_routine(state)));
        match self.compiled_fragments(state) {
            Ok(Some((routine, constants, textures))) => Arc::new(CompiledTiles {
                routine,
                constants,
                _textures: textures,
                skips_odd_lines: state.registers.raw(0x100) >> 24 & 1 != 0,
                interpreter,
            }),
            Ok(None) => interpreter,
            Err(reason) => {
                self.refused_fragments(&reason);
                interpreter
            }
        }
    }
}

impl Engine {
    fn compiled_fragments(&mut self, state: &FragmentState<'_>) -> Result<Option<Compiled>, CompileError> {
        let key = FragmentKey::of(state.registers)?;
        let Some(routine) = self.fragment(&key)? else { return Ok(None) };
        let mut constants = bind(state);
        let textures = texture::bind(state, &key, &mut self.textures, &mut constants.textures)?;
        Ok(Some((routine, constants, textures)))
    }
}

/// The constants of a draw.
fn bind(state: &FragmentState<'_>) -> Box<DrawConstants> {
    let registers = state.registers;
    Box::new(DrawConstants {
        depth_scale: [registers.depth_scale(); 4],
        depth_offset: [registers.depth_offset(); 4],
        ..DrawConstants::default()
    })
}
