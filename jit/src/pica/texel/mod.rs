//! Texels: sizes and offsets of levels, ETC1, and the colours common to textures, the framebuffer and transfers.
//!
//! Source: pica-fragment.md 2.7-2.10 and 2.14.

pub(crate) mod colour;
pub(crate) mod etc1;

use picaflor_pipeline::pica::texel::TextureFormat;

/// Texels from row to row of a level `width` texels wide: `width` rounded up to a multiple of 8 (the rounding is
/// assumed).
pub(crate) const fn pitch(width: u32) -> u32 {
    width.wrapping_add(7) & !7
}

/// Bytes of a level; sides are rounded up to a multiple of 8.
pub(crate) const fn level_bytes(format: TextureFormat, width: u32, height: u32) -> u32 {
    (pitch(width).wrapping_mul(pitch(height)) / 8).wrapping_mul(format.bits())
}

/// Offset of level `level` of a texture of `width` by `height`, in bytes from level 0.
pub(crate) fn level_offset(format: TextureFormat, width: u32, height: u32, level: u32) -> u32 {
    let bytes =
        |k| level_bytes(format, width.checked_shr(k).unwrap_or(0), height.checked_shr(k).unwrap_or(0));
    (0..level.min(32)).map(bytes).fold(0, u32::wrapping_add)
}

/// The last usable level: no side below 8, except for level 0 (assumed; smaller ones are not found in software).
pub(crate) fn last_usable_level(width: u32, height: u32) -> u32 {
    width.min(height).checked_ilog2().unwrap_or(0).saturating_sub(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_levels() {
        let offsets = |format, w, h, n| (0..n).map(|k| level_offset(format, w, h, k)).collect::<Vec<_>>();
        assert_eq!(offsets(TextureFormat::Rgb565, 64, 32, 4), [0, 4096, 5120, 5376]);
        assert_eq!(offsets(TextureFormat::Etc1, 128, 128, 5), [0, 8192, 10240, 10752, 10880]);
        assert_eq!(offsets(TextureFormat::I8, 9, 8, 3), [0, 128, 192]);
        assert_eq!(level_offset(TextureFormat::I8, 8, 8, u32::MAX), 64 * 4);
    }

    #[test]
    fn last_levels() {
        let last = [(1024, 1024), (64, 32), (8, 1024), (7, 7), (0, 64), (15, 64)];
        assert_eq!(last.map(|(w, h)| last_usable_level(w, h)), [7, 2, 0, 0, 0, 0]);
    }
}
