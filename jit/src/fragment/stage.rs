//! The engine's side: from a state to tiles on compiled code, or on the interpreter.

use super::tiles::CompiledTiles;
use super::{combiner, fragop};
use crate::code::blocks::FragmentRoutine;
use crate::code::fp_mode;
use crate::emit::constants::DrawConstants;
use crate::engine::Engine;
use crate::error::CompileError;
use crate::key::fragment::FragmentKey;
use crate::key::fragment::output::OutputKey;
use picaflor_pipeline::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use std::sync::Arc;

/// The interpreter's routine. Workers run it, and what mode their threads are in is the host's business.
struct Interpreted(Arc<dyn TileRoutine>);

impl TileRoutine for Interpreted {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        fp_mode::ieee(|| self.0.run(batch))
    }
}

/// Nothing is drawn at all.
struct Nothing;

impl TileRoutine for Nothing {
    fn run(&self, _batch: &TileBatch<'_>) -> u64 {
        0
    }
}

impl FragmentStage for Engine {
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        if state.registers.colour_operation().skip_all() {
            return Arc::new(Nothing);
        }
        let interpreter: Arc<dyn TileRoutine> =
            Arc::new(Interpreted(self.interpreter.fragment_routine(state)));
        match self.compiled_fragments(state) {
            Ok(Some(routine)) => Arc::new(CompiledTiles {
                routine,
                constants: bind(state),
                skips_odd_lines: state.registers.raw(0x100) >> 24 & 1 != 0,
                interpreter,
            }),
            Ok(None) | Err(_) => interpreter,
        }
    }
}

impl Engine {
    /// The routine of a state, `None` while it is being made, or why there is none.
    pub(super) fn compiled_fragments(
        &mut self,
        state: &FragmentState<'_>,
    ) -> Result<Option<Arc<FragmentRoutine>>, CompileError> {
        let key = FragmentKey::of(state.registers)?;
        self.fragment(&key)
    }
}

/// The constants of a draw.
pub(super) fn bind(state: &FragmentState<'_>) -> Box<DrawConstants> {
    let registers = state.registers;
    let needs = OutputKey::of(registers).needs();
    Box::new(DrawConstants {
        depth_scale: [registers.depth_scale(); 4],
        depth_offset: [registers.depth_offset(); 4],
        combiner: combiner::bind(registers, needs),
        output: fragop::bind(registers),
        ..DrawConstants::default()
    })
}
