//! Colours in the formats of pixels, texels, vertices and colour tables.

use picaflor_pipeline::ge::regs::pixel::PixelFormat;

/// A colour, red first, in a format (psp-ge.md 1.5). Low bits are dropped.
#[must_use]
pub(super) fn encode(format: PixelFormat, colour: [u8; 4]) -> u32 {
    let sizes = match format {
        PixelFormat::Rgb5650 => [5, 6, 5, 0],
        PixelFormat::Rgba5551 => [5, 5, 5, 1],
        PixelFormat::Rgba4444 => [4; 4],
        PixelFormat::Rgba8888 => [8; 4],
    };
    let (mut bits, mut at) = (0, 0);
    for (size, channel) in sizes.into_iter().zip(colour) {
        bits |= u32::from(channel) >> (8 - size) << at;
        at += size;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_bits_of_channels() {
        let colour = [0x0f, 0x7f, 0xff, 0x7f];
        let encoded =
            [PixelFormat::Rgb5650, PixelFormat::Rgba5551, PixelFormat::Rgba4444, PixelFormat::Rgba8888]
                .map(|format| encode(format, colour));
        assert_eq!(encoded, [0xf800 | 31 << 5 | 1, 0x7c00 | 15 << 5 | 1, 0x7f70, 0x7fff_7f0f]);
    }
}
