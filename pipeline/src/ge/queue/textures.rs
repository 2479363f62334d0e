//! The textures of pending draws.

use super::meet;
use crate::ge::clut::Clut;
use crate::ge::extents;
use crate::ge::regs::Registers;
use crate::ge::regs::texture::TextureFormat;
use crate::ge::stage::PixelState;
use crate::ge::texel::Level;
use crate::hashing::Seeds;
use crate::tile::Bytes;
use std::collections::HashSet;

/// Maximum size of the decoded texels of pending draws: 4 bytes per texel, shared levels counted once.
const MOST_DECODED: u64 = 64 << 20;
/// Largest coordinate range of texels, whatever the size.
const REACH: u32 = 512;

/// One level of a texture: everything that determines its texels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Image {
    /// Range of bytes of the texels.
    pub(crate) bytes: Bytes,
    level: Level,
    size: [u32; 2],
    clut: Option<Table>,
}

/// Conversion of indices to colours.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Table {
    mode: u32,
    has_own: bool,
    colours: Clut,
}

impl Image {
    pub(super) fn of(state: &PixelState<'_>, number: u8) -> Self {
        let registers = state.registers;
        let level = Level::of(registers, number);
        let size = registers.texture_size_log2(number).map(|log| (1 << log).min(REACH));
        let table = || Table {
            mode: registers.clut_mode().0,
            has_own: registers.texture_mode().separate_cluts(),
            colours: state.clut.clone(),
        };
        let clut = matches!(level.format, TextureFormat::Indexed(_)).then(table);
        let bytes = extents::extent(state.maps, level.address, level.extent(size));
        Self { bytes, level, size, clut }
    }

    /// Bytes of the decoded texels.
    pub(crate) const fn decoded_bytes(&self) -> u64 {
        4 * self.size[0] as u64 * self.size[1] as u64
    }
}

/// Texture levels that a draw may sample.
pub(crate) fn images(state: &PixelState<'_>) -> impl Iterator<Item = Image> {
    let levels = levels(state.registers);
    (0..levels).map(|level| Image::of(state, level))
}

fn levels(registers: &Registers) -> u8 {
    match (registers.is_textured(), registers.texture_filter().mipmaps()) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => registers.texture_mode().max_level() as u8 + 1,
    }
}

/// Textures of the pending draws.
#[derive(Debug, Default)]
pub(super) struct Textures {
    images: HashSet<Image, Seeds>,
    decoded: u64,
}

impl Textures {
    /// Adds levels, unless the total would exceed the budget; false if so.
    pub(super) fn hold(&mut self, images: &[Image]) -> bool {
        let new = images.iter().filter(|image| !self.images.contains(image));
        let decoded = new.map(Image::decoded_bytes).sum::<u64>();
        let has_room = self.images.is_empty() || self.decoded + decoded <= MOST_DECODED;
        if has_room {
            self.decoded += decoded;
            self.images.extend(images.iter().cloned());
        }
        has_room
    }

    pub(super) fn forget(&mut self) {
        self.images.clear();
        self.decoded = 0;
    }

    /// True if a texel may lie in the range.
    pub(super) fn reach(&self, bytes: Bytes) -> bool {
        self.images.iter().any(|image| meet(image.bytes, bytes))
    }
}
