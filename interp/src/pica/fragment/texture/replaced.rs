//! Images of the host in place of textures.

use super::image::Image;
use super::{Unit, lod};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::regs::texture::TextureType;
use picaflor_pipeline::pica::stage::FragmentState;
use picaflor_pipeline::pica::surface::feedback;
use picaflor_pipeline::texture::Texture;
use std::ops::Deref;

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

/// A level of a unit's texture as the host wants it: colours 0xAABBGGRR, the top row first.
#[derive(Debug, Clone)]
pub(crate) struct Replaced {
    /// Unit, face, level.
    place: [u32; 3],
    width: usize,
    height: usize,
    texels: Vec<u32>,
}

impl Replaced {
    /// The texel in column `i` and row `j`, counted upward.
    fn texel(&self, [i, j]: [i32; 2]) -> [u8; 4] {
        let row = self.height - 1 - j as usize;
        self.texels[row * self.width + i as usize].to_le_bytes()
    }
}

/// The texel of a level, if the host has an image for it.
pub(super) fn texel(images: &[Replaced], place: [u32; 3], at: [i32; 2]) -> Option<[u8; 4]> {
    images.iter().find(|image| image.place == place).map(|image| image.texel(at))
}

/// Shows the textures of a draw to the host.
pub(crate) fn replaced(state: &FragmentState<'_>) -> Vec<Replaced> {
    if state.memory.replacements().is_none() {
        return Vec::new();
    }
    let drawn = &Drawn { state: *state, replaced: &[] };
    (0..3).flat_map(|unit| of_unit(drawn, unit)).collect()
}

fn of_unit(drawn: &Drawn<'_>, number: usize) -> Vec<Replaced> {
    let unit = Unit { state: drawn, unit: number, probe: &() };
    let registers = drawn.registers;
    let faces: u32 = match unit.kind() {
        TextureType::TwoD | TextureType::Projection => 1,
        TextureType::Cube => 6,
        TextureType::Disabled | TextureType::Shadow2D | TextureType::ShadowCube => 0,
    };
    let is_off = !registers.texunit_config().enable(number) || unit.is_null();
    if is_off || unit.format().bits() == 0 || feedback::is_drawn_to(registers, drawn.memory, number) {
        return Vec::new();
    }
    let base = |face: u32| match faces {
        1 => registers.texture_address(number).bytes(),
        _ => registers.texture_face_address(face as u16).bytes(),
    };
    let levels = lod::top_level(registers.texture_lod(number), unit.size());
    let places = (0..faces).flat_map(|face| (0..=levels).map(move |level| (face, level)));
    places.map(|(face, level)| of_level(drawn.memory, unit, (face, level), base(face))).collect()
}

fn of_level(memory: &dyn Memory, unit: Unit<'_, ()>, (face, level): (u32, u32), base: u32) -> Replaced {
    let image = Image { memory, format: unit.format(), base, size: unit.size(), place: None };
    let (address, length) = image.bytes(level);
    let bytes: Vec<u8> = match memory.region(address, length) {
        Some(slice) => slice.to_vec(),
        None => (0..length).map(|n| memory.byte(address.wrapping_add(n))).collect(),
    };
    let stored = image.level(level);
    let [width, height] = stored.size();
    let places = (0..height).rev().flat_map(|j| (0..width).map(move |i| [i, j]));
    let mut texels: Vec<u32> = places.map(|place| u32::from_le_bytes(stored.texel(place))).collect();
    let format = unit.state.registers.texture_type(unit.unit).format() as u32;
    let texture = Texture::new(address, [width as u32, height as u32], format, &bytes).at(level, face);
    memory.replace(&texture, &mut texels);
    Replaced {
        place: [unit.unit as u32, face, level],
        width: width as usize,
        height: height as usize,
        texels,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Scene, at, fragment, image8};
    use super::*;
    use crate::host::{Host, texel_of};

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
        let image = |place, first: u32| Replaced {
            place,
            width: 3,
            height: 2,
            texels: (first..first + 6).map(|n| 0x0302_0100 + n).collect(),
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
        let images = replaced(&state);
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
        assert!(replaced(&with_host(&scene, &host)).is_empty());
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
}
