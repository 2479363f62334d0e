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
    use super::*;
    use crate::pica::fragment::texture::testing::{Scene, image8};
    use picaflor_pipeline::guest_slice::GuestSlice;
    use std::sync::Mutex;

    /// Face, level, address and texels of a texture.
    type Shown = (u32, u32, u32, Vec<u32>);

    /// Memory of a host that puts its own images in place of all: texel n is n, and 1000 more for each face.
    struct Host<'a> {
        memory: &'a dyn Memory,
        shown: Mutex<Vec<Shown>>,
    }

    impl Memory for Host<'_> {
        fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
            self.memory.region(address, length)
        }

        fn replacements(&self) -> Option<u64> {
            Some(1)
        }

        fn replace(&self, texture: &Texture, texels: &mut [u32]) {
            let &Texture { face, level, address, .. } = texture;
            self.shown.lock().unwrap().push((face, level, address, texels.to_vec()));
            (0..).zip(texels).for_each(|(n, texel)| *texel = 1000 * face + n);
        }
    }

    /// Unit 0 with 8 by 16 luminances `i + 10 j` at 0x1000, the row `j` counted upward.
    fn scene(words: &[(u16, u32)]) -> Scene {
        let bytes = image8([8, 16], |i, j| (i + 10 * j) as u8);
        let mut scene = Scene::new(
            &[(0x080, 1), (0x082, 8 << 16 | 16), (0x083, 0), (0x084, 0), (0x085, 0x1000 >> 3), (0x08e, 7)],
            bytes.repeat(8),
        );
        scene.set(words);
        scene
    }

    fn images(scene: &Scene) -> (Vec<Shown>, Vec<Replaced>) {
        let host = Host { memory: &scene.memory, shown: Mutex::default() };
        let images = replaced(&FragmentState { memory: &host, ..scene.state().state });
        (host.shown.into_inner().unwrap(), images)
    }

    #[test]
    fn a_level_is_shown_from_the_top_and_replaced() {
        let (shown, images) = images(&scene(&[]));
        let grey = |value: u32| 0xff00_0000 | value * 0x01_0101;
        let rows = (0..16).rev().flat_map(|j| (0..8).map(move |i| grey(i + 10 * j)));
        assert_eq!(shown, [(0, 0, 0x1000, rows.collect())]);
        for [i, j] in [[0, 0], [7, 0], [3, 2], [0, 15], [5, 14]] {
            let n = (15 - j) * 8 + i;
            assert_eq!(texel(&images, [0, 0, 0], [i, j]), Some(n.to_le_bytes()), "{i} {j}");
        }
        for place in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
            assert_eq!(texel(&images, place, [0, 0]), None);
        }
    }

    #[test]
    fn faces_have_their_addresses() {
        let mut words = vec![(0x082, 8 << 16 | 8), (0x083, 1 << 28)];
        words.extend((0x086..=0x08a).map(|register| (register, 0x200 + 8 * (u32::from(register) - 0x085))));
        let (shown, images) = images(&scene(&words));
        let places: Vec<_> = shown.iter().map(|&(face, level, address, _)| (face, level, address)).collect();
        assert_eq!(places, [0, 1, 2, 3, 4, 5].map(|face| (face, 0, 0x1000 + 64 * face)));
        assert_eq!(texel(&images, [0, 4, 0], [1, 7]), Some(4001_u32.to_le_bytes()));
    }

    /// Unit 1 has an address of its own, and no faces.
    #[test]
    fn other_units() {
        let words = [(0x080, 2), (0x092, 8 << 16 | 16), (0x094, 0), (0x095, 0x1080 >> 3), (0x096, 7)];
        let (shown, images) = images(&scene(&words));
        assert_eq!(shown.iter().map(|&(.., address, _)| address).collect::<Vec<_>>(), [0x1080]);
        assert_eq!(texel(&images, [1, 0, 0], [0, 15]), Some([0; 4]));
        assert_eq!(texel(&images, [0, 0, 0], [0, 15]), None);
    }

    #[test]
    fn what_is_not_shown() {
        assert!(replaced(&scene(&[]).state().state).is_empty(), "a host without images");
        let target = [(0x11d, 0x1000 >> 3), (0x11e, 1 << 24 | 15 << 12 | 16), (0x112, 15), (0x113, 15)];
        for (words, what) in [
            (&[(0x080, 0)][..], "off"),
            (&[(0x082, 0)], "no size"),
            (&[(0x08e, 14)], "no format"),
            (&[(0x083, 2 << 28)], "depths"),
            (&[(0x083, 5 << 28)], "disabled"),
            (&target, "drawn to"),
        ] {
            assert_eq!(images(&scene(words)).0, [], "{what}");
        }
    }
}
