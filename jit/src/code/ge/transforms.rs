//! Running the GE's vertex routines on batches.

use crate::code::fp_mode::FpMode;
use crate::code::routine::{CodeBlock, Routine};
use crate::emit::ge::vertices::{MOST, Stations, TransformCall, TransformConstants};
use crate::error::CompileError;
use picaflor_pipeline::ge::stage::VertexBatch;
use std::sync::Arc;

/// Vertices of a group.
pub(crate) const GROUP: usize = 4;

const _: () = assert!(MOST.is_multiple_of(GROUP));

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
        // and stations what their types have. Code that was loaded from disk is what the same generator emitted for the
        // same key.
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

/// Room for batches, kept from one to the next.
#[derive(Debug, Default)]
pub(crate) struct Transformed {
    /// The indices of the batch, padded to a whole group with the last one.
    indices: Vec<u32>,
    stations: Box<Stations>,
}

/// Some vertices of a batch.
pub(crate) struct Part<'a> {
    routine: &'a TransformRoutine,
    constants: &'a TransformConstants,
    batch: &'a VertexBatch<'a>,
    /// Up to [`MOST`] ones, whole groups.
    indices: &'a [u32],
    /// What code and host leave to each other.
    pub(crate) stations: &'a mut Stations,
}

impl Part<'_> {
    /// Number of vertices.
    pub(crate) const fn len(&self) -> usize {
        self.indices.len()
    }

    /// Runs the code on all vertices.
    pub(crate) fn run(&mut self) {
        let indices = self.indices.as_ptr_range();
        let mut call = TransformCall {
            constants: self.constants,
            records: self.batch.records.as_ptr(),
            indices: indices.start,
            end: indices.end,
            stations: self.stations,
        };
        // SAFETY: there is at least one group, and no more vertices than the stations have room for, which nobody else
        // has: `Transformed::parts`. The record of the largest index, so of each, lies inside `records`, which stay
        // readable while the batch does; somebody may write them meanwhile, and then either value is read.
        unsafe { self.routine.routine.run(&mut call, FpMode::Ieee) }
    }
}

impl Transformed {
    /// Does something with each part of a batch of at least one vertex, in order; returns false, without any effect, if some
    /// record is not mapped. The last group may have its last vertex more than once.
    pub(crate) fn parts(
        &mut self,
        routine: &TransformRoutine,
        constants: &TransformConstants,
        batch: &VertexBatch<'_>,
        mut of_part: impl FnMut(Part<'_>),
    ) -> bool {
        let stride = u64::from(routine.stride);
        let Some(&last) = batch.indices.last() else { return true };
        let largest = batch.indices.iter().copied().max().unwrap_or(last);
        if (u64::from(largest) + 1) * stride > batch.records.len() as u64 {
            return false;
        }
        self.indices.clear();
        self.indices.extend_from_slice(batch.indices);
        self.indices.resize(batch.indices.len().next_multiple_of(GROUP), last);
        for indices in self.indices.chunks(MOST) {
            of_part(Part { routine, constants, batch, indices, stations: &mut self.stations });
        }
        true
    }
}
