//! Running the GE's pixel routines on rows.

use crate::code::fp_mode::FpMode;
use crate::code::routine::{CodeBlock, Routine};
use crate::emit::ge::span::{Job, PixelConstants, PrimitiveNumbers, SpanCall};
use crate::error::CompileError;
use picaflor_pipeline::ge::target::{SIDE, Target};
use picaflor_pipeline::ge::vram::VRAM_BYTES;
use picaflor_pipeline::guest_slice::GuestSlice;
use std::cell::Cell;
use std::sync::Arc;

/// Maximal number of jobs, and of primitives, in one call: their data stays in the nearest caches.
const MOST_JOBS: usize = 128;
const MOST_PRIMITIVES: usize = 16;

/// A compiled pixel path.
#[derive(Debug)]
pub(crate) struct PixelRoutine {
    routine: Routine<SpanCall>,
}

impl PixelRoutine {
    /// A handle on code that [`crate::ge::pixel::build`] emitted.
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

    /// The code behind the handle.
    pub(crate) fn code(&self) -> &Arc<CodeBlock> {
        self.routine.code()
    }
}

/// The vectors of jobs and of numbers, kept from draw to draw.
type Vectors = (Vec<PrimitiveNumbers>, Vec<Job>);

thread_local! {
    static SPARE: Cell<Vectors> = const { Cell::new((Vec::new(), Vec::new())) };
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
    /// Job buffer; its first entries are pending.
    jobs: Vec<Job>,
    waiting: usize,
    /// Bytes from row to row, of colour and of depth.
    down: [u64; 2],
    drawn: u64,
}

impl<'a> Spans<'a> {
    /// An empty list. While jobs are pending, nothing else may access the pixels that they draw. The colour format
    /// must be that of the routine.
    ///
    /// # Panics
    /// If the target is not all of VRAM, or cannot be written, or rows are not whole groups.
    pub(crate) fn new(routine: &'a PixelRoutine, constants: &'a PixelConstants, target: &Target<'a>) -> Self {
        let vram = target.vram;
        assert!(vram.len() == VRAM_BYTES as usize && vram.is_writable());
        let (numbers, jobs) = SPARE.take();
        let pixel_bytes = target.format.bytes();
        let down = [target.colour_stride * pixel_bytes, target.depth_stride * 2].map(u64::from);
        let group_bytes = 4 * u64::from(pixel_bytes);
        assert!(down[0].is_multiple_of(group_bytes) && down[1].is_multiple_of(8), "{target:?}");
        Self { routine, constants, vram, group_bytes, numbers, used: 0, jobs, waiting: 0, down, drawn: 0 }
    }

    /// Reserves room for `primitives` primitives, so that adding them runs no pending jobs.
    pub(crate) fn reserve(&mut self, primitives: usize) {
        if self.used + primitives > MOST_PRIMITIVES {
            self.finish();
        }
    }

    /// Room for the numbers of a primitive, not cleared, and the reference to it in jobs.
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

    /// Room for the next job, not cleared, and the numbers of the last primitive.
    ///
    /// # Panics
    /// Without a primitive.
    pub(crate) fn job(&mut self) -> (&mut Job, &mut PrimitiveNumbers) {
        if self.jobs.len() == self.waiting {
            self.jobs.push(Job::default());
        }
        (&mut self.jobs[self.waiting], &mut self.numbers[self.used - 1])
    }

    /// Queues the job from [`job`](Self::job); its rows are drawn now or later.
    ///
    /// # Panics
    /// On a job that refers to a missing primitive or pixel, which is a bug of the engine.
    pub(crate) fn push(&mut self) {
        let job = &self.jobs[self.waiting];
        let within = job.primitive < (self.used * size_of::<PrimitiveNumbers>()) as u64;
        let aligned = job.colour_at & (self.group_bytes - 1) | job.depth_at & 7;
        let side = 1..=SIDE as i32 + 3;
        let inside = side.contains(&job.columns) && side.contains(&job.rows);
        assert!(within && aligned == 0 && inside && job.dither < 4 * 32, "{job:?}");
        self.waiting += 1;
        if self.waiting == MOST_JOBS {
            self.run();
        }
    }

    /// Runs the pending jobs. Returns the number of pixels covered by triangles so far.
    pub(crate) fn drawn(&mut self) -> u64 {
        self.run();
        self.drawn
    }

    /// Runs the pending jobs, and removes all primitives.
    fn finish(&mut self) {
        self.run();
        self.used = 0;
    }

    fn run(&mut self) {
        if self.waiting == 0 {
            return;
        }
        let jobs = self.jobs[..self.waiting].as_mut_ptr_range();
        let mut call = SpanCall {
            constants: self.constants,
            primitives: self.numbers.as_ptr(),
            vram: self.vram.as_ptr().cast_mut(),
            jobs: jobs.start,
            end: jobs.end,
            colour_down: self.down[0],
            depth_down: self.down[1],
            drawn: 0,
        };
        // SAFETY: each job's numbers lie in `numbers` (see `push`; none are taken away before the jobs are done).
        // The code masks offsets into VRAM to its size, and groups and rows are aligned, so that they lie inside. The
        // constants are borrowed, and what they point to is kept alive by their owner. VRAM is writable, and the
        // caller says that nobody else uses these pixels.
        unsafe { self.routine.routine.run(&mut call, FpMode::Ieee) };
        self.waiting = 0;
        self.drawn += call.drawn;
    }
}

impl Drop for Spans<'_> {
    fn drop(&mut self) {
        SPARE.set((std::mem::take(&mut self.numbers), std::mem::take(&mut self.jobs)));
    }
}
