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
