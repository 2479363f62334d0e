//! Running the GE's vertex routines on batches.

use crate::code::fp_mode::FpMode;
use crate::code::routine::{CodeBlock, Routine};
use crate::emit::ge::vertices::{TransformCall, TransformConstants};
use crate::error::CompileError;
use picaflor_pipeline::ge::stage::VertexBatch;
use picaflor_pipeline::ge::vertex::Vertex;
use std::sync::Arc;

/// Vertices of a group.
const GROUP: usize = 4;

/// A compiled vertex path.
#[derive(Debug)]
pub(crate) struct TransformRoutine {
    routine: Routine<TransformCall>,
    /// Bytes from record to record.
    stride: u32,
}

impl TransformRoutine {
    /// A handle on code that [`crate::ge::vertex::build`] emitted for records of `stride` bytes.
    ///
    /// # Errors
    /// [`CompileError::Codegen`] when the code has another signature.
    pub(crate) fn new(code: Arc<CodeBlock>, stride: u32) -> Result<Self, CompileError> {
        // SAFETY: the generator emits loads and stores through the fields of its `TransformCall` argument only: of
        // the records, bytes of those that the indices name, inside `stride` bytes each; of the indices, constants
        // and vertices what their types have; of `rare` at most one number for each group. Code that was loaded
        // from disk is what the same generator emitted for the same key.
        let routine = unsafe { Routine::new(code)? };
        Ok(Self { routine, stride })
    }

    /// Bytes from record to record.
    pub(crate) const fn stride(&self) -> u32 {
        self.stride
    }

    /// The code behind the handle.
    pub(crate) fn code(&self) -> &Arc<CodeBlock> {
        self.routine.code()
    }
}

/// Runs batches on compiled code; reuses its vectors.
#[derive(Debug, Default)]
pub(crate) struct Transformed {
    /// The indices of the batch, padded to a whole group with the last one.
    indices: Vec<u32>,
    /// Addresses of indices.
    places: Vec<u64>,
    /// Places of the first indices of groups.
    rare: Vec<usize>,
}

const NOTHING: Vertex = Vertex {
    clip: [0.0; 4],
    texture: [0.0; 3],
    x: 0,
    y: 0,
    z: 0,
    colour: 0,
    secondary: 0,
    fog: 0,
    outside: 0,
    reserved: [0; 2],
};

impl Transformed {
    /// Transforms a batch of at least one vertex; returns false, without any effect, if some record is not mapped.
    pub(crate) fn run(
        &mut self,
        routine: &TransformRoutine,
        constants: &TransformConstants,
        batch: &VertexBatch<'_>,
        out: &mut Vec<Vertex>,
    ) -> bool {
        let stride = u64::from(routine.stride);
        let Some(&last) = batch.indices.last() else { return true };
        let largest = batch.indices.iter().copied().max().unwrap_or(last);
        if (u64::from(largest) + 1) * stride > batch.records.len() as u64 {
            return false;
        }
        let count = batch.indices.len().next_multiple_of(GROUP);
        self.indices.clear();
        self.indices.extend_from_slice(batch.indices);
        self.indices.resize(count, last);
        self.places.clear();
        self.places.resize(count / GROUP, 0);
        // Code writes each of them; what was there before need not be cleared.
        out.resize(count, NOTHING);
        let indices = self.indices.as_ptr_range();
        let rare = self.places.as_mut_ptr();
        let mut call = TransformCall {
            constants,
            records: batch.records.as_ptr(),
            indices: indices.start,
            end: indices.end,
            out: out.as_mut_ptr(),
            rare,
        };
        // SAFETY: there is at least one group. The record of the largest index, so of each, lies inside `records`,
        // which stay readable while the batch does; somebody may write them meanwhile, and then either value is
        // read. There are as many vertices as indices, and a place for each group; nobody else has them.
        unsafe { routine.routine.run(&mut call, FpMode::Ieee) };
        let found = (call.rare as usize - rare as usize) / size_of::<u64>();
        let place = |&address: &u64| (address as usize - indices.start as usize) / size_of::<u32>();
        self.rare.clear();
        self.rare.extend(self.places[..found].iter().map(place));
        out.truncate(batch.indices.len());
        true
    }

    /// First vertices of the groups of the last batch that need the fallback.
    pub(crate) fn rare(&self) -> &[usize] {
        &self.rare
    }
}
