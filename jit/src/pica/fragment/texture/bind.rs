//! The constants of texture units, and the images they point to.

use super::image_key::ImageKey;
use crate::emit::pica::constants::{LevelConstants, TextureConstants};
use crate::error::CompileError;
use crate::pica::key::fragment::output::OutputKey;
use crate::pica::key::fragment::texture::{Coordinates, Kind, Sampler, TextureKey, levels, param, size};
use crate::texture_cache::{Image, Images};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::FragmentState;
use picaflor_pipeline::pica::surface::feedback;
use picaflor_pipeline::pica::texel::TextureFormat;
use std::sync::{Arc, LazyLock};

/// `256 * log2(1 + k / 256)` to the nearest integer, of which there is no doubt: see `interp`.
pub(in super::super) static LOGARITHMS: LazyLock<[i32; 257]> =
    LazyLock::new(|| std::array::from_fn(|k| (256.0 * (1.0 + k as f64 / 256.0).log2()).round() as i32));

/// Ranges that the fragments of a draw may write: address and bytes of the colour and of the depth buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written([(u32, u32); 2]);

impl Written {
    /// Those of the target's buffers that the output changes.
    pub(crate) fn of(output: &OutputKey, mut target: [(u32, u32); 2]) -> Self {
        let kept = target.iter_mut().zip(output.writes()).filter(|&(_, writes)| !writes);
        kept.for_each(|(buffer, _)| buffer.1 = 0);
        Self(target)
    }
}

/// Fills the constants of the units that keys sample; the images that they point to go to `owners`.
///
/// # Errors
/// [`CompileError::UnknownState`] where the draw may write a texture that it reads: what a fragment reads then
/// depends on those before it, and on hardware on more than that (pica-fragment.md 7.10).
/// [`CompileError::Stopped`] if the run ends, [`CompileError::NoMemory`] without memory for an image.
pub(crate) fn bind(
    constants: &mut [TextureConstants; 3],
    (keys, written): (&[TextureKey; 3], Written),
    state: &FragmentState<'_>,
    cache: &mut impl Images<ImageKey>,
    owners: &mut Vec<Arc<Image>>,
) -> Result<(), CompileError> {
    for (unit, sampler) in keys.iter().enumerate().filter_map(|(unit, key)| Some((unit, key.sampler()?))) {
        let key = image_key(state, unit, sampler);
        if written.0.iter().any(|&bytes| key.reaches(bytes)) {
            return Err(CompileError::UnknownState { what: "a texture that overlaps the target" });
        }
        let image = cache.image(state.memory, key)?;
        fill(&mut constants[unit], state.registers, unit, (&key, &image));
        owners.push(image);
    }
    Ok(())
}

/// The image of a unit.
pub(super) fn image_key(state: &FragmentState<'_>, unit: usize, sampler: &Sampler) -> ImageKey {
    let registers = state.registers;
    let count = if sampler.coordinates == Coordinates::Direction { 6 } else { 1 };
    let address = |face: usize| match (face < count, count) {
        (false, _) => 0,
        (true, 1) => registers.texture_address(unit).bytes(),
        (true, _) => registers.texture_face_address(face as u16).bytes(),
    };
    let shadow = sampler.kind == Kind::Shadow;
    let size = size(registers, unit);
    let replaced = state.memory.replacements();
    ImageKey {
        faces: std::array::from_fn(address),
        count: count as u8,
        format: if shadow { TextureFormat::Rgba8 } else { registers.texture_type(unit).format() },
        shadow,
        size,
        levels: levels(param(registers, unit), registers.texture_lod(unit), size),
        replaced: replaced.filter(|_| !shadow && !feedback::is_drawn_to(registers, state.memory, unit)),
    }
}

fn fill(
    constants: &mut TextureConstants,
    registers: &Registers,
    unit: usize,
    (key, image): (&ImageKey, &Image),
) {
    let lod = registers.texture_lod(unit);
    let [r, g, b, a] = registers.texture_border(unit).channels();
    let ImageKey { size, levels: [_, top], .. } = *key;
    constants.logarithms = LOGARITHMS.as_ptr().expose_provenance() as u64;
    constants.size = size.map(|side| [side as f32; 4]);
    constants.border = [i32::from_le_bytes([a, b, g, r]); 4];
    constants.bias = [lod.bias().units(); 4];
    constants.least = [256 * i32::from(lod.min_level()); 4];
    constants.most = [256 * top as i32; 4];
    constants.face = [key.face_texels() as i32; 4];
    constants.shadow_bias = [(registers.texture_shadow().bias() << 1) as i32; 4];
    for (n, level) in (0..constants.levels.len()).zip(key.all_levels()) {
        let row = level_constants((key, image), level);
        let tables = &mut constants.tables;
        for axis in [0, 1] {
            tables.scale[axis][n] = row.scale[axis][0];
            tables.last[axis][n] = row.last[axis][0];
        }
        tables.width[n] = row.width[0];
        constants.levels[n] = row;
        tables.start[n] = ((constants.levels[n].texels - constants.levels[0].texels) / 4) as i32;
    }
}

fn level_constants((key, image): (&ImageKey, &Image), level: u32) -> LevelConstants {
    let size = key.level_size(level);
    LevelConstants {
        scale: size.map(|side| [side as f32; 4]),
        last: size.map(|side| [side as i32 - 1; 4]),
        twice: size.map(|side| [2 * side as i32 - 1; 4]),
        width: [size[0] as i32; 4],
        last_texel: [(size[0] * size[1]) as i32 - 1; 4],
        texels: key.address(image, level),
    }
}
