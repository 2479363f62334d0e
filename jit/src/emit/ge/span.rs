//! Memory interface of the GE's compiled pixel code: the call, its jobs, the numbers of primitives, the constants of
//! a draw.
//!
//! A job is some rows of one primitive. A group is four pixels that lie next to each other, the first in a column
//! that is a multiple of 4; a lane is a pixel of a group.

use std::mem::offset_of;

/// A number in both lanes.
pub(crate) type Doubles = [f64; 2];
/// An integer in all lanes.
pub(crate) type Ints = [i32; 4];
/// Two pixels of four channels: red, green, blue, alpha.
pub(crate) type Channels = [u16; 8];

/// Levels of a texture.
pub(crate) const LEVELS: usize = 8;

/// Some jobs, done in their order. All pointers are valid for the call.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SpanCall {
    /// Constants of the draw.
    pub(crate) constants: *const PixelConstants,
    /// Numbers of all the jobs' primitives.
    pub(crate) primitives: *const PrimitiveNumbers,
    /// The first byte of VRAM.
    pub(crate) vram: *mut u8,
    /// The first job; there is at least one. They are used up.
    pub(crate) jobs: *mut Job,
    /// Behind the last one.
    pub(crate) end: *const Job,
    /// Bytes from row to row of colour, and of depth before it is mapped.
    pub(crate) colour_down: u64,
    pub(crate) depth_down: u64,
    /// Pixels that triangles covered.
    pub(crate) drawn: u64,
}

/// Some rows of one primitive, in the same columns. "At the first lane" is in the first column of the first group, and
/// in the first row that is left to draw.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Job {
    /// Three numbers in the lanes of the first group, of which none is negative where a pixel is covered; rectangles
    /// have two.
    pub(crate) inside: [Ints; 3],
    /// Red, green, blue, alpha at the first lane: times 2^14.
    pub(crate) primary: Ints,
    /// Secondary red, green, blue, and fog, likewise.
    pub(crate) secondary: Ints,
    /// Values of the edges at the first lane; for rectangles, 0 is the coordinate that runs along y.
    pub(crate) edges: [f64; 3],
    /// Rectangles: from A to the first lane, in sixteenths.
    pub(crate) distance: f64,
    /// Plain primitives: u and v at the first lane, 2^-44 of 1/256 texels.
    pub(crate) plain: [i64; 2],
    /// Triangles: depth at the first lane, times 2^46.
    pub(crate) deep: i64,
    /// Where `PrimitiveNumbers::goes_divided`: s, t and q at the first lane; the last one is of no use.
    pub(crate) divided: [f64; 4],
    /// Bytes from the start of the colour buffer to the first lane, plus where that starts in VRAM.
    pub(crate) colour_at: u64,
    /// As `colour_at`, of depth; before it is mapped.
    pub(crate) depth_at: u64,
    /// Bytes from the first primitive's numbers to those of this one.
    pub(crate) primitive: u64,
    /// Bytes from the first row of the dither matrix to this one's.
    pub(crate) dither: u64,
    /// The row, for quads.
    pub(crate) row: i32,
    /// Rows that are left, at least one. Rectangles have more than one only if u and v go in steps, or without texture.
    pub(crate) rows: i32,
    /// Columns from that of the first lane to the one behind the last that may be covered; above 0.
    pub(crate) columns: i32,
}

/// Bytes from one job to the next.
pub(crate) const JOB_BYTES: i64 = size_of::<Job>() as i64;

/// Numbers of a primitive.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct PrimitiveNumbers {
    /// For red, green, blue, alpha, and for secondary red, green, blue, and fog.
    pub(crate) channels: [ChannelNumbers; 2],
    /// Colour where it does not change, 0xAABBGGRR.
    pub(crate) flat: Ints,
    /// Secondary colour likewise.
    pub(crate) flat_secondary: Ints,
    /// Fog likewise.
    pub(crate) flat_fog: Ints,
    /// Depth likewise.
    pub(crate) flat_depth: Ints,
    /// Steps of `Job::deep`.
    pub(crate) deep: StepNumbers,
    /// 1 over twice the area.
    pub(crate) area_reciprocal: Doubles,
    /// Twice the area; for rectangles, the length along x.
    pub(crate) area: Doubles,
    /// Change of each edge from pixel to pixel.
    pub(crate) edge_steps: [Doubles; 3],
    /// s, t, q and w of each corner; s, t and q of perspective times the reciprocal of w.
    pub(crate) s: [Doubles; 3],
    pub(crate) t: [Doubles; 3],
    pub(crate) q: [Doubles; 3],
    pub(crate) w: [Doubles; 3],
    /// Change of each edge from row to row.
    pub(crate) edge_rows: [Doubles; 3],
    /// Rectangles: coordinate along x at A times the length, its difference from A to B; the same of q.
    pub(crate) along: [Doubles; 2],
    pub(crate) along_q: [Doubles; 2],
    /// All ones where u runs along y.
    pub(crate) swapped: [u64; 2],
    /// True if coordinates are divided by q or w.
    pub(crate) divides: u64,
    /// Nonzero if s, t and q of a triangle whose coordinates are divided have constant increments, for routines of one
    /// level: the fields of `divided` are then filled.
    pub(crate) goes_divided: u64,
    /// Changes of s, t and q from pixel to pixel: s and t times 2^20 of a texel.
    pub(crate) divided: [DoubleSteps; 3],
    /// Nonzero if u and v have constant increments: `plain` is then filled.
    pub(crate) is_plain: u64,
    /// The steps of u and v; of rectangles only those of u.
    pub(crate) plain: [StepNumbers; 2],
    /// Change of `Job::inside` from group to group.
    pub(crate) inside_right: [Ints; 3],
    /// Where jobs have more than one row, changes from row to row: of `Job::inside`, of `Job::primary` and
    /// `Job::secondary`, of `Job::edges`, of `Job::divided`, of `Job::plain`, of `Job::deep`.
    pub(crate) inside_down: [Ints; 3],
    pub(crate) channels_down: [Ints; 2],
    pub(crate) edges_down: [f64; 4],
    pub(crate) divided_down: [f64; 4],
    pub(crate) plain_down: [i64; 2],
    pub(crate) deep_down: i64,
}

/// Steps of a number, in the units that jobs have it in.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct StepNumbers {
    /// From the first lane to the first two.
    pub(crate) lanes: [i64; 2],
    /// From the first two lanes to the last two.
    pub(crate) pair: [i64; 2],
    /// To the next group.
    pub(crate) group: [i64; 2],
}

impl StepNumbers {
    /// The numbers of an increment from pixel to pixel.
    pub(crate) const fn new(step: i64) -> Self {
        let twice = step.wrapping_mul(2);
        Self { lanes: [0, step], pair: [twice; 2], group: [twice.wrapping_mul(2); 2] }
    }
}

/// Steps of a double: to the next pixel, from the first two lanes to the last two, to the next group.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct DoubleSteps {
    pub(crate) right: Doubles,
    pub(crate) pair: Doubles,
    pub(crate) group: Doubles,
}

impl DoubleSteps {
    /// The numbers of an increment from pixel to pixel.
    pub(crate) const fn new(step: f64) -> Self {
        Self { right: [step; 2], pair: [2.0 * step; 2], group: [4.0 * step; 2] }
    }
}

/// Four channels of a primitive.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct ChannelNumbers {
    /// Change of `Job::primary` from the first lane to each other one.
    pub(crate) lanes: [Ints; 3],
    /// Its change to the next group.
    pub(crate) group: Ints,
}

/// Constants of a draw.
#[derive(Debug, Clone, Default)]
#[repr(C, align(16))]
pub(crate) struct PixelConstants {
    pub(crate) levels: [LevelConstants; LEVELS],
    /// Least and greatest depth.
    pub(crate) depth_range: [Ints; 2],
    /// Reference under the mask, and the mask.
    pub(crate) alpha_test: [Ints; 2],
    pub(crate) colour_test: [Ints; 2],
    pub(crate) stencil_test: [Ints; 2],
    /// The reference, unmasked.
    pub(crate) stencil_replace: Ints,
    /// Fixed factors of source and destination.
    pub(crate) fixed: [Channels; 2],
    pub(crate) fog: Channels,
    pub(crate) environment: Channels,
    /// Bits of RGB that are written, and of alpha, as the format keeps them.
    pub(crate) written: [Ints; 2],
    /// Four rows of four pixels.
    pub(crate) dither: [[[i16; 8]; 2]; 4],
    /// Bias of the level of detail, in sixteenths.
    pub(crate) bias: i32,
    /// Last level, in sixteenths.
    pub(crate) last_level: i32,
    /// Source of the level of detail in slope mode.
    pub(crate) slope: f64,
    /// Factors of the changes of coordinates.
    pub(crate) lod_scale: [f64; 2],
}

/// A level of a texture, decoded.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct LevelConstants {
    /// From a coordinate to 1/256 texels, s and t.
    pub(crate) scale: [Doubles; 2],
    /// The largest index, s and t. For coordinates that repeat it is a mask.
    pub(crate) last: [Ints; 2],
    /// Texels from row to row: the first one of a row comes again at its end, and so does the first row.
    pub(crate) width: Ints,
    /// The texels, 0xAABBGGRR each.
    pub(crate) texels: u64,
}

/// Bytes from one level to the next.
pub(crate) const LEVEL_BYTES: i64 = size_of::<LevelConstants>() as i64;

/// Offset of a field of the draw's constants.
macro_rules! of_draw {
    ($($field:tt)+) => { std::mem::offset_of!($crate::emit::ge::span::PixelConstants, $($field)+) as i32 };
}
/// Offset of a field of a primitive's numbers.
macro_rules! of_primitive {
    ($($field:tt)+) => { std::mem::offset_of!($crate::emit::ge::span::PrimitiveNumbers, $($field)+) as i32 };
}
/// Offset of a field of a job.
macro_rules! of_job {
    ($($field:tt)+) => { std::mem::offset_of!($crate::emit::ge::span::Job, $($field)+) as i32 };
}
pub(crate) use {of_draw, of_job, of_primitive};

/// Offset of a field of the call.
pub(crate) mod call {
    use super::{SpanCall, offset_of};
    pub(crate) const CONSTANTS: i32 = offset_of!(SpanCall, constants) as i32;
    pub(crate) const PRIMITIVES: i32 = offset_of!(SpanCall, primitives) as i32;
    pub(crate) const VRAM: i32 = offset_of!(SpanCall, vram) as i32;
    pub(crate) const JOBS: i32 = offset_of!(SpanCall, jobs) as i32;
    pub(crate) const END: i32 = offset_of!(SpanCall, end) as i32;
    pub(crate) const COLOUR_DOWN: i32 = offset_of!(SpanCall, colour_down) as i32;
    pub(crate) const DEPTH_DOWN: i32 = offset_of!(SpanCall, depth_down) as i32;
    pub(crate) const DRAWN: i32 = offset_of!(SpanCall, drawn) as i32;
}
