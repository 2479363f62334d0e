//! Batches: on compiled code, or on the interpreter.

use super::bind::bind;
use crate::code::fp_mode;
use crate::code::ge::transforms::{TransformRoutine, Transformed};
use crate::emit::ge::vertices::TransformConstants;
use crate::engine::core::Core;
use crate::error::CompileError;
use crate::ge::key::TransformKey;
use picaflor_pipeline::ge::stage::{TransformStage as _, VertexBatch};
use picaflor_pipeline::ge::vertex::Vertex;
use std::sync::Arc;

/// State kept between batches.
#[derive(Debug, Default)]
pub(crate) struct Transforms {
    /// The routine of the batch before.
    last: Option<(TransformKey, Arc<TransformRoutine>)>,
    constants: Box<TransformConstants>,
    transformed: Transformed,
    /// Vertices of a group that the interpreter did.
    group: Vec<Vertex>,
}

impl Transforms {
    /// Transforms a batch.
    pub(crate) fn transform(&mut self, core: &mut Core, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        out.clear();
        match self.run_compiled(core, batch, out) {
            Ok(true) => return,
            Ok(false) => {}
            Err(reason) => core.profile.refused(&reason),
        }
        core.interpret(|interpreter| interpreter.transform(batch, out));
    }

    /// Transforms a batch on compiled code; returns false without a routine (yet).
    fn run_compiled(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
        out: &mut Vec<Vertex>,
    ) -> Result<bool, CompileError> {
        if !core.compiles() || batch.indices.is_empty() {
            return Ok(batch.indices.is_empty());
        }
        let key = TransformKey::of(batch.registers)?;
        if batch.stride != key.vertex_type.stride() {
            return Err(CompileError::UnknownState { what: "vertex records of unexpected length" });
        }
        let Some(routine) = self.routine(core, &key)? else { return Ok(false) };
        bind(&key, batch, &mut self.constants)?;
        if !self.transformed.run(&routine, &self.constants, batch, out) {
            return Err(CompileError::UnknownState { what: "unmapped vertex records" });
        }
        self.replay_rare(core, batch, out);
        Ok(true)
    }

    fn routine(
        &mut self,
        core: &mut Core,
        key: &TransformKey,
    ) -> Result<Option<Arc<TransformRoutine>>, CompileError> {
        if let Some((last, routine)) = &self.last
            && last == key
        {
            return Ok(Some(Arc::clone(routine)));
        }
        let Some(routine) = core.find(key, &())? else { return Ok(None) };
        self.last = Some((*key, Arc::clone(&routine)));
        Ok(Some(routine))
    }

    /// Runs in the interpreter the groups with values outside the range of compiled code.
    fn replay_rare(&mut self, core: &mut Core, batch: &VertexBatch<'_>, out: &mut [Vertex]) {
        let Self { transformed, group, .. } = self;
        let rare = transformed.rare();
        for &first in rare {
            let end = batch.indices.len().min(first + 4);
            let part = VertexBatch { indices: &batch.indices[first..end], ..*batch };
            fp_mode::ieee(|| core.interpreter.transform(&part, group));
            out[first..end].copy_from_slice(group);
        }
        core.profile.ran(batch.indices.len().div_ceil(4) as u32, rare.len() as u32);
    }
}
