//! What compiled fragment code reads and writes: the call, the numbers of a triangle, the constants of a draw.
//!
//! The code draws one triangle in one block of 8x8 pixels. A quad is 2x2 pixels, which lie next to each
//! other in memory; a lane is a pixel of a quad, in the order of memory: right, then the next row.

use super::constants::DrawConstants;
use std::mem::offset_of;

/// 16 bytes of a triangle's numbers.
pub(crate) type Slot = [u32; 4];

/// One triangle in one block. All pointers are valid for the call.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct BlockCall {
    /// Constants of the draw.
    pub(crate) constants: *const DrawConstants,
    /// Numbers of the triangle, see [`slot`].
    pub(crate) triangle: *const Slot,
    /// First byte of the block in the colour buffer; null when the code does not touch it.
    pub(crate) colour: *mut u8,
    /// First byte of the block in the depth buffer; null when the code does not touch it.
    pub(crate) depth: *mut u8,
    /// Pixels that may be drawn, by their place in memory.
    pub(crate) allowed: u64,
    /// Values of the edges at the first pixel in memory; lane 3 unused.
    pub(crate) edges: [i32; 4],
    /// Not zero when `allowed` and the edges decide which pixels are covered; zero when all are.
    pub(crate) partial: u64,
    /// Counts covered pixels.
    pub(crate) covered: u64,
}

macro_rules! offsets {
    ($($name:ident = $field:ident),* $(,)?) => {
        $(pub(crate) const $name: i32 = offset_of!(BlockCall, $field) as i32;)*
    };
}

offsets! {
    CONSTANTS = constants,
    TRIANGLE = triangle,
    COLOUR = colour,
    DEPTH = depth,
    ALLOWED = allowed,
    EDGES = edges,
    PARTIAL = partial,
    COVERED = covered,
}

/// Slots of 16 bytes that hold the numbers of a triangle; scalars are splatted.
pub(crate) mod slot {
    /// For each of the 16 quads, how far the edge values there are from those of the first pixel.
    pub(crate) const QUADS: usize = 0;
    /// For each edge, how far its value at each lane is from the quad's first.
    pub(crate) const LANES: usize = 16;
    /// For each edge, the least value inside: 0 or 1.
    pub(crate) const LEAST: usize = 19;
    /// Sum of the edge values.
    pub(crate) const SUM: usize = 22;
    /// 1 / w of each vertex.
    pub(crate) const R: usize = 23;
    /// z / w of each vertex.
    pub(crate) const Z: usize = 26;
    /// Change of the interpolated 1 / w before the division, to the right and upward.
    pub(crate) const R_STEP: usize = 29;
    /// Flat colour as four pixels of bytes: alpha, blue, green, red.
    pub(crate) const FLAT: usize = 31;
    /// Three slots for each live attribute, its products with 1 / w; then two for each one whose change
    /// matters, as `R_STEP`.
    pub(crate) const ATTRIBUTES: usize = 32;

    /// Where a slot lies.
    pub(crate) const fn offset(slot: usize) -> i32 {
        (slot * 16) as i32
    }
}

/// Which attributes a routine interpolates. Bit `k` is semantic `k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Interpolants {
    /// Those whose value is read.
    pub(crate) values: u32,
    /// Those whose change per pixel is read; a subset of `values`.
    pub(crate) changes: u32,
}

impl Interpolants {
    /// Both together.
    pub(crate) const fn union(self, other: Self) -> Self {
        Self { values: self.values | other.values, changes: self.changes | other.changes }
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

/// How many bits below `k` are set.
const fn rank(bits: u32, k: usize) -> usize {
    (bits & ((1 << k) - 1)).count_ones() as usize
}
