//! Render targets: where a pixel of the window lies in memory, and what it holds there.
//!
//! Nothing here asks what a draw may do: allow registers, masks and tests belong to the fragment engines.
//!
//! Source: pica-geometry.md 6.6 and 6.8, pica-fragment.md 6.3 and 7.1.

use super::regs::Registers;
use super::regs::framebuffer::DepthFormat;
use super::span::Span;
use super::texel::ColourFormat;
use super::tiling::{block_extent, block_index, block_side};
use crate::memory::Memory;

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
            let raw = format.encode(colour);
            self.colour.span.write(index * format.bytes(), &raw[..format.bytes() as usize]);
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
        self.depth.span.write(index * bytes, &depth.to_le_bytes()[..bytes.min(3) as usize]);
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
            self.depth.span.write(index * 4 + 3, &[stencil]);
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
        self.colour.span.write(index * SHADOW_BYTES, &[high, middle, low, intensity]);
    }

    /// Address and length in bytes of the colour buffer and of the depth buffer; length 0 where the registers
    /// allow neither to read nor to write it.
    #[must_use]
    pub fn ranges(&self) -> [(u32, u32); 2] {
        [self.colour, self.depth]
            .map(|plane| (plane.span.base(), if plane.is_used() { plane.length } else { 0 }))
    }

    /// Whether no two pixels share memory. If so, tiles may be drawn in any order and at once.
    #[must_use]
    pub fn tiles_are_disjoint(&self) -> bool {
        let [colour, depth] = self.ranges();
        self.width.is_multiple_of(block_side(self.block32)) && !overlap(colour, depth)
    }

    /// Tells the memory that the buffers that the registers allow to write may have changed.
    pub fn notify_written(&self) {
        for plane in [self.colour, self.depth] {
            if plane.access.write && plane.length > 0 {
                plane.span.memory().written(plane.span.base(), plane.length);
            }
        }
    }
}

/// Whether two ranges of (address, length) have a byte in common.
#[must_use]
pub fn overlap(a: (u32, u32), b: (u32, u32)) -> bool {
    let end = |(start, length): (u32, u32)| u64::from(start) + u64::from(length);
    a.1 > 0 && b.1 > 0 && u64::from(a.0) < end(b) && u64::from(b.0) < end(a)
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
    access: Access,
}

impl<'a> Plane<'a> {
    fn new(memory: &'a dyn Memory, base: u32, length: u32, access: Access) -> Self {
        Self { span: Span::new(memory, base, length), length, access }
    }

    const fn is_used(&self) -> bool {
        self.access.read || self.access.write
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::BlockMemory;
    use crate::pica::regs::framebuffer::{BufferLoc, FramebufferDim};

    const COLOUR: u32 = 0x1800_0000;
    const DEPTH: u32 = 0x1801_0000;

    fn vram() -> BlockMemory {
        BlockMemory::zeroed(&[(COLOUR, 0x2_0000)])
    }

    fn registers(width: u32, height: u32, colour: u32, depth: u32) -> Registers {
        let mut registers = Registers::new();
        let dim = FramebufferDim(0).with_width(width).with_last_row(height - 1).with_top_first(true);
        for id in 0x112..=0x115 {
            registers.set_raw(id, 3);
        }
        registers.set_raw(0x116, depth);
        registers.set_raw(0x117, colour << 16);
        registers.set_raw(0x11c, BufferLoc::at(DEPTH).0);
        registers.set_raw(0x11d, BufferLoc::at(COLOUR).0);
        registers.set_raw(0x11e, dim.0);
        registers
    }

    fn word(memory: &dyn Memory, address: u32) -> u32 {
        crate::memory::read_word(memory, address)
    }

    #[test]
    fn the_lowest_row_is_the_last_in_memory() {
        let memory = vram();
        let mut registers = registers(16, 16, 0, 3);
        let target = Target::new(&registers, &memory);
        target.set_colour(1, 0, [1, 2, 3, 4]);
        // Row 15: the second row of blocks, the last row of the block.
        assert_eq!(word(&memory, COLOUR + (128 + 42 + 1) * 4), 0x0102_0304);
        assert_eq!((target.colour(1, 0), target.colour(1, 15)), ([1, 2, 3, 4], [0; 4]));
        let dim = registers.framebuffer_dim().with_top_first(false);
        registers.set_raw(0x11e, dim.0);
        assert_eq!(Target::new(&registers, &memory).colour(1, 15), [1, 2, 3, 4]);
    }

    #[test]
    fn blocks_of_32() {
        let memory = vram();
        let mut registers = registers(64, 32, 3, 0);
        registers.set_raw(0x11b, 1);
        let target = Target::new(&registers, &memory);
        target.set_colour(32 + 8, 31, [255; 4]);
        assert_eq!(word(&memory, COLOUR + (1024 + 64) * 2), 0xffff);
    }

    #[test]
    fn colours_of_every_format_keep_to_their_pixel() {
        let stored = |code| {
            let memory = vram();
            let registers = registers(8, 8, code, 3);
            let target = Target::new(&registers, &memory);
            target.set_colour(2, 7, [0x88, 0x44, 0xcc, 0x11]);
            let touched = (COLOUR..COLOUR + 512).filter(|&a| memory.byte(a) != 0);
            // The pixel has number 4 in its block.
            let bytes = target.colour_format().bytes();
            assert!(touched.clone().all(|a| (a - COLOUR) / bytes == 4), "format {code}");
            (touched.count() > 0).then(|| target.colour(2, 7))
        };
        assert_eq!(stored(0), Some([0x88, 0x44, 0xcc, 0x11]));
        assert_eq!(stored(1), Some([0x88, 0x44, 0xcc, 255]));
        assert_eq!(stored(2), Some([140, 66, 206, 0]));
        assert_eq!(stored(3), Some([140, 69, 206, 255]));
        assert_eq!(stored(4), Some([0x88, 0x44, 0xcc, 0x11]));
        assert_eq!([5, 6, 7].map(stored), [None; 3]);
    }

    #[test]
    fn depth_and_stencil_lie_side_by_side() {
        let memory = vram();
        let registers = registers(8, 8, 0, 3);
        let target = Target::new(&registers, &memory);
        assert_eq!((target.depth_bits(), target.has_stencil()), (24, true));
        target.set_stencil(1, 7, 0x99);
        target.set_depth(1, 7, 0xff12_3456);
        assert_eq!(word(&memory, DEPTH + 4), 0x9912_3456);
        target.set_stencil(1, 7, 0x55);
        assert_eq!((target.depth(1, 7), target.stencil(1, 7)), (0x12_3456, 0x55));
    }

    #[test]
    fn depth_without_stencil() {
        for (code, bits, mask) in [(0, 16, 0xffff), (1, 16, 0xffff), (2, 24, 0xff_ffff)] {
            let memory = vram();
            let registers = registers(8, 8, 0, code);
            let target = Target::new(&registers, &memory);
            target.set_depth(0, 7, 0x99_aabb);
            target.set_depth(2, 7, 0x99_aabb);
            target.set_depth(1, 7, u32::MAX);
            target.set_stencil(1, 7, 7);
            let [left, right] = [0, 2].map(|x| target.depth(x, 7));
            assert_eq!((target.depth_bits(), target.depth(1, 7), target.stencil(1, 7)), (bits, mask, 0));
            assert_eq!((left, right), (0x99_aabb & mask, 0x99_aabb & mask));
        }
    }

    #[test]
    fn shadow_cells_have_four_bytes_in_every_format() {
        let memory = vram();
        let mut registers = registers(8, 8, 3, 0);
        registers.set_raw(0x100, 3);
        let target = Target::new(&registers, &memory);
        target.set_shadow(1, 7, 0xff12_3456, 0x78);
        assert_eq!(word(&memory, COLOUR + 4), 0x7856_3412);
        assert_eq!((target.shadow(1, 7), target.shadow(2, 7)), ((0x12_3456, 0x78), (0, 0)));
        assert_eq!(target.ranges()[0], (COLOUR, 256));
    }

    #[test]
    fn pixels_outside_do_not_exist() {
        let memory = vram();
        for width in [0, 8] {
            let registers = registers(width, 8, 0, 3);
            let target = Target::new(&registers, &memory);
            for (x, y) in [(width, 0), (0, 8), (u32::MAX, u32::MAX)] {
                target.set_colour(x, y, [255; 4]);
                target.set_depth(x, y, u32::MAX);
                target.set_stencil(x, y, 255);
                target.set_shadow(x, y, u32::MAX, 255);
                assert_eq!((target.colour(x, y), target.depth(x, y)), ([0; 4], 0));
                assert_eq!((target.stencil(x, y), target.shadow(x, y)), (0, (0, 0)));
            }
        }
        assert!((COLOUR..COLOUR + 0x2_0000).all(|a| memory.byte(a) == 0));
    }

    /// Only the first of four blocks is mapped, and half a pixel of the second.
    #[test]
    fn unmapped_pixels() {
        let memory = BlockMemory::zeroed(&[(COLOUR, 258)]);
        let registers = registers(16, 16, 0, 3);
        let target = Target::new(&registers, &memory);
        for y in 0..16 {
            for x in 0..16 {
                target.set_colour(x, y, [1, 2, 3, 4]);
                target.set_depth(x, y, 0xff_ffff);
                let expected = match (x, y) {
                    (0..8, 8..) => [1, 2, 3, 4],
                    (8, 15) => [0, 0, 3, 4],
                    _ => [0; 4],
                };
                assert_eq!((target.colour(x, y), target.depth(x, y)), (expected, 0));
            }
        }
    }

    #[test]
    fn disjoint_tiles() {
        let memory = vram();
        let disjoint = |edit: &dyn Fn(&mut Registers), width| {
            let mut registers = registers(width, 64, 0, 3);
            edit(&mut registers);
            Target::new(&registers, &memory).tiles_are_disjoint()
        };
        assert!(disjoint(&|_| (), 64) && !disjoint(&|_| (), 60));
        assert!(disjoint(&|r| r.set_raw(0x11b, 1), 64) && !disjoint(&|r| r.set_raw(0x11b, 1), 40));
        let same = |r: &mut Registers| r.set_raw(0x11c, BufferLoc::at(COLOUR + 0x3fc0).0);
        assert!(!disjoint(&same, 64));
        assert!(disjoint(&|r| r.set_raw(0x11c, BufferLoc::at(COLOUR + 0x4000).0), 64));
        let forbidden = |r: &mut Registers| {
            same(r);
            r.set_raw(0x114, 0);
            r.set_raw(0x115, 0);
        };
        assert!(disjoint(&forbidden, 64));
    }

    #[test]
    fn any_registers() {
        let memory = vram();
        let mut state = 1_u32;
        let mut random = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state ^ state >> 15
        };
        for _ in 0..2000 {
            let mut registers = Registers::new();
            for id in [0x100, 0x112, 0x113, 0x116, 0x117, 0x11b, 0x11c, 0x11d, 0x11e] {
                registers.set_raw(id, random());
            }
            let target = Target::new(&registers, &memory);
            let (x, y) = (random() % 2048, random() % 1024);
            target.set_colour(x, y, target.colour(x, y));
            target.set_depth(x, y, target.depth(x, y));
            target.set_stencil(x, y, target.stencil(x, y));
            target.set_shadow(x, y, target.shadow(x, y).0, 0);
            let _ = (target.tiles_are_disjoint(), target.ranges());
        }
    }
}
