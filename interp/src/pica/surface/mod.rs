//! The buffers that fragments are drawn to: address and content of each pixel, read from registers and memory.
//!
//! * `address.rs`: order of pixels in memory.
//! * `pixel.rs`: pixels with a colour, which textures, transfers and screens share.
//!
//! Comparisons show pixels as they are read here.
//!
//! Source: pica-geometry.md 6.6 and 6.8, pica-fragment.md 6.3 and 7.1.

pub(crate) mod address;
pub(crate) mod pixel;
#[cfg(test)]
mod tests;

use address::Order;
use picaflor_pipeline::memory::{Memory, read_bytes, write_bytes};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::framebuffer::DepthFormat;
use picaflor_pipeline::rect::Rect;
use pixel::Layout;

/// Bytes of a cell of a shadow map, and of a pixel in the unknown colour formats (assumed).
const CELL_BYTES: usize = 4;

/// Side of the blocks that a triangle is drawn in.
const BLOCK: i32 = 8;

/// Colour buffer and depth buffer of a draw. Coordinates are those of the window, y upward. Pixels outside and bytes
/// that are not mapped read as zero; writes to them are dropped, as are all accesses to a buffer at address 0.
#[derive(Clone, Copy)]
pub struct Surface<'a> {
    registers: &'a Registers,
    memory: &'a dyn Memory,
}

impl<'a> Surface<'a> {
    /// The buffers that the registers name.
    #[must_use]
    pub fn new(registers: &'a Registers, memory: &'a dyn Memory) -> Self {
        Self { registers, memory }
    }

    fn size(&self) -> [u32; 2] {
        let dim = self.registers.framebuffer_dim();
        [dim.width(), dim.height()]
    }

    /// Row of memory that has row `y` of the window. Both are below the height.
    fn row(&self, y: u32) -> u32 {
        let dim = self.registers.framebuffer_dim();
        if dim.top_first() { dim.height() - 1 - y } else { y }
    }

    /// Address of a pixel of `bytes` bytes in the buffer at `location`.
    fn address(&self, location: u32, bytes: usize, x: u32, y: u32) -> Option<u32> {
        let [width, height] = self.size();
        if location == 0 || x >= width || y >= height {
            return None;
        }
        let block32 = self.registers.framebuffer_block32().block32();
        let order = if block32 { Order::Blocks32 } else { Order::Blocks8 };
        let index = order.index(x, self.row(y), width);
        Some(location.wrapping_add(index as u32 * bytes as u32))
    }

    fn colour_address(&self, bytes: usize, x: u32, y: u32) -> Option<u32> {
        self.address(self.registers.colorbuffer_loc().address(), bytes, x, y)
    }

    fn depth_address(&self, x: u32, y: u32) -> Option<u32> {
        let bytes = match self.depth_format() {
            DepthFormat::D16 | DepthFormat::Unknown => 2,
            DepthFormat::D24 => 3,
            DepthFormat::D24S8 => 4,
        };
        self.address(self.registers.depthbuffer_loc().address(), bytes, x, y)
    }

    fn read<const N: usize>(&self, address: Option<u32>) -> [u8; N] {
        address.map_or([0; N], |address| read_bytes(self.memory, address))
    }

    fn write(&self, address: Option<u32>, bytes: &[u8]) {
        if let Some(address) = address {
            write_bytes(self.memory, address, bytes);
        }
    }

    /// Red, green, blue, alpha of a pixel; alpha is 255 if the format has none. Zeros in the unknown formats.
    #[must_use]
    pub fn colour(&self, x: u32, y: u32) -> [u8; 4] {
        let Some(layout) = self.layout() else { return [0; 4] };
        let address = self.colour_address(layout.bytes(), x, y);
        address.map_or([0; 4], |address| layout.load(self.memory, address))
    }

    /// Stores a colour, truncated to the format. No effect in the unknown formats (assumed).
    pub fn set_colour(&self, x: u32, y: u32, colour: [u8; 4]) {
        let Some(layout) = self.layout() else { return };
        let address = self.colour_address(layout.bytes(), x, y);
        self.write(address, &layout.encode(colour)[..layout.bytes()]);
    }

    /// Address of the first byte of a pixel's colour; `None` outside of the window and in the unknown formats.
    #[must_use]
    pub fn colour_place(&self, x: u32, y: u32) -> Option<u32> {
        self.colour_address(self.layout()?.bytes(), x, y)
    }

    /// The bytes of a colour in the buffer; none in the unknown formats.
    #[must_use]
    pub fn encoded(&self, colour: [u8; 4]) -> Vec<u8> {
        self.layout().map_or_else(Vec::new, |layout| layout.encode(colour)[..layout.bytes()].to_vec())
    }

    fn layout(&self) -> Option<Layout> {
        Layout::of_colour(self.registers.colorbuffer_format().format())
    }

    fn depth_format(&self) -> DepthFormat {
        self.registers.depthbuffer_format().format()
    }

    /// Bits of a depth value.
    #[must_use]
    pub fn depth_bits(&self) -> u32 {
        match self.depth_format() {
            DepthFormat::D16 | DepthFormat::Unknown => 16,
            DepthFormat::D24 | DepthFormat::D24S8 => 24,
        }
    }

    /// True if pixels have a stencil value.
    pub(crate) fn has_stencil(&self) -> bool {
        self.depth_format() == DepthFormat::D24S8
    }

    /// Depth of a pixel.
    #[must_use]
    pub fn depth(&self, x: u32, y: u32) -> u32 {
        let address = self.depth_address(x, y);
        if self.depth_bits() == 16 {
            u16::from_le_bytes(self.read(address)).into()
        } else {
            let [low, middle, high] = self.read(address);
            u32::from_le_bytes([low, middle, high, 0])
        }
    }

    /// Stores the depth of a pixel; the stencil value stays.
    pub(crate) fn set_depth(&self, x: u32, y: u32, depth: u32) {
        let bytes = self.depth_bits() as usize / 8;
        self.write(self.depth_address(x, y), &depth.to_le_bytes()[..bytes]);
    }

    fn stencil_address(&self, x: u32, y: u32) -> Option<u32> {
        self.depth_address(x, y).filter(|_| self.has_stencil()).map(|address| address.wrapping_add(3))
    }

    /// Stencil value of a pixel; 0 if the format has none.
    #[must_use]
    pub fn stencil(&self, x: u32, y: u32) -> u8 {
        let [value] = self.read(self.stencil_address(x, y));
        value
    }

    /// Stores the stencil value of a pixel, if the format has one; the depth stays.
    pub(crate) fn set_stencil(&self, x: u32, y: u32, value: u8) {
        self.write(self.stencil_address(x, y), &[value]);
    }

    /// Depth (24 bits) and intensity of a cell of a shadow map, whatever the colour format. The most significant byte
    /// of the depth comes first.
    #[must_use]
    pub fn shadow(&self, x: u32, y: u32) -> (u32, u8) {
        let [high, middle, low, intensity] = self.read(self.colour_address(CELL_BYTES, x, y));
        (u32::from_be_bytes([0, high, middle, low]), intensity)
    }

    /// Stores a cell of a shadow map.
    pub(crate) fn set_shadow(&self, x: u32, y: u32, depth: u32, intensity: u8) {
        let [_, high, middle, low] = depth.to_be_bytes();
        self.write(self.colour_address(CELL_BYTES, x, y), &[high, middle, low, intensity]);
    }

    /// The parts of a rectangle inside the window, each in one block of 8x8 pixels, in the order in which a triangle is
    /// drawn: rows of blocks as in memory, each from the left (pica-fragment.md 7.10; blocks of 32x32 are drawn in the
    /// same order, assumed).
    pub(crate) fn blocks(&self, rect: Rect) -> Vec<Rect> {
        let inside = rect.intersect(self.window());
        let mut rows: Vec<i32> = (inside.y0..inside.y1).collect();
        rows.sort_by_key(|&y| self.row(y as u32));
        let bands = rows.chunk_by(|&a, &b| self.row(a as u32) / 8 == self.row(b as u32) / 8);
        let band_parts = |band: &[i32]| {
            let (y0, y1) =
                (band.iter().copied().min().unwrap_or(0), band.iter().copied().max().unwrap_or(0) + 1);
            let columns =
                (inside.x0.div_euclid(BLOCK)..=(inside.x1 - 1).div_euclid(BLOCK)).map(|n| n * BLOCK);
            columns
                .map(|x| Rect { x0: x.max(inside.x0), y0, x1: (x + BLOCK).min(inside.x1), y1 })
                .collect::<Vec<_>>()
        };
        bands.flat_map(band_parts).filter(|part| !part.is_empty()).collect()
    }

    fn window(&self) -> Rect {
        let [width, height] = self.size();
        Rect { x0: 0, y0: 0, x1: width as i32, y1: height as i32 }
    }
}
