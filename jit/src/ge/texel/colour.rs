//! Colours in pixels, texels and CLUT entries. A colour is 0xAABBGGRR.
//!
//! Source: psp-ge.md 1.5: expansion and truncation were measured on a console (texture colours, dithering).

use picaflor_pipeline::ge::regs::pixel::PixelFormat;

/// Expands five bits to eight; the low bits repeat the high ones.
const fn expand5(v: u32) -> u32 {
    let v = v & 31;
    v << 3 | v >> 2
}

/// Expands six bits to eight; the low bits repeat the high ones.
const fn expand6(v: u32) -> u32 {
    let v = v & 63;
    v << 2 | v >> 4
}

/// Expands four bits to eight.
const fn expand4(v: u32) -> u32 {
    (v & 15) * 17
}

/// The colour of a texel or an entry. 16-bit formats use the lower half. Alpha is 255 if the format has none.
#[must_use]
#[inline]
pub(crate) const fn decode(format: PixelFormat, raw: u32) -> u32 {
    match format {
        PixelFormat::Rgb5650 => {
            expand5(raw) | expand6(raw >> 5) << 8 | expand5(raw >> 11) << 16 | 0xff00_0000
        }
        PixelFormat::Rgba5551 => {
            let alpha = if raw & 0x8000 == 0 { 0 } else { 0xff00_0000 };
            expand5(raw) | expand5(raw >> 5) << 8 | expand5(raw >> 10) << 16 | alpha
        }
        PixelFormat::Rgba4444 => {
            expand4(raw) | expand4(raw >> 4) << 8 | expand4(raw >> 8) << 16 | expand4(raw >> 12) << 24
        }
        PixelFormat::Rgba8888 => raw,
    }
}

/// Encodes a colour by truncation. Also converts masks to the format.
#[must_use]
pub(crate) const fn encode(format: PixelFormat, colour: u32) -> u32 {
    match format {
        PixelFormat::Rgb5650 => (colour >> 3 & 0x1f) | (colour >> 5 & 0x7e0) | (colour >> 8 & 0xf800),
        PixelFormat::Rgba5551 => {
            (colour >> 3 & 0x1f) | (colour >> 6 & 0x3e0) | (colour >> 9 & 0x7c00) | (colour >> 16 & 0x8000)
        }
        PixelFormat::Rgba4444 => {
            (colour >> 4 & 0xf) | (colour >> 8 & 0xf0) | (colour >> 12 & 0xf00) | (colour >> 16 & 0xf000)
        }
        PixelFormat::Rgba8888 => colour,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PixelFormat::{Rgb5650, Rgba4444, Rgba5551, Rgba8888};

    /// The table of 14.12.
    #[test]
    fn expansion_as_measured() {
        let rgb = |format: PixelFormat, raw: [u32; 4]| raw.map(|raw| decode(format, raw) & 0xff_ffff);
        assert_eq!(rgb(Rgb5650, [0xffff, 0x000e, 0x8410, 0x2825]), [0xff_ffff, 0x73, 0x84_8284, 0x29_0429]);
        assert_eq!(rgb(Rgba5551, [0xffff, 0x000e, 0x4210, 0x9425]), [0xff_ffff, 0x73, 0x84_8484, 0x29_0829]);
        assert_eq!(rgb(Rgba4444, [0xffff, 0x000f, 0x8888, 0x0525]), [0xff_ffff, 0xff, 0x88_8888, 0x55_2255]);
    }

    #[test]
    fn alpha() {
        assert_eq!(decode(Rgb5650, 0), 0xff00_0000);
        assert_eq!([0x8000, 0x7fff].map(|raw| decode(Rgba5551, raw)), [0xff00_0000, 0x00ff_ffff]);
        assert_eq!((decode(Rgba4444, 0xa000), decode(Rgba8888, 0x1234_5678)), (0xaa00_0000, 0x1234_5678));
    }

    /// So what is not changed survives.
    #[test]
    fn encoding_undoes_decoding() {
        for format in [Rgb5650, Rgba5551, Rgba4444] {
            assert!((0..0x1_0000).all(|raw| encode(format, decode(format, raw)) == raw), "{format:?}");
        }
        assert_eq!(encode(Rgba8888, 0x89ab_cdef), 0x89ab_cdef);
    }

    #[test]
    fn encoding_truncates() {
        let words = [Rgb5650, Rgba5551, Rgba4444].map(|format| encode(format, 0x7fff_7f0f));
        assert_eq!(words, [0xf800 | 31 << 5 | 1, 0x7c00 | 15 << 5 | 1, 0x7f70]);
    }
}
