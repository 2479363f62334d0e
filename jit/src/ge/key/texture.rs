//! What of texturing selects code.

use picaflor_pipeline::ge::regs::texture::{LodMode, TextureFunc};
use picaflor_pipeline::ge::regs::{Registers, op};
use std::fmt;

/// How texels are found and what they do to the colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TextureKey {
    /// Clamped instead of repeated, s and t.
    pub(crate) clamp: [bool; 2],
    pub(crate) filter: FilterKey,
    /// Whether coordinates may have to be divided by q, or by w: not in through mode.
    pub(crate) divides: bool,
    pub(crate) func: TextureFunc,
    /// Alpha of texels counts.
    pub(crate) alpha: bool,
    pub(crate) doubles: bool,
}

/// What decides the texels of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FilterKey {
    /// Level 0, one texel.
    Nearest,
    /// Level 0, four texels.
    Linear,
    /// Whether the texture is made smaller or larger matters.
    Lod(LodKey),
}

/// A level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LodKey {
    /// What it comes from.
    pub(crate) mode: LodMode,
    /// Four texels where the texture is made smaller, and where it is made larger.
    pub(crate) linear: [bool; 2],
    /// Levels are used; two of them where this is `Some(true)`.
    pub(crate) levels: Option<bool>,
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

    /// Whether the texel is multiplied by one more than the primitive's colour.
    pub(crate) const fn multiplies(&self) -> bool {
        match self.func {
            TextureFunc::Modulate => true,
            TextureFunc::Blend | TextureFunc::Add => self.alpha,
            TextureFunc::Decal | TextureFunc::Replace => false,
        }
    }

    /// Whether the primitive's colour is used as it is.
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

    /// Levels that can be read, for the last one that the registers allow.
    pub(crate) const fn levels(self, last: u32) -> u32 {
        match self {
            Self::Lod(LodKey { levels: Some(_), .. }) => last + 1,
            _ => 1,
        }
    }
}

/// Whether pixels of a draw are textured.
pub(crate) fn textured(registers: &Registers, is_immediate: bool) -> Option<TextureKey> {
    let is_on = registers.is_on(op::TME) && !registers.clear_mode().enable();
    is_on.then(|| TextureKey::of(registers, is_immediate))
}

impl fmt::Display for TextureKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrap = |clamp| if clamp { 'c' } else { 'r' };
        write!(f, "tex={:?}.{}{}", self.func, wrap(self.clamp[0]), wrap(self.clamp[1]))?;
        let flags = [(self.alpha, ".alpha"), (self.doubles, ".x2"), (self.divides, ".persp")];
        flags.iter().filter(|(on, _)| *on).try_for_each(|(_, name)| f.write_str(name))?;
        match self.filter {
            FilterKey::Nearest => f.write_str(".near"),
            FilterKey::Linear => f.write_str(".lin"),
            FilterKey::Lod(LodKey { mode, linear, levels }) => {
                let taps = linear.map(|linear| if linear { 4 } else { 1 });
                write!(f, ".lod-{mode:?}-{}{}", taps[0], taps[1])?;
                levels.map_or(Ok(()), |two| f.write_str(if two { "-mips2" } else { "-mips1" }))
            }
        }
    }
}
