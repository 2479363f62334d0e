//! From shaded vertices to triangles in the window: one vertex, one triangle, one plane at a time.
//!
//! ```text
//!  stream ──► assembly ──► quaternion ──► clip ──► fan ──► window ──► Triangle
//!             topology      signs         planes          division, viewport, culling
//! ```
//!
//! Arithmetic is binary32, each operation rounded on its own, in the order of the manual, in both profiles of precision
//! (pica-geometry.md 5.5).
//!
//! Source: pica-geometry.md 4.2, 5.2-5.6, 6.1.

mod assembly;
mod clip;
mod quaternion;
#[cfg(test)]
mod tests;
mod window;

use crate::Interpreter;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::raster::triangles::Triangles;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::geometry::Topology;
use picaflor_pipeline::pica::stage::primitive::{
    PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives, StreamVertex,
};
use picaflor_pipeline::pica::vertex::SEMANTICS;

/// A vertex in clip space: the values of all semantics.
type Vertex = [f32; SEMANTICS];

impl PrimitiveStage for Interpreter {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Primitives,
    ) {
        let topology = batch.registers.primitive_config().topology();
        for &entry in batch.stream {
            // The winding flag has an effect in this topology alone (measured on a console, pica-geometry.md 4.1).
            if entry.reverses() && topology == Topology::Geometry {
                pending.is_reversed = true;
            }
            if let Some(corners) = assembly::push(topology, pending, vertex(batch, entry)) {
                draw(batch.registers, corners, &mut out.triangles);
                out.ends.push(out.triangles.len() as u32);
            }
        }
    }
}

/// A vertex of the batch.
fn vertex(batch: &PrimitiveBatch<'_>, entry: StreamVertex) -> Vertex {
    std::array::from_fn(|k| batch.vertices.component(k)[entry.position()])
}

/// Takes an assembled triangle through the remaining steps and appends the parts that are left of it.
fn draw(registers: &Registers, mut corners: [Vertex; 3], out: &mut Triangles) {
    // Before clipping: the third vertex as assembled, which is the newest (pica-geometry.md 6.4).
    let [_, _, third] = &corners;
    let flat_colour = registers.flat_colour().enable().then(|| [8, 9, 10, 11].map(|k| third[k]));
    quaternion::align(&mut corners);
    for part in fan(&clip::clip(registers, corners)) {
        out.extend(window::triangle(registers, &part).map(|part| Triangle { flat_colour, ..part }));
    }
}

/// The triangles of a convex polygon, all with its first vertex.
fn fan(polygon: &[Vertex]) -> Vec<[Vertex; 3]> {
    let Some((first, rest)) = polygon.split_first() else { return Vec::new() };
    rest.windows(2).map(|pair| [*first, pair[0], pair[1]]).collect()
}
