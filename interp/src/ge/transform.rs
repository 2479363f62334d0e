//! One vertex: decoded, skinned, transformed, lit, projected (4.3 to 5.9).

use super::generate::{self, Inputs};
use super::lighting;
use picaflor_pipeline::ge::decode::{ModelVertex, decode};
use picaflor_pipeline::ge::number::{add, mul};
use picaflor_pipeline::ge::project::project;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::VertexBatch;
use picaflor_pipeline::ge::vector::{Direction, Stations, direction, point, skinning};
use picaflor_pipeline::ge::vertex::Vertex;

/// Substitute for an infinite fog slope (from a game).
const STEEP: f64 = 262_144.0;
/// No fog.
const CLEAR: u8 = 255;

/// The vertex of index `index`.
pub(super) fn vertex(batch: &VertexBatch<'_>, index: u32) -> Vertex {
    let registers = batch.registers;
    let model = decode(batch, registers.vertex_type(), index);
    let vertex = match registers.is_through() {
        true => through(batch, &model),
        false => transformed(batch, &model),
    };
    let texture = if registers.is_on(op::TME) { vertex.texture } else { [0.0, 0.0, 1.0] };
    Vertex { texture, ..vertex }
}

/// Through mode (5.9).
fn through(batch: &VertexBatch<'_>, model: &ModelVertex) -> Vertex {
    let [x, y, z] = model.position;
    let [u, v] = model.texture.unwrap_or(batch.remembered.texture);
    Vertex {
        clip: [0.0, 0.0, 0.0, 1.0],
        texture: [u, v, 1.0],
        x: through_sixteenths(x),
        y: through_sixteenths(y),
        // The cast truncates and clamps.
        z: i32::from(z as u16),
        colour: model.colour.unwrap_or(batch.registers.default_colour()),
        secondary: 0,
        fog: CLEAR,
        outside: 0,
        reserved: [0; 2],
    }
}

/// The cast truncates and clamps.
fn through_sixteenths(pixels: f64) -> i32 {
    (pixels * 16.0) as i32
}

/// Normal mode (5.1).
fn transformed(batch: &VertexBatch<'_>, model: &ModelVertex) -> Vertex {
    let (registers, matrices) = (batch.registers, batch.matrices);
    let (position, normal) = skinned(batch, model);
    let stations = Stations::of(position, matrices);
    let world_normal = lighting_normal(registers, normal, &matrices.world.map(f64::from));
    let projected = project(stations.clip, registers);
    let [colour, secondary] = match registers.is_on(op::LTE) {
        true => lighting::light(registers, stations.world, world_normal, model.colour),
        false => [model.colour.unwrap_or(registers.default_colour()), 0],
    };
    let inputs = Inputs {
        position: model.position,
        coordinates: model.texture.unwrap_or(batch.remembered.texture),
        normal: reversed(registers, normal),
        world_normal,
    };
    Vertex {
        clip: stations.clip,
        texture: generate::texture(registers, matrices, &inputs),
        x: projected.x,
        y: projected.y,
        z: projected.z,
        colour,
        secondary,
        fog: if registers.is_on(op::FGE) { fog(registers, stations.view[2]) } else { CLEAR },
        outside: projected.outside,
        reserved: [0; 2],
    }
}

/// Position and normal in model space, moved by bones (4.6).
fn skinned(batch: &VertexBatch<'_>, model: &ModelVertex) -> ([f64; 3], [f64; 3]) {
    let normal = model.normal.unwrap_or(batch.remembered.normal);
    match batch.registers.vertex_type().weight_count() {
        0 => (model.position, normal),
        count => {
            let matrix = skinning(&model.weights, count, &batch.matrices.bones);
            (point(model.position, &matrix), direction(normal, &matrix))
        }
    }
}

/// The normal that lights see (6.1).
fn lighting_normal(registers: &Registers, normal: [f64; 3], world: &[f64; 12]) -> [f64; 3] {
    let unit = Direction::of(direction(normal, world)).map_or([0.0, 0.0, 1.0], |normal| normal.unit);
    reversed(registers, unit)
}

/// The normal, reversed if RNORM is set.
fn reversed(registers: &Registers, normal: [f64; 3]) -> [f64; 3] {
    if registers.is_on(op::RNORM) { normal.map(|component| -component) } else { normal }
}

/// The fog coefficient (5.7).
fn fog(registers: &Registers, view_z: f64) -> u8 {
    let (end, slope) = (registers.float(op::FFAR), registers.float(op::FDIST));
    if !end.is_finite() {
        let is_clear = slope != 0.0 && end.is_sign_positive() == slope.is_sign_positive();
        return if is_clear { CLEAR } else { 0 };
    }
    let slope = if slope.is_finite() { f64::from(slope) } else { STEEP.copysign(f64::from(slope)) };
    let f = mul(add(view_z, f64::from(end)), slope);
    // The cast clamps, and makes 0 of a NaN.
    (f * 256.0).floor() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fog_of(end: f32, slope: f32, view_z: f64) -> u8 {
        let mut registers = Registers::default();
        for (command, value) in [(op::FFAR, end), (op::FDIST, slope)] {
            registers.write(u32::from(command) << 24 | value.to_bits() >> 8);
        }
        fog(&registers, view_z)
    }

    #[test]
    fn fog_is_a_slope() {
        assert_eq!(
            [-4.0, -5.0, -7.0, -7.99, -8.0, -9.0].map(|z| fog_of(8.0, 0.25, z)),
            [255, 192, 64, 0, 0, 0]
        );
        assert_eq!(fog_of(8.0, 0.25, f64::NAN), 0);
    }

    #[test]
    fn endless_fog() {
        let infinity = f32::INFINITY;
        let ends = [(infinity, 1.0), (-infinity, 1.0), (infinity, -1.0), (-infinity, -1.0), (infinity, 0.0)];
        assert_eq!(ends.map(|(end, slope)| fog_of(end, slope, -1.0)), [255, 0, 0, 255, 0]);
        assert_eq!([-1.0, -1.5].map(|z| fog_of(1.25, infinity, z)), [255, 0]);
        assert_eq!([-1.0, -1.5].map(|z| fog_of(1.25, -infinity, z)), [0, 255]);
    }

    #[test]
    fn through_positions_are_truncated() {
        assert_eq!([1.99, -1.99, 0.03, -0.03].map(through_sixteenths), [31, -31, 0, 0]);
        assert_eq!([1e30, -1e30, f64::NAN].map(through_sixteenths), [i32::MAX, i32::MIN, 0]);
    }
}
