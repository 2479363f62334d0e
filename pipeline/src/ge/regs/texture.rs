//! Register views for textures: location, sampling, texture function.
//!
//! Source: psp-ge.md 1.2, 3.6 and 9.

use super::{Registers, fields, op};
use crate::ge::regs::pixel::PixelFormat;
use std::ops::Range;

/// Texel format, `TPSM`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextureFormat {
    /// A colour.
    Colour(PixelFormat),
    /// An index into the CLUT of 4, 8, 16 or 32 bits.
    Indexed(IndexSize),
    /// Compressed blocks: DXT1, DXT3 or DXT5.
    Compressed(Compression),
    /// Codes 11 to 15: every texel is 0.
    Invalid,
}

/// Size of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IndexSize {
    /// 4 bits, lower half of a byte first.
    Bits4,
    /// 8 bits.
    Bits8,
    /// 16 bits.
    Bits16,
    /// 32 bits.
    Bits32,
}

/// Format of compressed blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Compression {
    /// Colours, one of them possibly transparent: 8 bytes.
    Dxt1,
    /// Colours and 4 bits of alpha each: 16 bytes.
    Dxt3,
    /// Colours and alpha between two values: 16 bytes.
    Dxt5,
}

impl TextureFormat {
    /// Decodes the low four bits of a code.
    #[must_use]
    pub const fn of(code: u32) -> Self {
        match code & 15 {
            0..=3 => Self::Colour(PixelFormat::of(code)),
            4 => Self::Indexed(IndexSize::Bits4),
            5 => Self::Indexed(IndexSize::Bits8),
            6 => Self::Indexed(IndexSize::Bits16),
            7 => Self::Indexed(IndexSize::Bits32),
            8 => Self::Compressed(Compression::Dxt1),
            9 => Self::Compressed(Compression::Dxt3),
            10 => Self::Compressed(Compression::Dxt5),
            _ => Self::Invalid,
        }
    }

    /// The code; 15 for the invalid ones.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Self::Colour(format) => format as u32,
            Self::Indexed(size) => 4 + size as u32,
            Self::Compressed(compression) => 8 + compression as u32,
            Self::Invalid => 15,
        }
    }

    /// Bits per texel; 0 if texels are not separately addressable.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Colour(format) => 8 * format.bytes(),
            Self::Indexed(size) => 4 << size as u32,
            Self::Compressed(_) | Self::Invalid => 0,
        }
    }

    /// True if texels can have an alpha below 255 with this CLUT format.
    #[must_use]
    pub const fn has_alpha(self, clut: PixelFormat) -> bool {
        match self {
            Self::Colour(PixelFormat::Rgb5650) => false,
            Self::Indexed(_) => !matches!(clut, PixelFormat::Rgb5650),
            _ => true,
        }
    }
}

crate::bits! {
    /// `TMODE`.
    pub struct TextureMode(u32) {
        /// Swizzled: stored in blocks of 16 bytes and 8 rows instead of whole rows.
        swizzled, with_swizzled: bool = 0..1;
        /// Each level has its own CLUT.
        separate_cluts, with_separate_cluts: bool = 8..9;
        /// Number of the last level.
        max_level, with_max_level: u32 = 16..19;
    }
}

crate::bits! {
    /// `CMODE`.
    pub struct ClutMode(u32) {
        /// Format of entries.
        format, with_format: PixelFormat = 0..2;
        /// Right shift of an index.
        shift, with_shift: u32 = 2..7;
        /// Mask of the shifted index.
        mask, with_mask: u32 = 8..16;
        /// First entry, in units of 16 entries.
        start, with_start: u32 = 16..21;
    }
}

crate::bits! {
    /// `TFLT`.
    pub struct TextureFilter(u32) {
        /// Minification filter: four texels.
        min_linear, with_min_linear: bool = 0..1;
        /// Interpolation between two levels.
        mip_linear, with_mip_linear: bool = 1..2;
        /// Levels are used.
        mipmaps, with_mipmaps: bool = 2..3;
        /// Magnification filter: four texels.
        mag_linear, with_mag_linear: bool = 8..9;
    }
}

crate::bits! {
    /// `TWRAP`.
    pub struct TextureWrap(u32) {
        /// s is clamped; otherwise it repeats.
        clamp_s, with_clamp_s: bool = 0..1;
        /// t is clamped; otherwise it repeats.
        clamp_t, with_clamp_t: bool = 8..9;
    }
}

crate::field_enum! {
    /// Source of the level of detail.
    pub enum LodMode {
        /// The derivatives of the texture coordinates.
        Auto,
        /// Only the bias; codes 1 and 3.
        Constant,
        /// The distance.
        Slope,
    } else Constant
}

crate::bits! {
    /// `TBIAS`.
    pub struct TextureBias(u32) {
        /// Source of the level of detail.
        mode, with_mode: LodMode = 0..2;
        /// Level bias in sixteenths, -128 to 127, as raw bits; see [`bias`](Self::bias).
        raw_bias, with_raw_bias: u8 = 16..24;
    }
}

impl TextureBias {
    /// Level bias in sixteenths, -128 to 127.
    #[must_use]
    pub fn bias(self) -> i32 {
        i32::from(self.raw_bias().cast_signed())
    }
}

crate::field_enum! {
    /// Combination of texel and primitive colour.
    pub enum TextureFunc {
        /// Product.
        Modulate,
        /// The texel blended over the primitive colour.
        Decal,
        /// Interpolation from the primitive colour to the environment colour.
        Blend,
        /// The texel.
        Replace,
        /// Sum; codes 4 to 7.
        Add,
    } else Add
}

crate::bits! {
    /// `TFUNC`.
    pub struct TextureFunction(u32) {
        /// Combination of colours.
        func, with_func: TextureFunc = 0..3;
        /// The alpha of texels is used.
        uses_alpha, with_uses_alpha: bool = 8..9;
        /// RGB is doubled.
        doubles, with_doubles: bool = 16..17;
    }
}

impl Registers {
    /// True if pixels are textured; false in clear mode.
    #[must_use]
    pub fn is_textured(&self) -> bool {
        self.is_on(op::TME) && !self.clear_mode().enable()
    }

    /// `TBP0` and `TBW0` plus `level`: the address of the first texel of a level, 0 to 7.
    #[must_use]
    pub const fn texture_address(&self, level: u8) -> u32 {
        let level = level & 7;
        (self.arg(op::TBP0 + level) & 0xff_fff0) | (self.arg(op::TBW0 + level) << 8 & 0x0f00_0000)
    }

    /// `TBW0` plus `level`: texels from row to row, as in the register.
    #[must_use]
    pub(crate) const fn texture_width(&self, level: u8) -> u32 {
        self.field(op::TBW0 + (level & 7), fields::STRIDE)
    }

    /// `TSIZE0` plus `level`: the logarithms of width and height, 0 to 15.
    #[must_use]
    pub const fn texture_size_log2(&self, level: u8) -> [u32; 2] {
        let register = op::TSIZE0 + (level & 7);
        [self.field(register, fields::TSIZE_WIDTH), self.field(register, fields::TSIZE_HEIGHT)]
    }

    /// The levels that pixels of a draw can sample, if it is textured (psp-ge.md 9.5), or one may look at to find them: with a
    /// constant level of detail that stands for one level this one, otherwise all from the first on.
    #[must_use]
    pub fn sampled_levels(&self) -> Range<u8> {
        let (filter, last) = (self.texture_filter(), self.texture_mode().max_level() as u8);
        let bias = self.texture_bias();
        let detail = (bias.mode() == LodMode::Constant).then(|| bias.bias());
        match detail {
            _ if !filter.mipmaps() => 0..1,
            None => 0..last + 1,
            Some(..=0) => 0..1,
            Some(detail) => {
                let detail = (detail as u8).min(16 * last);
                let [first, most] = if filter.mip_linear() {
                    [detail / 16, detail.div_ceil(16)]
                } else {
                    [(detail + 8) / 16; 2]
                };
                if first == most { first..most + 1 } else { 0..last + 1 }
            }
        }
    }

    /// `TPSM`: texel format.
    #[must_use]
    pub(crate) const fn texture_format(&self) -> TextureFormat {
        TextureFormat::of(self.field(op::TPSM, fields::TPSM))
    }

    /// `TMODE`: layout and levels.
    #[must_use]
    pub const fn texture_mode(&self) -> TextureMode {
        TextureMode(self.arg(op::TMODE))
    }

    /// `CMODE`: conversion of an index to a CLUT entry.
    #[must_use]
    pub const fn clut_mode(&self) -> ClutMode {
        ClutMode(self.arg(op::CMODE))
    }

    /// `TFLT`: filters.
    #[must_use]
    pub const fn texture_filter(&self) -> TextureFilter {
        TextureFilter(self.arg(op::TFLT))
    }

    /// `TWRAP`: coordinates beyond the edges.
    #[must_use]
    pub const fn texture_wrap(&self) -> TextureWrap {
        TextureWrap(self.arg(op::TWRAP))
    }

    /// `TBIAS`: level of detail.
    #[must_use]
    pub const fn texture_bias(&self) -> TextureBias {
        TextureBias(self.arg(op::TBIAS))
    }

    /// `TFUNC`: the texture function.
    #[must_use]
    pub const fn texture_function(&self) -> TextureFunction {
        TextureFunction(self.arg(op::TFUNC))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let mut registers = Registers::default();
        registers.write(0xa212_345f);
        registers.write(0xaaf8_fa00);
        assert_eq!((registers.texture_address(2), registers.texture_width(2)), (0x0812_3450, 0x200));
        registers.write(0xba12_3a6f);
        assert_eq!(registers.texture_size_log2(2), [15, 10]);
    }

    #[test]
    fn levels_that_can_be_sampled() {
        let sampled = |bias: u32, filters: u32, last: u32| {
            let mut registers = Registers::default();
            [0xc8 << 24 | bias, 0xc6 << 24 | filters, 0xc2 << 24 | last << 16]
                .into_iter()
                .for_each(|word| registers.write(word));
            registers.sampled_levels()
        };
        assert_eq!([0, 1, 7].map(|filters| sampled(0, filters, 7)), [0..1, 0..1, 0..8], "automatic");
        assert_eq!(sampled(0x7f_0002, 4, 3), 0..4, "slope");
        let constant = |bias: u32, filters: u32| sampled(bias << 16 | 1, filters, 5);
        assert_eq!([0x80, 0xff, 0].map(|bias| constant(bias, 7)), [0..1, 0..1, 0..1], "larger");
        assert_eq!([0x0f, 0x10, 0x11, 0x4f].map(|bias| constant(bias, 7)), [0..6, 1..2, 0..6, 0..6]);
        assert_eq!([0x51, 0x7f].map(|bias| constant(bias, 7)), [5..6, 5..6], "beyond the last one");
        assert_eq!([0x07, 0x08, 0x7f].map(|bias| constant(bias, 5)), [0..1, 1..2, 5..6], "the nearest");
        assert_eq!(sampled(0x20_0001, 7, 0), 0..1, "there is one");
    }

    #[test]
    fn the_bias_is_signed() {
        assert_eq!([0x7f_0000, 0x80_0000, 0xf0_0001].map(|word| TextureBias(word).bias()), [127, -128, -16]);
        let modes = [0, 1, 2, 3].map(|word| TextureBias(word).mode());
        assert_eq!(modes, [LodMode::Auto, LodMode::Constant, LodMode::Slope, LodMode::Constant]);
    }

    /// 1.5: of the colour formats 5650 alone has no alpha; that of indices is that of their colours.
    #[test]
    fn formats_with_alpha() {
        let has_alpha = |code, clut| TextureFormat::of(code).has_alpha(clut);
        let opaque = PixelFormat::Rgb5650;
        let with = PixelFormat::Rgba5551;
        assert_eq!([0, 1, 2, 3].map(|code| has_alpha(code, opaque)), [false, true, true, true]);
        assert!((4..8).all(|code| has_alpha(code, with) && !has_alpha(code, opaque)));
        assert!((8..11).all(|code| has_alpha(code, opaque)));
    }
}
