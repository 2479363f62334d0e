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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::pixel::rig::Rig;
    use picaflor_pipeline::guest_slice::GuestSlice;
    use picaflor_pipeline::memory::Memory;
    use std::sync::Mutex;

    const TEXTURE: u32 = 0x0880_1000;
    const SMALL: u32 = 0x0880_2000;

    /// Memory of a host that puts its own images in place of all: texel n of level L is 100 L + n.
    struct Host<'a> {
        memory: &'a dyn Memory,
        /// What it was shown: size, address, texels.
        shown: Mutex<Vec<([u32; 2], u32, Vec<u32>)>>,
    }

    impl Memory for Host<'_> {
        fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
            self.memory.region(address, length)
        }

        fn replacements(&self) -> Option<u64> {
            Some(1)
        }

        fn replace(&self, texture: &Texture, texels: &mut [u32]) {
            self.shown.lock().unwrap().push((texture.size, texture.address, texels.to_vec()));
            (0..).zip(texels).for_each(|(n, texel)| *texel = 100 * texture.level + n);
        }
    }

    /// Texturing with two levels of 8888: 4 by 2 texels, 2 by 1.
    fn rig() -> Rig {
        let rig = Rig::new(&[
            0x1e00_0001,
            0xc300_0003,
            0xc201_0000,
            0xc600_0004,
            0xb800_0102,
            0xb900_0001,
            0xa000_0000 | TEXTURE & 0xff_ffff,
            0xa800_0004 | TEXTURE >> 24 << 16,
            0xa100_0000 | SMALL & 0xff_ffff,
            0xa900_0004 | SMALL >> 24 << 16,
        ]);
        (0..8).for_each(|n| rig.poke(TEXTURE + 4 * n, 0x5000 + n));
        (0..2).for_each(|n| rig.poke(SMALL + 4 * n, 0x6000 + n));
        rig
    }

    /// What a draw shows to the host, and what it samples then.
    fn images(rig: &Rig) -> (Vec<([u32; 2], u32, Vec<u32>)>, Vec<Replaced>) {
        let host = Host { memory: &rig.memory, shown: Mutex::default() };
        let images = replaced(&PixelState { memory: &host, ..rig.state().state });
        (host.shown.into_inner().unwrap(), images)
    }

    #[test]
    fn levels_are_shown_and_replaced() {
        let rig = rig();
        let (shown, images) = images(&rig);
        let levels = [
            ([4, 2], TEXTURE, (0x5000..0x5008).collect::<Vec<_>>()),
            ([2, 1], SMALL, (0x6000..0x6002).collect()),
        ];
        assert_eq!(shown, levels);
        let drawn = Drawn { state: rig.state().state, replaced: &images };
        for (y, x) in (0..2).flat_map(|y| (0..4).map(move |x| (y, x))) {
            assert_eq!(drawn.replaced(0, x, y), Some(4 * y + x));
        }
        assert_eq!([0, 1].map(|x| drawn.replaced(1, x, 0)), [Some(100), Some(101)]);
        assert_eq!(drawn.replaced(2, 0, 0), None, "a level that the texture has not");
    }

    /// Level 0 alone without mipmaps; coordinates reach 512 texels.
    #[test]
    fn levels_that_are_not_sampled() {
        let mut rig = rig();
        rig.set(&[0xc600_0000, 0xb800_000a]);
        let (shown, _) = images(&rig);
        assert_eq!(shown.iter().map(|(size, ..)| *size).collect::<Vec<_>>(), [[512, 1]]);
    }

    #[test]
    fn what_is_not_shown() {
        let plain = rig();
        assert!(replaced(&plain.state().state).is_empty(), "a host without images");
        for (words, what) in [
            (vec![0x1e00_0000], "no texture"),
            (vec![0xc300_000b], "no format"),
            // Both levels are in the frame buffer, whose rows are 512 pixels apart.
            (vec![0xa000_1000, 0xa804_0004, 0xa100_2000, 0xa904_0004, 0xd504_3ddf, 0x1604_3ddf], "drawn to"),
        ] {
            let mut rig = rig();
            rig.set(&words);
            assert_eq!(images(&rig).0, [], "{what}");
        }
        let mut rig = rig();
        rig.set(&[0xa000_1000, 0xa804_0004, 0xd504_3ddf, 0x1604_3ddf]);
        let (shown, _) = images(&rig);
        assert_eq!(
            shown.iter().map(|(_, address, _)| *address).collect::<Vec<_>>(),
            [SMALL],
            "one is drawn to"
        );
    }
}
