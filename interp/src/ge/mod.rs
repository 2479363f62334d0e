//! The oracle of the GE: interpreter of vertices and pixels after psp-ge.md. Section numbers refer to that document.
//!
//! * `transform.rs` transforms one vertex from its record to clip and screen space (4, 5).
//! * `generate.rs` generates texture coordinates (5.8), `lighting.rs` colours (6), `power.rs` the power function of
//!   lighting (6.4).
//! * `pixel` shades the covered pixels (8 to 10).

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
