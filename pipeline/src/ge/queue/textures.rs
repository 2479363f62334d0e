//! The textures of pending draws.

use super::meet;
use crate::ge::clut::Clut;
use crate::ge::extents;
use crate::ge::regs::texture::{IndexSize, TextureFormat};
use crate::ge::stage::PixelState;
use crate::ge::texel::Level;
use crate::ge::vram::{AddressMaps, region};
use crate::hashing::Seeds;
use crate::memory::Memory;
use crate::tile::Bytes;
use std::collections::HashSet;

/// Maximum size of the decoded texels of pending draws: 4 bytes per texel, shared levels counted once.
const MOST_DECODED: u64 = 64 << 20;
/// Maximum number of their levels: each write to memory is compared with all of them, however small they are.
const MOST_IMAGES: usize = 1024;
/// Largest coordinate range of texels, whatever the size.
const REACH: u32 = 512;

/// One level of a texture: everything that determines its texels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Image {
    /// Range of bytes of the texels, which may go past the last address.
    pub(crate) bytes: Bytes,
    level: Level,
    size: [u32; 2],
    clut: Option<Table>,
    maps: AddressMaps,
}

/// Conversion of indices to colours.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Table {
    mode: u32,
    /// Entries before those of the level.
    first: u32,
    colours: Clut,
}

impl Image {
    pub(super) fn of(state: &PixelState<'_>, number: u8) -> Self {
        let registers = state.registers;
        let level = Level::of(registers, number);
        let size = registers.texture_size_log2(number).map(|log| (1 << log).min(REACH));
        let table = |size: IndexSize| {
            let has_own = size == IndexSize::Bits4 && registers.texture_mode().separate_cluts();
            let first = if has_own { 16 * u32::from(number) } else { 0 };
            Table { mode: registers.clut_mode().0, first, colours: state.clut.clone() }
        };
        let clut = match level.format {
            TextureFormat::Indexed(size) => Some(table(size)),
            _ => None,
        };
        let bytes = extents::extent(state.maps, level.address, level.extent(size));
        Self { bytes, level, size, clut, maps: state.maps }
    }

    /// Ranges of bytes of the texels.
    pub(crate) const fn ranges(&self) -> [Bytes; 2] {
        extents::parts(self.bytes)
    }

    /// True if the range of bytes holds a texel.
    pub(super) fn meets(&self, bytes: Bytes) -> bool {
        self.ranges().into_iter().any(|own| meet(own, bytes))
    }

    /// True if the bytes of the texels follow each other in memory.
    pub(crate) fn is_in_place(&self, memory: &dyn Memory) -> bool {
        region(memory, self.maps, self.level.address, self.level.extent(self.size)).is_some()
    }

    /// Bytes of the decoded texels.
    pub(crate) const fn decoded_bytes(&self) -> u64 {
        4 * self.size[0] as u64 * self.size[1] as u64
    }
}

/// Texture levels that a draw may sample.
pub(crate) fn images(state: &PixelState<'_>) -> impl Iterator<Item = Image> {
    let registers = state.registers;
    let levels = if registers.is_textured() { registers.sampled_levels() } else { 0..0 };
    levels.map(|level| Image::of(state, level))
}

/// Textures of the pending draws.
#[derive(Debug, Default)]
pub(super) struct Textures {
    images: HashSet<Image, Seeds>,
    decoded: u64,
}

impl Textures {
    /// Adds levels. False if there are too many now, or their total exceeds the budget: all are to be forgotten then.
    pub(super) fn hold(&mut self, images: &[Image]) -> bool {
        let was_empty = self.images.is_empty();
        for image in images {
            if !self.images.contains(image) {
                self.decoded += image.decoded_bytes();
                self.images.insert(image.clone());
            }
        }
        was_empty || self.decoded <= MOST_DECODED && self.images.len() <= MOST_IMAGES
    }

    pub(super) fn forget(&mut self) {
        self.images.clear();
        self.decoded = 0;
    }

    /// True if a texel may lie in the range.
    pub(super) fn reach(&self, bytes: Bytes) -> bool {
        self.images.iter().any(|image| image.meets(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::regs::{Registers, op};
    use crate::ge::vram::{AddressMaps, VRAM};
    use crate::memory::FlatMemory;

    /// Levels in one place, of which each has a palette of its own: engines decode each.
    #[test]
    fn levels_with_palettes_of_their_own_differ() {
        let (memory, clut) = (FlatMemory::new(VRAM, vec![0; 64]), Clut::default());
        let levels = |separate: u32| {
            let mut registers = Registers::default();
            let words = [(op::TPSM, 4), (op::TMODE, 7 << 16 | separate << 8), (op::TFLT, 4)];
            words
                .iter()
                .for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
            registers.write(u32::from(op::TME) << 24 | 1);
            let (registers, clut, memory) = (&registers, &clut, &memory);
            let maps = AddressMaps::default();
            let state = PixelState { registers, clut, memory, maps, is_immediate: false };
            images(&state).collect::<HashSet<_>>().len()
        };
        assert_eq!([0, 1].map(levels), [1, 8]);
    }

    /// Texels of 4 bytes at many places: their size alone would bound nothing.
    #[test]
    fn small_levels_are_counted() {
        let (memory, clut) = (FlatMemory::new(VRAM, vec![0; 64]), Clut::default());
        let image = |place: u32| {
            let mut registers = Registers::default();
            [(op::TPSM, 3), (op::TBP0, 16 * place), (op::TBW0, 0x08_0008)]
                .iter()
                .for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
            let (registers, clut, memory) = (&registers, &clut, &memory);
            Image::of(
                &PixelState { registers, clut, memory, maps: AddressMaps::default(), is_immediate: false },
                0,
            )
        };
        let mut textures = Textures::default();
        assert!((0..MOST_IMAGES as u32).all(|place| textures.hold(&[image(place)])));
        assert!(textures.hold(&[image(0)]), "it is held");
        assert!(!textures.hold(&[image(5000)]), "one more");
        textures.forget();
        assert!(textures.hold(&[image(5000)]));
    }
}
