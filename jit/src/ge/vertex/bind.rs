//! From registers, matrices and the remembered vertex to the constants of a batch; each by itself, as each changes by itself.

use super::lights::{Lamp, Lights};
use super::way::{Fog, Way};
use crate::emit::ge::span::Doubles;
use crate::emit::ge::vertices::TransformConstants;
use crate::error::CompileError;
use crate::ge::key::TransformKey;
use crate::ge::key::vertex::Mapping;
use crate::ge::vector::Direction;
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::regs::light::{Light, LightComponents, LightKind};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::Remembered;
use picaflor_pipeline::ge::vertex_type::Element;

/// For values that the host kept between batches: they are checked before sums rely on it.
const REMEMBERED: i32 = -512;
/// Substitute for an infinite fog slope (from a game).
const STEEP: f64 = 262_144.0;
/// No fog.
const CLEAR: i32 = 255;

/// What the code of the key reads of the remembered vertex: nothing that records have themselves. The rest is 0, so that
/// changes of it count for nothing.
pub(super) fn read(key: &TransformKey, remembered: &Remembered) -> Remembered {
    let lacks = |element| element == Element::None;
    let reads_texture = key.texture.reads_coordinates() && lacks(key.vertex_type.texture());
    let reads_normal = key.reads_normal() && lacks(key.vertex_type.normal());
    Remembered {
        texture: if reads_texture { remembered.texture } else { [0.0; 2] },
        normal: if reads_normal { remembered.normal } else { [0.0; 3] },
    }
}

/// Fills the constants that follow from the remembered vertex, as far as it is [`read`].
///
/// # Errors
/// [`CompileError::UnknownState`] if remembered values are smaller than sums rely on; then nothing is filled.
pub(super) fn bind_remembered(
    remembered: &Remembered,
    to: &mut TransformConstants,
) -> Result<(), CompileError> {
    let least = f64::from_bits(((REMEMBERED + 1023) as u64) << 52);
    let mut numbers = remembered.texture.iter().chain(&remembered.normal);
    if numbers.any(|number| number.abs() < least && *number != 0.0) {
        return Err(CompileError::UnknownState { what: "remembered values below the supported range" });
    }
    to.remembered_texture = remembered.texture.map(both);
    to.remembered_normal = remembered.normal.map(both);
    Ok(())
}

/// Fills the constants of code that follow from registers alone.
pub(super) fn bind_registers(key: &TransformKey, registers: &Registers, to: &mut TransformConstants) {
    for k in 0..key.vertex_type.morph_count() as u8 {
        to.morph[usize::from(k)] = both(registers.double(op::MW0 + k));
    }
    to.colour = [registers.default_colour().cast_signed(); 4];
}

/// Fills what follows from registers alone of the way to the screen.
pub(super) fn bind_way(key: &TransformKey, registers: &Registers, to: &mut Way) {
    if key.vertex_type.is_through() {
        return;
    }
    let viewport = registers.viewport();
    (to.scale, to.centre) = (viewport.scale, viewport.centre);
    to.offset = registers.drawing_offset();
    to.fog = fog(registers);
    to.texture_scale = [op::USCALE, op::VSCALE].map(|register| registers.double(register));
    to.texture_offset = [op::UOFFSET, op::VOFFSET].map(|register| registers.double(register));
}

/// Fills the matrices that vertices of the key are taken by.
pub(super) fn bind_matrices(key: &TransformKey, matrices: &Matrices, to: &mut Way) {
    if key.vertex_type.is_through() {
        return;
    }
    to.world = matrices.world.map(f64::from);
    to.view = matrices.view.map(f64::from);
    to.projection = matrices.projection.map(f64::from);
    to.has_plain_world = is_unturned(&matrices.world);
    to.has_no_view = matrices.view == IDENTITY;
    to.has_plain_projection = is_plain(&matrices.projection);
    let used = 12 * key.vertex_type.weight_count() as usize;
    for (to, &from) in to.bones[..used].iter_mut().zip(&matrices.bones) {
        *to = f64::from(from);
    }
    if key.texture.takes_matrix() {
        to.texture = matrices.texture.map(f64::from);
    }
}

/// No rotation, no translation.
const IDENTITY: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

/// Predicate: no rotation; scales and a translation at most.
fn is_unturned(world: &[f32; 12]) -> bool {
    [1, 2, 3, 5, 6, 7].iter().fold(true, |all, &n| all & (world[n] == 0.0))
}

/// Predicate: a projection as libraries make it, symmetric and in perspective.
fn is_plain(projection: &[f32; 16]) -> bool {
    let others = projection.iter().enumerate().filter(|(n, _)| !matches!(n, 0 | 5 | 10 | 11 | 14));
    others.fold(true, |all, (_, &element)| all & (element == 0.0))
}

const fn both(value: f64) -> Doubles {
    [value; 2]
}

fn fog(registers: &Registers) -> Fog {
    let (end, slope) = (registers.float(op::FFAR), registers.float(op::FDIST));
    if registers.is_on(op::FGE) && end.is_finite() {
        let slope = f64::from(slope);
        let slope = if slope.is_finite() { slope } else { STEEP.copysign(slope) };
        return Fog::Slope { end: f64::from(end), slope };
    }
    let agree = slope != 0.0 && end.is_sign_positive() == slope.is_sign_positive();
    Fog::Flat(if agree || !registers.is_on(op::FGE) { CLEAR } else { 0 })
}

fn unit_or_z(v: [f64; 3]) -> [f64; 3] {
    Direction::of(v).map_or([0.0, 0.0, 1.0], |direction| direction.unit)
}

/// Fills what lights and environments need, which follows from registers alone.
pub(super) fn bind_lights(key: &TransformKey, registers: &Registers, to: &mut Lights) {
    if key.texture == Mapping::Environment {
        let lights = registers.environment_lights();
        to.environment = lights.map(|n| unit_or_z(registers.light_position(n)));
    }
    let Some(lighting) = &key.lighting else { return };
    let material = registers.material(None);
    to.emission = channels(registers.arg(op::EMC));
    to.ambient = channels(registers.bits(op::ALA, 0, 8) << 24 | registers.arg(op::ALC));
    to.material = [material.ambient, material.diffuse, material.specular].map(channels);
    to.power = registers.double(op::SPOW);
    for (n, light) in lighting.lights.iter().enumerate() {
        if light.is_some() {
            to.lamps[n] = lamp(&registers.light(n as u8));
        }
    }
}

fn lamp(light: &Light) -> Lamp {
    let mut lamp = Lamp {
        position: light.position,
        attenuation: light.attenuation,
        exponent: f64::from(light.exponent),
        cutoff: f64::from(light.cutoff),
        colours: [light.ambient, light.diffuse, light.specular].map(channels),
        ..Lamp::default()
    };
    match light.kind {
        LightKind::Directional => {
            let to_light = unit_or_z(light.position);
            lamp.position = to_light;
            if light.components == LightComponents::DiffuseSpecular {
                lamp.half = unit_or_z([to_light[0], to_light[1], t16(to_light[2] + 1.0)]);
            }
        }
        // That of a spot without one is not compiled.
        LightKind::Spot => lamp.spot = unit_or_z(light.direction.map(f64::from)),
        LightKind::Point => {}
    }
    lamp
}

fn channels(colour: u32) -> [u16; 4] {
    colour.to_le_bytes().map(u16::from)
}
