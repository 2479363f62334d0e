//! The levels of an image in guest memory (2.7, 2.10).

use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::texel::{TextureFormat, TextureLevel, level_offset};

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
}

impl<'a> Image<'a> {
    /// Level `k`, which is level 0 or has sides of at least 8 texels.
    pub(super) fn level(&self, k: u32) -> Level<'a> {
        let [width, height] = self.size;
        let base = self.base.wrapping_add(level_offset(self.format, width, height, k));
        let [w, h] = [width >> k, height >> k];
        let texels = TextureLevel::new(self.memory, self.format, base, w, h);
        Level { texels, size: [w as i32, h as i32] }
    }
}

/// One level.
pub(super) struct Level<'a> {
    texels: TextureLevel<'a>,
    size: [i32; 2],
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
        self.texels.texel(i as u32, (self.size[1] - 1 - j) as u32)
    }
}
