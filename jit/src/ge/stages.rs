//! The engine as both seams of the GE.

use super::pixel;
use crate::machines::Engine;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileRoutine, TransformStage, VertexBatch};
use picaflor_pipeline::ge::vertex::Vertex;
use std::sync::Arc;

impl TransformStage for Engine {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        self.ge.transforms.transform(&mut self.core, batch, out);
    }
}

impl PixelStage for Engine {
    fn list_begins(&mut self) {
        self.textures.list_begins();
    }

    fn list_ends(&mut self) {
        self.textures.list_ends();
    }

    fn changed(&mut self, address: u32, length: u32) {
        self.textures.changed((address, length));
    }

    fn pixel_routine(&mut self, state: &PixelState<'_>, shape: Shape) -> Arc<dyn TileRoutine> {
        pixel::stage::pixel_routine(&mut self.core, &mut self.textures, state, shape)
    }
}
