//! Vertex routines as the core makes, stores and loads them.

use super::build;
use crate::code::compile::Compiler;
use crate::code::ge::transforms::TransformRoutine;
use crate::code::routine::CodeBlock;
use crate::error::CompileError;
use crate::ge::key::TransformKey;
use crate::key::bytes::to_bytes;
use crate::kind::RoutineKind;
use std::sync::Arc;

impl RoutineKind for TransformKey {
    type Routine = TransformRoutine;
    type Source = ();

    fn compile(&self, (): &(), compiler: &mut Compiler) -> Result<TransformRoutine, CompileError> {
        compiler.allocate_quickly(false)?;
        let code = compiler.define(&self.to_string(), |func, context, isa| {
            build(self, func, context, isa);
            Ok(())
        })?;
        TransformRoutine::new(code, self.vertex_type.stride())
    }

    /// A routine takes 0.3 ms, and 0.7 on average where many have morphed records (measured: frames 10, 06). A draft took less than
    /// half, and its code 1.4 times as long for a vertex, when positions and lights were the code's too.
    fn has_draft(&self) -> bool {
        !self.vertex_type.is_through()
    }

    /// Reading and mixing eight records takes several times as long as reading one.
    fn is_short(&self) -> bool {
        self.vertex_type.morph_count() == 1
    }

    fn code(routine: &TransformRoutine) -> &Arc<CodeBlock> {
        routine.code()
    }

    fn stored_key(&self, (): &()) -> Option<Vec<u8>> {
        to_bytes("ge vertex ", self)
    }

    fn store(_: &TransformRoutine) -> Vec<u8> {
        Vec::new()
    }

    fn load(
        &self,
        _: &[u8],
        code: impl FnOnce() -> Result<Arc<CodeBlock>, CompileError>,
    ) -> Result<Option<TransformRoutine>, CompileError> {
        TransformRoutine::new(code()?, self.vertex_type.stride()).map(Some)
    }
}
