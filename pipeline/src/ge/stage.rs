//! The two seams between the GE and its engines: what both `interp` and `jit` implement.

use super::clut::Clut;
use super::matrices::Matrices;
use super::raster::{Primitive, Shape};
use super::regs::Registers;
use super::target::Target;
use super::vertex::Vertex;
use super::vram::AddressMaps;
use crate::guest_slice::GuestSlice;
use crate::memory::Memory;
use crate::rect::Rect;
use std::sync::Arc;

/// What a vertex component has that its format leaves out: the last one decoded (4.3).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Remembered {
    /// Texture coordinates.
    pub texture: [f64; 2],
    /// Normal.
    pub normal: [f64; 3],
}

/// Vertices to transform and light. Everything that decides the result is in here.
#[derive(Clone, Copy)]
pub struct VertexBatch<'a> {
    /// All registers as they are during the draw; VTYPE says what a record holds.
    pub registers: &'a Registers,
    /// All matrices as they are during the draw.
    pub matrices: &'a Matrices,
    /// What formats leave out.
    pub remembered: Remembered,
    /// Records one after the other from record 0 on; the record of each index lies inside.
    pub records: GuestSlice<'a>,
    /// Bytes from record to record: record size times morph count.
    pub stride: u32,
    /// Numbers of the records to transform.
    pub indices: &'a [u32],
}

/// A vertex engine.
pub trait TransformStage {
    /// Transforms and lights every vertex of the batch. `out` is emptied first, and then holds as many vertices as
    /// the batch has indices, in their order.
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>);
}

/// What the pixels of a draw depend on, beside the target.
#[derive(Clone, Copy)]
pub struct PixelState<'a> {
    /// All registers as they are during the draw. For immediate vertices the enables that the first vertex brings
    /// have replaced those of the registers.
    pub registers: &'a Registers,
    /// The colour look-up table.
    pub clut: &'a Clut,
    /// Guest memory, for textures.
    pub memory: &'a dyn Memory,
    /// How mirrors of VRAM are wired.
    pub maps: AddressMaps,
    /// Whether the vertices were immediate ones: these have fog in through mode too.
    pub is_immediate: bool,
}

/// Primitives to draw inside one tile of the target.
#[derive(Clone, Copy)]
pub struct TileBatch<'a> {
    /// What the pixels depend on.
    pub state: PixelState<'a>,
    /// The primitives of the draw.
    pub primitives: &'a [Primitive],
    /// Those that may touch the tile, in the order of submission, as indices into `primitives`.
    pub order: &'a [u32],
    /// The pixels of the tile, inside scissor and region.
    pub tile: Rect,
    /// The buffers. Nobody else uses the pixels of this tile meanwhile.
    pub target: &'a Target<'a>,
}

/// A way to draw tiles in one state. Workers share it.
pub trait TileRoutine: Send + Sync {
    /// Draws the primitives inside the tile, one after the other, each row by row downward and each row from left to
    /// right. Returns how many pixels were covered.
    fn run(&self, batch: &TileBatch<'_>) -> u64;
}

/// A pixel engine.
pub trait PixelStage {
    /// What draws tiles in this state. It is used only with batches of the same state and of primitives of this
    /// shape.
    fn pixel_routine(&mut self, state: &PixelState<'_>, shape: Shape) -> Arc<dyn TileRoutine>;

    /// A list begins to run: until it [stops](Self::list_ends), memory changes only through draws for which
    /// [`pixel_routine`](Self::pixel_routine) was called, and through what [`changed`](Self::changed) tells.
    fn list_begins(&mut self) {}

    /// The list stops.
    fn list_ends(&mut self) {}

    /// The machine wrote these bytes otherwise: a block transfer.
    fn changed(&mut self, address: u32, length: u32) {
        let _ = (address, length);
    }
}

/// Both seams: what a machine needs to run.
pub trait Stages: TransformStage + PixelStage {}

impl<T: TransformStage + PixelStage + ?Sized> Stages for T {}

/// Engines that do nothing, for reading what lists do without drawing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEngines;

impl TransformStage for NoEngines {
    fn transform(&mut self, _: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        out.clear();
    }
}

impl PixelStage for NoEngines {
    fn pixel_routine(&mut self, _: &PixelState<'_>, _: Shape) -> Arc<dyn TileRoutine> {
        Arc::new(*self)
    }
}

impl TileRoutine for NoEngines {
    fn run(&self, _: &TileBatch<'_>) -> u64 {
        0
    }
}
