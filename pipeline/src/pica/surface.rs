//! Render targets: where a pixel of the window lies in memory, and what it holds there.
//!
//! Nothing here asks what a draw may do: allow registers, masks and tests belong to the fragment engines.
//!
//! Source: pica-geometry.md 6.6 and 6.8, pica-fragment.md 6.3 and 7.1.

use super::regs::Registers;
use super::regs::framebuffer::DepthFormat;
use super::texel::ColourFormat;
use crate::guest_slice::GuestSlice;
use crate::memory::Memory;
use crate::pica::span::Span;
use crate::pica::tiling::{block_extent, block_index, block_side};
use crate::rect::Rect;

/// Bytes of a cell of a shadow map, whatever the colour format says.
const SHADOW_BYTES: u32 = 4;

/// The buffers that fragments go to.
///
/// Coordinates are those of the window, y upward. Pixels outside read as zero, and writes to them are
/// dropped, as are bytes that are not mapped.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    width: u32,
    height: u32,
    top_first: bool,
    block32: bool,
    colour_format: ColourFormat,
    depth_format: DepthFormat,
    colour: Plane<'a>,
    depth: Plane<'a>,
}

impl<'a> Target<'a> {
    /// The target that the registers name.
    #[must_use]
    pub fn new(registers: &Registers, memory: &'a dyn Memory) -> Self {
        let dim = registers.framebuffer_dim();
        let block32 = registers.framebuffer_block32().block32();
        let colour_format = registers.colorbuffer_format().format();
        let depth_format = registers.depthbuffer_format().format();
        let is_shadow = registers.raw(0x100) & 3 == 3;
        let colour_bytes = if is_shadow { SHADOW_BYTES } else { colour_format.bytes() };
        // At most 2047 by 1024 pixels, so 32 bits are enough.
        let pixels = block_extent(dim.width(), dim.height(), dim.width(), block32) as u32;
        let reads = [registers.colorbuffer_read().is_allowed(), registers.depthbuffer_read().is_allowed()];
        let writes = [registers.colorbuffer_write().is_allowed(), registers.depthbuffer_write().is_allowed()];
        let plane = |at: usize, base, bytes| {
            Plane::new(memory, base, pixels, bytes, Access { read: reads[at], write: writes[at] })
        };
        Self {
            width: dim.width(),
            height: dim.height(),
            top_first: dim.top_first(),
            block32,
            colour_format,
            depth_format,
            colour: plane(0, registers.colorbuffer_loc().address(), colour_bytes),
            depth: plane(1, registers.depthbuffer_loc().address(), depth_format.bytes()),
        }
    }

    /// Width in pixels; 0 is possible.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels, at least 1.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// Format of the colour buffer.
    #[must_use]
    pub const fn colour_format(&self) -> ColourFormat {
        self.colour_format
    }

    /// Bits of a depth value, 16 or 24.
    #[must_use]
    pub const fn depth_bits(&self) -> u32 {
        self.depth_format.depth_bits()
    }

    /// Whether there is a stencil value.
    #[must_use]
    pub const fn has_stencil(&self) -> bool {
        self.depth_format.has_stencil()
    }

    /// Whether the first row in memory is the highest of the window.
    #[must_use]
    pub const fn top_first(&self) -> bool {
        self.top_first
    }

    /// Whether blocks have 32 x 32 pixels instead of 8 x 8.
    #[must_use]
    pub const fn block32(&self) -> bool {
        self.block32
    }

    /// All bytes of the colour buffer, if they are mapped in one piece.
    #[must_use]
    pub const fn colour_bytes(&self) -> Option<GuestSlice<'a>> {
        self.colour.span.whole()
    }

    /// All bytes of the depth buffer, if they are mapped in one piece.
    #[must_use]
    pub const fn depth_bytes(&self) -> Option<GuestSlice<'a>> {
        self.depth.span.whole()
    }

    /// The bytes of a pixel in the colour buffer, as they lie in memory and zeros behind them.
    #[must_use]
    pub fn colour_pixel(&self, x: u32, y: u32) -> [u8; 4] {
        self.index(x, y).map_or([0; 4], |index| self.colour.pixel(index))
    }

    /// Stores the bytes of a pixel in the colour buffer, as many as it has.
    pub fn set_colour_pixel(&self, x: u32, y: u32, bytes: [u8; 4]) {
        if let Some(index) = self.index(x, y) {
            self.colour.set_pixel(index, bytes);
        }
    }

    /// The bytes of a pixel in the depth buffer, stencil included, as they lie in memory and zeros behind them.
    #[must_use]
    pub fn depth_pixel(&self, x: u32, y: u32) -> [u8; 4] {
        self.index(x, y).map_or([0; 4], |index| self.depth.pixel(index))
    }

    /// Stores the bytes of a pixel in the depth buffer, as many as it has.
    pub fn set_depth_pixel(&self, x: u32, y: u32, bytes: [u8; 4]) {
        if let Some(index) = self.index(x, y) {
            self.depth.set_pixel(index, bytes);
        }
    }

    /// Parts of a rectangle inside the target, each in one block of 8x8 pixels, in the order in which a
    /// triangle is drawn: rows of blocks as they lie in memory, each from the left. The order shows only where
    /// pixels share memory, because a side is no multiple of the blocks'. What hardware does there is unknown.
    pub fn blocks(&self, rect: Rect) -> impl Iterator<Item = Rect> + use<> {
        const SIDE: i32 = 8;
        let (height, top_first) = (self.height as i32, self.top_first);
        let flip = move |y0: i32, y1: i32| if top_first { (height - y1, height - y0) } else { (y0, y1) };
        let (first, end) = flip(rect.y0, rect.y1);
        let starts = |first: i32, end: i32| (first & !(SIDE - 1)..end).step_by(SIDE as usize);
        starts(first, end).flat_map(move |row| {
            let (y0, y1) = flip(row, row + SIDE);
            starts(rect.x0, rect.x1).map(move |x0| Rect { x0, y0, x1: x0 + SIDE, y1 }.intersect(rect))
        })
    }

    /// Index of a pixel in both buffers; none outside.
    fn index(&self, x: u32, y: u32) -> Option<u32> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let row = if self.top_first { self.height - 1 - y } else { y };
        Some(block_index(x, row, self.width, self.block32))
    }

    /// Colour of a pixel: red, green, blue, alpha; 255 for alpha where the format has none.
    #[must_use]
    pub fn colour(&self, x: u32, y: u32) -> [u8; 4] {
        let Some(index) = self.index(x, y) else { return [0; 4] };
        let format = self.colour_format;
        format.decode(self.colour.span.read_pixel(index * format.bytes(), format.bytes()))
    }

    /// Stores the colour of a pixel, truncated to the format. Nothing happens in the unknown formats.
    pub fn set_colour(&self, x: u32, y: u32, colour: [u8; 4]) {
        let Some(index) = self.index(x, y) else { return };
        let format = self.colour_format;
        if format != ColourFormat::Unknown {
            self.colour.span.write_pixel(index * format.bytes(), format.encode(colour), format.bytes());
        }
    }

    /// Depth of a pixel, [`depth_bits`](Self::depth_bits) wide.
    #[must_use]
    pub fn depth(&self, x: u32, y: u32) -> u32 {
        let Some(index) = self.index(x, y) else { return 0 };
        let bytes = self.depth_format.bytes();
        u32::from_le_bytes(self.depth.span.read_pixel(index * bytes, bytes.min(3)))
    }

    /// Stores the depth of a pixel; bits above [`depth_bits`](Self::depth_bits) are lost.
    pub fn set_depth(&self, x: u32, y: u32, depth: u32) {
        let Some(index) = self.index(x, y) else { return };
        let bytes = self.depth_format.bytes();
        self.depth.span.write_pixel(index * bytes, depth.to_le_bytes(), bytes.min(3));
    }

    /// Stencil value of a pixel, 0 where there is none.
    #[must_use]
    pub fn stencil(&self, x: u32, y: u32) -> u8 {
        match self.index(x, y) {
            Some(index) if self.has_stencil() => {
                let [stencil] = self.depth.span.read(index * 4 + 3);
                stencil
            }
            _ => 0,
        }
    }

    /// Stores the stencil value of a pixel, where there is one.
    pub fn set_stencil(&self, x: u32, y: u32, stencil: u8) {
        if let Some(index) = self.index(x, y)
            && self.has_stencil()
        {
            self.depth.span.write(index * 4 + 3, [stencil]);
        }
    }

    /// A cell of the colour buffer as a shadow map: 24 bits of depth, and the intensity.
    #[must_use]
    pub fn shadow(&self, x: u32, y: u32) -> (u32, u8) {
        let Some(index) = self.index(x, y) else { return (0, 0) };
        let [high, middle, low, intensity] = self.colour.span.read(index * SHADOW_BYTES);
        (u32::from_be_bytes([0, high, middle, low]), intensity)
    }

    /// Stores a cell of the colour buffer as a shadow map; bits of depth above the 24th are lost.
    pub fn set_shadow(&self, x: u32, y: u32, depth: u32, intensity: u8) {
        let Some(index) = self.index(x, y) else { return };
        let [_, high, middle, low] = depth.to_be_bytes();
        self.colour.span.write(index * SHADOW_BYTES, [high, middle, low, intensity]);
    }

    /// Address and length in bytes of the colour buffer and of the depth buffer; length 0 where the registers
    /// allow neither to read nor to write it.
    #[must_use]
    pub fn ranges(&self) -> [(u32, u32); 2] {
        [self.colour, self.depth]
            .map(|plane| (plane.span.base(), if plane.is_used() { plane.length } else { 0 }))
    }

    /// What decides where a pixel lies in memory.
    pub(crate) fn place(&self) -> Place {
        Place {
            size: [self.width, self.height],
            top_first: self.top_first,
            block32: self.block32,
            colour_format: self.colour_format,
            depth_format: self.depth_format,
            buffers: [self.colour, self.depth].map(|plane| (plane.span.base(), plane.length)),
        }
    }

    /// Whether the registers allow to read or to write colour, and depth.
    pub(crate) fn used(&self) -> [bool; 2] {
        [self.colour, self.depth].map(|plane| plane.is_used())
    }

    /// Whether the registers allow to write colour, and depth.
    pub(crate) fn written(&self) -> [bool; 2] {
        [self.colour, self.depth].map(|plane| plane.access.write)
    }

    /// Whether no two pixels share memory. If so, tiles may be drawn in any order and at once.
    #[must_use]
    pub fn tiles_are_disjoint(&self) -> bool {
        let [colour, depth] = self.ranges();
        self.width.is_multiple_of(block_side(self.block32)) && !overlap(colour, depth)
    }

    /// Tells the memory that the buffers that the registers allow to write may have changed.
    pub(crate) fn notify_written(&self) {
        for plane in [self.colour, self.depth] {
            if plane.access.write && plane.length > 0 {
                plane.span.memory().written(plane.span.base(), plane.length);
            }
        }
    }
}

/// Whether two ranges of (address, length) have a byte in common. Addresses wrap.
#[must_use]
pub const fn overlap(a: (u32, u32), b: (u32, u32)) -> bool {
    a.1 > 0 && b.1 > 0 && (b.0.wrapping_sub(a.0) < a.1 || a.0.wrapping_sub(b.0) < b.1)
}

/// Where the pixels of a target lie: of two targets with the same place, equal pixels have equal bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    size: [u32; 2],
    top_first: bool,
    block32: bool,
    colour_format: ColourFormat,
    depth_format: DepthFormat,
    /// Address and length of the colour buffer and of the depth buffer, used or not.
    pub(crate) buffers: [(u32, u32); 2],
}

impl Place {
    /// By how many rows of the window, counted from row 0, the first block in memory that they reach is short.
    pub(crate) const fn lead(&self) -> u32 {
        if self.top_first { self.size[1].wrapping_neg() % 8 } else { 0 }
    }
}

/// What the registers allow.
#[derive(Clone, Copy)]
struct Access {
    read: bool,
    write: bool,
}

/// One buffer.
#[derive(Clone, Copy)]
struct Plane<'a> {
    span: Span<'a>,
    length: u32,
    pixel_bytes: u32,
    access: Access,
}

impl<'a> Plane<'a> {
    fn new(memory: &'a dyn Memory, base: u32, pixels: u32, pixel_bytes: u32, access: Access) -> Self {
        let length = pixels * pixel_bytes;
        Self { span: Span::new(memory, base, length), length, pixel_bytes, access }
    }

    /// The bytes of a pixel, zeros behind them, by its index.
    fn pixel(&self, index: u32) -> [u8; 4] {
        self.span.read_pixel(index.wrapping_mul(self.pixel_bytes), self.pixel_bytes)
    }

    fn set_pixel(&self, index: u32, bytes: [u8; 4]) {
        self.span.write_pixel(index.wrapping_mul(self.pixel_bytes), bytes, self.pixel_bytes);
    }

    const fn is_used(&self) -> bool {
        self.access.read || self.access.write
    }
}

pub mod feedback;
#[cfg(test)]
mod tests;
