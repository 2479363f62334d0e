//! What the textures of draws cost.

use crate::memory::Memory;
use crate::pica::prices;
use crate::pica::regs::Registers;
use crate::pica::surface::{self, Target, feedback};
use crate::tile::Bytes;
use crate::work::textures::{Texture, Textures};

/// Textures of the draws of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texels(Textures<feedback::Texture>);

impl Texture for feedback::Texture {
    fn ranges(&self) -> impl Iterator<Item = Bytes> {
        self.faces()
    }

    fn texels(&self) -> u64 {
        self.whole_texels()
    }

    fn meet(a: Bytes, b: Bytes) -> bool {
        surface::overlap(a, b)
    }
}

impl Texels {
    /// Forgets everything, for a run.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Price of the textures of a draw, which count as decoded from then on.
    pub(crate) fn price(&mut self, registers: &Registers, target: &Target<'_>, memory: &dyn Memory) -> u64 {
        let announced = self.0.draws_to(target.ranges());
        let price = |texture| self.0.price(memory, texture, prices::TEXEL);
        feedback::units(registers).map(price).fold(announced, u64::saturating_add)
    }
}
