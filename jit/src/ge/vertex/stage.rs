//! The engine's side: batches on compiled code, or on the interpreter.

use super::bind::bind;
use crate::code::fp_mode;
use crate::code::ge::transforms::{TransformRoutine, Transformed};
use crate::emit::ge::vertices::TransformConstants;
use crate::engine::Engine;
use crate::error::CompileError;
use crate::ge::key::TransformKey;
use picaflor_pipeline::ge::stage::{TransformStage, VertexBatch};
use picaflor_pipeline::ge::vertex::Vertex;
use std::sync::Arc;

/// What is kept from batch to batch.
#[derive(Debug, Default)]
pub(crate) struct Transforms {
    /// The routine of the batch before.
    last: Option<(TransformKey, Arc<TransformRoutine>)>,
    constants: Box<TransformConstants>,
    transformed: Transformed,
    /// Vertices of a group that the interpreter did.
    group: Vec<Vertex>,
}

impl TransformStage for Engine {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        out.clear();
        match self.run_compiled(batch, out) {
            Ok(true) => return,
            Ok(false) => {}
            Err(reason) => self.profile.refused(&reason),
        }
        if self.fallback {
            self.profile.interpreted();
            fp_mode::ieee(|| self.ge_interpreter.transform(batch, out));
        }
    }
}

impl Engine {
    /// Whether compiled code did the batch; it does not while it is being made.
    fn run_compiled(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) -> Result<bool, CompileError> {
        if !self.compiles() || batch.indices.is_empty() {
            return Ok(batch.indices.is_empty());
        }
        let key = TransformKey::of(batch.registers)?;
        if batch.stride != key.vertex_type.stride() {
            return Err(CompileError::UnknownState { what: "records of another length" });
        }
        let Some(routine) = self.transform_routine(&key)? else { return Ok(false) };
        bind(&key, batch, &mut self.ge_transforms.constants)?;
        let Transforms { constants, transformed, .. } = &mut self.ge_transforms;
        if !transformed.run(&routine, constants, batch, out) {
            return Err(CompileError::UnknownState { what: "records that are not there" });
        }
        self.replay_rare(batch, out);
        Ok(true)
    }

    fn transform_routine(
        &mut self,
        key: &TransformKey,
    ) -> Result<Option<Arc<TransformRoutine>>, CompileError> {
        if let Some((last, routine)) = &self.ge_transforms.last
            && last == key
        {
            return Ok(Some(Arc::clone(routine)));
        }
        let Some(routines) = &mut self.routines else { return Ok(None) };
        let Some(routine) = routines.find(key, &())? else { return Ok(None) };
        self.ge_transforms.last = Some((*key, Arc::clone(&routine)));
        Ok(Some(routine))
    }

    /// The interpreter does the groups whose numbers are beyond what code can do.
    fn replay_rare(&mut self, batch: &VertexBatch<'_>, out: &mut [Vertex]) {
        let Transforms { transformed, group, .. } = &mut self.ge_transforms;
        let rare = transformed.rare();
        for &first in rare {
            let end = batch.indices.len().min(first + 4);
            let part = VertexBatch { indices: &batch.indices[first..end], ..*batch };
            fp_mode::ieee(|| self.ge_interpreter.transform(&part, group));
            out[first..end].copy_from_slice(group);
        }
        self.profile.ran(batch.indices.len().div_ceil(4) as u32, rare.len() as u32);
    }
}
