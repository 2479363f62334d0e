//! Preparation of a vertex batch for compiled code: indices in whole groups, checked views of the arrays.

use crate::code::pica::shade::{ArrayView, VertexJob};
use crate::emit::pica::layout::InputKey;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::stage::VertexBatch;
use picaflor_pipeline::pica::vertex::AttributeSource;

/// Bytes from one staged element to the next.
const STAGED_STRIDE: u32 = 16;

/// Buffers that are reused from batch to batch.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    indices: Vec<u32>,
    bytes: Vec<u8>,
}

/// The arrays of a batch, by register.
type Arrays<'a> = [Option<ArrayView<'a>>; 16];

impl Staging {
    /// Prepares a batch of at least one vertex: fills in the arrays of its job, which has none, the largest index, and
    /// the indices in whole groups. Elements of a partly unmapped array are copied, with zeros for unmapped bytes.
    pub(crate) fn prepare<'a>(&'a mut self, batch: &VertexBatch<'a>, job: &mut VertexJob<'a>) {
        let mut reach = bounds(batch.indices);
        let mut found = fill(batch, reach.0, reach.1, &mut job.arrays);
        if !found {
            reach = range(batch.indices);
            found = fill(batch, reach.0, reach.1, &mut job.arrays);
        }
        job.largest = reach.1;
        if !found {
            self.stage(batch, job);
        } else if !batch.indices.len().is_multiple_of(4) {
            self.pad(batch.indices.iter().copied());
            job.indices = &self.indices;
        }
    }

    /// Pads to whole groups with the last index.
    fn pad(&mut self, indices: impl Iterator<Item = u32>) {
        self.indices.clear();
        self.indices.extend(indices);
        let last = self.indices.last().copied().unwrap_or(0);
        self.indices.resize(self.indices.len().next_multiple_of(4), last);
    }

    fn stage<'a>(&'a mut self, batch: &VertexBatch<'a>, job: &mut VertexJob<'a>) {
        let count = batch.indices.len();
        self.pad(0..count as u32);
        let array_bytes = count * STAGED_STRIDE as usize;
        self.bytes.clear();
        self.bytes.resize(array_bytes * 16, 0);
        let registers = batch.inputs.by_register();
        for (source, target) in registers.iter().zip(self.bytes.chunks_exact_mut(array_bytes)) {
            if let Some(source) = source {
                copy_elements(batch.memory, source, batch.indices, target);
            }
        }
        job.arrays = [None; 16];
        for (register, bytes) in self.bytes.chunks_exact(array_bytes).enumerate() {
            if matches!(registers[register], Some(AttributeSource::Array { .. })) {
                let bytes = GuestSlice::from_slice(bytes);
                job.arrays[register] = Some(ArrayView::new(bytes, 0, STAGED_STRIDE));
            }
        }
        job.indices = &self.indices;
        job.largest = count as u32 - 1;
    }
}

/// Bounds of the indices, quickly: no index is below the AND or above the OR of all.
fn bounds(indices: &[u32]) -> (u32, u32) {
    indices.iter().fold((u32::MAX, 0), |(low, high), &index| (low & index, high | index))
}

/// The smallest and the largest index.
fn range(indices: &[u32]) -> (u32, u32) {
    let bounds = (indices.iter().min(), indices.iter().max());
    (bounds.0.copied().unwrap_or(0), bounds.1.copied().unwrap_or(0))
}

/// Fills in the views of all arrays; false when some byte that code would read is not mapped.
fn fill<'a>(batch: &VertexBatch<'a>, first: u32, largest: u32, arrays: &mut Arrays<'a>) -> bool {
    for (register, source) in batch.inputs.by_register().into_iter().enumerate() {
        let Some(AttributeSource::Array { address, stride_bytes, element, components }) = source else {
            continue;
        };
        let start = u64::from(*address) + u64::from(*stride_bytes) * u64::from(first);
        let reach = u64::from(*stride_bytes) * u64::from(largest - first);
        let length = reach + u64::from(InputKey::read_bytes(*element, (*components).clamp(1, 4)));
        // Addresses wrap at 2^32: such an array is copied.
        let (Ok(address), Ok(bytes)) = (u32::try_from(start), u32::try_from(length)) else { return false };
        if start + length > 1 << 32 {
            return false;
        }
        let Some(bytes) = batch.memory.region(address, bytes) else { return false };
        arrays[register] = Some(ArrayView::new(bytes, first, *stride_bytes));
    }
    true
}

/// Elements that are copied between two questions whether the run ends.
const COPIED_AT_ONCE: usize = 1024;

fn copy_elements(memory: &dyn Memory, source: &AttributeSource, indices: &[u32], target: &mut [u8]) {
    let AttributeSource::Array { address, stride_bytes, element, components } = *source else { return };
    let length = element.bytes() * u32::from(components.clamp(1, 4));
    for (n, (&index, element)) in
        indices.iter().zip(target.chunks_exact_mut(STAGED_STRIDE as usize)).enumerate()
    {
        // Bytes that are looked up one by one take long; a run that ends uses none of them.
        if n.is_multiple_of(COPIED_AT_ONCE) && memory.is_stopping() {
            return;
        }
        let start = address.wrapping_add(stride_bytes.wrapping_mul(index));
        for (offset, byte) in (0..length).zip(element) {
            *byte = memory.byte(start.wrapping_add(offset));
        }
    }
}
