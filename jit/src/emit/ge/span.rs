//! Memory interface of the GE's compiled pixel code: the call, its runs, the numbers of primitives, the constants of
//! a draw.
//!
//! A group is four pixels that lie next to each other, the first in a column that is a multiple of 4; a lane is a pixel
//! of a group. A run is the covered pixels of one row of a primitive, which lie next to each other. Columns and rows of a
//! primitive count from an origin, whose column and row are multiples of 4 too.

/// A number in both lanes.
pub(crate) type Doubles = [f64; 2];
/// An integer in all lanes.
pub(crate) type Ints = [i32; 4];
/// Two pixels of four channels: red, green, blue, alpha.
pub(crate) type Channels = [u16; 8];

/// Colours of the texels of a group: four channels of four pixels, one after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct GroupTexels(pub(crate) [u16; 16]);

/// Bytes from those of a group to those of the next one.
pub(crate) const GROUP_TEXELS_BYTES: i64 = size_of::<GroupTexels>() as i64;

/// Bits of depth in steps below a whole one, in upper halves.
pub(crate) const DEPTH_BITS: u32 = 14;
/// Bits of positions in a texture below a texel.
pub(crate) const PLACE_BITS: u32 = 20;
/// Bound of what is wrong with positions that go in steps of doubles, in these units, rounded to whole ones: at the most half for
/// the rounding and a quarter for the steps.
pub(crate) const PLACE_ERROR: u32 = 1;

/// Levels of a texture.
pub(crate) const LEVELS: usize = 8;

/// Some runs, drawn in their order. All pointers are valid for the call.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SpanCall {
    /// Constants of the draw.
    pub(crate) constants: *const PixelConstants,
    /// Numbers of all the runs' primitives.
    pub(crate) primitives: *const PrimitiveNumbers,
    /// The first byte of VRAM.
    pub(crate) vram: *mut u8,
    /// Colours of the texels of all groups of the runs, in their order, for routines that read some.
    pub(crate) texels: *const GroupTexels,
    /// The first run; there is at least one.
    pub(crate) runs: *const Run,
    /// Behind the last one.
    pub(crate) end: *const Run,
}

/// Covered pixels of a row.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct Run {
    /// All ones in covered lanes: of the last group, of those before it, of the first one. If that is the last one too,
    /// its are here.
    pub(crate) covered: [Ints; 3],
    /// The first lane's column.
    pub(crate) column: u32,
    /// Groups, at least one.
    pub(crate) groups: u32,
    /// Bytes from the first primitive's numbers to those of this one.
    pub(crate) primitive: u32,
    /// The row.
    pub(crate) row: u32,
    /// Offset in VRAM of the primitive's column 0 in this row: of its colour, and of its depth before that is mapped.
    pub(crate) colour_at: u32,
    pub(crate) depth_at: u32,
    /// Rectangles with texture: bytes from the first row's numbers to those of this one. Not read by code.
    pub(crate) numbers: u32,
}

/// Bytes from one run to the next.
pub(crate) const RUN_BYTES: i64 = size_of::<Run>() as i64;

/// Numbers of a row of a rectangle, from which its texels are found.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct RowNumbers {
    /// The coordinate that runs along y: in this row, in the even and in the odd one of its quads.
    pub(crate) across: [f64; 3],
    /// v of plain rectangles.
    pub(crate) v: i64,
}

/// Numbers of a primitive: those from which its texels are found, from `area_reciprocal` on, are not read by code. Those of
/// rectangles have no changes from row to row.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct PrimitiveNumbers {
    /// For red, green, blue, alpha, and for secondary red, green, blue, and fog.
    pub(crate) channels: [ChannelNumbers; 2],
    /// Nonzero if the primary colour of a triangle changes: its channels are then filled.
    pub(crate) changes: u64,
    /// Nonzero if fog changes a colour; channels of fog are filled then.
    pub(crate) fogs: u64,
    /// Colour where it does not change, 0xAABBGGRR.
    pub(crate) flat: Ints,
    /// One more than each of its channels, in two pixels; of triangles whose colour could change.
    pub(crate) flat_and_one: [u16; 8],
    /// Secondary colour likewise.
    pub(crate) flat_secondary: Ints,
    /// Fog likewise.
    pub(crate) flat_fog: Ints,
    /// Depth likewise.
    pub(crate) flat_depth: Ints,
    /// Depth of triangles, times 2^46: with [`DEPTH_BITS`] below a whole one in upper halves.
    pub(crate) deep: StepNumbers,
    /// 1 over twice the area.
    pub(crate) area_reciprocal: Doubles,
    /// Twice the area; for rectangles, the length along x.
    pub(crate) area: Doubles,
    /// The edges of triangles.
    pub(crate) edges: [EdgeNumbers; 3],
    /// Texture coordinates of each corner.
    pub(crate) corners: [CornerNumbers; 3],
    /// Rectangles: coordinate along x at A times the length, its difference from A to B; the same of q.
    pub(crate) along: [Doubles; 2],
    pub(crate) along_q: [Doubles; 2],
    /// All ones where u runs along y.
    pub(crate) swapped: [u64; 2],
    /// Rectangles: from A to column 0, in sixteenths.
    pub(crate) distance: f64,
    /// True if coordinates are divided by q or w.
    pub(crate) divides: u64,
    /// Nonzero if s, t and q of a triangle whose coordinates are divided have constant increments: the fields of
    /// `divided` are then filled, and for levels of detail those behind it.
    pub(crate) goes_divided: u64,
    /// Nonzero if u and v have constant increments, but not by texels: `plain` is then filled.
    pub(crate) goes_in_steps: u64,
    /// Nonzero if u grows by a texel from pixel to pixel, and v does not change along a row; where four texels are mixed, the
    /// other three have no weight at any pixel. `plain` is filled then too.
    pub(crate) goes_by_texels: u64,
    /// Nonzero if a depth may be outside the range, where there is one.
    pub(crate) leaves_range: u64,
    /// s, t and q: s and t times 2^20 of a texel.
    pub(crate) divided: [DoubleSteps; 3],
    /// Clip w, and how far it may be from the manual's.
    pub(crate) w: DoubleSteps,
    pub(crate) w_error: Doubles,
    /// The least q whose quotients are as close as those of the triangle.
    pub(crate) least_q: Doubles,
    /// u and v in 2^-44 of 1/256 texels; of rectangles only u.
    pub(crate) plain: [StepNumbers; 2],
}

/// A number that changes from pixel to pixel and from row to row by the same steps.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct StepNumbers {
    /// At the origin.
    pub(crate) first: i64,
    /// To the next row.
    pub(crate) down: i64,
    /// From the first lane to the first two.
    pub(crate) lanes: [i64; 2],
    /// From the first two lanes to the last two.
    pub(crate) pair: [i64; 2],
    /// To the next group.
    pub(crate) group: [i64; 2],
}

impl StepNumbers {
    /// The number at the origin, and its increments from pixel to pixel and from row to row.
    pub(crate) const fn new([first, right, down]: [i64; 3]) -> Self {
        let twice = right.wrapping_mul(2);
        Self { first, down, lanes: [0, right], pair: [twice; 2], group: [twice.wrapping_mul(2); 2] }
    }
}

/// Likewise, of doubles.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct DoubleSteps {
    /// At the origin.
    pub(crate) first: f64,
    /// To the next pixel.
    pub(crate) right: f64,
    /// To the next row.
    pub(crate) down: f64,
    pub(crate) unused: f64,
    /// From the first two lanes to the last two.
    pub(crate) pair: Doubles,
    /// To the next group.
    pub(crate) group: Doubles,
}

impl DoubleSteps {
    /// The number at the origin, its increments from pixel to pixel and from row to row, and something unused.
    #[inline(always)]
    pub(crate) const fn new([first, right, down, unused]: [f64; 4]) -> Self {
        Self { first, right, down, unused, pair: [2.0 * right; 2], group: [4.0 * right; 2] }
    }
}

/// An edge: its value at the origin, and the changes to the next pixel and the next row. Written as one vector.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct EdgeNumbers {
    pub(crate) first: f64,
    pub(crate) right: f64,
    pub(crate) down: f64,
    pub(crate) unused: f64,
}

/// s, t, q and w of a corner; s, t and q of perspective times the reciprocal of w. Rectangles have w alone, in the first
/// one. Written as one vector.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct CornerNumbers {
    pub(crate) s: f64,
    pub(crate) t: f64,
    pub(crate) q: f64,
    pub(crate) w: f64,
}

/// Four channels of a primitive, times 2^14.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct ChannelNumbers {
    /// At the origin.
    pub(crate) first: Ints,
    /// Changes from the first lane to each other one.
    pub(crate) lanes: [Ints; 3],
    /// To the next group.
    pub(crate) group: Ints,
    /// To the next row.
    pub(crate) down: Ints,
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
    /// 255 times the colour of the fog, and 255 more.
    pub(crate) most_fog: Channels,
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

/// A level of a texture, decoded; not read by code.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct LevelConstants {
    /// From a coordinate to 1/256 texels, s and t.
    pub(crate) scale: [Doubles; 2],
    /// The largest index, s and t. For coordinates that repeat it is a mask.
    pub(crate) last: [Ints; 2],
    /// Its position, times 2^20.
    pub(crate) farthest: [Ints; 2],
    /// Texels from row to row: the first one of a row comes again at its end, and so does the first row.
    pub(crate) width: Ints,
    /// The texels, 0xAABBGGRR each.
    pub(crate) texels: u64,
    /// Powers of two by which level 0 is larger, s and t; 0 where it is smaller.
    pub(crate) halved: [u32; 2],
}

/// Offset of a field of the draw's constants.
macro_rules! of_draw {
    ($($field:tt)+) => { std::mem::offset_of!($crate::emit::ge::span::PixelConstants, $($field)+) as i32 };
}
/// Offset of a field of a primitive's numbers.
macro_rules! of_primitive {
    ($($field:tt)+) => { std::mem::offset_of!($crate::emit::ge::span::PrimitiveNumbers, $($field)+) as i32 };
}
/// Offset of a field of a run.
macro_rules! of_run {
    ($($field:tt)+) => { std::mem::offset_of!($crate::emit::ge::span::Run, $($field)+) as i32 };
}

/// Offset of a field of the call.
macro_rules! of_call {
    ($($field:tt)+) => { std::mem::offset_of!($crate::emit::ge::span::SpanCall, $($field)+) as i32 };
}
pub(crate) use {of_call, of_draw, of_primitive, of_run};
