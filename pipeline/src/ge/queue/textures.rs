//! The textures of pending draws.

use super::meet;
use crate::ge::regs::Registers;
use crate::ge::regs::texture::TextureFormat;
use crate::ge::stage::PixelState;
use crate::ge::texel::Level;
use crate::ge::transfer;
use crate::tile::Bytes;
use std::collections::HashSet;

/// Bytes of texels that pending draws may hold decoded, at 4 to the texel, all different.
const MOST_DECODED: u64 = 64 << 20;
/// Texels that coordinates reach, whatever the size.
const REACH: u32 = 512;

/// One level of a texture: all that decides its texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Image {
    /// Where texels lie.
    pub(super) bytes: Bytes,
    level: Level,
    size: [u32; 2],
    clut: Option<Table>,
}

/// How indices become colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Table {
    mode: u32,
    has_own: bool,
    /// Where the host keeps the table: a draw that is pending keeps it there.
    place: usize,
}

impl Image {
    fn of(state: &PixelState<'_>, number: u8) -> Self {
        let registers = state.registers;
        let level = Level::of(registers, number);
        let size = registers.texture_size_log2(number).map(|log| (1 << log).min(REACH));
        let table = || Table {
            mode: registers.clut_mode().0,
            has_own: registers.texture_mode().separate_cluts(),
            place: state.clut.bytes().as_ptr() as usize,
        };
        let clut = matches!(level.format, TextureFormat::Indexed(_)).then(table);
        let bytes = transfer::extent(state.maps, level.address, level.extent(size));
        Self { bytes, level, size, clut }
    }

    const fn decoded_bytes(&self) -> u64 {
        4 * self.size[0] as u64 * self.size[1] as u64
    }
}

/// The levels that a draw may sample.
pub(super) fn images(state: &PixelState<'_>) -> impl Iterator<Item = Image> {
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

/// Those of the draws that are pending.
#[derive(Debug, Default)]
pub(super) struct Textures {
    images: HashSet<Image>,
    decoded: u64,
}

impl Textures {
    /// Adds some, unless there would be too many then.
    pub(super) fn hold(&mut self, images: &[Image]) -> bool {
        let new = images.iter().filter(|image| !self.images.contains(image));
        let decoded = new.map(Image::decoded_bytes).sum::<u64>();
        let has_room = self.images.is_empty() || self.decoded + decoded <= MOST_DECODED;
        if has_room {
            self.decoded += decoded;
            self.images.extend(images);
        }
        has_room
    }

    pub(super) fn forget(&mut self) {
        self.images.clear();
        self.decoded = 0;
    }

    /// Whether some texel may lie there.
    pub(super) fn reach(&self, bytes: Bytes) -> bool {
        self.images.iter().any(|image| meet(image.bytes, bytes))
    }
}
