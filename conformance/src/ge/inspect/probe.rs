//! An engine that hands its work to a desk, and lets the oracle draw the pixels that are asked for.

use super::views;
use crate::ge::key::key;
use crate::inspect::{Desk, Mesh, MeshVertex, around};
use picaflor_interp::ge::{components, traced};
use picaflor_interp::trace::{Found, Subject};
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::blit::BlitStage;
use picaflor_pipeline::ge::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::stage::surface::{Surface, SurfaceBatch};
use picaflor_pipeline::ge::stage::{
    PixelStage, PixelState, Remembered, Stages, TileBatch, TileRoutine, TransformStage, VertexBatch,
};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::picture::Picture;
use picaflor_pipeline::rect::Rect;
use std::sync::Arc;

/// Vertices and primitives of a draw that are kept.
const MOST: usize = 1 << 16;

/// An engine with a desk.
pub struct Probed<'e> {
    inner: &'e mut dyn Stages,
    desk: Desk,
}

impl<'e> Probed<'e> {
    pub(super) fn new(inner: &'e mut dyn Stages, desk: &Desk) -> Self {
        Self { inner, desk: desk.clone() }
    }
}

impl TransformStage for Probed<'_> {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        self.inner.transform(batch, out);
        let mut log = self.desk.lock();
        if log.is_asked() {
            keep_vertices(&mut log.current.mesh, batch, out);
        }
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        self.inner.remembered(batch)
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        self.inner.is_outside(batch)
    }

    /// False for a draw that is asked about: it shows its vertices.
    fn is_unseen(&mut self, batch: &VertexBatch<'_>, shape: Shape) -> bool {
        !self.desk.lock().is_asked() && self.inner.is_unseen(batch, shape)
    }

    fn immediate(&mut self, registers: &Registers) -> Vertex {
        self.inner.immediate(registers)
    }

    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        self.inner.surface(batch)
    }
}

/// Adds transformed vertices to a mesh.
fn keep_vertices(mesh: &mut Mesh, batch: &VertexBatch<'_>, out: &[Vertex]) {
    let room = MOST.saturating_sub(mesh.vertices.len());
    mesh.omitted += batch.indices.len().saturating_sub(room) as u64;
    for (&index, vertex) in batch.indices.iter().zip(out).take(room) {
        let start = index as usize * batch.stride as usize;
        let end = (start + batch.stride as usize).min(batch.records.len());
        let bytes = if start < end { batch.records.slice(start, end - start).to_vec() } else { Vec::new() };
        let inputs =
            components(batch, index).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        mesh.vertices.push(MeshVertex { index, inputs, outputs: outputs(vertex), bytes });
    }
}

/// A vertex after transform and lighting, by name.
fn outputs(vertex: &Vertex) -> Vec<(String, Vec<f64>)> {
    let bytes = |word: u32| word.to_le_bytes().map(f64::from).to_vec();
    let pixel = |n: i32| f64::from(n) / 16.0;
    vec![
        ("screen".into(), vec![pixel(vertex.x), pixel(vertex.y), vertex.z.into()]),
        ("clip".into(), vertex.clip.to_vec()),
        ("texture".into(), vertex.texture.to_vec()),
        ("colour".into(), bytes(vertex.colour)),
        ("secondary".into(), bytes(vertex.secondary)[..3].to_vec()),
        ("fog".into(), vec![vertex.fog.into()]),
        ("outside".into(), vec![vertex.outside.into()]),
    ]
}

impl PrimitiveStage for Probed<'_> {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        let before = out.len();
        self.inner.primitives(batch, pending, out);
        let mut log = self.desk.lock();
        if log.is_asked() {
            let pixel = |n: i32| f64::from(n) / 16.0;
            let corners = |of: &Primitive| {
                let count = match of.shape {
                    Shape::Point => 1,
                    Shape::Line | Shape::Rectangle => 2,
                    Shape::Triangle => 3,
                };
                of.corners[..count].iter().map(|at| [pixel(at.x), pixel(at.y), at.z.into()]).collect()
            };
            let kept: Vec<Vec<[f64; 3]>> = out.iter().skip(before).take(MOST).map(corners).collect();
            log.current.mesh.primitives.extend(kept);
        }
    }
}

impl BlitStage for Probed<'_> {
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        self.inner.block_transfer(memory, registers, maps)
    }

    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
        self.inner.scan_out(memory, maps, frame)
    }
}

impl PixelStage for Probed<'_> {
    fn pixel_routine(&mut self, state: &PixelState<'_>, primitives: &[Primitive]) -> Arc<dyn TileRoutine> {
        let inner = self.inner.pixel_routine(state, primitives);
        let mut log = self.desk.lock();
        if !log.is_brief() {
            log.key = key(state, Primitive::shape_of(primitives));
        }
        if log.is_asked() && log.current.before.colour.is_empty() {
            log.current.before = views::buffers(state.registers, state.maps, state.memory);
            log.current.textures = views::pictures(state);
            log.current.palette = views::palette(state);
        }
        let place = |address| {
            let target = Target::new(state.registers, state.maps, state.memory)?;
            views::place(state.registers, &target, address)
        };
        let Some(subject) = log.subject(place) else {
            let bounds = log.question.bounds;
            return if bounds { Arc::new(Bounded { inner, desk: self.desk.clone() }) } else { inner };
        };
        if let Subject::Pixel(pixel) = subject {
            log.pixel = Some(pixel);
        }
        Arc::new(Split { inner, subject, found: log.found.clone() })
    }

    fn next_draw(&mut self, pixels: u64) {
        self.inner.next_draw(pixels);
    }

    fn list_begins(&mut self) {
        self.inner.list_begins();
    }

    fn list_ends(&mut self) {
        self.inner.list_ends();
    }

    fn changed(&mut self, address: u32, length: u32) {
        self.inner.changed(address, length);
    }
}

/// A routine that reports where it draws.
struct Bounded {
    inner: Arc<dyn TileRoutine>,
    desk: Desk,
}

impl TileRoutine for Bounded {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let drawn = batch.order.iter().filter_map(|&number| batch.primitives.get(number as usize));
        let mut log = self.desk.lock();
        drawn.for_each(|primitive| log.extend_bounds(primitive.bounds().intersect(batch.tile)));
        drop(log);
        self.inner.run(batch)
    }
}

/// A routine that leaves one pixel, or the whole tile, to the oracle.
struct Split {
    inner: Arc<dyn TileRoutine>,
    subject: Subject,
    found: Found,
}

impl TileRoutine for Split {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let oracle = traced(self.subject, &self.found);
        let Subject::Pixel([x, y]) = self.subject else { return oracle.run(batch) };
        if !batch.tile.contains(x, y) {
            return self.inner.run(batch);
        }
        if !is_apart(batch) {
            return oracle.run(batch);
        }
        let pixel = Rect { x0: x, y0: y, x1: x + 1, y1: y + 1 };
        let around =
            around(pixel, batch.tile).into_iter().map(|tile| self.inner.run(&TileBatch { tile, ..*batch }));
        around.sum::<u64>() + oracle.run(&TileBatch { tile: pixel, ..*batch })
    }
}

/// True if the pixels of the tile share no memory with each other, with depth, or with the texture.
fn is_apart(batch: &TileBatch<'_>) -> bool {
    let TileBatch { state, tile, target, .. } = batch;
    let (columns, rows) = (tile.x1.max(0) as u32, tile.y1.max(0) as u32);
    if columns > target.colour_stride {
        return false;
    }
    let colour = (target.colour, rows * target.colour_stride * target.format.bytes());
    // Mirrors permute depth inside of blocks of 16 KiB.
    let depth = (target.depth & !0x3fff, rows * target.depth_stride * 2 + 0x8000);
    let has_depth = state.registers.is_on(op::ZTE) || state.registers.clear_mode().enable();
    let meet = |a: (u32, u32), b: (u32, u32)| a.0 < b.0 + b.1 && b.0 < a.0 + a.1;
    let is_vram = |address: u32| (address & 0x1fff_ffff) >> 24 == VRAM >> 24;
    let mut textures = views::texture_bytes(state.registers)
        .filter(|&(address, _)| is_vram(address))
        .map(|(address, bytes)| (address & (VRAM_BYTES - 1), bytes));
    let ends_inside = |of: (u32, u32)| of.0 + of.1 <= VRAM_BYTES;
    let buffers_are = ends_inside(colour) && (!has_depth || ends_inside(depth) && !meet(colour, depth));
    buffers_are && !textures.any(|texture| meet(texture, colour) || has_depth && meet(texture, depth))
}
