//! Colours of the four pixel formats and their conversion to eight bits for each channel (1.5).

use picaflor_pipeline::ge::regs::pixel::PixelFormat;

/// The colour of a texel, of an entry of the look-up table, or of a vertex, 0xAABBGGRR: 5650 is opaque.
pub(in crate::ge) fn opaque(format: PixelFormat, bits: u32) -> u32 {
    match format {
        PixelFormat::Rgb5650 => stored(format, bits) | 0xff00_0000,
        _ => stored(format, bits),
    }
}

/// The colour of a stored pixel, 0xAABBGGRR: alpha is the stencil value, 0 in 5650.
pub(in crate::ge) fn stored(format: PixelFormat, bits: u32) -> u32 {
    let field = |from: u32, count: u32| (bits >> from) & ((1 << count) - 1);
    let five = |from| field(from, 5) << 3 | field(from, 5) >> 2;
    let six = |from| field(from, 6) << 2 | field(from, 6) >> 4;
    let four = |from| field(from, 4) * 17;
    let [r, g, b, a] = match format {
        PixelFormat::Rgb5650 => [five(0), six(5), five(11), 0],
        PixelFormat::Rgba5551 => [five(0), five(5), five(10), field(15, 1) * 255],
        PixelFormat::Rgba4444 => [four(0), four(4), four(8), four(12)],
        PixelFormat::Rgba8888 => return bits,
    };
    a << 24 | b << 16 | g << 8 | r
}

/// The bits that store a colour: lower bits are dropped.
pub(in crate::ge) fn bits(format: PixelFormat, colour: u32) -> u32 {
    let top = |from: u32, count: u32| (colour >> (from + 8 - count)) & ((1 << count) - 1);
    match format {
        PixelFormat::Rgb5650 => top(16, 5) << 11 | top(8, 6) << 5 | top(0, 5),
        PixelFormat::Rgba5551 => top(24, 1) << 15 | top(16, 5) << 10 | top(8, 5) << 5 | top(0, 5),
        PixelFormat::Rgba4444 => top(24, 4) << 12 | top(16, 4) << 8 | top(8, 4) << 4 | top(0, 4),
        PixelFormat::Rgba8888 => colour,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PixelFormat::{Rgb5650, Rgba4444, Rgba5551, Rgba8888};

    /// The table of 14.12, BBGGRR.
    #[test]
    fn measured_colours() {
        let of = |format, words: [u32; 4]| words.map(|word| opaque(format, word) & 0xff_ffff);
        assert_eq!(of(Rgb5650, [0xffff, 0x000e, 0x8410, 0x2825]), [0xff_ffff, 0x73, 0x84_8284, 0x29_0429]);
        assert_eq!(of(Rgba5551, [0xffff, 0x000e, 0x4210, 0x9425]), [0xff_ffff, 0x73, 0x84_8484, 0x29_0829]);
        assert_eq!(of(Rgba4444, [0xffff, 0x000f, 0x8888, 0x0525]), [0xff_ffff, 0xff, 0x88_8888, 0x55_2255]);
    }

    #[test]
    fn alpha() {
        assert_eq!([opaque(Rgb5650, 0), stored(Rgb5650, 0xffff) >> 24], [0xff00_0000, 0]);
        assert_eq!([stored(Rgba5551, 0x8000), stored(Rgba5551, 0x7fff) >> 24], [0xff00_0000, 0]);
        assert_eq!(stored(Rgba4444, 0x3000), 0x3300_0000);
        assert_eq!([opaque(Rgba8888, 0x1234_5678), stored(Rgba8888, 0x1234_5678)], [0x1234_5678; 2]);
    }

    /// 1.5: truncation. 0x7F is 15 of 31, 31 of 63, 7 of 15; alpha 0x7F is not set in 5551, 0x80 is.
    #[test]
    fn storing_truncates() {
        assert_eq!(bits(Rgb5650, 0xff7f_7f7f), 15 << 11 | 31 << 5 | 15);
        assert_eq!([bits(Rgba5551, 0x7f00_08f8), bits(Rgba5551, 0x8000_0000)], [0x3f, 0x8000]);
        assert_eq!([bits(Rgba4444, 0x1f2f_3f4f), bits(Rgba8888, 0x1f2f_3f4f)], [0x1234, 0x1f2f_3f4f]);
    }

    #[test]
    fn whole_formats_survive() {
        for format in [Rgb5650, Rgba5551, Rgba4444] {
            assert!((0..0x1_0000).all(|word| bits(format, stored(format, word)) == word));
        }
    }
}
