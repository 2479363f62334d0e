//! `Kit`: builds a scene of the GE.

use super::texture::Texture;
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::capture::{Capture, Display, Event};
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::list_builder::ListBuilder;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};

/// First address of the main memory that programs use.
const RAM: u32 = 0x0880_0000;
/// Bytes of it.
const RAM_BYTES: u32 = 8 << 20;
/// Memory of a scene.
const REGIONS: [(u32, u32); 2] = [(VRAM, VRAM_BYTES), (RAM, RAM_BYTES)];
/// Blocks of VRAM that the map of depth buffers leaves whole, with the usual translation.
const DEPTH_BLOCK: u32 = 0x4000;

/// The screen's buffers.
pub const SCREEN: Target =
    Target { colour: 0, depth: 0x8_8000, stride: 512, width: 480, height: 272, format: 3 };
/// First address of the VRAM behind them.
const FREE: u32 = 0xcc_000;

/// A frame buffer with a depth buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Offset of the colours in VRAM.
    pub colour: u32,
    /// Offset of the depth buffer in VRAM.
    pub depth: u32,
    /// Pixels from row to row, of both.
    pub stride: u32,
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Format of the colours, as PSM has it.
    pub format: u32,
}

/// A list in memory that returns to its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subroutine(
    /// Its address.
    pub u32,
);

/// Builds a scene.
#[derive(Debug)]
pub struct Kit {
    events: Vec<Event>,
    /// The display list that the next [`submit`](Self::submit) sends.
    pub list: ListBuilder,
    vram: u32,
    ram: u32,
    /// Letters, once some were written.
    pub(super) font: Option<Texture>,
    /// The render target.
    pub(super) target: Target,
}

impl Default for Kit {
    fn default() -> Self {
        Self::new()
    }
}

impl Kit {
    /// An empty scene, whose screen has 32-bit colours.
    #[must_use]
    pub const fn new() -> Self {
        let list = ListBuilder::new();
        Self { events: Vec::new(), list, vram: FREE, ram: RAM, font: None, target: SCREEN }
    }

    /// Reserves VRAM. Returns the offset.
    ///
    /// # Panics
    /// If there is none left.
    pub fn reserve(&mut self, bytes: u32, unit: u32) -> u32 {
        let offset = self.vram.next_multiple_of(unit);
        self.vram = offset + bytes;
        assert!(self.vram <= VRAM_BYTES, "a scene needs too much VRAM");
        offset
    }

    /// Reserves a frame buffer with a depth buffer.
    pub fn buffers(&mut self, width: u32, height: u32, format: u32) -> Target {
        let stride = width.next_multiple_of(64);
        let colour = self.reserve(stride * height * if format == 3 { 4 } else { 2 }, 64);
        let depth_bytes = (stride * height * 2).next_multiple_of(DEPTH_BLOCK);
        let depth = self.reserve(depth_bytes, DEPTH_BLOCK);
        Target { colour, depth, stride, width, height, format }
    }

    /// Puts bytes into main memory.
    ///
    /// # Panics
    /// If there is no room left.
    pub fn data(&mut self, bytes: Vec<u8>) -> u32 {
        let address = self.ram.next_multiple_of(64);
        self.ram = address + bytes.len() as u32;
        assert!(self.ram <= RAM + RAM_BYTES, "a scene needs too much memory");
        self.events.push(Event::Memory { address, bytes: bytes.into() });
        address
    }

    /// Sends the list.
    pub fn submit(&mut self) {
        let list = std::mem::take(&mut self.list).finish(0);
        let address = self.data(list);
        self.events.push(Event::Run(DisplayList::new(address, 0)));
    }

    /// A subroutine for [`call`](Self::call): the commands that `write` writes, and the return.
    pub fn subroutine(&mut self, write: impl FnOnce(&mut Self)) -> Subroutine {
        let outer = std::mem::take(&mut self.list);
        write(self);
        self.list.write(op::RET, 0);
        let list = std::mem::replace(&mut self.list, outer);
        Subroutine(self.data(list.words().iter().flat_map(|word| word.to_le_bytes()).collect()))
    }

    /// Runs a list and comes back.
    pub fn call(&mut self, Subroutine(address): Subroutine) {
        self.list.address(op::CALL, address);
    }

    /// Sends the list and shows the screen: the end of a frame.
    pub fn show(&mut self) {
        self.show_buffer(SCREEN);
    }

    /// Sends the list and shows a buffer.
    pub fn show_buffer(&mut self, Target { colour, stride, format, .. }: Target) {
        self.submit();
        let address = VRAM + colour;
        self.events.push(Event::Display(Display { address, stride, format: format as u8 }));
    }

    /// The scene as a capture.
    #[must_use]
    pub fn finish(self) -> Capture {
        Capture { regions: REGIONS.to_vec(), initial: Ge::new().save(), events: self.events }
    }
}
