//! Images of the host in place of textures.

use super::image::Image;
use super::{Unit, lod};
use crate::host::HostImages;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::regs::texture::TextureType;
use picaflor_pipeline::pica::stage::FragmentState;
use picaflor_pipeline::pica::surface::feedback;
use picaflor_pipeline::texture::Texture;
use std::ops::Deref;
use std::sync::Arc;

/// Bytes that are not in one piece of memory, read between two questions whether the run ends.
const PART: u32 = 4096;

/// The state of a draw, and the host's images for it.
#[derive(Clone, Copy)]
pub(crate) struct Drawn<'a> {
    pub(crate) state: FragmentState<'a>,
    pub(crate) replaced: &'a [Replaced],
}

impl<'a> Deref for Drawn<'a> {
    type Target = FragmentState<'a>;

    fn deref(&self) -> &FragmentState<'a> {
        &self.state
    }
}

/// Levels of textures as the host wants them.
#[derive(Debug, Clone)]
pub(crate) enum Replaced {
    /// One that this draw has shown it.
    Shown(Picture),
    /// Those that another engine has shown it.
    Lent(Arc<dyn HostImages>),
}

/// A level of a unit's texture: colours 0xAABBGGRR, the top row first.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    /// Unit, face, level.
    place: [u32; 3],
    width: usize,
    height: usize,
    texels: Vec<u32>,
}

impl Picture {
    /// The texel in column `i` and row `j`, counted upward.
    fn texel(&self, [i, j]: [i32; 2]) -> u32 {
        let row = self.height - 1 - j as usize;
        self.texels[row * self.width + i as usize]
    }
}

impl Replaced {
    fn texel(&self, place: [u32; 3], at: [i32; 2]) -> Option<u32> {
        match self {
            Self::Shown(picture) => (picture.place == place).then(|| picture.texel(at)),
            Self::Lent(images) => images.texel(place, at.map(|side| side as u32)),
        }
    }
}

/// The texel of a level in column `i` and row `j`, counted upward, if the host has an image for it.
pub(super) fn texel(images: &[Replaced], place: [u32; 3], at: [i32; 2]) -> Option<[u8; 4]> {
    images.iter().find_map(|images| images.texel(place, at)).map(u32::to_le_bytes)
}

/// Shows the textures of a draw to the host; `None` if the run ends before.
pub(crate) fn replaced(state: &FragmentState<'_>) -> Option<Vec<Replaced>> {
    if state.memory.replacements().is_none() {
        return Some(Vec::new());
    }
    let drawn = &Drawn { state: *state, replaced: &[] };
    let units = (0..3).map(|unit| Unit { state: drawn, unit, probe: &() });
    let levels = units.flat_map(|unit| levels(unit).into_iter().map(move |level| (unit, level)));
    levels.map(|(unit, level)| of_level(unit, level).map(Replaced::Shown)).collect()
}

/// A level, with the address of level 0 of its face.
struct Level {
    face: u32,
    level: u32,
    base: u32,
}

/// The levels of a unit that are shown.
fn levels(unit: Unit<'_, ()>) -> Vec<Level> {
    let (registers, number) = (unit.state.registers, unit.unit);
    let faces: u32 = match unit.kind() {
        TextureType::TwoD | TextureType::Projection => 1,
        TextureType::Cube => 6,
        TextureType::Disabled | TextureType::Shadow2D | TextureType::ShadowCube => 0,
    };
    let is_off = !registers.texunit_config().enable(number) || unit.is_null();
    if is_off || unit.format().bits() == 0 || feedback::is_drawn_to(registers, unit.state.memory, number) {
        return Vec::new();
    }
    let base = |face: u32| match faces {
        1 => registers.texture_address(number).bytes(),
        _ => registers.texture_face_address(face as u16).bytes(),
    };
    let last = lod::top_level(registers.texture_lod(number), unit.size());
    let of_face = |face| (0..=last).map(move |level| Level { face, level, base: base(face) });
    (0..faces).flat_map(of_face).collect()
}

fn of_level(unit: Unit<'_, ()>, Level { face, level, base }: Level) -> Option<Picture> {
    let memory = unit.state.memory;
    let image = Image { memory, format: unit.format(), base, size: unit.size(), place: None };
    let (address, length) = image.bytes(level);
    let bytes = read(memory, address, length)?;
    let stored = image.level(level);
    let [width, height] = stored.size();
    let mut texels = Vec::new();
    for j in (0..height).rev() {
        if memory.is_stopping() {
            return None;
        }
        texels.extend((0..width).map(|i| u32::from_le_bytes(stored.texel([i, j]))));
    }
    let format = unit.state.registers.texture_type(unit.unit).format() as u32;
    let texture = Texture::new(address, [width as u32, height as u32], format, &bytes).at(level, face);
    memory.replace(&texture, &mut texels);
    let (width, height) = (width as usize, height as usize);
    Some(Picture { place: [unit.unit as u32, face, level], width, height, texels })
}

/// Bytes of memory; `None` if the run ends before.
fn read(memory: &dyn Memory, address: u32, length: u32) -> Option<Vec<u8>> {
    if let Some(slice) = memory.region(address, length) {
        return Some(slice.to_vec());
    }
    let byte = |n: u32| {
        let is_over = n.is_multiple_of(PART) && memory.is_stopping();
        (!is_over).then(|| memory.byte(address.wrapping_add(n)))
    };
    (0..length).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Scene, at, fragment, image8};
    use super::*;
    use crate::Interpreter;
    use crate::host::{Host, Lent, texel_of};
    use picaflor_pipeline::memory::FlatMemory;
    use picaflor_pipeline::pica::raster::Triangle;
    use picaflor_pipeline::pica::stage::{FragmentStage as _, TileBatch, TileRoutine};
    use picaflor_pipeline::pica::surface::Target;
    use picaflor_pipeline::pica::vertex::SEMANTICS;
    use picaflor_pipeline::rect::Rect;

    /// Format I8 in its register.
    const I8: u32 = 7;
    const CUBE: u32 = 1 << 28;

    /// Value of a texel in column `i` and row `j`, counted upward.
    fn value(i: u32, j: u32) -> u8 {
        (7 * i + 13 * j) as u8
    }

    /// I8 in all units. Unit 0: 32x16 texels at 0x1000, level 1 at 0x1200; unit 1: 8x8 at 0x2000; unit 2, which is not
    /// enabled: 8x8 at 0x3000.
    fn scene() -> Scene {
        let mut bytes = vec![0; 0x3000];
        for (offset, size) in [(0, [32, 16]), (0x200, [16, 8]), (0x1000, [8, 8]), (0x2000, [8, 8])] {
            let image = image8(size, value);
            bytes[offset..offset + image.len()].copy_from_slice(&image);
        }
        let mut scene = Scene::new(&[(0x080, 3)], bytes);
        scene.set(&[(0x082, 32 << 16 | 16), (0x084, 1 << 16), (0x085, 0x1000 / 8), (0x08e, I8)]);
        scene.set(&[(0x092, 8 << 16 | 8), (0x095, 0x2000 / 8), (0x096, I8)]);
        scene.set(&[(0x09a, 8 << 16 | 8), (0x09d, 0x3000 / 8), (0x09e, I8)]);
        scene
    }

    fn with_host<'a>(scene: &'a Scene, host: &'a Host<'_>) -> FragmentState<'a> {
        FragmentState { memory: host, ..scene.state().state }
    }

    /// Addresses of the levels that are shown.
    fn shown(scene: &Scene) -> Vec<u32> {
        let host = Host::new(&scene.memory, true);
        replaced(&with_host(scene, &host));
        host.addresses()
    }

    /// Rows from the top one in the image, counted upward in coordinates.
    #[test]
    fn texel_of_an_image() {
        let image = |place, first: u32| {
            let texels = (first..first + 6).map(|n| 0x0302_0100 + n).collect();
            Replaced::Shown(Picture { place, width: 3, height: 2, texels })
        };
        let images = [image([1, 0, 2], 0), image([1, 4, 2], 0x10)];
        let red = |place, at| texel(&images, place, at).map(|[r, ..]| r);
        let of = |i, j| red([1, 0, 2], [i, j]);
        assert_eq!([of(0, 0), of(1, 0), of(2, 0)], [Some(3), Some(4), Some(5)]);
        assert_eq!([of(0, 1), of(1, 1), of(2, 1)], [Some(0), Some(1), Some(2)]);
        assert_eq!(red([1, 4, 2], [2, 1]), Some(0x12));
        for place in [[0, 0, 2], [1, 1, 2], [1, 0, 1]] {
            assert_eq!(red(place, [0, 0]), None, "{place:?}");
        }
        assert_eq!(texel(&images, [1, 0, 2], [0, 1]), Some([0, 1, 2, 3]));
    }

    #[test]
    fn levels_with_their_texels() {
        let scene = scene();
        let host = Host::new(&scene.memory, true);
        replaced(&with_host(&scene, &host));
        let expected = |address, [width, height]: [u32; 2], level| {
            let identity = Texture::new(address, [width, height], I8, &image8([width, height], value));
            let places = (0..height).rev().flat_map(|j| (0..width).map(move |i| (i, j)));
            let texels = places.map(|(i, j)| 0xff00_0000 | (u32::from(value(i, j)) * 0x1_0101));
            (identity.at(level, 0), texels.collect::<Vec<_>>())
        };
        let units = [(0x1000, [32, 16], 0), (0x1200, [16, 8], 1), (0x2000, [8, 8], 0)];
        assert_eq!(host.take(), units.map(|(address, size, level)| expected(address, size, level)));
    }

    /// The colour of a unit is that of the host's image.
    #[test]
    fn images_are_sampled() {
        let scene = scene();
        let host = Host::new(&scene.memory, true);
        let state = with_host(&scene, &host);
        let images = replaced(&state).expect("a run that goes on");
        let drawn = Drawn { state, replaced: &images };
        let colour = |unit, u, v| {
            let inputs = fragment(at(u), at(v), at(1.0));
            u32::from_le_bytes(super::super::sample(&drawn, unit, &inputs, &()))
        };
        assert_eq!(colour(0, 0.99, 0.99), texel_of(0x1000, 31), "the top row is the first");
        assert_eq!(colour(0, 0.0, 0.0), texel_of(0x1000, 15 * 32));
        assert_eq!(colour(1, 0.3, 0.99), texel_of(0x2000, 2));
    }

    #[test]
    fn hosts_without_images_see_nothing() {
        let scene = scene();
        let host = Host::new(&scene.memory, false);
        assert!(replaced(&with_host(&scene, &host)).is_some_and(|images| images.is_empty()));
        assert!(host.take().is_empty());
    }

    /// [`Memory::replace`]: not depth maps; nothing that has no texels.
    #[test]
    fn units_that_show_nothing() {
        let mut scene = scene();
        assert_eq!(shown(&scene), [0x1000, 0x1200, 0x2000]);
        scene.set(&[(0x080, 4)]);
        assert_eq!(shown(&scene), [0x3000]);
        scene.set(&[(0x080, 3), (0x095, 0)]);
        assert_eq!(shown(&scene), [0x1000, 0x1200], "no address");
        scene.set(&[(0x095, 0x2000 / 8), (0x092, 8 << 16)]);
        assert_eq!(shown(&scene), [0x1000, 0x1200], "no rows");
        scene.set(&[(0x092, 8 << 16 | 8), (0x08e, 14)]);
        assert_eq!(shown(&scene), [0x2000], "no format");
        scene.set(&[(0x08e, I8)]);
        for (kind, name) in [(2, "shadow"), (4, "shadow cube"), (5, "none")] {
            scene.set(&[(0x083, kind << 28)]);
            assert_eq!(shown(&scene), [0x2000], "{name}");
        }
        scene.set(&[(0x083, 3 << 28)]);
        assert_eq!(shown(&scene), [0x1000, 0x1200, 0x2000], "projection");
    }

    #[test]
    fn faces_of_a_cube() {
        let mut scene = scene();
        scene.set(&[(0x080, 1), (0x082, 8 << 16 | 8), (0x083, CUBE), (0x084, 0)]);
        (1..6_u16).for_each(|face| scene.set(&[(0x085 + face, 0x400 + 8 * u32::from(face))]));
        let host = Host::new(&scene.memory, true);
        replaced(&with_host(&scene, &host));
        let faces: Vec<_> = host.take().iter().map(|(texture, _)| (texture.face, texture.address)).collect();
        let expected = [(0, 0x1000), (1, 0x2040), (2, 0x2080), (3, 0x20c0), (4, 0x2100), (5, 0x2140)];
        assert_eq!(faces, expected);
    }

    /// [`Memory::replace`]: not where the draw draws, unit by unit.
    #[test]
    fn textures_that_are_drawn_to() {
        let mut scene = scene();
        scene.set(&[(0x113, 15), (0x11d, 0x1000 / 8), (0x11e, 1 << 24 | 7 << 12 | 8)]);
        assert_eq!(shown(&scene), [0x2000], "8x8 pixels of 32 bits lie on unit 0");
        scene.set(&[(0x11d, 0x1280 / 8)]);
        assert_eq!(shown(&scene), [0x1000, 0x1200, 0x2000], "they begin behind its last level");
    }

    /// Another engine has the images of unit 1: the draw shows nothing. Rows count upward.
    #[test]
    fn images_of_another_engine() {
        let scene = scene();
        let images = [Replaced::Lent(Arc::new(Lent([1, 0, 0])))];
        let drawn = Drawn { replaced: &images, ..scene.state() };
        let inputs = fragment(at(0.3), at(0.99), at(1.0));
        let colour = |unit| u32::from_le_bytes(super::super::sample(&drawn, unit, &inputs, &()));
        assert_eq!(colour(0), 0xff00_0000 | (u32::from(value(9, 15)) * 0x1_0101));
        assert_eq!(colour(1), 0x5010_0000 | 7 << 8 | 2);
    }

    const TARGET: u32 = 0x3800;

    /// The scene; the colour of unit 0 goes to 8x8 pixels at [`TARGET`].
    fn drawable() -> Scene {
        let mut scene = scene();
        for id in [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
            scene.set(&[(id, 0x000f_000f)]);
        }
        scene.set(&[(0x080, 1), (0x084, 0), (0x0c0, 0x0003_0003), (0x102, 3), (0x107, 0x0f00), (0x113, 15)]);
        scene.set(&[(0x116, 3), (0x11c, 0x3c00 / 8), (0x11d, TARGET / 8), (0x11e, 1 << 24 | 7 << 12 | 8)]);
        scene
    }

    /// Draws one colour to all pixels. Returns their number, and the bytes of the first.
    fn drawn(scene: &Scene, host: &Host<'_>, routine: &dyn TileRoutine) -> (u64, u32) {
        let (p, r) = ([[0.0; SEMANTICS]; 3], [1.0; 3]);
        let triangle =
            Triangle { x: [0, 256, 0], y: [0, 0, 256], z: [-0.5; 3], r, p, flat_colour: Some([0.0; 4]) };
        let state = with_host(scene, host);
        let target = Target::new(&scene.registers, &scene.memory);
        let tile = Rect { x0: 0, y0: 0, x1: 8, y1: 8 };
        let batch =
            TileBatch { state, triangles: &[triangle].as_slice().into(), order: &[0], tile, target: &target };
        (routine.run(&batch), picaflor_pipeline::memory::read_word(&scene.memory, TARGET))
    }

    #[test]
    fn draws_with_images_of_another_engine() {
        let scene = drawable();
        let host = Host::new(&scene.memory, true);
        let found = drawn(&scene, &host, &*Interpreter::fragments_with(Arc::new(Lent([0; 3]))));
        assert_eq!(found, (64, 0x5010_0000_u32.swap_bytes()));
        assert!(host.take().is_empty());
    }

    /// Asked before each row. What is not decoded then is not shown, nor is anything drawn.
    #[test]
    fn runs_that_end_while_levels_are_decoded() {
        let scene = scene();
        let all = [0x1000, 0x1200, 0x2000];
        for (ends_after, shown) in [(0, 0), (15, 0), (16, 1), (23, 1), (24, 2), (31, 2), (32, 3)] {
            let host = Host::ending(&scene.memory, ends_after);
            let images = replaced(&with_host(&scene, &host));
            assert_eq!(
                (images.is_some(), &host.addresses()[..]),
                (shown == 3, &all[..shown]),
                "{ends_after}"
            );
            assert_eq!(host.asked(), 32.min(ends_after + 1));
        }
        let scene = drawable();
        for (ends_after, pixels) in [(0, 0), (15, 0), (16, 64)] {
            let host = Host::ending(&scene.memory, ends_after);
            let routine = Interpreter::new().fragment_routine(&scene.state().state);
            let (found, word) = drawn(&scene, &host, &*routine);
            assert_eq!((found, word != 0), (pixels, pixels != 0), "{ends_after}");
        }
    }

    /// Asked too before each part of bytes that are not one region, of which level 0 has two.
    #[test]
    fn runs_that_end_while_bytes_are_read() {
        let mut scene = scene();
        scene.memory = FlatMemory::new(0x1000, vec![0; 0x100]);
        scene.set(&[(0x080, 1), (0x082, 128 << 16 | 64), (0x084, 0)]);
        for (ends_after, shown) in [(0, 0), (1, 0), (65, 0), (66, 1)] {
            let host = Host::ending(&scene.memory, ends_after);
            let images = replaced(&with_host(&scene, &host));
            assert_eq!((images.is_some(), host.take().len()), (shown == 1, shown), "{ends_after}");
            assert_eq!(host.asked(), 66.min(ends_after + 1));
        }
    }
}
