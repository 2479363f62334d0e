//! Pixel routines as the core makes, stores and loads them.

use super::build;
use crate::code::compile::Compiler;
use crate::code::ge::rows::PixelRoutine;
use crate::code::routine::CodeBlock;
use crate::error::CompileError;
use crate::ge::key::PixelKey;
use crate::key::bytes::to_bytes;
use crate::kind::RoutineKind;
use std::sync::Arc;

impl RoutineKind for PixelKey {
    type Routine = PixelRoutine;
    type Source = ();

    fn compile(&self, (): &(), compiler: &mut Compiler) -> Result<PixelRoutine, CompileError> {
        compiler.allocate_quickly(false)?;
        let code = compiler.define(&self.to_string(), |func, context, isa| {
            build(self, func, context, isa);
            Ok(())
        })?;
        PixelRoutine::new(code, self.sampling().is_some())
    }

    fn is_short(&self) -> bool {
        true
    }

    fn code(routine: &PixelRoutine) -> &Arc<CodeBlock> {
        routine.code()
    }

    fn stored_key(&self, (): &()) -> Option<Vec<u8>> {
        to_bytes("ge pixel ", self)
    }

    fn store(_: &PixelRoutine) -> Vec<u8> {
        Vec::new()
    }

    fn load(
        &self,
        _: &[u8],
        code: impl FnOnce() -> Result<Arc<CodeBlock>, CompileError>,
    ) -> Result<Option<PixelRoutine>, CompileError> {
        PixelRoutine::new(code()?, self.sampling().is_some()).map(Some)
    }
}
