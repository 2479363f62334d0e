//! Images of the host in place of textures.

use crate::ge::texel;
use picaflor_pipeline::ge::queue::is_drawn_to;
use picaflor_pipeline::ge::regs::texture::TextureFormat;
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::texel::Level;
use picaflor_pipeline::ge::vram::gather;
use picaflor_pipeline::texture::Texture;
use std::ops::Deref;

/// Largest size that coordinates reach, as a logarithm.
const REACH_LOG2: u32 = 9;

/// The state of a draw, and the host's images for it.
#[derive(Clone, Copy)]
pub(crate) struct Drawn<'a> {
    pub(crate) state: PixelState<'a>,
    pub(crate) replaced: &'a [Replaced],
}

impl<'a> Deref for Drawn<'a> {
    type Target = PixelState<'a>;

    fn deref(&self) -> &PixelState<'a> {
        &self.state
    }
}

/// A level of the texture as the host wants it: colours 0xAABBGGRR, row by row.
#[derive(Debug, Clone)]
pub(crate) struct Replaced {
    level: u8,
    width: u32,
    texels: Vec<u32>,
}

impl Drawn<'_> {
    /// The texel in column `x` and row `y` of a level, if the host has an image for it.
    pub(super) fn replaced(&self, level: u8, x: u32, y: u32) -> Option<u32> {
        let image = self.replaced.iter().find(|image| image.level == level)?;
        Some(image.texels[(y * image.width + x) as usize])
    }
}

/// Shows the texture of a draw to the host.
pub(crate) fn replaced(state: &PixelState<'_>) -> Vec<Replaced> {
    let registers = state.registers;
    let is_shown = registers.is_textured() && Level::of(registers, 0).format != TextureFormat::Invalid;
    if state.memory.replacements().is_none() || !is_shown {
        return Vec::new();
    }
    let last =
        if registers.texture_filter().mipmaps() { registers.texture_mode().max_level() as u8 } else { 0 };
    (0..=last).filter(|&level| !is_drawn_to(state, level)).map(|level| of_level(state, level)).collect()
}

fn of_level(state: &PixelState<'_>, level: u8) -> Replaced {
    let size = state.registers.texture_size_log2(level).map(|log2| 1 << log2.min(REACH_LOG2));
    let places = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| [x, y]));
    let mut texels: Vec<u32> = places.map(|[x, y]| texel::texel(state, level, x, y, &())).collect();
    let layout = Level::of(state.registers, level);
    let bytes = gather(state.memory, state.maps, layout.address, layout.extent(size));
    let texture = Texture::new(layout.address, size, layout.format.code(), &bytes)
        .at(level.into(), 0)
        .with(layout.width, texel::palette_identity(state, level));
    state.memory.replace(&texture, &mut texels);
    Replaced { level, width: size[0], texels }
}
