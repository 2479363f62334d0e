//! Running the GE's pixel routines on rows.

use super::depth_test::Hiding;
use super::fill::{self, Buffer, Copies, Fill};
use super::texels::{self, MOST_GROUPS, Sampled, Sampling};
use crate::code::fp_mode::FpMode;
use crate::code::routine::{CodeBlock, Routine};
use crate::emit::ge::span::{GroupTexels, Ints, PixelConstants, PrimitiveNumbers, RowNumbers, Run, SpanCall};
use crate::error::CompileError;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::target::{SIDE, Target};
use picaflor_pipeline::ge::vram::VRAM_BYTES;
use picaflor_pipeline::guest_slice::GuestSlice;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

/// Maximal number of runs, of primitives, and of rows with numbers in one call: their data stays in the nearest caches.
const MOST_RUNS: usize = 256;
const MOST_PRIMITIVES: usize = 16;
const MOST_ROWS: usize = 128;

/// Lanes of a group from one to another, inclusive.
static LANES: [[Ints; 4]; 4] = {
    let mut lanes = [[[0; 4]; 4]; 4];
    let mut n = 0;
    while n < 64 {
        let [from, to, lane] = [n >> 4, n >> 2 & 3, n & 3];
        lanes[from][to][lane] = -((from <= lane && lane <= to) as i32);
        n += 1;
    }
    lanes
};

/// A compiled pixel path.
#[derive(Debug)]
pub(crate) struct PixelRoutine {
    routine: Routine<SpanCall>,
    /// True if code reads colours of texels.
    reads_texels: bool,
}

impl PixelRoutine {
    /// A handle on code that [`crate::ge::pixel::build`] emitted, which reads colours of texels or does not.
    ///
    /// # Errors
    /// [`CompileError::Codegen`] when the code has another signature.
    pub(crate) fn new(code: Arc<CodeBlock>, reads_texels: bool) -> Result<Self, CompileError> {
        // SAFETY: the generator emits loads and stores through the fields of its `SpanCall` argument only: of VRAM
        // the 16 bytes or fewer of a group, at an offset below its size that is a multiple of their number (see
        // `Spans::new`), of depth after the mapping, which permutes the groups of VRAM whatever the key's wiring is (see
        // `AddressMaps::depth`); of texels those of as many groups as the runs have. Code that was loaded from disk is what the
        // same generator emitted for the same key.
        let routine = unsafe { Routine::new(code)? };
        Ok(Self { routine, reads_texels })
    }

    /// The code behind the handle.
    pub(crate) fn code(&self) -> &Arc<CodeBlock> {
        self.routine.code()
    }
}

/// Kept from draw to draw.
#[derive(Default)]
struct Buffers {
    primitives: Vec<PrimitiveNumbers>,
    rows: Vec<RowNumbers>,
    runs: Vec<Run>,
    texels: Vec<GroupTexels>,
}

thread_local! {
    static SPARE: Cell<Buffers> = const {
        Cell::new(Buffers { primitives: Vec::new(), rows: Vec::new(), runs: Vec::new(), texels: Vec::new() })
    };
}

/// A primitive whose numbers are in [`Spans`], until other ones are added: bytes from the first one's to these.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place(u32);

/// Rows of the primitives of one draw, collected and drawn together, in their order.
pub(crate) struct Spans<'a> {
    routine: &'a PixelRoutine,
    constants: &'a PixelConstants,
    /// How colours of texels are found, if code reads some.
    sampling: Option<Sampling>,
    vram: GuestSlice<'a>,
    colour: Buffer,
    depth: Buffer,
    buffers: Buffers,
    /// The first ones of each are used.
    primitives: usize,
    numbered: usize,
    runs: usize,
    /// Groups of the runs, and the most that there may be.
    groups: usize,
    most_groups: usize,
}

impl<'a> Spans<'a> {
    /// An empty list. While rows are pending, nothing else may access the pixels that they draw. `format` is that of the
    /// routine's key.
    ///
    /// # Panics
    /// If the target is not all of VRAM, or cannot be written, or has another format, or buffers or rows do not start with
    /// whole groups, or nothing finds the texels that code reads.
    pub(crate) fn new(
        routine: &'a PixelRoutine,
        (format, sampling): (PixelFormat, Option<Sampling>),
        constants: &'a PixelConstants,
        target: &Target<'a>,
    ) -> Self {
        let vram = target.vram;
        assert!(vram.len() == VRAM_BYTES as usize && vram.is_writable());
        // Groups of another size would go past the end of VRAM.
        assert!(target.format == format, "{:?}, not {format:?}", target.format);
        assert!(sampling.is_some() || !routine.reads_texels, "texels that nothing finds");
        let pixel_bytes = target.format.bytes();
        let colour = [target.colour, pixel_bytes, target.colour_stride * pixel_bytes];
        let depth = [target.depth, 2, target.depth_stride * 2];
        let is_aligned = |[start, bytes, down]: [u32; 3]| (start | down).is_multiple_of(4 * bytes);
        assert!(is_aligned(colour) && is_aligned(depth), "{target:?}");
        let mut buffers = SPARE.take();
        buffers.runs.resize(MOST_RUNS, Run::default());
        buffers.rows.resize(MOST_ROWS, RowNumbers::default());
        let most_groups = if sampling.is_some() { MOST_GROUPS } else { usize::MAX };
        if sampling.is_some() {
            buffers.texels.resize(MOST_GROUPS, GroupTexels::default());
        }
        Self {
            routine,
            constants,
            sampling,
            vram,
            colour,
            depth,
            buffers,
            primitives: 0,
            numbered: 0,
            runs: 0,
            groups: 0,
            most_groups,
        }
    }

    /// Reserves room for `primitives` primitives, so that adding them draws nothing.
    pub(crate) fn reserve(&mut self, primitives: usize) {
        if self.primitives + primitives > MOST_PRIMITIVES {
            self.finish();
        }
    }

    /// Predicate: depth in these columns of a row, of which there is one at least, hides a primitive: now, and when what is pending
    /// in this state has been drawn.
    #[inline(always)]
    pub(crate) fn hides(&self, hiding: &Hiding, columns: [i32; 2], y: i32) -> bool {
        let row = self.depth[0].wrapping_add(y.cast_unsigned().wrapping_mul(self.depth[2]));
        // SAFETY: VRAM is whole, and the caller of `new` says that nobody else uses these pixels.
        unsafe { hiding.hides(self.vram.as_ptr(), row, columns) }
    }

    /// Room for the numbers of a primitive, not cleared, and the reference to it.
    pub(crate) fn primitive(&mut self) -> (Place, &mut PrimitiveNumbers) {
        if self.primitives == MOST_PRIMITIVES {
            self.finish();
        }
        let numbers = &mut self.buffers.primitives;
        if numbers.len() == self.primitives {
            numbers.push(PrimitiveNumbers::default());
        }
        let n = self.primitives;
        self.primitives += 1;
        (Place((n * size_of::<PrimitiveNumbers>()) as u32), &mut numbers[n])
    }

    /// Queues rows of a primitive, of each the columns from one up to before the other: the `first` ones, and the `next` ones from
    /// row to row. They are drawn now or later. The primitive's numbers are those of an origin. Returns the number of pixels.
    ///
    /// # Panics
    /// On a primitive that is not there, or an origin without a group, which is a bug of the engine.
    #[inline(always)]
    pub(crate) fn rows(
        &mut self,
        place: Place,
        origin: [i32; 2],
        rows: Range<i32>,
        (first, mut next): ([i32; 2], impl FnMut() -> [i32; 2]),
    ) -> u64 {
        let mut row = self.first_row(place, origin, rows.start);
        let (mut y, mut columns, mut pixels) = (rows.start, first, 0);
        loop {
            let [from, to] = columns;
            if from < to {
                if self.is_full([from, to]) {
                    self.run();
                }
                self.push(&row, [from - origin[0], to - origin[0]]);
                pixels += u64::from((to - from).cast_unsigned());
            }
            y += 1;
            if y >= rows.end {
                return pixels;
            }
            self.next_row(&mut row);
            columns = next();
        }
    }

    /// Queues rows with the same columns.
    ///
    /// # Panics
    /// As [`rows`](Self::rows).
    pub(crate) fn straight(&mut self, place: Place, origin: [i32; 2], rows: Range<i32>, columns: [i32; 2]) {
        self.rows(place, origin, rows, (columns, || columns));
    }

    /// Queues rows of a rectangle with texture, whose rows have numbers of their own.
    ///
    /// # Panics
    /// As [`rows`](Self::rows).
    #[inline(always)]
    pub(crate) fn numbered(
        &mut self,
        place: Place,
        origin: [i32; 2],
        rows: Range<i32>,
        columns: [i32; 2],
        mut numbers: impl FnMut(i32) -> RowNumbers,
    ) {
        let mut row = self.first_row(place, origin, rows.start);
        let [from, to] = columns;
        for y in rows {
            if self.numbered == MOST_ROWS || self.is_full(columns) {
                self.run();
            }
            self.buffers.rows[self.numbered] = numbers(y);
            row.numbers = (self.numbered * size_of::<RowNumbers>()) as u32;
            self.numbered += 1;
            self.push(&row, [from - origin[0], to - origin[0]]);
            self.next_row(&mut row);
        }
    }

    /// True if there is no room for a run of these columns.
    #[inline(always)]
    const fn is_full(&self, [from, to]: [i32; 2]) -> bool {
        let groups = ((to - 1) >> 2) - (from >> 2) + 1;
        self.runs == MOST_RUNS || self.groups + groups as usize > self.most_groups
    }

    /// The run of a row, without its columns.
    fn first_row(&self, Place(primitive): Place, [x0, y0]: [i32; 2], y: i32) -> Run {
        assert!((primitive as usize) < self.primitives * size_of::<PrimitiveNumbers>());
        assert!(x0 & 3 == 0 && [x0, y].iter().all(|side| (0..SIDE as i32).contains(side)) && y0 <= y);
        let at = |[start, bytes, down]: [u32; 3]| start + x0 as u32 * bytes + y as u32 * down;
        Run {
            primitive,
            row: (y - y0).cast_unsigned(),
            colour_at: at(self.colour),
            depth_at: at(self.depth),
            ..Run::default()
        }
    }

    #[inline(always)]
    const fn next_row(&self, row: &mut Run) {
        row.row += 1;
        row.colour_at = row.colour_at.wrapping_add(self.colour[2]);
        row.depth_at = row.depth_at.wrapping_add(self.depth[2]);
    }

    /// Adds the run of some columns, of which there is one at least.
    // Field by field: the run as a whole would go through the stack.
    #[inline(always)]
    fn push(&mut self, row: &Run, [from, to]: [i32; 2]) {
        let (first, last) = (from.cast_unsigned(), (to - 1).cast_unsigned());
        let groups = (last >> 2) - (first >> 2) + 1;
        self.groups += groups as usize;
        let first_end = if groups == 1 { last } else { 3 };
        let run = &mut self.buffers.runs[self.runs];
        run.covered[0] = LANES[0][last as usize & 3];
        run.covered[1] = LANES[0][3];
        run.covered[2] = LANES[first as usize & 3][first_end as usize & 3];
        (run.column, run.groups) = (first & !3, groups);
        (run.primitive, run.row, run.numbers) = (row.primitive, row.row, row.numbers);
        (run.colour_at, run.depth_at) = (row.colour_at, row.depth_at);
        self.runs += 1;
    }

    /// Predicate: no two groups of these columns and rows, of what is stored, are one, and none is behind the end of VRAM. Columns are
    /// those of whole groups.
    pub(crate) fn can_copy(&self, fill: &Fill, columns: [i32; 2], rows: &Range<i32>) -> bool {
        let is_apart = |buffer: Buffer| fill::is_apart(buffer, columns, rows);
        (fill.colour.is_none() || is_apart(self.colour)) && (fill.depth.is_none() || is_apart(self.depth))
    }

    /// Draws what is pending, and makes copies of groups. Removes all primitives.
    ///
    /// # Panics
    /// Where groups [cannot be copied](Self::can_copy), which is a bug of the engine.
    pub(crate) fn copy(&mut self, fill: &Fill, copies: &Copies) {
        self.finish();
        let Copies { columns: [from, to], rows, of: [column, row] } = copies;
        let are_groups = 0 <= *column && column <= from && from < to && (column | from | to) & 3 == 0;
        let (all_columns, all_rows) = copies.around();
        let is_below = 0 <= *row && *row <= rows.start && !rows.is_empty();
        assert!(are_groups && is_below && self.can_copy(fill, all_columns, &all_rows), "{copies:?}");
        let vram = self.vram.as_ptr().cast_mut();
        // SAFETY: VRAM is whole and writable, and the caller of `new` says that nobody else uses these pixels. Rows and columns
        // are as asked for.
        unsafe {
            if let Some(stored) = fill.colour {
                fill::copy_colours(vram, self.colour, stored, copies);
            }
            if let Some(maps) = fill.depth {
                fill::copy_depths(vram, self.depth, maps, copies);
            }
        }
    }

    /// Draws what is pending, and removes all primitives.
    pub(crate) fn finish(&mut self) {
        self.run();
        self.primitives = 0;
    }

    /// Draws what is pending.
    fn run(&mut self) {
        self.numbered = 0;
        if self.runs == 0 {
            return;
        }
        let Buffers { primitives, rows, runs, texels } = &mut self.buffers;
        if let Some(sampling) = &self.sampling {
            let rows = if sampling.rectangles { &rows[..] } else { &[] };
            let sampled = Sampled { runs: &runs[..self.runs], primitives, rows, vram: self.vram.as_ptr() };
            // SAFETY: the constants' owner keeps alive what they point to, as whole images with a column and a row more. VRAM is
            // whole, and the caller says that nobody else uses the pixels whose depths are read.
            unsafe { texels::sample(sampling, self.constants, sampled, texels) };
        }
        let runs = runs[..self.runs].as_ptr_range();
        let mut call = SpanCall {
            constants: self.constants,
            primitives: primitives.as_ptr(),
            vram: self.vram.as_ptr().cast_mut(),
            texels: texels.as_ptr(),
            runs: runs.start,
            end: runs.end,
        };
        // SAFETY: each run's numbers lie in `primitives` (see `first_row`; none are taken away before runs are done), and
        // there are texels for all groups (see `is_full`), of a routine that reads some (see `new`).
        // The code masks offsets into VRAM to its size, maps those of depth to others in it, and groups and rows are
        // aligned for the routine's format, so that they lie inside. The
        // constants are borrowed, and what they point to is kept alive by their owner. VRAM is writable, and the
        // caller says that nobody else uses these pixels.
        unsafe { self.routine.routine.run(&mut call, FpMode::Ieee) };
        (self.runs, self.groups) = (0, 0);
    }
}

impl Drop for Spans<'_> {
    fn drop(&mut self) {
        SPARE.set(std::mem::take(&mut self.buffers));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile::tests::compiler;
    use crate::ge::key::PixelKey;
    use crate::kind::RoutineKind;
    use picaflor_pipeline::bits::Field;
    use picaflor_pipeline::ge::clut::Clut;
    use picaflor_pipeline::ge::raster::Shape;
    use picaflor_pipeline::ge::regs::{Registers, op};
    use picaflor_pipeline::ge::stage::PixelState;
    use picaflor_pipeline::ge::vram::{AddressMaps, VRAM};
    use picaflor_pipeline::memory::FlatMemory;

    /// A list for a routine of 32 bits to the pixel, drawn to a target of this format.
    fn begin(format: PixelFormat) {
        let memory = FlatMemory::new(VRAM, vec![0; VRAM_BYTES as usize]);
        let (mut registers, clut, maps) = (Registers::default(), Clut::default(), AddressMaps::default());
        registers.write(u32::from(op::PSM) << 24 | PixelFormat::Rgba8888.to_bits());
        let state =
            PixelState { registers: &registers, clut: &clut, memory: &memory, maps, is_immediate: false };
        let key = PixelKey::of(&state, Shape::Triangle).expect("a state that is compiled");
        let routine = key.compile(&(), &mut compiler()).expect("code");
        let target = Target { format, ..Target::new(&registers, maps, &memory).expect("VRAM is mapped") };
        drop(Spans::new(&routine, (key.format, None), &PixelConstants::default(), &target));
    }

    #[test]
    fn targets_of_the_routines_format() {
        begin(PixelFormat::Rgba8888);
    }

    /// Groups of 16 bytes at offsets of 8 would go past the end of VRAM.
    #[test]
    #[should_panic(expected = "Rgb5650, not Rgba8888")]
    fn targets_of_other_formats_are_refused() {
        begin(PixelFormat::Rgb5650);
    }
}
