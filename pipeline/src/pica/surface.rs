//! Render targets: formats, place and size of the buffers of a window. The pixels are the business of the engines.
//!
//! Source: pica-geometry.md 6.6 and 6.8, pica-fragment.md 6.3 and 7.1.

use super::regs::Registers;
use super::regs::framebuffer::DepthFormat;
use super::texel::ColourFormat;
use crate::guest_slice::GuestSlice;
use crate::memory::Memory;
use crate::pica::tiling::{block_extent, block_side};

/// Bytes per cell of a shadow map; the colour format is ignored.
const SHADOW_BYTES: u32 = 4;

/// The buffers of a draw's fragments.
///
/// A buffer at address 0 has no bytes: its pixels read as zero, and writes to them are dropped; likewise unmapped
/// bytes.
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
            Plane::new(memory, base, pixels * bytes, Access { read: reads[at], write: writes[at] })
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
        self.colour.bytes
    }

    /// All bytes of the depth buffer, if they are mapped contiguously.
    #[must_use]
    pub const fn depth_bytes(&self) -> Option<GuestSlice<'a>> {
        self.depth.bytes
    }

    /// Address and length in bytes of the colour buffer and of the depth buffer; length 0 if the registers allow
    /// neither reads nor writes.
    #[must_use]
    pub fn ranges(&self) -> [(u32, u32); 2] {
        [self.colour, self.depth].map(|plane| (plane.base, if plane.is_used() { plane.length } else { 0 }))
    }

    /// Key of the address computation of pixels.
    pub(crate) fn place(&self) -> Place {
        Place {
            size: [self.width, self.height],
            top_first: self.top_first,
            block32: self.block32,
            colour_format: self.colour_format,
            depth_format: self.depth_format,
            buffers: [self.colour, self.depth].map(|plane| (plane.base, plane.length)),
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
                plane.memory.written(plane.base, plane.length);
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

/// One buffer.
#[derive(Clone, Copy)]
struct Plane<'a> {
    memory: &'a dyn Memory,
    base: u32,
    length: u32,
    /// The bytes, if they are contiguous in host memory.
    bytes: Option<GuestSlice<'a>>,
    access: Access,
}

impl<'a> Plane<'a> {
    fn new(memory: &'a dyn Memory, base: u32, length: u32, access: Access) -> Self {
        // Address 0 is no buffer (pica-geometry.md 6.8).
        let bytes = if base == 0 { None } else { memory.region(base, length) };
        Self { memory, base, length, bytes, access }
    }

    const fn is_used(&self) -> bool {
        self.access.read || self.access.write
    }
}

pub mod feedback;
#[cfg(test)]
mod tests;
