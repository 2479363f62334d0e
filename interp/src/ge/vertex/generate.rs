//! Texture coordinates s, t, q (5.8).

use crate::ge::number::{add, mul};
use crate::ge::vector::{Direction, dot3, operands, point};
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::regs::transform::{MapSource, TextureMapping};
use picaflor_pipeline::ge::regs::{Registers, op};

/// Possible sources of texture coordinates.
pub(super) struct Inputs {
    /// Position in model space, before skinning (assumed).
    pub(super) position: [f64; 3],
    /// The vertex's own texture coordinates.
    pub(super) coordinates: [f64; 2],
    /// Normal in model space, skinned and reversed.
    pub(super) normal: [f64; 3],
    /// Normal in world space, of length 1.
    pub(super) world_normal: [f64; 3],
}

/// The texture coordinates of normal mode.
pub(super) fn texture(registers: &Registers, matrices: &Matrices, inputs: &Inputs) -> [f64; 3] {
    match registers.texture_mapping() {
        TextureMapping::Coordinates => scaled(registers, inputs.coordinates),
        TextureMapping::Matrix(source) => point(vector(source, inputs), &operands(&matrices.texture)),
        TextureMapping::Environment => environment(registers, inputs.world_normal),
    }
}

/// Truncated products and sums (assumed).
fn scaled(registers: &Registers, [u, v]: [f64; 2]) -> [f64; 3] {
    let s = add(mul(u, registers.double(op::USCALE)), registers.double(op::UOFFSET));
    let t = add(mul(v, registers.double(op::VSCALE)), registers.double(op::VOFFSET));
    [s, t, 1.0]
}

/// The vector that the texture matrix transforms. A normal of length 0 stays so (measured: texmtx/normals).
fn vector(source: MapSource, inputs: &Inputs) -> [f64; 3] {
    match source {
        MapSource::Position => inputs.position,
        MapSource::Coordinates => [inputs.coordinates[0], inputs.coordinates[1], 0.0],
        MapSource::NormalisedNormal => Direction::of(inputs.normal).map_or([0.0; 3], |normal| normal.unit),
        MapSource::Normal => inputs.normal,
    }
}

/// Environment coordinates: (1 + cosine) / 2 of the angle between the normal and each of two lights, enabled or not.
fn environment(registers: &Registers, normal: [f64; 3]) -> [f64; 3] {
    let [s, t] = registers.environment_lights().map(|n| {
        let light = Direction::of(registers.light_position(n)).map_or([0.0, 0.0, 1.0], |light| light.unit);
        mul(add(1.0, dot3(light, normal)), 0.5)
    });
    [s, t, 1.0]
}
