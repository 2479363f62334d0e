//! The part of the texture state that selects code.

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
        /// Level 0, one texel.
        Nearest = ".near",
        /// Level 0, four texels.
        Linear = ".lin",
        /// Depends on the level of detail.
        Lod(lod: LodKey = Own) = ".lod-",
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
        match (levels, linear) {
            (None, [false, false]) => Self::Nearest,
            (None, [true, true]) => Self::Linear,
            _ => Self::Lod(LodKey { mode: registers.texture_bias().mode(), linear, levels }),
        }
    }

    /// True if the level of detail depends on how coordinates change from pixel to pixel.
    pub(crate) const fn compares_pixels(self) -> bool {
        matches!(self, Self::Lod(LodKey { mode: LodMode::Auto, .. }))
    }

    /// Levels that can be read, for the last one that the registers allow.
    pub(crate) const fn levels(self, last: u32) -> u32 {
        match self {
            Self::Lod(LodKey { levels: Some(_), .. }) => last + 1,
            _ => 1,
        }
    }
}

/// True if pixels of a draw are textured.
pub(crate) fn textured(registers: &Registers, is_immediate: bool) -> Option<TextureKey> {
    let is_on = registers.is_on(op::TME) && !registers.clear_mode().enable();
    is_on.then(|| TextureKey::of(registers, is_immediate))
}
