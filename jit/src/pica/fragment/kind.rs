//! Fragment routines as the core makes, stores and loads them. Their facts follow from the key.

use super::{build, facts};
use crate::code::compile::Compiler;
use crate::code::pica::blocks::FragmentRoutine;
use crate::code::routine::CodeBlock;
use crate::error::CompileError;
use crate::key::bytes::to_bytes;
use crate::kind::RoutineKind;
use crate::pica::key::fragment::FragmentKey;
use std::sync::Arc;

impl RoutineKind for FragmentKey {
    type Routine = FragmentRoutine;
    type Source = ();

    fn compile(&self, (): &(), compiler: &mut Compiler) -> Result<FragmentRoutine, CompileError> {
        compiler.allocate_quickly(false)?;
        let code = compiler.define(&self.to_string(), |func, context, isa| {
            build(self, func, context, isa);
            Ok(())
        })?;
        FragmentRoutine::new(code, facts(self))
    }

    fn code(routine: &FragmentRoutine) -> &Arc<CodeBlock> {
        routine.code()
    }

    fn stored_key(&self, (): &()) -> Option<Vec<u8>> {
        to_bytes("fragment ", self)
    }

    fn store(_: &FragmentRoutine) -> Vec<u8> {
        Vec::new()
    }

    fn load(
        &self,
        _: &[u8],
        code: impl FnOnce() -> Result<Arc<CodeBlock>, CompileError>,
    ) -> Result<Option<FragmentRoutine>, CompileError> {
        FragmentRoutine::new(code()?, facts(self)).map(Some)
    }
}
