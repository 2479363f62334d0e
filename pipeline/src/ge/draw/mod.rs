//! One draw: conversion of records, patches or registers to primitives in the target.
//!
//! ```text
//!  PRIM ──► fetch ──► TransformStage ──► PrimitiveStage ──► limits ──► Queue ──► PixelStage
//!  BEZIER, SPLINE ──► fetch ──► Surface ──┘     │
//!  VAP ──► registers ───────────────────────────┘
//! ```

mod bounding_box;
mod context;
mod fetch;
mod immediate;
mod limits;
mod pending;
mod reuse;
mod surface;
#[cfg(test)]
mod tests;
mod texels;

pub(crate) use context::DrawContext;
pub(crate) use texels::Texels;

use super::prices;
use super::queue::Submitted;
use super::raster::Primitive;
use super::regs::{Registers, fields};
use super::stage::primitive::{Kind, PendingVertices, PrimitiveBatch};
use super::stage::surface::{Piece, SurfaceBatch, SurfaceKind};
use super::stage::{PixelState, VertexBatch};
use super::vertex::Vertex;
use super::vertex_type::Element;
use crate::fault::Fault;
use crate::guest_slice::GuestSlice;
use crate::persist::Words;
use fetch::Fetched;
use reuse::Reuse;

/// Vertices that are transformed and drawn together.
const CHUNK: usize = 2048;

/// The stateful stages between the registers and the rasterizer.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrontEnd {
    assembly: PendingVertices,
    immediate: PendingVertices,
    /// `VAP` of the first vertex of the running immediate primitive.
    immediate_flags: u32,
    buffers: Buffers,
}

/// Vectors reused across draws.
#[derive(Debug, Clone, Default)]
struct Buffers {
    reuse: Reuse,
    vertices: Vec<Vertex>,
    primitives: Vec<Primitive>,
    piece: Piece,
    /// Numbers from 0 on: the indices of a piece.
    all: Vec<u32>,
}

impl FrontEnd {
    /// `PRIM`.
    pub(crate) fn prim(&mut self, cx: &mut DrawContext<'_>, word: u32) {
        let count = fields::PRIM_COUNT.of(word);
        if count == 0 {
            return;
        }
        self.assembly.begin(Kind::of(fields::PRIM_TYPE.of(word)));
        let has_position = cx.registers.vertex_type().position() != Element::None;
        if !(has_position && self.assembly.kind.is_some() && cx.may_draw(u64::from(count))) {
            return cx.skip(count);
        }
        let fetched = cx.fetch(count, 0..count);
        // The last record may lie where this draws.
        let remembered = cx.stages.remembered(&cx.batch(&fetched));
        self.buffers.draw(cx, &mut self.assembly, &cx.batch(&fetched));
        *cx.remembered = remembered;
    }

    /// `BEZIER`: control points along u in bits 0 to 7, along v in bits 8 to 15.
    pub(crate) fn bezier(&mut self, cx: &mut DrawContext<'_>, word: u32) {
        let [u, v] = control_points(word);
        let vertices = surface::bezier_vertices(cx.registers, [u, v]);
        self.patch(cx, [u, v], vertices, SurfaceKind::Bezier);
    }

    /// `SPLINE`: as `BEZIER`, and the edges along u in bits 16 and 17, along v in bits 18 and 19.
    pub(crate) fn spline(&mut self, cx: &mut DrawContext<'_>, word: u32) {
        let [u, v] = control_points(word);
        let edges = [fields::SPLINE_U_EDGES.of(word), fields::SPLINE_V_EDGES.of(word)];
        let vertices = surface::spline_vertices(cx.registers, [u, v]);
        self.patch(cx, [u, v], vertices, SurfaceKind::Spline(edges));
    }

    /// Draws the surface of at most 65025 control points, which has `vertices` vertices. Without a surface to draw,
    /// control points are not read, because no budget would count that work.
    fn patch(
        &mut self,
        cx: &mut DrawContext<'_>,
        controls: [usize; 2],
        vertices: Option<u64>,
        kind: SurfaceKind,
    ) {
        let count = (controls[0] * controls[1]) as u32;
        if count == 0 {
            return;
        }
        if !vertices.is_some_and(|vertices| cx.may_draw_surface(vertices)) {
            return cx.skip(count);
        }
        let fetched = cx.fetch(count, 0..count);
        let points = cx.batch(&fetched);
        let Some(mut surface) = cx.stages.surface(&SurfaceBatch { points, controls, kind }) else { return };
        let remembered = cx.stages.remembered(&points);
        let mut pending = PendingVertices::default();
        pending.begin(Some(cx.registers.patch_primitive().kind()));
        let mut piece = std::mem::take(&mut self.buffers.piece);
        while !cx.stopper.asks() && surface.next_piece(&mut piece) {
            let registers = surface.registers();
            let stride = registers.vertex_type().stride();
            let records = GuestSlice::from_slice(&piece.records);
            let batch = VertexBatch { registers, records, stride, ..cx.batch(&fetched) };
            self.buffers.draw_piece(cx, &mut pending, &batch, &piece);
        }
        self.buffers.piece = piece;
        *cx.remembered = remembered;
    }

    /// `BBOX`: true if the vertices, whose count is in bits 0 to 15, are outside.
    pub(crate) fn bbox(&mut self, cx: &mut DrawContext<'_>, word: u32) -> bool {
        let count = fields::PRIM_COUNT.of(word);
        if count == 0 {
            return true;
        }
        let fetched = cx.fetch(count, bounding_box::tested(count));
        let vertices = fetched.indices.len() as u64;
        cx.stats.vertices += vertices;
        cx.account.pay(prices::DRAW + vertices * prices::vertex(cx.registers, cx.registers.vertex_type()));
        let batch = cx.batch(&fetched);
        cx.stages.is_outside(&batch)
    }

    /// `VAP`: submits the vertex in the other registers.
    pub(crate) fn immediate(&mut self, cx: &mut DrawContext<'_>, word: u32) {
        let kind = Kind::of(fields::VAP_TYPE.of(word));
        if kind == Some(Kind::Points) && immediate::is_initialisation(cx.registers) {
            return;
        }
        if kind.is_some() {
            self.immediate_flags = word;
        }
        self.immediate.begin(kind);
        if self.immediate.kind.is_some() && cx.may_draw(1) {
            let registers = &immediate::with_enables(cx.registers, self.immediate_flags);
            self.buffers.vertices.clear();
            self.buffers.vertices.push(cx.stages.immediate(cx.registers));
            let spent = self.buffers.primitives(cx, &mut self.immediate, registers, &[0], cx.limits.pixels);
            self.buffers.submit(cx, registers, true, spent);
        }
    }

    /// Saves or restores the pending state.
    pub(crate) fn persist(&mut self, words: &mut Words) {
        pending::persist(&mut self.assembly, words);
        pending::persist(&mut self.immediate, words);
        words.word(&mut self.immediate_flags);
    }
}

/// Number of control points of a patch command along u and v.
const fn control_points(word: u32) -> [usize; 2] {
    [fields::PATCH_U.of(word) as usize, fields::PATCH_V.of(word) as usize]
}

impl Buffers {
    /// Transforms, assembles and submits the vertices of a batch.
    fn draw(&mut self, cx: &mut DrawContext<'_>, pending: &mut PendingVertices, batch: &VertexBatch<'_>) {
        let mut pixels = cx.limits.pixels;
        for indices in batch.indices.chunks(CHUNK) {
            if cx.stopper.asks() {
                return;
            }
            self.reuse.find(indices);
            let different = &self.reuse.different;
            cx.stages.transform(&VertexBatch { indices: different, ..*batch }, &mut self.vertices);
            let order = std::mem::take(&mut self.reuse.order);
            let left = self.assemble(cx, pending, batch.registers, &order, pixels);
            self.reuse.order = order;
            let Some(left) = left else { return };
            pixels = left;
        }
    }

    /// [`draw`](Self::draw) for a piece of a surface, whose records are in the batch: each vertex is transformed
    /// once.
    fn draw_piece(
        &mut self,
        cx: &mut DrawContext<'_>,
        pending: &mut PendingVertices,
        batch: &VertexBatch<'_>,
        piece: &Piece,
    ) {
        let known = self.all.len() as u32;
        self.all.extend(known..piece.vertices.max(known));
        let indices = &self.all[..piece.vertices as usize];
        cx.stages.transform(&VertexBatch { indices, ..*batch }, &mut self.vertices);
        let mut pixels = cx.limits.pixels;
        for order in piece.indices.chunks(CHUNK) {
            let Some(left) = self.assemble(cx, pending, batch.registers, order, pixels) else { return };
            pixels = left;
        }
    }

    /// Assembles and submits transformed vertices. Returns the remainder of the budget `pixels`; `None` if it was
    /// exceeded.
    fn assemble(
        &mut self,
        cx: &mut DrawContext<'_>,
        pending: &mut PendingVertices,
        registers: &Registers,
        order: &[u32],
        pixels: u64,
    ) -> Option<u64> {
        let spent = self.primitives(cx, pending, registers, order, pixels);
        self.submit(cx, registers, false, spent);
        spent.map(|spent| pixels - spent)
    }

    /// Makes the primitives of transformed vertices, and drops those that the budget `pixels` does not allow. Returns
    /// the pixels in their bounds; `None` if the budget was exceeded.
    fn primitives(
        &mut self,
        cx: &mut DrawContext<'_>,
        pending: &mut PendingVertices,
        registers: &Registers,
        stream: &[u32],
        pixels: u64,
    ) -> Option<u64> {
        let Self { vertices, primitives, .. } = self;
        if !cx.account.pay(prices::PRIMITIVE * stream.len() as u64) {
            return None;
        }
        cx.stages.primitives(&PrimitiveBatch { registers, vertices, stream }, pending, primitives);
        limits::cut(primitives, registers.drawing_area(), pixels)
    }

    /// Submits the primitives after set-up. `spent`: pixels in their bounds; `None` if the budget was exceeded, which
    /// counts as the limit.
    fn submit(
        &mut self,
        cx: &mut DrawContext<'_>,
        registers: &Registers,
        is_immediate: bool,
        spent: Option<u64>,
    ) {
        if spent.is_none() {
            cx.faults.push(Fault::DrawBudget { vertices: self.vertices.len() as u32 });
        }
        cx.stats.pixels += spent.unwrap_or(cx.limits.pixels);
        cx.stats.primitives += self.primitives.len() as u64;
        let state = PixelState { registers, ..cx.pixel_state(is_immediate) };
        if !self.primitives.is_empty() && cx.pay_pixels(&state, &self.primitives, spent) {
            let primitives = &mut self.primitives;
            cx.stages.next_draw(spent.unwrap_or(cx.limits.pixels));
            cx.queue.draw(cx.stages, Submitted { state, primitives });
        }
        self.primitives.clear();
    }
}

impl DrawContext<'_> {
    /// Pays for the pixels of primitives, and for the textures that they sample. `spent`: pixels in their bounds.
    fn pay_pixels(&mut self, state: &PixelState<'_>, primitives: &[Primitive], spent: Option<u64>) -> bool {
        let pixels = spent.unwrap_or(self.limits.pixels);
        let textures = self.texels.price(state);
        self.account.pay(textures.saturating_add(prices::pixels(state, primitives, pixels)))
    }

    /// Counts a draw of a surface with so many vertices; false if the limits forbid it.
    fn may_draw_surface(&mut self, vertices: u64) -> bool {
        let is_allowed = vertices <= u64::from(self.limits.vertices);
        (!is_allowed || self.account.pay(vertices.saturating_mul(prices::SURFACE_VERTEX)))
            && self.may_draw(vertices)
    }

    /// Counts a draw of `vertices` vertices; false if the limits forbid it.
    fn may_draw(&mut self, vertices: u64) -> bool {
        let vertex = prices::vertex(self.registers, self.registers.vertex_type());
        let is_allowed =
            vertices <= u64::from(self.limits.vertices) && self.account.pay(prices::DRAW + vertices * vertex);
        if is_allowed {
            self.stats.draws += 1;
            self.stats.vertices += vertices;
        } else {
            let vertices = vertices.min(u64::from(u32::MAX)) as u32;
            self.faults.push(Fault::DrawBudget { vertices });
        }
        is_allowed
    }

    /// Fetched vertices in the form of the vertex engine's input.
    fn batch<'b>(&self, fetched: &'b Fetched<'_>) -> VertexBatch<'b>
    where
        Self: 'b,
    {
        VertexBatch {
            registers: self.registers,
            matrices: self.matrices,
            remembered: *self.remembered,
            records: fetched.records(),
            stride: self.registers.vertex_type().stride(),
            indices: &fetched.indices,
        }
    }
}
