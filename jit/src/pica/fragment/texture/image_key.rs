//! Keys of images of the PICA200, and their decoding.

use super::decode;
use crate::pica::texel::level_offset;
use crate::texture_cache::{Decode, Image, Piece};
use picaflor_pipeline::pica::surface::overlap;
use picaflor_pipeline::pica::texel::TextureFormat;

/// Key of an image: together with memory it determines the texels. Texels follow face by face, the levels one after
/// the other, rows from the lowest on. The largest image that registers can describe, a cube of 2047x2047 texels with
/// all levels, takes 270 MB with its copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ImageKey {
    /// Addresses of the faces, or of the only image and 0.
    pub(crate) faces: [u32; 6],
    /// Faces that count: 1 or 6.
    pub(crate) count: u8,
    pub(crate) format: TextureFormat,
    /// Texels are words of a shadow map: 24 bits of depth, and intensity below.
    pub(crate) shadow: bool,
    /// Width and height of level 0; neither is 0.
    pub(crate) size: [u32; 2],
    /// First and last level that is read.
    pub(crate) levels: [u32; 2],
}

impl ImageKey {
    /// Width and height of a level.
    pub(crate) fn level_size(&self, level: u32) -> [u32; 2] {
        self.size.map(|side| side >> level)
    }

    /// Numbers of the levels.
    pub(crate) fn all_levels(&self) -> impl Iterator<Item = u32> + use<> {
        self.levels[0]..=self.levels[1]
    }

    fn offset(&self, level: u32) -> u32 {
        level_offset(self.format, self.size[0], self.size[1], level)
    }

    /// Texels of a level.
    fn level_texels(&self, level: u32) -> usize {
        self.level_size(level).map(|n| n as usize).iter().product()
    }

    /// Texels from one face to the next.
    pub(crate) fn face_texels(&self) -> usize {
        self.all_levels().map(|level| self.level_texels(level)).sum()
    }

    /// True if some level of some face has bytes in this range of addresses.
    pub(crate) fn reaches(&self, bytes: (u32, u32)) -> bool {
        (0..self.pieces()).any(|face| overlap(self.range(face), bytes))
    }

    /// Address of the first texel of a level of the first face.
    pub(crate) fn address(&self, image: &Image, level: u32) -> u64 {
        let before = (self.levels[0]..level).map(|k| self.level_texels(k)).sum::<usize>();
        image.texels()[before..].as_ptr().expose_provenance() as u64
    }
}

/// A piece is the levels of a face.
impl Decode for ImageKey {
    fn pieces(&self) -> usize {
        self.count.into()
    }

    fn range(&self, face: usize) -> (u32, u32) {
        let [first, last] = self.levels;
        (self.faces[face].wrapping_add(self.offset(first)), self.offset(last + 1) - self.offset(first))
    }

    fn decode(&self, faces: &[Piece], texels: &mut Vec<u32>) {
        texels.resize(faces.len() * self.face_texels(), 0);
        let mut rest = &mut texels[..];
        for (face, level) in faces.iter().flat_map(|face| self.all_levels().map(move |level| (face, level))) {
            let (now, after) = rest.split_at_mut(self.level_texels(level));
            let start = self.offset(level) - self.offset(self.levels[0]);
            decode::level(&face.bytes()[start as usize..], self.format, self.level_size(level), now);
            rest = after;
        }
        if self.shadow {
            // The highest bits of depth come first in memory, the intensity last.
            texels.iter_mut().for_each(|texel| *texel = texel.swap_bytes());
        }
    }
}
