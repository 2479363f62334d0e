//! The oracle of the GE: vertices and pixels, interpreted beside psp-ge.md. Section numbers are of that document.
//!
//! * `transform.rs` takes one vertex from its records to clip and screen space (4, 5).
//! * `generate.rs` makes texture coordinates (5.8), `lighting.rs` colours (6), `power.rs` the powers of it (6.4).
//! * `pixel` shades what the rasterizer covers (8 to 10).

mod generate;
mod lighting;
mod pixel;
mod power;
mod transform;

use crate::Interpreter;
use picaflor_pipeline::ge::stage::{TransformStage, VertexBatch};
use picaflor_pipeline::ge::vertex::Vertex;

impl TransformStage for Interpreter {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        out.clear();
        out.extend(batch.indices.iter().map(|&index| transform::vertex(batch, index)));
    }
}

#[cfg(test)]
mod tests;
