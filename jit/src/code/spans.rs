//! Running the GE's pixel routines on rows.

use super::fp_mode::FpMode;
use super::routine::{CodeBlock, Routine};
use crate::emit::span::{Job, PixelConstants, PrimitiveNumbers, SpanCall};
use crate::error::CompileError;
use picaflor_pipeline::ge::target::SIDE;
use picaflor_pipeline::ge::vram::VRAM_BYTES;
use picaflor_pipeline::guest_slice::GuestSlice;
use std::sync::Arc;

/// Jobs that are done in one call, and primitives, at the most: their numbers stay in the nearest caches.
const MOST_JOBS: usize = 128;
const MOST_PRIMITIVES: usize = 16;

/// A compiled pixel path.
#[derive(Debug)]
pub(crate) struct PixelRoutine {
    routine: Routine<SpanCall>,
}

impl PixelRoutine {
    /// A handle on code that [`crate::ge::build`] emitted.
    ///
    /// # Errors
    /// [`CompileError::Codegen`] when the code has another signature.
    pub(crate) fn new(code: Arc<CodeBlock>) -> Result<Self, CompileError> {
        // SAFETY: the generator emits loads and stores through the fields of its `SpanCall` argument only: of VRAM
        // the 16 bytes or fewer of a group, at an offset below its size that is a multiple of their number (see
        // `Spans::push`); of levels, texels whose indices are clamped or masked, so that they lie inside the images
        // that the constants name, and those to the right of and below such, which images have in addition; numbers of
        // levels up to the last one. Code that was loaded from disk is what
        // the same generator emitted for the same key.
        let routine = unsafe { Routine::new(code)? };
        Ok(Self { routine })
    }

    /// Bytes of code memory.
    pub(crate) fn charged(&self) -> usize {
        self.routine.code().charged()
    }
}

/// Jobs of one draw, collected and done together, in their order.
pub(crate) struct Spans<'a> {
    routine: &'a PixelRoutine,
    constants: &'a PixelConstants,
    vram: GuestSlice<'a>,
    /// Bytes of four pixels of colour.
    group_bytes: u64,
    numbers: Vec<PrimitiveNumbers>,
    used: usize,
    jobs: Vec<Job>,
}

impl<'a> Spans<'a> {
    /// Nothing yet. While there are jobs, nobody else uses the pixels that they draw. `pixel_bytes`: of the colour
    /// format that the routine was made for.
    ///
    /// # Panics
    /// If `vram` is not all of VRAM, or cannot be written.
    pub(crate) fn new(
        routine: &'a PixelRoutine,
        constants: &'a PixelConstants,
        vram: GuestSlice<'a>,
        pixel_bytes: u32,
    ) -> Self {
        assert!(vram.len() == VRAM_BYTES as usize && vram.is_writable());
        let (numbers, jobs) = (Vec::new(), Vec::with_capacity(MOST_JOBS));
        Self { routine, constants, vram, group_bytes: 4 * u64::from(pixel_bytes), numbers, used: 0, jobs }
    }

    /// Makes sure that there is room for so many primitives without doing the jobs that wait.
    pub(crate) fn reserve(&mut self, primitives: usize) {
        if self.used + primitives > MOST_PRIMITIVES {
            self.finish();
        }
    }

    /// Room for the numbers of a primitive, in which those of an earlier one may be left; what its jobs name it by.
    pub(crate) fn primitive(&mut self) -> (u64, &mut PrimitiveNumbers) {
        if self.used == MOST_PRIMITIVES {
            self.finish();
        }
        if self.numbers.len() == self.used {
            self.numbers.push(PrimitiveNumbers::default());
        }
        let place = self.used;
        self.used += 1;
        ((place * size_of::<PrimitiveNumbers>()) as u64, &mut self.numbers[place])
    }

    /// Draws a row, now or later.
    ///
    /// # Panics
    /// If the job names what is not there, which is a mistake of the engine.
    pub(crate) fn push(&mut self, job: Job) {
        let within = job.primitive < (self.used * size_of::<PrimitiveNumbers>()) as u64;
        let aligned = job.colour_at.is_multiple_of(self.group_bytes) && job.depth_at.is_multiple_of(8);
        let inside = 0 <= job.first && job.first < job.end && job.end <= SIDE as i32 + 3;
        assert!(within && aligned && inside && job.dither < 4 * 32, "{job:?}");
        self.jobs.push(job);
        if self.jobs.len() == MOST_JOBS {
            self.run();
        }
    }

    /// Does the jobs that wait, and forgets all primitives.
    pub(crate) fn finish(&mut self) {
        self.run();
        self.used = 0;
    }

    fn run(&mut self) {
        if self.jobs.is_empty() {
            return;
        }
        let jobs = self.jobs.as_ptr_range();
        let mut call = SpanCall {
            constants: self.constants,
            primitives: self.numbers.as_ptr(),
            vram: self.vram.as_ptr().cast_mut(),
            jobs: jobs.start,
            end: jobs.end,
        };
        // SAFETY: each job's numbers lie in `numbers` (see `push`; none are taken away before the jobs are done).
        // The code masks offsets into VRAM to its size, and groups are aligned, so that they lie inside. The
        // constants are borrowed, and what they point to is kept alive by their owner. VRAM is writable, and the
        // caller says that nobody else uses these pixels.
        unsafe { self.routine.routine.run(&mut call, FpMode::Ieee) };
        self.jobs.clear();
    }
}
