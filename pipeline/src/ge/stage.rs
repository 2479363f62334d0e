//! The seams between the GE and its engines, implemented by both `interp` and `jit`.

pub mod blit;
pub mod primitive;
pub mod surface;

use super::clut::Clut;
use super::display::{self, FrameBuffer};
use super::matrices::Matrices;
use super::raster::{Primitive, Shape};
use super::regs::Registers;
use super::target::Target;
use super::vertex::Vertex;
use super::vram::AddressMaps;
use crate::fault::Fault;
use crate::guest_slice::GuestSlice;
use crate::memory::Memory;
use crate::picture::Picture;
use crate::rect::Rect;
use crate::tile::Workers;
use blit::BlitStage;
use primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use std::sync::Arc;
use surface::{Surface, SurfaceBatch};

/// Values of vertex components that a format omits: the last ones decoded (4.3).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Remembered {
    /// Texture coordinates.
    pub texture: [f64; 2],
    /// Normal.
    pub normal: [f64; 3],
}

/// Vertices to transform and light. The result depends on nothing else.
#[derive(Clone, Copy)]
pub struct VertexBatch<'a> {
    /// All registers during the draw; VTYPE describes the records.
    pub registers: &'a Registers,
    /// All matrices during the draw. Elements are floats of 24 bits; engines may differ where one has more.
    pub matrices: &'a Matrices,
    /// Values of omitted components: 16 significant bits, as those that records have.
    pub remembered: Remembered,
    /// Records, contiguous from record 0 on; the record of each index lies inside.
    pub records: GuestSlice<'a>,
    /// Bytes from record to record: record size times morph count.
    pub stride: u32,
    /// Indices of the records to transform.
    pub indices: &'a [u32],
    /// Memory of the list, which may [end](Memory::is_stopping) while the engine waits for code, or decodes the 65,025 control
    /// points of a [surface](SurfaceBatch).
    pub memory: &'a dyn Memory,
}

/// A vertex engine.
pub trait TransformStage {
    /// Transforms and lights every vertex of the batch. `out` is cleared first; it then holds one vertex for each
    /// index of the batch, in that order.
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>);

    /// The components remembered after the batch, for later formats that omit them (4.3).
    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered;

    /// The bounding box test (7.8): true if the vertices of the batch, which are those to be tested, are outside. An
    /// empty batch is.
    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool;

    /// True if the engine can exclude that a primitive of the shape whose corners lie inside the convex hull of the batch's positions
    /// covers a pixel of the drawing area: the machine then neither transforms nor assembles what stays of no use. An
    /// engine that does not look into it returns false.
    fn is_unseen(&mut self, batch: &VertexBatch<'_>, shape: Shape) -> bool {
        let _ = (batch, shape);
        false
    }

    /// The vertex in the registers of immediate mode (7.9).
    fn immediate(&mut self, registers: &Registers) -> Vertex;

    /// The surface of the control points; `None` without one: with fewer than four in a direction, without positions, or
    /// where the run ends.
    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>>;
}

/// State on which the pixels of a draw depend, beside the target.
#[derive(Clone, Copy)]
pub struct PixelState<'a> {
    /// All registers during the draw. For immediate vertices, the enables of the first vertex replace those of the
    /// registers.
    pub registers: &'a Registers,
    /// The colour look-up table.
    pub clut: &'a Clut,
    /// Guest memory, for textures.
    pub memory: &'a dyn Memory,
    /// Wiring of the VRAM mirrors.
    pub maps: AddressMaps,
    /// True for immediate vertices: these have fog in through mode too.
    pub is_immediate: bool,
}

/// Primitives to draw inside one tile of the target.
#[derive(Clone, Copy)]
pub struct TileBatch<'a> {
    /// State on which the pixels depend.
    pub state: PixelState<'a>,
    /// The primitives of the draw, and perhaps those of others, which may be of other shapes.
    pub primitives: &'a [Primitive],
    /// Indices into `primitives` of those of the draw that may touch the tile, in the order of submission.
    pub order: &'a [u32],
    /// The pixels of the tile, inside the drawing area.
    pub tile: Rect,
    /// The buffers. During the call, the pixels of this tile are accessed by this batch alone.
    pub target: &'a Target<'a>,
}

/// A routine that draws tiles in one state. Workers share it.
pub trait TileRoutine: Send + Sync {
    /// Draws the primitives inside the tile in order, each row by row downward, each row from left to right. Returns
    /// the number of covered pixels: the sum of those of all parts, whichever tiles and parts of tiles are drawn.
    fn run(&self, batch: &TileBatch<'_>) -> u64;

    /// Pixels that take well below a millisecond: pieces of about this size are drawn by one call each if somebody may
    /// [stop](crate::stop::Stopper) the run.
    fn pixels_at_once(&self) -> u64 {
        2048
    }
}

/// A pixel engine.
pub trait PixelStage {
    /// Returns the routine that draws these primitives, which have one shape, in tiles in this state. It is called only with
    /// batches of the same state and of these primitives.
    fn pixel_routine(&mut self, state: &PixelState<'_>, primitives: &[Primitive]) -> Arc<dyn TileRoutine>;

    /// True if draws that are not complete hold more of the engine's memory than it may use: the machine completes them before
    /// it asks for the next [routine](Self::pixel_routine).
    fn is_full(&mut self) -> bool {
        false
    }

    /// Announces how many pixels the bounds of the next draw's primitives hold, for an engine that weighs compiling
    /// against interpreting. Results do not depend on it.
    fn next_draw(&mut self, pixels: u64) {
        let _ = pixels;
    }

    /// Announces the start of a list, or of a [session](super::Ge::session). Until it [stops](Self::list_ends), textures change
    /// only through draws for which [`pixel_routine`](Self::pixel_routine) was called, and through writes announced by
    /// [`changed`](Self::changed).
    fn list_begins(&mut self) {}

    /// Announces the end of the list or session.
    fn list_ends(&mut self) {}

    /// Announces a write between draws, by a block transfer or by the host in a session: address, and length in bytes. It is
    /// done before the next draw.
    fn changed(&mut self, address: u32, length: u32) {
        let _ = (address, length);
    }

    /// Threads that the engine keeps for its machines to draw on; without them each machine has its own. They are taken when a run
    /// begins, and given back when it ends.
    fn workers(&mut self) -> Option<&mut Workers> {
        None
    }
}

/// All seams: the engines of a machine.
pub trait Stages: TransformStage + PrimitiveStage + PixelStage + BlitStage {}

impl<T: TransformStage + PrimitiveStage + PixelStage + BlitStage + ?Sized> Stages for T {}

/// Engines without effect, for analysing lists without drawing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEngines;

impl TransformStage for NoEngines {
    fn transform(&mut self, _: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        out.clear();
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        batch.remembered
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        batch.indices.is_empty()
    }

    fn immediate(&mut self, _: &Registers) -> Vertex {
        Vertex::EMPTY
    }

    fn surface(&mut self, _: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        None
    }
}

impl PrimitiveStage for NoEngines {
    fn primitives(&mut self, _: &PrimitiveBatch<'_>, _: &mut PendingVertices, _: &mut Vec<Primitive>) {}
}

impl BlitStage for NoEngines {
    fn block_transfer(&mut self, _: &dyn Memory, _: &Registers, _: AddressMaps) -> Result<(), Fault> {
        Ok(())
    }

    fn scan_out(&mut self, _: &dyn Memory, _: AddressMaps, _: &FrameBuffer) -> Picture {
        let (width, height) = (display::WIDTH, display::HEIGHT);
        Picture { width, height, rgb: vec![0; (3 * width * height) as usize] }
    }
}

impl PixelStage for NoEngines {
    fn pixel_routine(&mut self, _: &PixelState<'_>, _: &[Primitive]) -> Arc<dyn TileRoutine> {
        Arc::new(*self)
    }
}

impl TileRoutine for NoEngines {
    fn run(&self, _: &TileBatch<'_>) -> u64 {
        0
    }
}
