//! `Undrawn`: an engine that draws nothing.

use picaflor_interp::Interpreter;
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::raster::Primitive;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::blit::BlitStage;
use picaflor_pipeline::ge::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::stage::surface::{Surface, SurfaceBatch};
use picaflor_pipeline::ge::stage::{
    NoEngines, PixelStage, PixelState, Remembered, TileRoutine, TransformStage, VertexBatch,
};
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::picture::Picture;
use std::sync::Arc;

/// Stages that transform vertices, as drawing needs them, and draw nothing.
pub(super) struct Undrawn(pub(super) Interpreter);

impl TransformStage for Undrawn {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        self.0.transform(batch, out);
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        self.0.remembered(batch)
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        self.0.is_outside(batch)
    }

    fn immediate(&mut self, registers: &Registers) -> Vertex {
        self.0.immediate(registers)
    }

    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        self.0.surface(batch)
    }
}

impl PrimitiveStage for Undrawn {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        self.0.primitives(batch, pending, out);
    }
}

impl BlitStage for Undrawn {
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        self.0.block_transfer(memory, registers, maps)
    }

    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
        self.0.scan_out(memory, maps, frame)
    }
}

impl PixelStage for Undrawn {
    fn pixel_routine(&mut self, state: &PixelState<'_>, primitives: &[Primitive]) -> Arc<dyn TileRoutine> {
        NoEngines.pixel_routine(state, primitives)
    }
}
