//! Render targets: address and content of the pixels of a window.
//!
//! Access rules of a draw (allow registers, masks, tests) are not checked here; the fragment engines apply them.
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

/// Bytes per cell of a shadow map; the colour format is ignored.
const SHADOW_BYTES: u32 = 4;

/// The buffers of a draw's fragments.
///
/// Coordinates are those of the window, y upward. Pixels outside read as zero, and writes to them are dropped;
/// likewise unmapped bytes, and all bytes of a buffer at address 0.
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
    /// The target named by the registers.
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

    /// True if the format has a stencil value.
    #[must_use]
    pub const fn has_stencil(&self) -> bool {
        self.depth_format.has_stencil()
    }

    /// True if the first row in memory is the top row of the window.
    #[must_use]
    pub const fn top_first(&self) -> bool {
        self.top_first
    }

    /// True if blocks have 32 x 32 pixels instead of 8 x 8.
    #[must_use]
    pub const fn block32(&self) -> bool {
        self.block32
    }

    /// All bytes of the colour buffer, if they are mapped contiguously.
    #[must_use]
    pub const fn colour_bytes(&self) -> Option<GuestSlice<'a>> {
        self.colour.span.whole()
    }

    /// All bytes of the depth buffer, if they are mapped contiguously.
    #[must_use]
    pub const fn depth_bytes(&self) -> Option<GuestSlice<'a>> {
        self.depth.span.whole()
    }

    /// The bytes of a pixel in the colour buffer, as in memory, zero-padded.
    #[must_use]
    pub fn colour_pixel(&self, x: u32, y: u32) -> [u8; 4] {
        self.index(x, y).map_or([0; 4], |index| self.colour.pixel(index))
    }

    /// Stores the bytes of a pixel in the colour buffer; bytes beyond the pixel size are dropped.
    pub fn set_colour_pixel(&self, x: u32, y: u32, bytes: [u8; 4]) {
        if let Some(index) = self.index(x, y) {
            self.colour.set_pixel(index, bytes);
        }
    }

    /// The bytes of a pixel in the depth buffer, stencil included, as in memory, zero-padded.
    #[must_use]
    pub fn depth_pixel(&self, x: u32, y: u32) -> [u8; 4] {
        self.index(x, y).map_or([0; 4], |index| self.depth.pixel(index))
    }

    /// Stores the bytes of a pixel in the depth buffer; bytes beyond the pixel size are dropped.
    pub fn set_depth_pixel(&self, x: u32, y: u32, bytes: [u8; 4]) {
        if let Some(index) = self.index(x, y) {
            self.depth.set_pixel(index, bytes);
        }
    }

    /// Splits a rectangle inside the target into parts, each in one block of 8x8 pixels, in the drawing order of a
    /// triangle: rows of blocks in memory order, each row from the left. The order matters only for pixels that share
    /// memory, in a target whose side is not a multiple of the block size. Hardware behaviour is unknown there.
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

    /// Index of a pixel in both buffers; `None` outside.
    fn index(&self, x: u32, y: u32) -> Option<u32> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let row = if self.top_first { self.height - 1 - y } else { y };
        Some(block_index(x, row, self.width, self.block32))
    }

    /// Colour of a pixel: red, green, blue, alpha; alpha is 255 if the format has none.
    #[must_use]
    pub fn colour(&self, x: u32, y: u32) -> [u8; 4] {
        let Some(index) = self.index(x, y) else { return [0; 4] };
        let format = self.colour_format;
        format.decode(self.colour.span.read_pixel(index * format.bytes(), format.bytes()))
    }

    /// Stores the colour of a pixel, truncated to the format. No effect in the unknown formats.
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

    /// Stores the depth of a pixel; bits above [`depth_bits`](Self::depth_bits) are dropped.
    pub fn set_depth(&self, x: u32, y: u32, depth: u32) {
        let Some(index) = self.index(x, y) else { return };
        let bytes = self.depth_format.bytes();
        self.depth.span.write_pixel(index * bytes, depth.to_le_bytes(), bytes.min(3));
    }

    /// Stencil value of a pixel; 0 if the format has none.
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

    /// Stores the stencil value of a pixel, if the format has one.
    pub fn set_stencil(&self, x: u32, y: u32, stencil: u8) {
        if let Some(index) = self.index(x, y)
            && self.has_stencil()
        {
            self.depth.span.write(index * 4 + 3, [stencil]);
        }
    }

    /// A cell of the colour buffer read as a shadow map: 24 bits of depth, and the intensity.
    #[must_use]
    pub fn shadow(&self, x: u32, y: u32) -> (u32, u8) {
        let Some(index) = self.index(x, y) else { return (0, 0) };
        let [high, middle, low, intensity] = self.colour.span.read(index * SHADOW_BYTES);
        (u32::from_be_bytes([0, high, middle, low]), intensity)
    }

    /// Stores a cell of the colour buffer as a shadow map; depth bits above the 24th are dropped.
    pub fn set_shadow(&self, x: u32, y: u32, depth: u32, intensity: u8) {
        let Some(index) = self.index(x, y) else { return };
        let [_, high, middle, low] = depth.to_be_bytes();
        self.colour.span.write(index * SHADOW_BYTES, [high, middle, low, intensity]);
    }

    /// Address and length in bytes of the colour buffer and of the depth buffer; length 0 if the registers allow
    /// neither reads nor writes.
    #[must_use]
    pub fn ranges(&self) -> [(u32, u32); 2] {
        [self.colour, self.depth]
            .map(|plane| (plane.span.base(), if plane.is_used() { plane.length } else { 0 }))
    }

    /// Key of the address computation of pixels.
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

    /// For colour and depth: true if the registers allow reads or writes.
    pub(crate) fn used(&self) -> [bool; 2] {
        [self.colour, self.depth].map(|plane| plane.is_used())
    }

    /// For colour and depth: true if the registers allow writes.
    pub(crate) fn written(&self) -> [bool; 2] {
        [self.colour, self.depth].map(|plane| plane.access.write)
    }

    /// True if no two pixels share memory. Then tiles may be drawn in any order and concurrently.
    #[must_use]
    pub fn tiles_are_disjoint(&self) -> bool {
        let [colour, depth] = self.ranges();
        self.width.is_multiple_of(block_side(self.block32)) && !overlap(colour, depth)
    }

    /// Notifies the memory of possible changes in the buffers that the registers allow to write.
    pub(crate) fn notify_written(&self) {
        for plane in [self.colour, self.depth] {
            if plane.access.write && plane.length > 0 {
                plane.span.memory().written(plane.span.base(), plane.length);
            }
        }
    }
}

/// True if two ranges (address, length) share a byte. Addresses wrap.
#[must_use]
pub const fn overlap(a: (u32, u32), b: (u32, u32)) -> bool {
    a.1 > 0 && b.1 > 0 && (b.0.wrapping_sub(a.0) < a.1 || a.0.wrapping_sub(b.0) < b.1)
}

/// Key of a target's address computation: in two targets with equal keys, equal pixels have equal addresses.
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
    /// Number of missing rows in the first block row in memory, relative to whole blocks counted from row 0 of the
    /// window.
    pub(crate) const fn lead(&self) -> u32 {
        if self.top_first { self.size[1].wrapping_neg() % 8 } else { 0 }
    }
}

/// Accesses allowed by the registers.
#[derive(Clone, Copy)]
struct Access {
    read: bool,
    write: bool,
}

/// The memory of a buffer at address 0 (pica-geometry.md 6.8).
struct Nothing;

impl Memory for Nothing {
    fn region(&self, _: u32, _: u32) -> Option<GuestSlice<'_>> {
        None
    }
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
        let memory = if base == 0 { &Nothing } else { memory };
        Self { span: Span::new(memory, base, length), length, pixel_bytes, access }
    }

    /// The bytes of a pixel by its index, zero-padded.
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
