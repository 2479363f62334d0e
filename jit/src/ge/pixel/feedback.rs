//! Draws whose texture lies in part where they draw: the texels that they read, and whether one of these is a pixel.
//!
//! Games declare textures of 512x512 and use the part that has the size of the screen; what lies behind that part is
//! often the next buffer. Compiled code samples a copy that was made before the draw, which is right as long as no
//! texel that is used changes while it draws. Primitives that do read what they draw are drawn in
//! [pieces](super::pieces).

use super::bind::{Range, overlap, run};
use super::texture::ImageKey;
use crate::ge::key::PixelKey;
use crate::ge::key::texture::{FilterKey, TextureKey};
use crate::ge::pixel::mapping::Mapping;
use crate::texture_cache::ALL_ROWS;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::texture::TextureFormat;
use picaflor_pipeline::ge::stage::{PixelState, TileBatch};
use picaflor_pipeline::ge::texel::Level;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::rect::Rect;

/// Texels around those at a triangle's corners that may be read: a neighbour of the filter, and a rounded sum.
const MARGIN: f64 = 2.0;
/// Error of coordinates that are divided, of which two factors are cut to 16 bits; relative, with room.
const DIVIDED: f64 = 1.0 / 8192.0;
/// Primitives whose rows of a texture are looked for; with more, all rows count as read.
const MOST_LOOKED_AT: usize = 64;
/// Values of w that nothing overflows with.
const WEIGHTS: std::ops::Range<f64> = 1e-30..1e30;
/// Positions in 1/256 texels are at most this far from 0.
const FARTHEST: f64 = (1 << 30) as f64;

/// The first and the last, on each axis.
pub(super) type Texels = [[u32; 2]; 2];

/// The level of such a draw, and the bytes that it draws to.
#[derive(Debug)]
pub(crate) struct Feedback {
    pub(super) image: ImageKey,
    level: Level,
    /// Address of level 0 in VRAM, or, where its mirror mixes bytes, of the same place there.
    address: u32,
    /// Aligned bytes that its mirror keeps together.
    run: u32,
    size: [u32; 2],
    clamp: [bool; 2],
    /// One texel, and not four.
    nearest: bool,
    /// From coordinates to texels.
    scale: [f64; 2],
    drawn: Vec<Range>,
}

impl Feedback {
    /// `None` where the read bytes are not simply those of rows: only level 0, uncompressed, is.
    pub(super) fn of(
        key: &TextureKey,
        registers: &Registers,
        maps: AddressMaps,
        image: ImageKey,
        drawn: Vec<Range>,
    ) -> Option<Self> {
        let level = Level::of(registers, 0);
        let log2 = registers.texture_size_log2(0);
        let offset = level.address & (VRAM_BYTES - 1);
        let is_mixed = level.address >> 21 & 1 != 0;
        let is_plain = level.address >> 26 == 1
            && !matches!(level.format, TextureFormat::Compressed(_) | TextureFormat::Invalid)
            && registers.sampled_levels() == (0..1);
        let scale = log2.map(|log| if registers.is_through() { 1.0 } else { f64::from(1 << log) });
        let (address, size) = (VRAM + offset, image.size());
        let nearest = key.filter == FilterKey::Nearest;
        let run = if is_mixed { run(maps) } else { 1 };
        is_plain.then_some(Self { image, level, address, run, size, clamp: key.clamp, nearest, scale, drawn })
    }

    /// True if no primitive of the batch reads a byte that the draw may draw.
    pub(super) fn is_apart(&self, key: &PixelKey, batch: &TileBatch<'_>) -> bool {
        let primitives = batch.order.iter().filter_map(|&n| batch.primitives.get(n as usize));
        let mut used = primitives.map(|primitive| self.used(key, primitive, batch.tile));
        used.all(|bytes| bytes.is_some_and(|bytes| self.drawn.iter().all(|&drawn| !overlap(drawn, bytes))))
    }

    /// Bytes that a primitive may read for its pixels in a tile; `None` if they are not known.
    fn used(&self, key: &PixelKey, primitive: &Primitive, tile: Rect) -> Option<Range> {
        if key.rectangles {
            let rectangle = Mapping::of(self, primitive)?;
            let area = rectangle.covered().intersect(tile);
            return if area.is_empty() { Some([0; 2]) } else { self.bytes(rectangle.texels(area)) };
        }
        self.bytes(self.around(&primitive.corners)?)
    }

    /// Texels that hold all those of a triangle; `None` if they are not known.
    pub(super) fn around(&self, corners: &[Corner; 3]) -> Option<Texels> {
        if corners.iter().any(|corner| corner.texture[2] != 1.0) {
            return None;
        }
        // Affine coordinates are means of those at the corners; divided ones too, where w is positive, but for what is
        // cut.
        let divides = corners.iter().any(|corner| corner.w != corners[0].w);
        if divides && corners.iter().any(|corner| !WEIGHTS.contains(&corner.w)) {
            return None;
        }
        Some([0, 1].map(|axis| {
            let at = corners.iter().map(|corner| corner.texture[axis] * self.scale[axis]);
            let [from, to] = [at.clone().fold(f64::MAX, f64::min), at.fold(f64::MIN, f64::max)];
            let margin = MARGIN + if divides { DIVIDED * from.abs().max(to.abs()) } else { 0.0 };
            // A NaN becomes 0, and is 0 here too: primitives with one have zeros.
            let whole = |texel: f64| texel.clamp(-FARTHEST, FARTHEST) as i64;
            self.wrapped(axis, [whole((from - margin).floor()), whole((to + margin).ceil())])
        }))
    }

    /// How many of the first rows of a texture hold all texels that the covered pixels of some primitives read;
    /// [`ALL_ROWS`] if that is not known.
    pub(super) fn rows(texture: &TextureKey, state: &PixelState<'_>, primitives: &[Primitive]) -> u32 {
        let image = ImageKey::of(state, 0);
        let this = Self::of(texture, state.registers, state.maps, image, Vec::new());
        let Some(this) = this.filter(|_| primitives.len() <= MOST_LOOKED_AT) else { return ALL_ROWS };
        let area = state.registers.drawing_area();
        let mut rows = primitives.iter().map(|primitive| this.rows_of(primitive, area));
        rows.try_fold(0, |most, rows| Some(most.max(rows?))).unwrap_or(ALL_ROWS)
    }

    fn rows_of(&self, primitive: &Primitive, area: Rect) -> Option<u32> {
        if !matches!(primitive.shape, Shape::Triangle | Shape::Rectangle) {
            return None;
        }
        let mapping = Mapping::of(self, primitive)?;
        let covered = mapping.covered().intersect(area);
        if covered.is_empty() { Some(0) } else { mapping.around(covered).map(|[_, [_, last]]| last + 1) }
    }

    /// The bytes from the first of some texels to the last, in whole runs; `None` beyond the end of VRAM.
    pub(super) fn bytes(&self, [columns, rows]: Texels) -> Option<Range> {
        let [first, end] = self.level.range(columns, rows).map(|offset| self.address + offset);
        let range = [first / self.run * self.run, end.next_multiple_of(self.run)];
        Some(range).filter(|[_, end]| *end <= VRAM + VRAM_BYTES)
    }

    /// The texel at a coordinate, or the first one of two.
    pub(super) fn texel(&self, axis: usize, coordinate: f64) -> i64 {
        let position = (coordinate * (self.scale[axis] * 256.0)).floor();
        // A NaN is the least number, as the manual has it.
        let above = if position > -FARTHEST { position } else { -FARTHEST };
        let position = above.min(FARTHEST) as i64;
        if self.nearest { position >> 8 } else { (position - 128) >> 8 }
    }

    /// How many texels there are on an axis from that one on.
    pub(super) const fn more(&self) -> i64 {
        if self.nearest { 0 } else { 1 }
    }

    /// Texels of a level that repeats or is clamped, from those from one number to another. All of an axis where these
    /// are not in one repetition.
    pub(super) fn wrapped(&self, axis: usize, [from, to]: [i64; 2]) -> [u32; 2] {
        let size = i64::from(self.size[axis]);
        if self.clamp[axis] {
            return [from, to].map(|texel| texel.clamp(0, size - 1) as u32);
        }
        if from.div_euclid(size) == to.div_euclid(size) {
            return [from, to].map(|texel| texel.rem_euclid(size) as u32);
        }
        [0, self.size[axis] - 1]
    }
}

#[cfg(test)]
#[path = "feedback_tests.rs"]
mod tests;
