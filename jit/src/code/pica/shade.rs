//! Running vertex routines: from checked views to the call block.

use super::facts::VertexFacts;
use super::tables::{RegisterUses, Tables};
use crate::code::fp_mode::FpMode;
use crate::code::routine::{CodeBlock, Routine};
use crate::emit::pica::layout::{InputKey, ROWS_BEFORE, ShadeCall};
use crate::emit::pica::number::Arithmetic;
use crate::error::CompileError;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::stage::ShadedVertices;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

/// A compiled vertex program.
#[derive(Debug)]
pub(crate) struct VertexRoutine {
    routine: Routine<ShadeCall>,
    inputs: [InputKey; 16],
    components: usize,
    arithmetic: Arithmetic,
    /// Facts for the caller.
    pub(crate) facts: VertexFacts,
    /// Table entries that the routine reads.
    pub(crate) uses: RegisterUses,
}

/// The elements of one attribute array that a batch reaches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrayView<'a> {
    /// The address that element 0 would have; only elements from `first` on are touched.
    base: *const u8,
    /// Distance from `base` to the end of the bytes.
    end: u64,
    first: u32,
    stride_bytes: u32,
    bytes: PhantomData<GuestSlice<'a>>,
}

impl<'a> ArrayView<'a> {
    /// `bytes`: those from element `first` on.
    #[inline]
    pub(crate) fn new(bytes: GuestSlice<'a>, first: u32, stride_bytes: u32) -> Self {
        let skipped = u64::from(first) * u64::from(stride_bytes);
        Self {
            base: bytes.as_ptr().wrapping_sub(skipped as usize),
            end: skipped + bytes.len() as u64,
            first,
            stride_bytes,
            bytes: PhantomData,
        }
    }
}

/// Input of a routine.
pub(crate) struct VertexJob<'a> {
    /// Indices of whole groups of four.
    pub(crate) indices: &'a [u32],
    /// The largest index.
    pub(crate) largest: u32,
    /// By `v` register.
    pub(crate) arrays: [Option<ArrayView<'a>>; 16],
    pub(crate) tables: &'a Tables,
    pub(crate) instruction_budget: u32,
    /// Memory of the run, which is asked between calls whether the run ends.
    pub(crate) memory: &'a dyn Memory,
}

/// Words that one call executes for its vertices, at most, if they are more than one group: a tenth of a millisecond of fast
/// code. Programs of 48 words run in one call for the largest batches.
const MOST_WORDS: u64 = 200_000;

impl VertexRoutine {
    /// A handle on code that [`crate::pica::shader::vertex::build`] emitted, now or before it was stored on disk, for
    /// these inputs, this number of output components and this arithmetic.
    ///
    /// # Errors
    /// [`CompileError::Codegen`] when the code has another signature.
    pub(crate) fn new(
        code: Arc<CodeBlock>,
        inputs: [InputKey; 16],
        components: usize,
        arithmetic: Arithmetic,
        facts: VertexFacts,
    ) -> Result<Self, CompileError> {
        // SAFETY: the generator emits loads and stores through the fields of its `ShadeCall` argument only,
        // within the bounds that `run` checks. Code from the disk is what the same version of the generator
        // emitted for the same key: see `disk_cache`.
        let routine = unsafe { Routine::new(code)? };
        let uses = RegisterUses::new(&facts.uses);
        Ok(Self { routine, inputs, components, arithmetic, facts, uses })
    }

    /// The code behind the handle.
    pub(crate) fn code(&self) -> &Arc<CodeBlock> {
        self.routine.code()
    }

    /// Runs the groups of `list`, in order; fast code runs all groups of the job and wants `list` empty.
    /// `flagged` becomes the list of those that must run again, in the same order. If the run ends meanwhile, the rest is
    /// left out.
    ///
    /// # Panics
    /// If the job does not fit the routine, which is a bug of the engine.
    pub(crate) fn run(
        &self,
        job: &VertexJob<'_>,
        list: &[u32],
        out: &mut ShadedVertices,
        flagged: &mut Vec<u32>,
    ) {
        let groups = job.indices.len() / 4;
        let runs = if self.arithmetic.is_fast() { groups } else { list.len() };
        flagged.clear();
        if runs == 0 {
            return;
        }
        self.check(job, list, groups, out);
        flagged.reserve(runs);
        let words = 4 * u64::from(self.facts.most.min(job.instruction_budget).max(1));
        if runs as u64 * words <= MOST_WORDS {
            return self.call(job, list, 0..runs, out, flagged);
        }
        let at_once = (MOST_WORDS / words).max(1) as usize;
        for first in (0..runs).step_by(at_once) {
            if first > 0 && job.memory.is_stopping() {
                return;
            }
            self.call(job, list, first..runs.min(first + at_once), out, flagged);
        }
    }

    /// Runs some groups: by their places in `list`, or, in fast code, by their numbers. All of them passed
    /// [`check`](Self::check), and `flagged` has room for as many as there are.
    fn call(
        &self,
        job: &VertexJob<'_>,
        list: &[u32],
        groups: Range<usize>,
        out: &mut ShadedVertices,
        flagged: &mut Vec<u32>,
    ) {
        let runs = groups.len();
        // Fast code counts its groups from 0, exact code takes their numbers from the list.
        let (list, first) =
            if self.arithmetic.is_fast() { (&[][..], groups.start) } else { (&list[groups], 0) };
        let stride = out.stride();
        let values = out.values_mut_but(self.facts.untouched).as_mut_ptr();
        let known = flagged.len();
        let room = &mut flagged.spare_capacity_mut()[..runs];
        let mut call = ShadeCall {
            groups: runs as u64,
            group_list: list.as_ptr(),
            indices: job.indices[4 * first..].as_ptr(),
            arrays: [std::ptr::null(); 16],
            strides: [0; 16],
            splats: job.tables.splats.as_ptr().cast(),
            scaled_splats: job.tables.scaled_splats.as_ptr().cast(),
            rows: job.tables.rows[ROWS_BEFORE..].as_ptr().cast(),
            scaled_rows: job.tables.scaled_rows[ROWS_BEFORE..].as_ptr().cast(),
            outputs: [const { MaybeUninit::uninit() }; 64],
            flagged: room.as_mut_ptr().cast(),
            flagged_count: 0,
            budget: u64::from(job.instruction_budget),
        };
        // Filled in where they lie: copies of arrays that were just cleared took most of a small call.
        for ((array, start), stride) in job.arrays.iter().zip(&mut call.arrays).zip(&mut call.strides) {
            let Some(array) = array else { continue };
            (*start, *stride) = (array.base, u64::from(array.stride_bytes));
        }
        for (row, output) in call.outputs[..self.components].iter_mut().enumerate() {
            output.write(values.wrapping_add(row * stride + 4 * first));
        }
        let mode = match self.arithmetic {
            Arithmetic::ConsoleFast => FpMode::FlushToZero,
            _ => FpMode::Ieee,
        };
        // SAFETY: `check` has shown that every group's indices, array elements and output rows exist, and the groups from
        // `first` on, or those of `list`, are among them; all outputs that the routine has are filled in; tables have their
        // full lengths by construction, and row numbers are kept within -128..=222 by the code; `room` is for each group that
        // runs. `out` and `flagged` are borrowed exclusively, the rest is only read.
        unsafe { self.routine.run(&mut call, mode) };
        let count = usize::try_from(call.flagged_count).expect("a count of groups");
        assert!(count <= runs, "the routine lists each group once at most");
        // SAFETY: the code wrote the first `count` entries of `room`, which follow those that are known.
        unsafe { flagged.set_len(known + count) };
        flagged[known..].iter_mut().for_each(|group| *group += first as u32);
    }

    fn check(&self, job: &VertexJob<'_>, list: &[u32], groups: usize, out: &ShadedVertices) {
        assert_eq!(job.indices.len() % 4, 0, "indices come in whole groups");
        assert!(list.iter().all(|&group| (group as usize) < groups), "listed groups exist");
        assert!(out.stride() >= groups * 4, "every group has a place for its results");
        assert!(out.components() >= self.components, "every component has a row");
        debug_assert!(job.indices.iter().all(|&index| index <= job.largest));
        for (key, array) in self.inputs.iter().zip(&job.arrays) {
            let InputKey::Array { element, components, stride_of } = *key else { continue };
            let array = array.expect("an array for each array register");
            let stride = job.arrays[usize::from(stride_of)].map(|array| array.stride_bytes);
            assert_eq!(stride, Some(array.stride_bytes), "registers that share a stride");
            assert!(array.first <= job.largest, "the first element is reached");
            let last = u64::from(job.largest) * u64::from(array.stride_bytes);
            let end = last + u64::from(InputKey::read_bytes(element, components));
            assert!(end <= array.end, "the array holds its last element");
        }
    }
}
