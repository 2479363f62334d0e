//! Batches: on compiled code, or on the interpreter.

use super::bind::bind;
use crate::code::fp_mode;
use crate::code::ge::transforms::{TransformRoutine, Transformed};
use crate::emit::ge::vertices::TransformConstants;
use crate::engine::core::Core;
use crate::error::CompileError;
use crate::ge::key::TransformKey;
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::same::OF_VERTICES;
use picaflor_pipeline::ge::stage::{Remembered, TransformStage as _, VertexBatch};
use picaflor_pipeline::ge::vertex::Vertex;
use std::sync::Arc;

/// Nanoseconds that the interpreter needs for a vertex (measured: 300 plain, 1500 with three lights).
const INTERPRETED: u64 = 500;

/// State kept between batches.
#[derive(Debug, Default)]
pub(crate) struct Transforms {
    /// The core's generation in which the rest was made.
    generation: u64,
    /// The routine of the batch before.
    last: Option<(TransformKey, Arc<TransformRoutine>)>,
    /// What `last` and `constants` were made from.
    bound: Option<(Registers, Matrices, Remembered)>,
    constants: Box<TransformConstants>,
    transformed: Transformed,
    /// Vertices of a group that the interpreter did.
    group: Vec<Vertex>,
}

impl Transforms {
    /// Transforms a batch.
    pub(crate) fn transform(&mut self, core: &mut Core, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        match self.run_compiled(core, batch, out) {
            Ok(true) => return,
            Ok(false) => {}
            Err(reason) => core.profile.refused(&reason),
        }
        out.clear();
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
            out.clear();
            return Ok(batch.indices.is_empty());
        }
        if self.generation != core.generation() {
            (self.generation, self.last, self.bound) = (core.generation(), None, None);
        }
        let routine = match self.bound_routine(batch) {
            Some(routine) => routine,
            None => match self.bind(core, batch)? {
                Some(routine) => routine,
                None => return Ok(false),
            },
        };
        if batch.stride != routine.stride() {
            return Err(CompileError::UnknownState { what: "vertex records of unexpected length" });
        }
        if !self.transformed.run(&routine, &self.constants, batch, out) {
            return Err(CompileError::UnknownState { what: "unmapped vertex records" });
        }
        self.replay_rare(core, batch, out);
        Ok(true)
    }

    /// The routine of the batch before, if its constants are those of this one too.
    fn bound_routine(&self, batch: &VertexBatch<'_>) -> Option<Arc<TransformRoutine>> {
        let ((registers, matrices, remembered), (_, routine)) =
            self.bound.as_ref().zip(self.last.as_ref())?;
        let is_same = registers.is_same(batch.registers, &OF_VERTICES)
            && has_same_bits(matrices, batch.matrices)
            && remembered_bits(remembered) == remembered_bits(&batch.remembered);
        is_same.then(|| Arc::clone(routine))
    }

    /// Finds the routine and makes the constants; `None` without a routine (yet).
    fn bind(
        &mut self,
        core: &mut Core,
        batch: &VertexBatch<'_>,
    ) -> Result<Option<Arc<TransformRoutine>>, CompileError> {
        self.bound = None;
        let key = TransformKey::of(batch.registers)?;
        let Some(routine) = self.routine(core, &key, batch.indices.len())? else { return Ok(None) };
        bind(&key, batch, &mut self.constants)?;
        self.bound = Some((batch.registers.clone(), batch.matrices.clone(), batch.remembered));
        Ok(Some(routine))
    }

    fn routine(
        &mut self,
        core: &mut Core,
        key: &TransformKey,
        vertices: usize,
    ) -> Result<Option<Arc<TransformRoutine>>, CompileError> {
        if let Some((last, routine)) = &self.last
            && last == key
        {
            return Ok(Some(Arc::clone(routine)));
        }
        let Some(routine) = core.find(key, &(), vertices as u64 * INTERPRETED)? else { return Ok(None) };
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

/// Comparison that tells zeros apart, and no NaN from itself.
fn has_same_bits(a: &Matrices, b: &Matrices) -> bool {
    fn same<const N: usize>(a: &[f32; N], b: &[f32; N]) -> bool {
        a.iter().zip(b).fold(0, |all, (a, b)| all | (a.to_bits() ^ b.to_bits())) == 0
    }
    same(&a.bones, &b.bones)
        && same(&a.world, &b.world)
        && same(&a.view, &b.view)
        && same(&a.projection, &b.projection)
        && same(&a.texture, &b.texture)
}

fn remembered_bits(remembered: &Remembered) -> [u64; 5] {
    let ([s, t], [x, y, z]) = (remembered.texture, remembered.normal);
    [s, t, x, y, z].map(f64::to_bits)
}
