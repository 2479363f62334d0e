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
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::raster::Primitive;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::blit::BlitStage;
use picaflor_pipeline::ge::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::stage::surface::{Surface, SurfaceBatch};
use picaflor_pipeline::ge::stage::{Remembered, TransformStage, VertexBatch};
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::ge::{bounding_box, decode, draw, patch, transfer};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::picture::Picture;

impl TransformStage for Interpreter {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        out.clear();
        out.extend(batch.indices.iter().map(|&index| transform::vertex(batch, index)));
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        decode::remembered_after(batch)
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        bounding_box::is_outside(batch)
    }

    fn immediate(&mut self, registers: &Registers) -> Vertex {
        draw::immediate::vertex(registers)
    }

    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        patch::Patches::of(batch).map(|surface| Box::new(surface) as _)
    }
}

impl PrimitiveStage for Interpreter {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        draw::assembly::primitives(batch, pending, out);
    }
}

impl BlitStage for Interpreter {
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        transfer::Transfer::perform(memory, registers, maps)
    }

    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
        frame.scanned(memory, maps)
    }
}

#[cfg(test)]
mod tests;
