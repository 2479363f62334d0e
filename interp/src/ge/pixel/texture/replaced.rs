//! Images of the host in place of textures.

use crate::ge::texel;
use crate::host::HostImages;
use picaflor_pipeline::ge::queue::is_drawn_to;
use picaflor_pipeline::ge::regs::texture::TextureFormat;
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::texel::Level;
use picaflor_pipeline::ge::vram::gather;
use picaflor_pipeline::texture::Texture;
use std::ops::Deref;
use std::sync::Arc;

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

/// Levels of the texture as the host wants them.
#[derive(Debug, Clone)]
pub(crate) enum Replaced {
    /// One that this draw has shown it.
    Shown(Image),
    /// Those that another engine has shown it.
    Lent(Arc<dyn HostImages>),
}

/// A level: colours 0xAABBGGRR, row by row.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    level: u8,
    width: u32,
    texels: Vec<u32>,
}

impl Replaced {
    fn texel(&self, level: u8, x: u32, y: u32) -> Option<u32> {
        match self {
            Self::Shown(image) if image.level == level => Some(image.texels[(y * image.width + x) as usize]),
            Self::Shown(_) => None,
            Self::Lent(images) => images.texel([0, 0, level.into()], [x, y]),
        }
    }
}

impl Drawn<'_> {
    /// The texel in column `x` and row `y` of a level, if the host has an image for it.
    pub(super) fn replaced(&self, level: u8, x: u32, y: u32) -> Option<u32> {
        self.replaced.iter().find_map(|images| images.texel(level, x, y))
    }
}

/// Shows the texture of a draw to the host; `None` if the run ends before.
pub(crate) fn replaced(state: &PixelState<'_>) -> Option<Vec<Replaced>> {
    let registers = state.registers;
    let is_shown = registers.is_textured() && Level::of(registers, 0).format != TextureFormat::Invalid;
    if state.memory.replacements().is_none() || !is_shown {
        return Some(Vec::new());
    }
    let last =
        if registers.texture_filter().mipmaps() { registers.texture_mode().max_level() as u8 } else { 0 };
    let levels = (0..=last).filter(|&level| !is_drawn_to(state, level));
    levels.map(|level| of_level(state, level).map(Replaced::Shown)).collect()
}

fn of_level(state: &PixelState<'_>, level: u8) -> Option<Image> {
    let size = state.registers.texture_size_log2(level).map(|log2| 1 << log2.min(REACH_LOG2));
    let mut texels = decoded(state, level, size)?;
    let layout = Level::of(state.registers, level);
    let bytes = gather(state.memory, state.maps, layout.address, layout.extent(size));
    let texture = Texture::new(layout.address, size, layout.format.code(), &bytes)
        .at(level.into(), 0)
        .with(layout.width, texel::palette_identity(state, level));
    state.memory.replace(&texture, &mut texels);
    Some(Image { level, width: size[0], texels })
}

/// The texels of a level, row by row; `None` if the run ends before.
fn decoded(state: &PixelState<'_>, level: u8, [width, height]: [u32; 2]) -> Option<Vec<u32>> {
    let mut texels = Vec::new();
    for y in 0..height {
        if state.memory.is_stopping() {
            return None;
        }
        texels.extend((0..width).map(|x| texel::texel(state, level, x, y, &())));
    }
    Some(texels)
}

#[cfg(test)]
mod tests {
    use super::super::super::rig::Rig;
    use super::*;
    use crate::Interpreter;
    use crate::host::{Host, Lent, texel_of};
    use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
    use picaflor_pipeline::ge::stage::{PixelStage as _, TileBatch, TileRoutine};
    use picaflor_pipeline::ge::target::Target;
    use picaflor_pipeline::ge::vram::VRAM;
    use picaflor_pipeline::rect::Rect;

    const BASE: u32 = 0x0880_0000;
    const LEVEL_1: u32 = BASE + 0x100;

    /// Colours of 32 bits: level 0 of 4x2 texels at [`BASE`], level 1 of 2x1 texels at [`LEVEL_1`], both with rows of
    /// 4 texels; level 2 exists, but the last level is 1. Texel n of a level is n, that of level 1 0x100 more.
    fn mipmapped() -> Rig {
        let mut rig = Rig::new(&[0x1e00_0001, 0xc300_0003, 0xc600_0004, 0xc201_0000]);
        rig.set(&[0xa080_0000, 0xa808_0004, 0xb800_0102, 0xa180_0100, 0xa908_0004, 0xb900_0001]);
        (0..8).for_each(|n| rig.poke(BASE + 4 * n, n));
        (0..2).for_each(|n| rig.poke(LEVEL_1 + 4 * n, 0x100 + n));
        rig
    }

    /// Addresses of the levels that are shown.
    fn shown(rig: &Rig) -> Vec<u32> {
        let host = Host::new(&rig.memory, true);
        replaced(&PixelState { memory: &host, ..rig.state().state });
        host.addresses()
    }

    /// Bytes of texels in a row.
    fn bytes(texels: &[u32]) -> Vec<u8> {
        texels.iter().flat_map(|texel| texel.to_le_bytes()).collect()
    }

    #[test]
    fn levels_with_their_texels() {
        let rig = mipmapped();
        let host = Host::new(&rig.memory, true);
        replaced(&PixelState { memory: &host, ..rig.state().state });
        let [large, small] = [(0..8).collect::<Vec<u32>>(), vec![0x100, 0x101]];
        let expected = [
            (Texture::new(BASE, [4, 2], 3, &bytes(&large)).with(4, 0), large),
            (Texture::new(LEVEL_1, [2, 1], 3, &bytes(&small)).at(1, 0).with(4, 0), small),
        ];
        assert_eq!(host.take(), expected);
    }

    #[test]
    fn texels_of_images() {
        let rig = mipmapped();
        let host = Host::new(&rig.memory, true);
        let state = PixelState { memory: &host, ..rig.state().state };
        let images = replaced(&state).expect("a run that goes on");
        let drawn = Drawn { state, replaced: &images };
        let large = [(0, 0, 0), (1, 0, 1), (3, 0, 3), (0, 1, 4), (2, 1, 6), (3, 1, 7)];
        for (x, y, n) in large {
            assert_eq!(drawn.replaced(0, x, y), Some(texel_of(BASE, n)), "{x}, {y}");
        }
        assert_eq!([0, 1].map(|x| drawn.replaced(1, x, 0)), [0, 1].map(|n| Some(texel_of(LEVEL_1, n))));
        assert_eq!(drawn.replaced(2, 0, 0), None, "not shown");
        assert_eq!(rig.state().replaced(0, 0, 0), None, "no images");
    }

    #[test]
    fn hosts_without_images_see_nothing() {
        let rig = mipmapped();
        let host = Host::new(&rig.memory, false);
        let images = replaced(&PixelState { memory: &host, ..rig.state().state });
        assert!(images.is_some_and(|images| images.is_empty()));
        assert!(host.take().is_empty());
    }

    #[test]
    fn draws_that_show_nothing() {
        let mut rig = mipmapped();
        assert_eq!(shown(&rig), [BASE, LEVEL_1]);
        rig.set(&[0xc600_0000]);
        assert_eq!(shown(&rig), [BASE], "mipmaps are off");
        rig.set(&[0xc300_000b]);
        assert!(shown(&rig).is_empty(), "no format");
        rig.set(&[0xc300_0003, 0x1e00_0000]);
        assert!(shown(&rig).is_empty(), "texturing is off");
        rig.set(&[0x1e00_0001, 0xd300_0001]);
        assert!(shown(&rig).is_empty(), "clear mode");
    }

    /// [`Memory::replace`](picaflor_pipeline::memory::Memory::replace): not where the draw draws, level by level.
    #[test]
    fn levels_that_are_drawn_to() {
        let mut rig = mipmapped();
        rig.set(&[0xa100_0000, 0xa904_0004]);
        assert_eq!(shown(&rig), [BASE], "level 1 begins at the first pixel");
        rig.set(&[0xa100_0010]);
        assert_eq!(shown(&rig), [BASE, VRAM + 16], "the drawing area has one pixel");
    }

    /// Sizes go beyond 512, coordinates do not.
    #[test]
    fn largest_size() {
        let mut rig = mipmapped();
        rig.set(&[0xc600_0000, 0xb800_000f]);
        let host = Host::new(&rig.memory, true);
        replaced(&PixelState { memory: &host, ..rig.state().state });
        assert_eq!(host.take()[0].0.size, [512, 1]);
    }

    /// Another engine has the images of level 1: the draw shows nothing.
    #[test]
    fn images_of_another_engine() {
        let rig = mipmapped();
        let images = [Replaced::Lent(Arc::new(Lent([0, 0, 1])))];
        let drawn = Drawn { replaced: &images, ..rig.state() };
        let texels = [(0, 3, 1), (1, 1, 0), (2, 0, 0)].map(|(level, x, y)| drawn.replaced(level, x, y));
        assert_eq!(texels, [None, Some(0x5010_0001), None]);
    }

    /// Draws one texel of level 0 for each of 4x2 pixels. Returns their number, and the first row.
    fn drawn(rig: &Rig, host: &Host<'_>, routine: &dyn TileRoutine) -> (u64, Vec<u32>) {
        let at = |x: i32, y: i32| Corner {
            texture: [x.into(), y.into(), 1.0],
            w: 1.0,
            x: 16 * x,
            y: 16 * y,
            z: 0,
            colour: u32::MAX,
            secondary: 0,
            fog: 255,
        };
        let [a, b] = [at(0, 0), at(4, 2)];
        let primitives = [Primitive { corners: [a, b, b], shape: Shape::Rectangle, reserved: 0 }];
        let state = PixelState { memory: host, ..rig.state().state };
        let target = Target::new(&rig.registers, rig.maps, &rig.memory).expect("VRAM is mapped");
        let tile = Rect { x0: 0, y0: 0, x1: 512, y1: 512 };
        let batch = TileBatch { state, primitives: &primitives, order: &[0], tile, target: &target };
        (routine.run(&batch), (0..4).map(|x| rig.peek(VRAM + 4 * x)).collect())
    }

    /// In through mode, with the texel as the colour.
    fn textured() -> Rig {
        let mut rig = mipmapped();
        rig.set(&[0x1280_0000, 0xc600_0000, 0xc900_0103]);
        rig
    }

    #[test]
    fn draws_with_images_of_another_engine() {
        let rig = textured();
        let host = Host::new(&rig.memory, true);
        let (pixels, row) = drawn(&rig, &host, &*Interpreter::pixels_with(Arc::new(Lent([0; 3]))));
        assert_eq!((pixels, row), (8, (0..4).map(|x| 0x10_0000 | x).collect()));
        assert!(host.take().is_empty());
    }

    /// Asked before each row: of two levels of two rows and one, the second is not shown, nor anything drawn.
    #[test]
    fn runs_that_end_while_levels_are_decoded() {
        let rig = mipmapped();
        for (ends_after, is_over, shown) in
            [(0, true, vec![]), (1, true, vec![]), (2, true, vec![BASE]), (3, false, vec![BASE, LEVEL_1])]
        {
            let host = Host::ending(&rig.memory, ends_after);
            let images = replaced(&PixelState { memory: &host, ..rig.state().state });
            assert_eq!((images.is_none(), host.addresses()), (is_over, shown), "{ends_after}");
            assert_eq!(host.asked(), 3.min(ends_after + 1));
        }
        let rig = textured();
        for (ends_after, pixels) in [(0, 0), (1, 0), (2, 8)] {
            let host = Host::ending(&rig.memory, ends_after);
            let routine = Interpreter::new().pixel_routine(&rig.state().state, &[]);
            let (found, row) = drawn(&rig, &host, &*routine);
            assert_eq!((found, row[3] != 0), (pixels, pixels != 0), "{ends_after}");
        }
    }
}
