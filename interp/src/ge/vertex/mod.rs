//! One vertex: decoded, skinned, transformed, lit, projected (4.3 to 5.9).
//!
//! * `decode.rs` reads the record (4), `skin.rs` moves it by bones (4.6).
//! * `generate.rs` generates texture coordinates (5.8), `lighting.rs` colours (6), `power.rs` the power function of
//!   lighting (6.4), `fog.rs` the fog coefficient (5.7).
//! * `project.rs` divides, and finds what is outside (5.2 to 5.5).

pub(super) mod decode;
mod fog;
mod generate;
mod lighting;
mod power;
pub(super) mod project;
pub(super) mod skin;
#[cfg(test)]
mod tests;

use super::vector::{Direction, columns, direction, operands, point};
use decode::{Model, decode};
use generate::Inputs;
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::{Remembered, VertexBatch};
use picaflor_pipeline::ge::vertex::Vertex;
use project::project;
use skin::skinned;

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

/// The decoded components of a vertex, by name; those that the format omits are left out.
pub(super) fn components(batch: &VertexBatch<'_>, index: u32) -> Vec<(&'static str, Vec<f64>)> {
    let format = batch.registers.vertex_type();
    let Model { weights, texture, colour, normal, position } = decode(batch, format, index);
    let weights = weights[..format.weight_count().min(8) as usize].to_vec();
    let all = [
        ("weights", (!weights.is_empty()).then_some(weights)),
        ("texture", texture.map(|texture| texture.to_vec())),
        ("colour", colour.map(|colour| colour.to_le_bytes().map(f64::from).to_vec())),
        ("normal", normal.map(|normal| normal.to_vec())),
        ("position", Some(position.to_vec())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The components remembered after a batch (4.3): those of its last vertex, as decoded, before skinning.
pub(super) fn remembered(batch: &VertexBatch<'_>) -> Remembered {
    let Some(&last) = batch.indices.last() else { return batch.remembered };
    let model = decode(batch, batch.registers.vertex_type(), last);
    Remembered {
        texture: model.texture.unwrap_or(batch.remembered.texture),
        normal: model.normal.unwrap_or(batch.remembered.normal),
    }
}

/// Through mode (5.9).
fn through(batch: &VertexBatch<'_>, model: &Model) -> Vertex {
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

/// Stations of a position on its way to the screen (5.1).
pub(super) struct Stations {
    /// World space.
    world: [f64; 3],
    /// View space.
    view: [f64; 3],
    /// Clip space.
    pub(super) clip: [f64; 4],
}

impl Stations {
    /// The stations of a position in model space. Each product is truncated.
    pub(super) fn of(position: [f64; 3], matrices: &Matrices) -> Self {
        let world = point(position, &operands(&matrices.world));
        let view = point(world, &operands(&matrices.view));
        Self { world, view, clip: columns(view, &operands(&matrices.projection), true) }
    }
}

/// Normal mode (5.1).
fn transformed(batch: &VertexBatch<'_>, model: &Model) -> Vertex {
    let (registers, matrices) = (batch.registers, batch.matrices);
    let (position, normal) = skinned(batch, registers.vertex_type(), model);
    let stations = Stations::of(position, matrices);
    let world_normal = lighting_normal(registers, normal, &operands(&matrices.world));
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
        fog: if registers.is_on(op::FGE) { fog::coefficient(registers, stations.view[2]) } else { CLEAR },
        outside: projected.outside,
        reserved: [0; 2],
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
