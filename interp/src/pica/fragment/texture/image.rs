//! The levels of an image in guest memory.
//!
//! Source: pica-fragment.md 2.1 (sides that are not a multiple of 8), 2.7, 2.10.

use super::replaced::{self, Replaced};
use super::texel;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::texel::TextureFormat;

/// A 2D texture, or one face of a cube map.
pub(super) struct Image<'a> {
    /// Guest memory.
    pub(super) memory: &'a dyn Memory,
    /// Texel format.
    pub(super) format: TextureFormat,
    /// Address of level 0.
    pub(super) base: u32,
    /// Width and height of level 0; neither is 0.
    pub(super) size: [u32; 2],
    /// Unit and face, with the host's images.
    pub(super) place: Option<([u32; 2], &'a [Replaced])>,
}

impl<'a> Image<'a> {
    /// Level `k`, which is level 0 or has sides of at least 8 texels.
    pub(super) fn level(&self, k: u32) -> Level<'a> {
        let size = self.size.map(|side| (side >> k) as i32);
        let base = self.base.wrapping_add(self.offset(k));
        let place = self.place.map(|([unit, face], images)| ([unit, face, k], images));
        Level { memory: self.memory, format: self.format, base, size, place }
    }

    /// Address and number of the bytes of level `k`.
    pub(super) fn bytes(&self, k: u32) -> (u32, u32) {
        let [start, end] = [k, k + 1].map(|k| self.offset(k));
        (self.base.wrapping_add(start), end - start)
    }

    /// Bytes from level 0 to level `k`: those of the levels between, whose sides count as multiples of 8.
    fn offset(&self, k: u32) -> u32 {
        let texels = |j: u32| self.size.map(|side| (side >> j).next_multiple_of(8)).iter().product::<u32>();
        (0..k).map(|j| texels(j) * texel::bits(self.format) / 8).sum()
    }
}

/// The last level that is read, before the limit of the registers: smaller levels have a side below 8 (assumed).
pub(super) fn last_usable_level([width, height]: [u32; 2]) -> u32 {
    width.min(height).checked_ilog2().unwrap_or(0).saturating_sub(3)
}

/// One level.
pub(super) struct Level<'a> {
    memory: &'a dyn Memory,
    format: TextureFormat,
    base: u32,
    size: [i32; 2],
    place: Option<([u32; 3], &'a [Replaced])>,
}

impl Level<'_> {
    /// Width and height.
    pub(super) fn size(&self) -> [i32; 2] {
        self.size
    }

    /// s and t in texels.
    pub(super) fn position(&self, st: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|k| st[k] * self.size[k] as f32)
    }

    /// The texel in column `i` and row `j`, which lie inside. Rows count upward, in memory the top one is first.
    pub(super) fn texel(&self, [i, j]: [i32; 2]) -> [u8; 4] {
        let replaced = self.place.and_then(|(place, images)| replaced::texel(images, place, [i, j]));
        if let Some(texel) = replaced {
            return texel;
        }
        let [width, height] = self.size;
        let pitch = (width as u32).next_multiple_of(8);
        let place = texel::Place { x: i as u32, row: (height - 1 - j) as u32, pitch };
        texel::load(self.memory, self.format, self.base, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::FlatMemory;

    fn image(memory: &FlatMemory, format: TextureFormat, size: [u32; 2]) -> Image<'_> {
        Image { memory, format, base: 0x1000, size, place: None }
    }

    /// The rows of pica-fragment.md 10.1.
    #[test]
    fn offsets_of_levels() {
        let memory = FlatMemory::default();
        let of = |format, size, k| image(&memory, format, size).offset(k);
        assert_eq!([0, 1, 2, 3].map(|k| of(TextureFormat::Rgb565, [64, 32], k)), [0, 4096, 5120, 5376]);
        let etc1 = [0, 1, 2, 3, 4].map(|k| of(TextureFormat::Etc1, [128, 128], k));
        assert_eq!(etc1, [0, 8192, 10_240, 10_752, 10_880]);
    }

    /// pica-fragment.md 2.1: 20x17 texels take the place of 24x24, level 1 of 10x8 that of 16x8.
    #[test]
    fn offsets_of_odd_sizes() {
        let memory = FlatMemory::default();
        let of = |k| image(&memory, TextureFormat::I8, [20, 17]).offset(k);
        assert_eq!([of(1), of(2)], [576, 576 + 128]);
    }

    /// Floor of the logarithm of the smaller side, less 3, not below 0.
    #[test]
    fn last_usable_levels() {
        let sizes = [[8, 1024], [16, 16], [15, 300], [1024, 512], [4, 4], [1, 2047], [0, 8]];
        assert_eq!(sizes.map(last_usable_level), [0, 1, 0, 6, 0, 0, 0]);
    }

    /// The texel in the corner of level 1 of 16x16 texels A8, behind 256 bytes: row 0 is memory row 7, index 42.
    #[test]
    fn texel_of_a_level() {
        let mut bytes = vec![0; 512];
        bytes[256 + 42] = 9;
        let memory = FlatMemory::new(0x1000, bytes);
        let level = image(&memory, TextureFormat::A8, [16, 16]).level(1);
        assert_eq!((level.size(), level.texel([0, 0]), level.texel([0, 1])), ([8, 8], [0, 0, 0, 9], [0; 4]));
    }

    /// One shipped game has a texture of 4x4: row 0 is memory row 3, index 10, in a tile of 8x8.
    #[test]
    fn texture_of_4x4() {
        let mut bytes = vec![0; 64];
        bytes[10] = 7;
        let memory = FlatMemory::new(0x1000, bytes);
        let level = image(&memory, TextureFormat::A8, [4, 4]).level(0);
        assert_eq!([level.texel([0, 0]), level.texel([0, 1])], [[0, 0, 0, 7], [0; 4]]);
    }
}
