//! Formats of texels and pixels. Decoding is the business of the engines.
//!
//! Source: pica-geometry.md 6.8 and 7.2, pica-fragment.md 2.8 and 7.1.

crate::field_enum! {
    /// Format of a texture, bits 3:0 of 0x08E, 0x096 and 0x09E.
    pub enum TextureFormat {
        /// Bytes A, B, G, R.
        Rgba8,
        /// Bytes B, G, R.
        Rgb8,
        /// r 15:11, g 10:6, b 5:1, a 0.
        Rgb5a1,
        /// r 15:11, g 10:5, b 4:0.
        Rgb565,
        /// r 15:12, g 11:8, b 7:4, a 3:0.
        Rgba4,
        /// Byte of alpha, byte of intensity.
        Ia8,
        /// Byte of green, byte of red; blue is 0.
        Hilo8,
        /// Intensity.
        I8,
        /// Alpha; the colour is black.
        A8,
        /// Intensity in the high nibble, alpha in the low one.
        Ia4,
        /// Intensity; the even texel has the low nibble.
        I4,
        /// Alpha, as `I4`; the colour is black.
        A4,
        /// 4x4 texels in 8 bytes.
        Etc1,
        /// 4x4 texels in 8 bytes of alpha and 8 of ETC1.
        Etc1a4,
        /// Unknown: every texel is opaque black (assumed).
        Unknown14,
        /// Like `Unknown14`.
        Unknown15,
    } else Unknown15
}

impl TextureFormat {
    /// Bits per texel; 0 for the unknown formats.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Rgba8 => 32,
            Self::Rgb8 => 24,
            Self::Rgb5a1 | Self::Rgb565 | Self::Rgba4 | Self::Ia8 | Self::Hilo8 => 16,
            Self::I8 | Self::A8 | Self::Ia4 | Self::Etc1a4 => 8,
            Self::I4 | Self::A4 | Self::Etc1 => 4,
            Self::Unknown14 | Self::Unknown15 => 0,
        }
    }
}

crate::field_enum! {
    /// Format of the colour buffer, `COLORBUFFER_FORMAT` bits 18:16. Textures use the same numbers; the transfer
    /// engine and the displays do not, see [`TransferFormat`].
    pub enum ColourFormat {
        /// Bytes A, B, G, R.
        Rgba8,
        /// Bytes B, G, R.
        Rgb8,
        /// r 15:11, g 10:6, b 5:1, a 0.
        Rgb5a1,
        /// r 15:11, g 10:5, b 4:0.
        Rgb565,
        /// r 15:12, g 11:8, b 7:4, a 3:0.
        Rgba4,
        /// Codes 5-7, which are undocumented: four bytes per pixel, never written (assumed).
        Unknown,
    } else Unknown
}

crate::field_enum! {
    /// Format in the numbering of the transfer engine and the displays, which swaps RGB5A1 and RGB565.
    pub enum TransferFormat {
        /// Like [`ColourFormat::Rgba8`].
        Rgba8,
        /// Like [`ColourFormat::Rgb8`].
        Rgb8,
        /// Like [`ColourFormat::Rgb565`].
        Rgb565,
        /// Like [`ColourFormat::Rgb5a1`].
        Rgb5a1,
        /// Like [`ColourFormat::Rgba4`]; codes 4-7.
        Rgba4,
    } else Rgba4
}

impl TransferFormat {
    /// The colour format with the same layout.
    #[must_use]
    pub const fn colour(self) -> ColourFormat {
        match self {
            Self::Rgba8 => ColourFormat::Rgba8,
            Self::Rgb8 => ColourFormat::Rgb8,
            Self::Rgb565 => ColourFormat::Rgb565,
            Self::Rgb5a1 => ColourFormat::Rgb5a1,
            Self::Rgba4 => ColourFormat::Rgba4,
        }
    }
}

impl ColourFormat {
    /// Bytes per pixel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Rgba8 | Self::Unknown => 4,
            Self::Rgb8 => 3,
            Self::Rgb5a1 | Self::Rgb565 | Self::Rgba4 => 2,
        }
    }

    /// True if the format has alpha.
    #[must_use]
    pub const fn has_alpha(self) -> bool {
        !matches!(self, Self::Rgb8 | Self::Rgb565)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_numberings_differ() {
        use crate::bits::Field;
        assert_eq!(TransferFormat::from_bits(2).colour(), ColourFormat::from_bits(3));
        assert_eq!(TransferFormat::from_bits(3).colour(), ColourFormat::from_bits(2));
        assert_eq!((5..8).map(TransferFormat::from_bits).collect::<Vec<_>>(), [TransferFormat::Rgba4; 3]);
        assert_eq!((5..8).map(ColourFormat::from_bits).collect::<Vec<_>>(), [ColourFormat::Unknown; 3]);
    }

    /// RGB8 and RGB565 have no alpha.
    #[test]
    fn formats_with_alpha() {
        use crate::bits::Field;
        let has_alpha = [0, 1, 2, 3, 4].map(|code| ColourFormat::from_bits(code).has_alpha());
        assert_eq!(has_alpha, [true, false, true, false, true]);
    }
}
