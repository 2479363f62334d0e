//! What the textures of draws cost.

use crate::ge::prices;
use crate::ge::queue::{self, Image};
use crate::ge::stage::PixelState;
use crate::tile::Bytes;
use crate::work::textures::{Texture, Textures};

/// Textures of the draws of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texels(Textures<Image>);

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

impl Texels {
    /// Forgets everything, for a run.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Announces a write.
    pub(crate) fn written(&mut self, bytes: Bytes) {
        self.0.written(bytes);
    }

    /// Price of the textures of a draw, which count as decoded from then on.
    pub(crate) fn price(&mut self, state: &PixelState<'_>) -> u64 {
        self.0.draws_to(queue::buffers(state));
        let price = |image| self.0.price(state.memory, image, prices::TEXEL);
        queue::images(state).map(price).fold(0, u64::saturating_add)
    }
}
