//! Draws whose texture lies in part where they draw: the texels that they read, and whether one of these is a pixel.
//!
//! Games declare textures of 512x512 and use the part that has the size of the screen; what lies behind that part is
//! often the next buffer. Compiled code samples a copy that was made before the draw, which is right as long as no
//! texel that is used changes while it draws.

use super::bind::{Range, overlap};
use crate::ge::key::PixelKey;
use crate::ge::key::texture::{FilterKey, TextureKey};
use picaflor_pipeline::ge::raster::{Corner, Primitive};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::texture::TextureFormat;
use picaflor_pipeline::ge::stage::TileBatch;
use picaflor_pipeline::ge::texel::Level;
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};

/// Number of texels reachable by coordinates, independent of the size.
const REACH: u32 = 512;
/// Texels around those at the corners' coordinates that may be read: a neighbour of the filter, and a rounded sum.
const MARGIN: f64 = 2.0;
/// Rows of a swizzled block.
const BLOCK_ROWS: u32 = 8;

/// The level of such a draw, and the bytes that it draws to.
#[derive(Debug)]
pub(crate) struct Feedback {
    level: Level,
    /// Address of level 0 in VRAM, its mirrors undone.
    address: u32,
    size: [u32; 2],
    clamp: [bool; 2],
    /// From coordinates to texels.
    scale: [f64; 2],
    drawn: Vec<Range>,
}

impl Feedback {
    /// `None` where the read bytes are not simply those of rows: only level 0 in VRAM proper, uncompressed, is.
    pub(super) fn of(key: &TextureKey, registers: &Registers, drawn: Vec<Range>) -> Option<Self> {
        let level = Level::of(registers, 0);
        let log2 = registers.texture_size_log2(0);
        let offset = level.address & (VRAM_BYTES - 1);
        let is_plain = level.address >> 26 == 1
            && level.address >> 21 & 1 == 0
            && !matches!(level.format, TextureFormat::Compressed(_) | TextureFormat::Invalid)
            && !matches!(key.filter, FilterKey::Lod(_));
        let scale = log2.map(|log| if registers.is_through() { 1.0 } else { f64::from(1 << log) });
        let (address, size) = (VRAM + offset, log2.map(|log| (1 << log).min(REACH)));
        is_plain.then_some(Self { level, address, size, clamp: key.clamp, scale, drawn })
    }

    /// True if no primitive of the batch reads a byte that the batch may draw.
    pub(super) fn is_apart(&self, key: &PixelKey, batch: &TileBatch<'_>) -> bool {
        let primitives = batch.order.iter().filter_map(|&n| batch.primitives.get(n as usize));
        let mut used = primitives.map(|primitive| self.bytes(key, primitive));
        used.all(|bytes| bytes.is_some_and(|bytes| self.drawn.iter().all(|&drawn| !overlap(drawn, bytes))))
    }

    /// Bytes that a primitive may read; `None` if they are not known.
    fn bytes(&self, key: &PixelKey, primitive: &Primitive) -> Option<Range> {
        let corners = &primitive.corners[..if key.rectangles { 2 } else { 3 }];
        // Affine coordinates are means of those at the corners.
        let divides =
            |corner: &Corner| corner.texture[2] != 1.0 || !key.rectangles && corner.w != corners[0].w;
        if corners.iter().any(divides) {
            return None;
        }
        let [columns, rows] = [0, 1].map(|axis| {
            let at = corners.iter().map(|corner| corner.texture[axis] * self.scale[axis]);
            self.texels(axis, at.clone().fold(f64::MAX, f64::min), at.fold(f64::MIN, f64::max))
        });
        let row_bytes = self.level.row_bytes();
        let [first, last] = if self.level.swizzled {
            [
                rows[0] / BLOCK_ROWS * BLOCK_ROWS * row_bytes,
                (rows[1] / BLOCK_ROWS + 1) * BLOCK_ROWS * row_bytes,
            ]
        } else {
            let column = |x: u32| x * self.level.format.bits() / 8;
            [
                rows[0] * row_bytes + column(columns[0]),
                rows[1] * row_bytes + column(columns[1]) + self.level.format.bits().div_ceil(8),
            ]
        };
        Some([self.address + first, self.address + last]).filter(|[_, end]| *end <= VRAM + VRAM_BYTES)
    }

    /// The first and the last texel on an axis that coordinates from one number to another may need.
    fn texels(&self, axis: usize, from: f64, to: f64) -> [u32; 2] {
        let last = self.size[axis] - 1;
        let (from, to) = ((from - MARGIN).floor(), (to + MARGIN).ceil());
        let is_inside = from >= 0.0 && to <= f64::from(last);
        if self.clamp[axis] || is_inside {
            // A NaN becomes 0, and is 0 here too: primitives with one have zeros.
            [from, to].map(|texel| (texel.max(0.0) as u32).min(last))
        } else {
            [0, last]
        }
    }
}
