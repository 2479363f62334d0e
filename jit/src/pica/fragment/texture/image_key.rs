//! Keys of images of the PICA200, and their decoding.

use super::decode;
use crate::code::zeroed::try_zeroed;
use crate::emit::texels::SPARE;
use crate::pauses::{PAUSE, Pauses};
use crate::pica::texel::level_offset;
use crate::texture_cache::{Decode, Image, NoImage, Piece};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::surface::overlap;
use picaflor_pipeline::pica::texel::TextureFormat;
use picaflor_pipeline::texture::Texture;

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
    /// Version of the host's images in place of textures, if it may give one for this.
    pub(crate) replaced: Option<u64>,
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

    /// Shows a level to the host. Images of the host begin with the top row.
    fn replace(&self, memory: &dyn Memory, (face, level): (usize, u32), bytes: &[u8], texels: &mut [u32]) {
        let (size, start) = (self.level_size(level), self.offset(level));
        let bytes = &bytes[..(self.offset(level + 1) - start) as usize];
        let address = self.faces[face].wrapping_add(start);
        let texture = Texture::new(address, size, self.format as u32, bytes).at(level, face as u32);
        let turned = |texels: &[u32]| -> Vec<u32> {
            texels.rchunks_exact(size[0] as usize).flatten().map(|texel| texel.swap_bytes()).collect()
        };
        let mut shown = turned(texels);
        memory.replace(&texture, &mut shown);
        texels.copy_from_slice(&turned(&shown));
    }

    /// Texels of a face before those of a level.
    fn texels_before(&self, level: u32) -> usize {
        (self.levels[0]..level).map(|k| self.level_texels(k)).sum()
    }

    /// Address of the first texel of a level of the first face.
    pub(crate) fn address(&self, image: &Image, level: u32) -> u64 {
        image.texels()[self.texels_before(level)..].as_ptr().expose_provenance() as u64
    }

    /// A texel, 0xAABBGGRR, of column `i` and row `j`, counted from the lowest; `None` if the image has no such level.
    pub(super) fn texel(&self, image: &Image, [face, level]: [u32; 2], [i, j]: [u32; 2]) -> Option<u32> {
        let [first, last] = self.levels;
        if face >= self.count.into() || !(first..=last).contains(&level) {
            return None;
        }
        let before = face as usize * self.face_texels() + self.texels_before(level);
        let index = before + (j * self.level_size(level)[0] + i) as usize;
        image.texels().get(index).map(|texel| texel.swap_bytes())
    }

    /// True if the texels are those that the host wants.
    pub(crate) fn is_shown(&self) -> bool {
        self.replaced.is_some() && self.format.bits() > 0
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

    fn decode(&self, memory: &dyn Memory, faces: &[Piece], texels: &mut Vec<u32>) -> Result<(), NoImage> {
        let count = faces.len() * self.face_texels();
        if texels.len() != count + SPARE {
            // Memory that the system clears when it is touched: to clear it here would take long, without a pause.
            *texels = try_zeroed(count + SPARE).ok_or(NoImage::NoMemory)?;
        }
        let mut pauses = Pauses::new(memory);
        let mut rest = &mut texels[..count];
        let levels = |face| self.all_levels().map(move |level| (face, level));
        for (face, level) in (0..faces.len()).flat_map(levels) {
            let (now, after) = rest.split_at_mut(self.level_texels(level));
            let start = self.offset(level) - self.offset(self.levels[0]);
            let bytes = &faces[face].bytes()[start as usize..];
            decode::level(bytes, self.format, self.level_size(level), now, &mut pauses)?;
            if self.is_shown() {
                self.replace(memory, (face, level), bytes, now);
            }
            rest = after;
        }
        if self.shadow {
            // The highest bits of depth come first in memory, the intensity last.
            for part in texels.chunks_mut(PAUSE / 4) {
                part.iter_mut().for_each(|texel| *texel = texel.swap_bytes());
                if pauses.stops_after(PAUSE) {
                    return Err(NoImage::Stopped);
                }
            }
        }
        Ok(())
    }
}
