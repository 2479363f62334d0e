//! What draws cost before and for each pixel: textures, and states.

use crate::ge::clut::Clut;
use crate::ge::extents;
use crate::ge::prices::{self, PixelPrice};
use crate::ge::queue::{self, Image};
use crate::ge::raster::Shape;
use crate::ge::regs::Registers;
use crate::ge::regs::same::OF_PIXELS;
use crate::ge::stage::PixelState;
use crate::ge::switches::{self, Switches};
use crate::ge::vram::AddressMaps;
use crate::memory::Memory;
use crate::tile::Bytes;
use crate::work;
use crate::work::states::{Latest, States};
use crate::work::textures::{Texture, Textures};

/// Marks the switches of the vertices of a surface, in the first word, which tells kinds apart.
const OF_SURFACE: u32 = 1 << 29;

/// Textures and states of the draws of a run, and the prices of the latest draw.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texels {
    textures: Textures<Image>,
    states: States,
    /// Switches of the latest vertices, and of the latest pixels.
    vertices: Latest<Switches>,
    pixels: Latest<Switches>,
    last: Option<Last>,
}

/// The latest draw.
#[derive(Debug, Clone)]
struct Last {
    registers: Registers,
    clut: Clut,
    maps: AddressMaps,
    shape: Shape,
    is_immediate: bool,
    pixels: PixelPrice,
    /// Price of the textures of another draw in this state, once there was one.
    again: Option<u64>,
}

/// Prices of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DrawPrice {
    /// Its state, if it is new, and its textures.
    pub(crate) once: u64,
    /// Its pixels.
    pub(crate) pixels: PixelPrice,
}

impl Texture for Image {
    fn ranges(&self) -> impl Iterator<Item = Bytes> {
        Self::ranges(self).into_iter()
    }

    fn texels(&self) -> u64 {
        self.decoded_bytes() / 4
    }

    fn meet(a: Bytes, b: Bytes) -> bool {
        queue::meet(a, b)
    }

    /// Texels that lie scattered, by a mirror or the end of VRAM, are read in runs of some bytes.
    fn read_price(&self, memory: &dyn Memory) -> u64 {
        match (self.is_in_place(memory), memory.region(self.bytes.0, self.bytes.1)) {
            (false, Some(_)) => self.bytes.1.into(),
            (is_in_place, _) => work::bytes(self.bytes.1.into(), is_in_place),
        }
    }
}

impl Last {
    /// True if a draw has the same prices, but for the textures of the second one.
    fn is_of(&self, state: &PixelState<'_>, shape: Shape) -> bool {
        (self.shape, self.is_immediate, self.maps) == (shape, state.is_immediate, state.maps)
            && self.registers.is_same(state.registers, &OF_PIXELS)
            && self.clut == *state.clut
    }
}

impl Texels {
    /// Forgets everything, for a run: its memory may be another one, where a draw has no target.
    pub(crate) fn clear(&mut self) {
        self.textures.clear();
        self.states.clear();
        self.last = None;
        (self.vertices, self.pixels) = Default::default();
    }

    /// Price of the state of the vertices of a draw, which the run has drawn in from then on.
    pub(crate) fn vertex_price(&mut self, registers: &Registers) -> u64 {
        let now = switches::of_vertices(registers);
        self.states.price_after(&mut self.vertices, now, || prices::vertex_state(registers))
    }

    /// The same for a surface: code for its vertices, whose records are of a type of their own, is no code for others.
    pub(crate) fn surface_price(&mut self, registers: &Registers) -> u64 {
        let mut now = switches::of_vertices(registers);
        now[0] |= OF_SURFACE;
        self.states.price_after(&mut self.vertices, now, || prices::vertex_state(registers))
    }

    /// Most that a draw's buffers cost.
    pub(crate) fn target_price(&self) -> u64 {
        self.textures.target_price()
    }

    /// Price of the announcement of a write.
    pub(crate) fn write_price(&self) -> u64 {
        self.textures.write_price()
    }

    /// Announces a write outside of draws.
    pub(crate) fn written(&mut self, bytes: Bytes) {
        if self.textures.written(bytes, extents::pages(bytes)) {
            self.last = None;
        }
    }

    /// Prices of a draw, whose textures count as decoded from then on. Draws in one state cost a look at the registers.
    pub(crate) fn price(&mut self, state: &PixelState<'_>, shape: Shape) -> DrawPrice {
        let is_known = self.last.as_ref().is_some_and(|last| last.is_of(state, shape));
        if let Some(Last { pixels, again: Some(textures), .. }) = self.last.as_ref().filter(|_| is_known) {
            return DrawPrice { once: *textures, pixels: *pixels };
        }
        let of_state = match is_known {
            true => 0,
            false => {
                let now = switches::of_pixels(state, shape);
                self.states.price_after(&mut self.pixels, now, || prices::PIXEL_STATE)
            }
        };
        let textures = self.textures_of(state);
        let last = self.last.take().filter(|_| is_known).unwrap_or_else(|| Last {
            registers: state.registers.clone(),
            clut: state.clut.clone(),
            maps: state.maps,
            shape,
            is_immediate: state.is_immediate,
            pixels: PixelPrice::new(state, shape),
            again: None,
        });
        let pixels = last.pixels;
        self.last = Some(Last { again: is_known.then_some(textures), ..last });
        DrawPrice { once: textures.saturating_add(of_state), pixels }
    }

    fn textures_of(&mut self, state: &PixelState<'_>) -> u64 {
        let announced = self.textures.draws_to(queue::buffers(state));
        let price = |image| self.textures.price(state.memory, image, prices::TEXEL);
        queue::images(state).map(price).fold(announced, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::regs::op;
    use crate::ge::vram::{VRAM, VRAM_BYTES};
    use crate::memory::BlockMemory;

    /// Draws with one texture in VRAM, behind their target.
    #[test]
    fn textures_are_paid_once_until_they_are_written() {
        let (memory, clut) = (BlockMemory::zeroed(&[(VRAM, VRAM_BYTES)]), Clut::default());
        let mut registers = Registers::default();
        let words = [
            (op::FBW, 64),
            (op::SCISSOR2, 63 | 63 << 10),
            (op::REGION2, 63 | 63 << 10),
            (op::TME, 1),
            (op::TPSM, 3),
            (op::TBP0, 0x10_0000),
            (op::TBW0, 4 << 16 | 8),
            (op::TSIZE0, 3 | 3 << 8),
        ];
        words.iter().for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
        let maps = AddressMaps::default();
        let state =
            PixelState { registers: &registers, clut: &clut, memory: &memory, maps, is_immediate: false };
        let mut texels = Texels::default();
        let three = |texels: &mut Texels| [(); 3].map(|()| texels.price(&state, Shape::Triangle).once);
        let whole = crate::work::bytes(8 * 8 * 4, true) + 8 * 8 * prices::TEXEL;
        assert_eq!(three(&mut texels), [prices::PIXEL_STATE + whole, 0, 0]);
        texels.written((VRAM + 0x10_1000, 64));
        assert_eq!(three(&mut texels), [0; 3], "behind its page");
        texels.written((VRAM + 0x10_0000 + 8 * 8 * 4, 64));
        assert_eq!(three(&mut texels), [crate::work::bytes(8 * 8 * 4, true), 0, 0], "behind it");
        texels.written((VRAM + 0x10_0000, 1));
        assert_eq!(three(&mut texels), [whole, 0, 0], "its first byte");
    }

    #[test]
    fn surfaces_have_states_of_their_own() {
        let (mut texels, registers) = (Texels::default(), Registers::default());
        let whole = prices::vertex_state(&registers);
        let prices = [false, true, true, false].map(|is_surface| match is_surface {
            true => texels.surface_price(&registers),
            false => texels.vertex_price(&registers),
        });
        assert_eq!(prices, [whole, whole, 0, 0]);
    }
}
