//! Running fragment routines on blocks.

use super::facts::FragmentFacts;
use super::found::{self, MOST_QUADS, QuadColours, Stations, ToFind, covered_quads};
use crate::code::fp_mode::FpMode;
use crate::code::routine::{CodeBlock, Routine};
use crate::emit::pica::block::{BlockCall, Job, Slot, slot};
use crate::emit::pica::constants::DrawConstants;
use crate::error::CompileError;
use picaflor_pipeline::guest_slice::GuestSlice;
use std::cell::Cell;
use std::sync::Arc;

/// Pixels of a block.
pub(crate) const PIXELS: usize = 64;
/// Maximal size of a block in bytes.
const MOST_BYTES: usize = 4 * PIXELS;
/// Maximal number of jobs, and of triangles, in one call: enough to amortise the call, few enough to stay in the
/// nearest cache.
const MOST_JOBS: usize = 128;
const MOST_TRIANGLES: usize = 16;
/// Quads of a block.
const QUADS: usize = PIXELS / 4;

/// A compiled fragment path.
#[derive(Debug)]
pub(crate) struct FragmentRoutine {
    routine: Routine<BlockCall>,
    /// Facts for the caller.
    pub(crate) facts: FragmentFacts,
}

impl FragmentRoutine {
    /// A handle on code that [`crate::pica::fragment::build`] emitted.
    ///
    /// # Errors
    /// [`CompileError::Codegen`] when the code has another signature.
    pub(crate) fn new(code: Arc<CodeBlock>, facts: FragmentFacts) -> Result<Self, CompileError> {
        // SAFETY: the generator emits loads and stores through the fields of its `BlockCall` argument only,
        // within the bounds that `Jobs` checks: of the buffers, the bytes of one of a job's 16 quads. Indices of
        // texels are masked, clamped or remainders, so that they lie inside the images that the constants
        // name, which have `SPARE` texels more than indices reach, and those of tables likewise, which have an entry
        // more where 16 bytes are loaded for one. Results on the stack lie at numbers of quads, 0 to 15. Code that was loaded from disk is what the same generator emitted
        // for the same key: the folder is as trusted as the program.
        let routine = unsafe { Routine::new(code)? };
        Ok(Self { routine, facts })
    }

    /// The code behind the handle.
    pub(crate) fn code(&self) -> &Arc<CodeBlock> {
        self.routine.code()
    }
}

/// The buffers of a target, `None` for one that the routine does not touch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Buffers<'a> {
    pub(crate) colour: Option<GuestSlice<'a>>,
    pub(crate) depth: Option<GuestSlice<'a>>,
}

/// The bytes of one block of each buffer, outside guest memory.
#[derive(Debug, Clone)]
#[repr(C, align(16))]
pub(crate) struct Scratch {
    pub(crate) colour: [u8; MOST_BYTES],
    pub(crate) depth: [u8; MOST_BYTES],
}

impl Default for Scratch {
    fn default() -> Self {
        Self { colour: [0; MOST_BYTES], depth: [0; MOST_BYTES] }
    }
}

/// Reference to the numbers of a pending triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TriangleSlots(usize);

/// Coverage of a job, besides its triangle and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coverage {
    /// Pixels to draw, by their place in memory.
    pub(crate) covered: u64,
    /// Values of the edges at the first pixel.
    pub(crate) edges: [i32; 3],
    /// See [`Jobs::table`].
    pub(crate) table: Option<TriangleSlots>,
}

/// Jobs of one draw, collected and done together, in their order.
pub(crate) struct Jobs<'a> {
    routine: &'a FragmentRoutine,
    to_find: &'a ToFind,
    constants: &'a DrawConstants,
    buffers: Buffers<'a>,
    /// Slots in use.
    used: usize,
    triangles: usize,
    /// End of the last triangle's slots.
    last_end: usize,
    /// Quads of the jobs that have covered pixels.
    quads: usize,
    memory: Buffered,
}

/// Memory that is kept from draw to draw.
#[derive(Default)]
struct Buffered {
    /// Numbers of triangles, and tables; stale data behind those of the jobs.
    slots: Vec<Slot>,
    jobs: Vec<Job>,
    /// Colours of the quads of jobs, and what they are found from, where some are found; stale ones otherwise.
    colours: Vec<QuadColours>,
    stations: Option<Box<Stations>>,
}

thread_local! {
    static SPARE: Cell<Option<Buffered>> = const { Cell::new(None) };
}

impl<'a> Jobs<'a> {
    /// An empty list. While jobs are pending, nothing else may access the pixels that they draw.
    ///
    /// # Panics
    /// If a buffer that the routine touches is not writable; the others are ignored. If what is found is for another routine.
    pub(crate) fn new(
        (routine, to_find): (&'a FragmentRoutine, &'a ToFind),
        constants: &'a DrawConstants,
        buffers: Buffers<'a>,
    ) -> Self {
        assert!([buffers.colour, buffers.depth].iter().flatten().all(|buffer| buffer.is_writable()));
        assert_eq!(
            (to_find.colours, to_find.behind),
            (routine.facts.found, routine.facts.interpolants.slots())
        );
        let mut memory = SPARE.take().unwrap_or_default();
        memory.jobs.reserve(MOST_JOBS);
        memory.colours.resize(memory.colours.len().max(to_find.room), [0; 4]);
        let (used, triangles, last_end, quads) = (0, 0, 0, 0);
        Self { routine, to_find, constants, buffers, used, triangles, last_end, quads, memory }
    }

    /// Room for the numbers of a triangle, not cleared; see [`slot`].
    // Inlined by request, as `room` and `push` are: the compiler does so or not as code beside them changes, and without, pixels of
    // small triangles take 3 % longer.
    #[inline]
    pub(crate) fn triangle(&mut self) -> (TriangleSlots, &mut [Slot]) {
        if self.triangles == MOST_TRIANGLES {
            self.finish();
        }
        self.triangles += 1;
        let slots = self.to_find.slots;
        self.last_end = self.used + slots;
        self.room(slots)
    }

    /// Room for a table of edge values.
    pub(crate) fn table(&mut self) -> (TriangleSlots, &mut [Slot]) {
        self.room(slot::TABLE)
    }

    #[inline]
    fn room(&mut self, slots: usize) -> (TriangleSlots, &mut [Slot]) {
        let start = self.used;
        self.used += slots;
        if self.memory.slots.len() < self.used {
            self.memory.slots.resize(self.used, [0; 4]);
        }
        (TriangleSlots(start), &mut self.memory.slots[start..self.used])
    }

    /// Draws a triangle in the block whose first pixel has this number in both buffers.
    ///
    /// # Panics
    /// If the block exceeds a buffer that the routine touches, which is a bug of the engine.
    #[inline]
    pub(crate) fn push(&mut self, triangle: TriangleSlots, first_pixel: usize, coverage: &Coverage) {
        let Buffers { colour, depth } = self.buffers;
        let facts = &self.routine.facts;
        let job = self.job(
            triangle,
            [(facts.colour_bytes, colour), (facts.depth_bytes, depth)].map(|(bytes, buffer)| {
                let start = first_pixel * bytes as usize;
                let room = buffer.map_or(0, |buffer| buffer.len());
                assert!(start + PIXELS * bytes as usize <= room || bytes == 0, "blocks lie in their buffers");
                start
            }),
            coverage,
        );
        self.memory.jobs.extend(job);
        self.quads += covered_quads(coverage.covered).count_ones() as usize;
        if self.memory.jobs.len() == MOST_JOBS || self.quads > MOST_QUADS - QUADS {
            self.do_waiting();
        }
    }

    /// Draws a triangle in a block outside guest memory, immediately. No job may be pending.
    pub(crate) fn do_apart(&mut self, triangle: TriangleSlots, coverage: &Coverage, scratch: &mut Scratch) {
        assert!(self.memory.jobs.is_empty(), "jobs keep their order");
        self.memory.jobs.extend(self.job(triangle, [0, 0], coverage));
        self.run([scratch.colour.as_mut_ptr(), scratch.depth.as_mut_ptr()]);
        self.forget_jobs();
    }

    /// Runs the pending jobs.
    pub(crate) fn do_waiting(&mut self) {
        self.run(self.buffers.bytes());
        self.forget_jobs();
    }

    /// Runs the pending jobs, and removes the numbers of all triangles.
    pub(crate) fn finish(&mut self) {
        self.do_waiting();
        self.used = 0;
        self.triangles = 0;
        self.last_end = 0;
    }

    /// Removes the jobs and their tables.
    fn forget_jobs(&mut self) {
        self.memory.jobs.clear();
        self.quads = 0;
        self.used = self.used.min(self.last_end);
    }

    /// `None` where no pixel is covered. `starts`: bytes from the start of the colour buffer and of the depth
    /// buffer to the block.
    fn job(&self, triangle: TriangleSlots, starts: [usize; 2], coverage: &Coverage) -> Option<Job> {
        let slots = self.to_find.slots;
        assert!(triangle.0 + slots <= self.used, "all numbers of the triangle");
        let table = coverage.table.map_or(0, |table| table.0);
        assert!(table + slot::TABLE <= self.used || table == 0, "all of the table");
        let [edge0, edge1, edge2] = coverage.edges;
        let job = Job {
            edges: [edge0, edge1, edge2, 0],
            covered: coverage.covered,
            triangle: (triangle.0 * size_of::<Slot>()) as u64,
            colour: starts[0] as u64,
            depth: starts[1] as u64,
            table: (table * size_of::<Slot>()) as u64,
        };
        (job.covered != 0).then_some(job)
    }

    /// Runs all jobs on buffers with these start addresses.
    fn run(&mut self, [colour, depth]: [*mut u8; 2]) {
        if self.memory.jobs.is_empty() {
            return;
        }
        let Buffered { slots, jobs, colours, stations } = &mut self.memory;
        let mut quads = std::ptr::null();
        if self.to_find.colours > 0 {
            let stations = stations.get_or_insert_default();
            // SAFETY: constants name images with all their levels, and tables of lights, and are borrowed as below.
            unsafe {
                found::find(self.to_find, self.constants, (jobs, slots), (stations, colours));
            }
            quads = stations.numbers();
        }
        let jobs = jobs.as_ptr_range();
        let mut call = BlockCall {
            constants: self.constants,
            slots: slots.as_ptr(),
            colour,
            depth,
            jobs: jobs.start,
            end: jobs.end,
            found: colours.as_ptr(),
            quads,
        };
        // SAFETY: each job's numbers and table lie in `slots` and were counted (see `job`; none are taken away
        // before the jobs are), and its blocks lie inside their buffers: `push` checks those of the target, and
        // one at 0 fits `Scratch`. Where code wants colours and numbers of quads, they were found for each covered
        // quad of each job, which are `MOST_QUADS` at most. The constants are borrowed, and what they point to is
        // kept alive by their owner. The buffers are writable, and the caller says that nobody else uses these pixels.
        unsafe { self.routine.routine.run(&mut call, FpMode::Ieee) };
    }
}

impl Drop for Jobs<'_> {
    fn drop(&mut self) {
        let mut memory = std::mem::take(&mut self.memory);
        // Of a draw that panicked.
        memory.jobs.clear();
        SPARE.set(Some(memory));
    }
}

impl Buffers<'_> {
    /// The first byte of the colour buffer and of the depth buffer; null for a missing buffer.
    fn bytes(&self) -> [*mut u8; 2] {
        [self.colour, self.depth]
            .map(|buffer| buffer.map_or(std::ptr::null_mut(), |bytes| bytes.as_ptr().cast_mut()))
    }
}
