//! Memory interface of compiled fragment code: the call, its jobs, the numbers of triangles, the constants of a draw.
//!
//! A job is one triangle in one block of 8x8 pixels. A quad is 2x2 pixels, which lie next to each other in
//! memory; a lane is a pixel of a quad, in the order of memory: right, then the next row.

use super::constants::DrawConstants;
use std::mem::offset_of;

/// 16 bytes of a triangle's numbers.
pub(crate) type Slot = [u32; 4];

/// Some jobs, done in their order. All pointers are valid for the call.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct BlockCall {
    /// Constants of the draw.
    pub(crate) constants: *const DrawConstants,
    /// Numbers of all the jobs' triangles, see [`slot`].
    pub(crate) slots: *const Slot,
    /// First byte of the colour buffer; null when the code does not touch it.
    pub(crate) colour: *mut u8,
    /// First byte of the depth buffer; null when the code does not touch it.
    pub(crate) depth: *mut u8,
    /// The first job; there is at least one.
    pub(crate) jobs: *const Job,
    /// Behind the last one.
    pub(crate) end: *const Job,
    /// Colours that were found before: of each covered quad, in their order, those of units, of the procedural texture and of lights.
    pub(crate) found: *const [u32; 4],
    /// What else is known of the same quads; not used where no colours are found.
    pub(crate) quads: *const QuadNumbers,
}

/// Places for the numbers of quads: a multiple of 64 bytes, so that two quads from an even one on lie in one cache line where records
/// of them are aligned.
pub(crate) const QUAD_PLACES: usize = 132;
/// A number of each pixel of some quads, which lie next to each other.
pub(crate) type QuadLanes = [[f32; 4]; QUAD_PLACES];

/// Numbers of quads, in their order.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct QuadNumbers {
    /// Values of the edges.
    pub(crate) edges: [QuadLanes; 3],
    /// 1 over the interpolated 1 / w.
    pub(crate) rd: QuadLanes,
}

impl QuadNumbers {
    /// Where the numbers of the first quad begin: of the edges, and 1 over 1 / w.
    pub(crate) const PLACES: [i32; 4] = {
        let edge = size_of::<QuadLanes>() as i32;
        [0, edge, 2 * edge, offset_of!(QuadNumbers, rd) as i32]
    };
}

/// One triangle in one block.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Job {
    /// Values of the edges at the first pixel in memory; lane 3 unused. Not used with `table`.
    pub(crate) edges: [i32; 4],
    /// Pixels to draw, by their place in memory; at least one.
    pub(crate) covered: u64,
    /// Bytes from the first slot to those of the triangle.
    pub(crate) triangle: u64,
    /// Bytes from the start of the colour buffer to the block.
    pub(crate) colour: u64,
    /// Bytes from the start of the depth buffer to the block.
    pub(crate) depth: u64,
    /// For triangles whose edge values do not fit 32 bits: bytes from the first slot to three slots for each
    /// quad, the values of the edges at its lanes. Otherwise 0.
    pub(crate) table: u64,
}

/// Bytes from one job to the next.
pub(crate) const JOB_BYTES: i64 = size_of::<Job>() as i64;

macro_rules! offsets {
    ($($name:ident = $type:ident.$field:ident),* $(,)?) => {
        $(pub(crate) const $name: i32 = offset_of!($type, $field) as i32;)*
    };
}

offsets! {
    CONSTANTS = BlockCall.constants,
    SLOTS = BlockCall.slots,
    COLOUR = BlockCall.colour,
    DEPTH = BlockCall.depth,
    JOBS = BlockCall.jobs,
    END = BlockCall.end,
    FOUND = BlockCall.found,
    QUADS = BlockCall.quads,
    JOB_EDGES = Job.edges,
    JOB_COVERED = Job.covered,
    JOB_TRIANGLE = Job.triangle,
    JOB_COLOUR = Job.colour,
    JOB_DEPTH = Job.depth,
    JOB_TABLE = Job.table,
}

/// Slots of 16 bytes that hold the numbers of a triangle; scalars are splatted.
pub(crate) mod slot {
    /// For each of the 16 quads, the difference of its edge values to those of the first pixel.
    pub(crate) const QUADS: usize = 0;
    /// For each edge, the difference of its value at each lane to that of the quad's first lane.
    pub(crate) const LANES: usize = 16;
    /// Sum of the edge values.
    pub(crate) const SUM: usize = 19;
    /// 1 / w of each vertex.
    pub(crate) const R: usize = 20;
    /// z / w of each vertex.
    pub(crate) const Z: usize = 23;
    /// Change of the interpolated 1 / w before the division, to the right and upward.
    pub(crate) const R_STEP: usize = 26;
    /// Flat colour as four pixels of bytes: alpha, blue, green, red.
    pub(crate) const FLAT: usize = 28;
    /// 1 over the interpolated 1 / w, with [`RECIPROCAL`].
    pub(crate) const RD: usize = 29;
    /// Depth as an integer, with [`DEPTH`].
    pub(crate) const COMMON_DEPTH: usize = 30;
    /// In lane 0, the values that all pixels have in common.
    pub(crate) const FLAGS: usize = 31;
    /// Three slots for each live attribute, its products with 1 / w; then two for each one whose change
    /// matters, as `R_STEP`.
    pub(crate) const ATTRIBUTES: usize = 32;
    /// Slots of a table of edge values: three for each quad.
    pub(crate) const TABLE: usize = 48;

    /// Flags: what [`RD`] is for.
    pub(crate) const RECIPROCAL: u32 = 1;
    /// What [`COMMON_DEPTH`] is for.
    pub(crate) const DEPTH: u32 = 2;
    /// The vertex colour, which is in [`FLAT`].
    pub(crate) const COLOUR: u32 = 4;
    /// The coordinates of the procedural texture are 0.
    pub(crate) const ORIGIN: u32 = 8;
    /// The coordinates of texture unit 0 are 0 to 1, 1 excluded; those of the others by the next bits.
    pub(crate) const INSIDE: u32 = 16;
    /// Vertex colours and texture coordinates are so small that code needs no limits for them.
    pub(crate) const ORDINARY: u32 = 128;

    /// Offset of a slot.
    pub(crate) const fn offset(slot: usize) -> i32 {
        (slot * 16) as i32
    }
}

/// Set of attributes that a routine interpolates. Bit `k` is semantic `k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Interpolants {
    /// Attributes with a value that is read.
    pub(crate) values: u32,
    /// Attributes with a change per pixel that is read; a subset of `values`.
    pub(crate) changes: u32,
}

impl Interpolants {
    /// Both together.
    pub(crate) const fn union(self, other: Self) -> Self {
        Self { values: self.values | other.values, changes: self.changes | other.changes }
    }

    /// The groups of four semantics that some of these are in, as bits.
    pub(crate) fn groups(self) -> u32 {
        let semantics = self.values | self.changes;
        (0..6).filter(|group| semantics >> (4 * group) & 15 != 0).map(|group| 1 << group).sum()
    }

    /// True if there is a normal, which only lights need.
    pub(crate) const fn has_normals(self) -> bool {
        self.values & 0xf0 != 0
    }

    /// The values of some semantics.
    pub(crate) fn values(semantics: &[usize]) -> Self {
        Self { values: semantics.iter().map(|k| 1 << k).sum(), changes: 0 }
    }

    /// The values and changes of some semantics.
    pub(crate) fn changes(semantics: &[usize]) -> Self {
        let bits = semantics.iter().map(|k| 1 << k).sum();
        Self { values: bits, changes: bits }
    }

    /// First of the three slots of semantic `k`, which is live.
    pub(crate) const fn slot(self, k: usize) -> usize {
        slot::ATTRIBUTES + 3 * rank(self.values, k)
    }

    /// First of the two slots for the change of semantic `k`, which is live.
    pub(crate) const fn change_slot(self, k: usize) -> usize {
        slot::ATTRIBUTES + 3 * self.values.count_ones() as usize + 2 * rank(self.changes, k)
    }

    /// Slots in all.
    pub(crate) const fn slots(self) -> usize {
        self.change_slot(24)
    }
}

/// Number of set bits below `k`.
const fn rank(bits: u32, k: usize) -> usize {
    (bits & ((1 << k) - 1)).count_ones() as usize
}
