//! From guest memory to pixels: alpha, blue, green, red from the lowest byte on.

use super::ImageKey;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::texel::TextureLevel;

/// Decodes the level of `width` by `height` texels at `base`; rows from the lowest on.
pub(super) fn level(
    memory: &dyn Memory,
    key: &ImageKey,
    base: u32,
    [width, height]: [u32; 2],
    out: &mut [u32],
) {
    let texels = TextureLevel::new(memory, key.format, base, width, height);
    for (row, line) in out.chunks_exact_mut(width as usize).enumerate() {
        let row = height - 1 - row as u32;
        for (i, pixel) in (0..).zip(line) {
            let [r, g, b, a] = texels.texel(i, row);
            *pixel = u32::from_le_bytes([a, b, g, r]);
        }
    }
    if key.shadow {
        // The highest bits of depth come first in memory, the intensity last.
        out.iter_mut().for_each(|pixel| *pixel = pixel.swap_bytes());
    }
}
