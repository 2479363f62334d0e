//! The engine as the seams of the GE.

use super::vertex::decode;
use super::{blit, bounding_box, immediate, pixel, primitive, surface, trace};
use crate::code::fp_mode;
use crate::machines::Engine;
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::blit::BlitStage;
use picaflor_pipeline::ge::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::stage::surface::{Surface, SurfaceBatch};
use picaflor_pipeline::ge::stage::{
    PixelStage, PixelState, Remembered, TileRoutine, TransformStage, VertexBatch,
};
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::picture::{Picture, PictureBuffer, PictureError};
use picaflor_pipeline::tile::Workers;
use std::sync::Arc;

impl TransformStage for Engine {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        self.ge.transforms.transform(&mut self.core, batch, out);
        self.core.tracer.vertices(batch.indices, |position| fp_mode::ieee(|| trace::vertex(batch, position)));
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        decode::remembered_after(batch)
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        bounding_box::is_outside(batch)
    }

    fn is_unseen(&mut self, batch: &VertexBatch<'_>, shape: Shape) -> bool {
        self.core.compiles() && self.ge.visibility.is_unseen(batch, shape)
    }

    fn immediate(&mut self, registers: &Registers) -> Vertex {
        immediate::vertex(registers)
    }

    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        surface::Patches::of(batch).map(|surface| Box::new(surface) as _)
    }
}

impl PrimitiveStage for Engine {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        primitive::primitives(batch, pending, out);
    }
}

impl BlitStage for Engine {
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        blit::Transfer::perform(memory, registers, maps)
    }

    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
        blit::picture(memory, maps, frame)
    }

    fn scan_out_into(
        &mut self,
        memory: &dyn Memory,
        maps: AddressMaps,
        frame: &FrameBuffer,
        buffer: &mut PictureBuffer<'_>,
    ) -> Result<(), PictureError> {
        blit::picture_into(memory, maps, frame, buffer)
    }
}

impl PixelStage for Engine {
    fn list_begins(&mut self) {
        self.textures.list_begins();
    }

    fn list_ends(&mut self) {
        self.textures.list_ends();
    }

    fn workers(&mut self) -> Option<&mut Workers> {
        Some(&mut self.workers)
    }

    fn is_full(&mut self) -> bool {
        self.textures.is_full()
    }

    fn next_draw(&mut self, pixels: u64) {
        self.ge.pixels.next = pixels;
    }

    fn changed(&mut self, address: u32, length: u32) {
        self.textures.written((address, length));
    }

    fn pixel_routine(&mut self, state: &PixelState<'_>, primitives: &[Primitive]) -> Arc<dyn TileRoutine> {
        pixel::stage::pixel_routine(
            &mut self.core,
            &mut self.ge.pixels,
            &mut self.textures,
            state,
            primitives,
        )
    }
}
