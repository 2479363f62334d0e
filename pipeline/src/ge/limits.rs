//! `Limits`: bounds of the work that a guest can request.

use crate::setters::setters;
use crate::work::DEFAULT_WORK;

/// Budgets that bound the work of a machine on guest input. Real software stays far below.
///
/// ```
/// use picaflor_pipeline::ge::limits::Limits;
///
/// assert_eq!(Limits::default().with_commands(1000).commands, 1000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Units of work of one run: about nanoseconds of compiled code on one core. Commands, draws, vertices, control points,
    /// primitives, pixels, and bytes that are fetched, decoded, compared or moved are paid from this account before they
    /// are worked on. The other limits bound single kinds of work below that.
    pub work: u64,
    /// Vertices of one draw, including those of subdivided patches.
    pub vertices: u32,
    /// Pixels in the bounds of the primitives of one draw.
    pub pixels: u64,
    /// Commands of one run, over all jumps.
    pub commands: u32,
    /// Vertices of one run; checked after each draw.
    pub run_vertices: u64,
    /// Pixels in the bounds of the primitives of one run; checked after each draw.
    pub run_pixels: u64,
    /// Bytes that block transfers move in one run; checked after each transfer.
    pub run_bytes: u64,
}

impl Limits {
    /// A patch of 255 by 255 control points can request a hundred million vertices; the limit of a million is sixteen
    /// times the largest other draw. A list that fills half of the largest memory has eight million commands. The
    /// other limits are hundreds of times the capacity of the console between two pictures.
    pub const DEFAULT: Self = Self {
        work: DEFAULT_WORK,
        vertices: 1 << 20,
        pixels: 1 << 27,
        commands: 1 << 23,
        run_vertices: 1 << 26,
        run_pixels: 1 << 30,
        run_bytes: 1 << 32,
    };

    setters! {
        with_work: work, u64;
        with_vertices: vertices, u32;
        with_pixels: pixels, u64;
        with_commands: commands, u32;
        with_run_vertices: run_vertices, u64;
        with_run_pixels: run_pixels, u64;
        with_run_bytes: run_bytes, u64;
    }
}

impl Default for Limits {
    /// [`DEFAULT`](Self::DEFAULT).
    fn default() -> Self {
        Self::DEFAULT
    }
}
