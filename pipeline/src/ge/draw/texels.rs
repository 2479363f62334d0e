//! What draws cost before and for each pixel: textures, and the state of pixels.

use crate::ge::clut::Clut;
use crate::ge::prices::{self, PixelPrice};
use crate::ge::queue::{self, Image};
use crate::ge::raster::Shape;
use crate::ge::regs::Registers;
use crate::ge::regs::same::OF_PIXELS;
use crate::ge::stage::PixelState;
use crate::ge::vram::AddressMaps;
use crate::tile::Bytes;
use crate::work::textures::{Texture, Textures};

/// Textures of the draws of a run, and the prices of the latest draw.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texels {
    textures: Textures<Image>,
    last: Option<Last>,
}

/// The latest draw.
#[derive(Debug, Clone)]
struct Last {
    registers: Registers,
    clut: Clut,
    maps: AddressMaps,
    shape: Shape,
    pixels: PixelPrice,
    /// Price of the textures of another draw in this state, once there was one.
    again: Option<u64>,
}

/// Prices of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DrawPrice {
    /// Its textures.
    pub(crate) textures: u64,
    /// Its pixels.
    pub(crate) pixels: PixelPrice,
}

impl Texture for Image {
    fn ranges(&self) -> impl Iterator<Item = Bytes> {
        std::iter::once(self.bytes)
    }

    fn texels(&self) -> u64 {
        self.decoded_bytes() / 4
    }

    fn meet(a: Bytes, b: Bytes) -> bool {
        queue::meet(a, b)
    }
}

impl Last {
    /// True if a draw has the same prices, but for the textures of the second one.
    fn is_of(&self, state: &PixelState<'_>, shape: Shape) -> bool {
        (self.shape, self.maps) == (shape, state.maps)
            && self.registers.is_same(state.registers, &OF_PIXELS)
            && self.clut == *state.clut
    }
}

impl Texels {
    /// Forgets everything, for a run: its memory may be another one, where a draw has no target.
    pub(crate) fn clear(&mut self) {
        self.textures.clear();
        self.last = None;
    }

    /// Announces a write.
    pub(crate) fn written(&mut self, bytes: Bytes) {
        let has_forgotten = self.textures.written(bytes);
        if let Some(last) = self.last.as_mut().filter(|_| has_forgotten) {
            last.again = None;
        }
    }

    /// Prices of a draw, whose textures count as decoded from then on. Draws in one state cost a look at the registers.
    pub(crate) fn price(&mut self, state: &PixelState<'_>, shape: Shape) -> DrawPrice {
        let is_known = self.last.as_ref().is_some_and(|last| last.is_of(state, shape));
        if let Some(Last { pixels, again: Some(textures), .. }) = self.last.as_ref().filter(|_| is_known) {
            return DrawPrice { textures: *textures, pixels: *pixels };
        }
        let textures = self.textures_of(state);
        let last = self.last.take().filter(|_| is_known).unwrap_or_else(|| Last {
            registers: state.registers.clone(),
            clut: state.clut.clone(),
            maps: state.maps,
            shape,
            pixels: PixelPrice::new(state, shape),
            again: None,
        });
        let pixels = last.pixels;
        self.last = Some(Last { again: is_known.then_some(textures), ..last });
        DrawPrice { textures, pixels }
    }

    fn textures_of(&mut self, state: &PixelState<'_>) -> u64 {
        self.textures.draws_to(queue::buffers(state));
        let price = |image| self.textures.price(state.memory, image, prices::TEXEL);
        queue::images(state).map(price).fold(0, u64::saturating_add)
    }
}
