//! The textures of an engine: images of both machines under one budget, with one set of counters.

#[cfg(test)]
mod tests;

use crate::texture_cache::{Decode, NoImage, Piece, Range, TextureCache};
use crate::{ge, pica};
use picaflor_pipeline::memory::Memory;

/// Decoded images of both machines; one cache per engine.
pub(crate) type Textures = TextureCache<ImageKey>;

/// Key of an image of either machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ImageKey {
    /// Of the PICA200.
    Pica(pica::fragment::ImageKey),
    /// Of the GE.
    Ge(ge::pixel::texture::ImageKey),
}

impl From<pica::fragment::ImageKey> for ImageKey {
    fn from(key: pica::fragment::ImageKey) -> Self {
        Self::Pica(key)
    }
}

impl From<ge::pixel::texture::ImageKey> for ImageKey {
    fn from(key: ge::pixel::texture::ImageKey) -> Self {
        Self::Ge(key)
    }
}

impl ImageKey {
    fn machine(&self) -> &dyn Decode {
        match self {
            Self::Pica(key) => key,
            Self::Ge(key) => key,
        }
    }
}

impl Decode for ImageKey {
    fn pieces(&self) -> usize {
        self.machine().pieces()
    }

    fn range(&self, piece: usize) -> Range {
        self.machine().range(piece)
    }

    fn read(&self, memory: &dyn Memory, piece: usize, out: &mut Vec<u8>) -> Result<(), NoImage> {
        self.machine().read(memory, piece, out)
    }

    fn is_still(&self, memory: &dyn Memory, piece: usize, bytes: &[u8]) -> bool {
        self.machine().is_still(memory, piece, bytes)
    }

    fn decode(&self, memory: &dyn Memory, pieces: &[Piece], texels: &mut Vec<u32>) -> Result<(), NoImage> {
        self.machine().decode(memory, pieces, texels)
    }

    fn own_bytes(&self) -> usize {
        self.machine().own_bytes()
    }

    fn first_rows(&self, count: u32) -> Option<(Self, u32)> {
        match self {
            Self::Pica(_) => None,
            Self::Ge(key) => key.first_rows(count).map(|(key, count)| (Self::Ge(key), count)),
        }
    }
}
