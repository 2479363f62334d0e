//! Fragments: the interpreter's routine, in the floating-point mode that it expects.

use crate::code::fp_mode;
use crate::engine::Engine;
use picaflor_pipeline::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use std::sync::Arc;

/// The interpreter's routine. Workers run it, and what mode their threads are in is the host's business.
struct Interpreted(Arc<dyn TileRoutine>);

impl TileRoutine for Interpreted {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        fp_mode::ieee(|| self.0.run(batch))
    }
}

impl FragmentStage for Engine {
    /// All fragments are interpreted, whatever the mode of the engine.
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        Arc::new(Interpreted(self.interpreter.fragment_routine(state)))
    }
}
