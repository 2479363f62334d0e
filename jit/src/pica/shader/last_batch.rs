//! The previous batch: consecutive draws often differ only in data and need the same routine.

use crate::code::pica::shade::VertexRoutine;
use crate::emit::pica::number::Arithmetic;
use picaflor_pipeline::pica::stage::VertexBatch;
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm};
use std::sync::Arc;

/// Inputs of the key of a batch, in the form of the batch.
#[derive(Debug)]
pub(crate) struct LastBatch {
    program: u32,
    entry: u16,
    bools: u16,
    ints: [[u8; 4]; 4],
    attributes: Vec<AttributeSource>,
    permutation: u64,
    output: OutputForm,
    arithmetic: Arithmetic,
    pub(crate) routine: Arc<VertexRoutine>,
}

impl LastBatch {
    pub(crate) fn new(
        batch: &VertexBatch<'_>,
        program: u32,
        arithmetic: Arithmetic,
        routine: Arc<VertexRoutine>,
    ) -> Self {
        Self {
            program,
            entry: batch.entry,
            bools: batch.uniforms.bools(),
            ints: ints(batch),
            attributes: batch.inputs.attributes.clone(),
            permutation: batch.inputs.permutation,
            output: *batch.output,
            arithmetic,
            routine,
        }
    }

    /// True only if the batch has the same key; may be false for an equal key.
    pub(crate) fn fits(&self, batch: &VertexBatch<'_>, program: u32, arithmetic: Arithmetic) -> bool {
        let inputs = &batch.inputs.attributes;
        self.program == program
            && self.entry == batch.entry
            && self.bools == batch.uniforms.bools()
            && self.arithmetic == arithmetic
            && self.permutation == batch.inputs.permutation
            && self.attributes.len() == inputs.len()
            && self.ints == ints(batch)
            && self.output == *batch.output
            && self.attributes.iter().zip(inputs).all(|(mine, theirs)| same_layout(mine, theirs))
    }
}

fn ints(batch: &VertexBatch<'_>) -> [[u8; 4]; 4] {
    [0, 1, 2, 3].map(|id| batch.uniforms.int(id))
}

/// Equal but for the data: values and addresses.
fn same_layout(a: &AttributeSource, b: &AttributeSource) -> bool {
    use AttributeSource::{Array, Fixed};
    match (a, b) {
        (Fixed(_), Fixed(_)) => true,
        (
            Array { stride_bytes: s, element: e, components: c, .. },
            Array { stride_bytes: t, element: f, components: d, .. },
        ) => (s, e, c) == (t, f, d),
        _ => false,
    }
}
