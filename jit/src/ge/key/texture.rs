//! The part of the texture state that selects code.

use crate::code::ge::texels::{Filter, Levels, Sampling};
use crate::key::bytes::listed;
use crate::key::forms::{After, Each, Either, Flag, Maybe, Name, Own};
use crate::key::key;
use picaflor_pipeline::ge::regs::texture::{LodMode, TextureFunc};
use picaflor_pipeline::ge::regs::{Registers, op};

listed! { LodMode, TextureFunc }

key! {
    /// Lookup of texels, and their effect on the colour.
    pub(crate) struct TextureKey {
        pub(crate) func: TextureFunc = After("tex=", Name),
        /// Clamped instead of repeated, s and t.
        pub(crate) clamp: [bool; 2] = After(".", Each("", Either("r", "c"))),
        /// Alpha of texels counts.
        pub(crate) alpha: bool = Flag(".alpha"),
        pub(crate) doubles: bool = Flag(".x2"),
        /// True if coordinates may have to be divided by q, or by w: not in through mode.
        pub(crate) divides: bool = Flag(".persp"),
        pub(crate) filter: FilterKey = Own,
    }
}

key! {
    /// Selection of the texels of a pixel.
    pub(crate) enum FilterKey {
        /// One level, one texel.
        Nearest = ".near",
        /// One level, four texels.
        Linear = ".lin",
        /// Depends on the level of detail.
        Lod(lod: LodKey = Own) = ".lod-",
        /// Colours are found before code runs; only in keys of code.
        Found = ".found",
    }
}

key! {
    /// A level of detail.
    pub(crate) struct LodKey {
        /// Source of the level of detail.
        pub(crate) mode: LodMode = Name,
        /// Four texels where the texture is made smaller, and where it is made larger.
        pub(crate) linear: [bool; 2] = After("-", Each("", Either("1", "4"))),
        /// Levels are used; two of them where this is `Some(true)`.
        pub(crate) levels: Option<bool> = Maybe(After("-mips", Either("1", "2"))),
    }
}

impl TextureKey {
    /// That of a textured draw.
    pub(crate) fn of(registers: &Registers, is_immediate: bool) -> Self {
        let (wrap, function) = (registers.texture_wrap(), registers.texture_function());
        Self {
            clamp: [wrap.clamp_s(), wrap.clamp_t()],
            filter: FilterKey::of(registers),
            // Immediate vertices bring a q in through mode too.
            divides: !registers.is_through() || is_immediate,
            func: function.func(),
            alpha: function.uses_alpha(),
            doubles: function.doubles(),
        }
    }

    /// How texels are found.
    pub(crate) fn sampling(&self, rectangles: bool) -> Sampling {
        let filter = match self.filter {
            FilterKey::Nearest | FilterKey::Found => Filter::Nearest,
            FilterKey::Linear => Filter::Linear,
            FilterKey::Lod(LodKey { mode, linear, levels }) => {
                Filter::Levels(Levels { mode, linear, levels })
            }
        };
        Sampling { rectangles, clamp: self.clamp, filter, depth: None }
    }

    /// The part that code depends on.
    pub(crate) const fn of_code(self) -> Self {
        Self { clamp: [false; 2], divides: false, filter: FilterKey::Found, ..self }
    }

    /// True if the texel is multiplied by one more than the primitive's colour.
    pub(crate) const fn multiplies(&self) -> bool {
        match self.func {
            TextureFunc::Modulate => true,
            TextureFunc::Blend | TextureFunc::Add => self.alpha,
            TextureFunc::Decal | TextureFunc::Replace => false,
        }
    }

    /// True if the primitive's colour is used unchanged.
    pub(crate) const fn reads_primary(&self) -> bool {
        match self.func {
            TextureFunc::Modulate | TextureFunc::Replace => !self.alpha,
            TextureFunc::Blend | TextureFunc::Add | TextureFunc::Decal => true,
        }
    }
}

impl FilterKey {
    fn of(registers: &Registers) -> Self {
        let (filter, last) = (registers.texture_filter(), registers.texture_mode().max_level());
        let linear = [filter.min_linear(), filter.mag_linear()];
        let levels = (filter.mipmaps() && last > 0).then_some(filter.mip_linear());
        let bias = registers.texture_bias();
        // A constant level of detail that stands for one level is a filter of one level.
        let has_one = registers.sampled_levels().len() == 1;
        match (levels, linear, bias.mode()) {
            (None, [smaller, larger], _) if smaller == larger => Self::of_one(larger),
            (_, [_, larger], LodMode::Constant) if bias.bias() <= 0 => Self::of_one(larger),
            (_, [smaller, _], LodMode::Constant) if has_one => Self::of_one(smaller),
            (_, _, mode) => Self::Lod(LodKey { mode, linear, levels }),
        }
    }

    const fn of_one(linear: bool) -> Self {
        if linear { Self::Linear } else { Self::Nearest }
    }

    /// True if the level of detail depends on how coordinates change from pixel to pixel.
    pub(crate) const fn compares_pixels(self) -> bool {
        matches!(self, Self::Lod(LodKey { mode: LodMode::Auto, .. }))
    }

    /// The level of detail, if it selects texels.
    pub(crate) const fn lod(self) -> Option<LodKey> {
        match self {
            Self::Lod(lod) => Some(lod),
            Self::Nearest | Self::Linear | Self::Found => None,
        }
    }
}

/// True if pixels of a draw are textured.
pub(crate) fn textured(registers: &Registers, is_immediate: bool) -> Option<TextureKey> {
    let is_on = registers.is_on(op::TME) && !registers.clear_mode().enable();
    is_on.then(|| TextureKey::of(registers, is_immediate))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filter, and the first level, of `TBIAS` beside linear filters, mipmaps and seven levels more.
    fn of(bias: u32, filters: u32) -> (FilterKey, u8) {
        let mut registers = Registers::default();
        for (command, argument) in [(op::TBIAS, bias), (op::TFLT, filters), (op::TMODE, 7 << 16)] {
            registers.write(u32::from(command) << 24 | argument);
        }
        let filter = FilterKey::of(&registers);
        (filter, registers.sampled_levels().start)
    }

    #[test]
    fn constant_levels_are_filters_of_one_level() {
        // Smaller, larger: linear, nearest. Between levels: linear, nearest.
        let (between, nearest_between) = (0x007, 0x005);
        for bias in [0x00_0001, 0xff_0001, 0x80_0003] {
            assert_eq!(of(bias, between), (FilterKey::Nearest, 0), "larger: {bias:#x}");
        }
        assert_eq!(of(0x20_0001, between), (FilterKey::Linear, 2));
        assert_eq!(of(0x7f_0001, between), (FilterKey::Linear, 7), "beyond the last level");
        assert!(matches!(of(0x21_0001, between), (FilterKey::Lod(_), 0)), "between two levels");
        assert_eq!([0x17, 0x18].map(|detail| of(detail << 16 | 1, nearest_between).1), [1, 2]);
        assert_eq!(of(0x01_0001, 0x001), (FilterKey::Linear, 0), "smaller, without levels");
        assert!(matches!(of(0x00_0002, between), (FilterKey::Lod(_), 0)), "not constant");
    }
}
