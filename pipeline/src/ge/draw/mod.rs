//! One draw: conversion of records, patches or registers to primitives in the target.
//!
//! ```text
//!  PRIM ──► fetch ──► Gathered ──► TransformStage ──► PrimitiveStage ──► limits ──► Joined ──► Queue ──► PixelStage
//!  BEZIER, SPLINE ──► fetch ──► Surface ──┘     │
//!  VAP ──► registers ───────────────────────────┘
//! ```
//!
//! # Stops
//!
//! A draw may end before its last vertex, when its run [ends](crate::stop::Stopper). What a later draw can see of it is as
//! after the whole draw, wherever it ended: the vertices that stay pending are transformed in any case
//! ([`pass`](Buffers::pass)), and the last one is remembered. Pixels are missing, and what counts them: primitives, pixels and
//! units of the account, and the report that a draw went beyond its pixels. A draw that would have gone beyond these leaves the
//! primitive as if it had not. Where there is no memory for its records, a draw only begins its primitive.

mod bounding_box;
mod context;
mod fetch;
mod gathered;
mod immediate;
mod joined;
mod limits;
mod pending;
mod reuse;
mod surface;
#[cfg(test)]
mod tests;
mod texels;

pub(crate) use context::DrawContext;
pub(crate) use joined::{Ends, Joined};
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
use limits::PixelBudget;
use reuse::Reuse;

/// Vertices that are transformed and drawn together.
const CHUNK: usize = 2048;
/// Vertices of a chunk that are transformed together if the run may end between them.
const PART: usize = 256;

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
    /// Indices of a draw.
    indices: Vec<u32>,
    vertices: Vec<Vertex>,
    part: Vec<Vertex>,
    primitives: Vec<Primitive>,
    piece: Piece,
    /// Numbers from 0 on: the indices of a piece, or of gathered records.
    all: Vec<u32>,
}

impl FrontEnd {
    /// `PRIM`.
    pub(crate) fn prim(&mut self, cx: &mut DrawContext<'_>, word: u32) {
        let count = fields::PRIM_COUNT.of(word);
        if count == 0 {
            return;
        }
        let kind = Kind::of(fields::PRIM_TYPE.of(word));
        let gathers = self.gathers(cx, kind, count);
        if gathers.is_none() {
            self.transform_gathered(cx);
            if !cx.reads_main_memory() {
                cx.submit_joined();
            }
        }
        let has_position = cx.registers.vertex_type().position() != Element::None;
        let draws = has_position && (kind.is_some() || self.assembly.kind.is_some());
        if !(draws && cx.may_draw(u64::from(count))) {
            self.transform_gathered(cx);
            self.assembly.begin(kind);
            return cx.skip(count);
        }
        let indices = std::mem::take(&mut self.buffers.indices);
        if let Some(fetched) = cx.fetch(count, indices) {
            if !gathers.is_some_and(|kind| self.gather(cx, kind, &fetched)) {
                self.draw_at_once(cx, kind, &fetched);
            }
            self.buffers.indices = fetched.indices;
        } else {
            self.transform_gathered(cx);
            self.assembly.begin(kind);
        }
    }

    /// Draws what a `PRIM` of a kind fetched.
    fn draw_at_once(&mut self, cx: &mut DrawContext<'_>, kind: Option<Kind>, fetched: &Fetched<'_>) {
        self.assembly.begin(kind);
        // The last record may lie where this draws.
        let remembered = cx.stages.remembered(&cx.batch(fetched));
        self.buffers.draw(cx, &mut self.assembly, &cx.batch(fetched));
        cx.submit_joined();
        *cx.remembered = remembered;
    }

    /// `BEZIER`: control points along u in bits 0 to 7, along v in bits 8 to 15.
    pub(crate) fn bezier(&mut self, cx: &mut DrawContext<'_>, word: u32) {
        self.settle(cx);
        let [u, v] = control_points(word);
        let vertices = surface::bezier_vertices(cx.registers, [u, v]);
        self.patch(cx, [u, v], vertices, SurfaceKind::Bezier);
    }

    /// `SPLINE`: as `BEZIER`, and the edges along u in bits 16 and 17, along v in bits 18 and 19.
    pub(crate) fn spline(&mut self, cx: &mut DrawContext<'_>, word: u32) {
        self.settle(cx);
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
        let Some(vertices) = vertices.filter(|&vertices| cx.may_draw_surface(vertices)) else {
            return cx.skip(count);
        };
        let each = prices::vertex(cx.registers, cx.registers.vertex_type());
        if !cx.account.pay(u64::from(count) * each) {
            return cx.skip(count);
        }
        let Some(fetched) = cx.fetch(count, Vec::new()) else { return };
        let points = cx.batch(&fetched);
        if !cx.account.pay(cx.texels.surface_price(cx.registers)) {
            return;
        }
        // Its vertices are weighted means of control points.
        let primitive = cx.registers.patch_primitive().kind();
        if cx.stages.is_unseen(&points, primitive.shape()) {
            *cx.remembered = cx.stages.remembered(&points);
            return;
        }
        let remembered = cx.stages.remembered(&points);
        let batch = SurfaceBatch { points, controls, kind };
        let Some(mut surface) = cx.stages.surface(&batch) else {
            *cx.remembered = remembered;
            return;
        };
        let mut pending = PendingVertices::default();
        pending.begin(Some(primitive));
        let mut piece = std::mem::take(&mut self.buffers.piece);
        let mut budget = PixelBudget::new(cx.limits.pixels);
        let stopper = cx.stopper;
        while !budget.is_exceeded()
            && !stopper.asks()
            && surface.next_piece_unless(&|| stopper.asks(), &mut piece)
        {
            let registers = surface.registers();
            let stride = registers.vertex_type().stride();
            let records = GuestSlice::from_slice(&piece.records);
            let batch = VertexBatch { registers, records, stride, ..cx.batch(&fetched) };
            self.buffers.draw_piece(cx, &mut pending, &batch, &piece, &mut budget);
        }
        self.buffers.piece = piece;
        cx.report(&budget, vertices);
        *cx.remembered = remembered;
    }

    /// `BBOX`: true if the vertices, whose count is in bits 0 to 15, are outside.
    pub(crate) fn bbox(&mut self, cx: &mut DrawContext<'_>, word: u32) -> bool {
        self.settle(cx);
        let count = fields::PRIM_COUNT.of(word);
        if count == 0 {
            return true;
        }
        let Some(fetched) = cx.fetch_box(count) else { return false };
        let vertices = fetched.indices.len() as u64;
        cx.stats.vertices += vertices;
        let each = prices::vertex(cx.registers, cx.registers.vertex_type()) + prices::BOX_VERTEX;
        cx.account.pay(prices::DRAW + vertices * each);
        let batch = cx.batch(&fetched);
        cx.stages.is_outside(&batch)
    }

    /// `VAP`: submits the vertex in the other registers.
    pub(crate) fn immediate(&mut self, cx: &mut DrawContext<'_>, word: u32) {
        self.settle(cx);
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
            let mut budget = PixelBudget::new(cx.limits.pixels);
            self.buffers.primitives(cx, &mut self.immediate, registers, &[0]);
            self.buffers.submit(cx, registers, true, &mut budget);
            cx.report(&budget, 1);
        }
    }

    /// Draws vertices that are transformed already, as a primitive of their own.
    pub(crate) fn vertices(&mut self, cx: &mut DrawContext<'_>, kind: Kind, vertices: &[Vertex]) {
        if !cx.may_draw(vertices.len() as u64) {
            return;
        }
        let mut pending = PendingVertices::default();
        pending.begin(Some(kind));
        let mut budget = PixelBudget::new(cx.limits.pixels);
        for chunk in vertices.chunks(CHUNK) {
            if cx.stopper.asks() {
                break;
            }
            self.buffers.vertices.clear();
            self.buffers.vertices.extend(chunk.iter().map(Vertex::with_stored_depth));
            let order: Vec<u32> = (0..chunk.len() as u32).collect();
            self.buffers.primitives(cx, &mut pending, cx.registers, &order);
            self.buffers.submit(cx, cx.registers, false, &mut budget);
            if budget.is_exceeded() {
                break;
            }
        }
        cx.report(&budget, vertices.len() as u64);
    }

    /// Draws primitives of one shape that are set up already.
    pub(crate) fn primitives(&mut self, cx: &mut DrawContext<'_>, primitives: &[Primitive]) {
        let price = prices::PRIMITIVE.saturating_mul(primitives.len() as u64);
        if cx.may_draw(0) && cx.account.pay(price) {
            self.buffers.vertices.clear();
            self.buffers.primitives.clear();
            self.buffers.primitives.extend_from_slice(primitives);
            let mut budget = PixelBudget::new(cx.limits.pixels);
            self.buffers.submit(cx, cx.registers, false, &mut budget);
            cx.report(&budget, 0);
        }
    }

    /// Saves or restores the pending state.
    pub(crate) fn persist(&mut self, words: &mut Words) {
        self.persist_assembly(words);
        self.persist_immediate(words);
        words.word(&mut self.immediate_flags);
    }

    /// The primitive under assembly by `PRIM`.
    pub(crate) fn persist_assembly(&mut self, words: &mut Words) {
        pending::persist(&mut self.assembly, words);
    }

    /// That by `VAP`.
    pub(crate) fn persist_immediate(&mut self, words: &mut Words) {
        pending::persist(&mut self.immediate, words);
    }

    /// `VAP` of the first vertex of the latter.
    pub(crate) const fn immediate_flags(&mut self) -> &mut u32 {
        &mut self.immediate_flags
    }
}

/// Number of control points of a patch command along u and v.
const fn control_points(word: u32) -> [usize; 2] {
    [fields::PATCH_U.of(word) as usize, fields::PATCH_V.of(word) as usize]
}

/// The numbers from 0 to below `count`, of which `all` has some.
fn numbers(all: &mut Vec<u32>, count: u32) -> &[u32] {
    let known = all.len() as u32;
    all.extend(known..count.max(known));
    &all[..count as usize]
}

impl Buffers {
    /// Transforms, assembles and submits the vertices of a batch.
    fn draw(&mut self, cx: &mut DrawContext<'_>, pending: &mut PendingVertices, batch: &VertexBatch<'_>) {
        // Also where nothing is transformed, because an engine knows that nobody would see it.
        if !cx.pays_for_vertices(batch.registers) {
            return;
        }
        let shape = pending.kind.filter(|_| pending.vertices.is_empty()).map(Kind::shape);
        if shape.is_some_and(|shape| cx.stages.is_unseen(batch, shape)) {
            return self.pass(cx, pending, batch);
        }
        let before = pending.clone();
        let mut budget = PixelBudget::new(cx.limits.pixels);
        for indices in batch.indices.chunks(CHUNK) {
            if cx.stopper.asks()
                || !self.draw_chunk(cx, pending, &VertexBatch { indices, ..*batch }, &mut budget)
            {
                *pending = before;
                return self.pass(cx, pending, batch);
            }
            if budget.is_exceeded() {
                break;
            }
        }
        cx.report(&budget, batch.indices.len() as u64);
    }

    /// [`draw`](Self::draw) for a chunk; false if the run ends before it is assembled.
    fn draw_chunk(
        &mut self,
        cx: &mut DrawContext<'_>,
        pending: &mut PendingVertices,
        batch: &VertexBatch<'_>,
        budget: &mut PixelBudget,
    ) -> bool {
        self.reuse.find(batch.indices);
        let Reuse { different, order, .. } = &mut self.reuse;
        let (different, order) = (std::mem::take(different), std::mem::take(order));
        let is_done = self.transform(cx, &VertexBatch { indices: &different, ..*batch })
            && self.primitives(cx, pending, batch.registers, &order);
        (self.reuse.different, self.reuse.order) = (different, order);
        if is_done {
            self.submit(cx, batch.registers, false, budget);
        }
        is_done
    }

    /// Transforms vertices; false if the run ends. Those of a run that may end are transformed in parts.
    fn transform(&mut self, cx: &mut DrawContext<'_>, batch: &VertexBatch<'_>) -> bool {
        if batch.indices.len() <= PART || !cx.stopper.is_watched() {
            cx.stages.transform(batch, &mut self.vertices);
            return true;
        }
        self.vertices.clear();
        for (n, indices) in batch.indices.chunks(PART).enumerate() {
            if n > 0 && cx.stopper.asks() {
                return false;
            }
            cx.stages.transform(&VertexBatch { indices, ..*batch }, &mut self.part);
            self.vertices.append(&mut self.part);
        }
        true
    }

    /// [`draw`](Self::draw) for a batch that no pixel shows, or of a run that ends: only vertices that stay pending are
    /// transformed.
    fn pass(&mut self, cx: &mut DrawContext<'_>, pending: &mut PendingVertices, batch: &VertexBatch<'_>) {
        let before = pending.vertices.len();
        let places: Vec<usize> = pending.pass(batch.indices.len()).collect();
        let mut place = 0..before;
        pending.vertices.retain(|_| place.next().is_some_and(|place| places.contains(&place)));
        let new = places.iter().filter_map(|place| place.checked_sub(before));
        let kept: Vec<u32> = new.map(|place| batch.indices[place]).collect();
        if !kept.is_empty() {
            cx.stages.transform(&VertexBatch { indices: &kept, ..*batch }, &mut self.vertices);
            pending.vertices.append(&mut self.vertices);
        }
    }

    /// [`draw`](Self::draw) for a piece of a surface, whose records are in the batch: each vertex is transformed
    /// once. The budget is that of the surface: pieces are as large as the engine makes them.
    fn draw_piece(
        &mut self,
        cx: &mut DrawContext<'_>,
        pending: &mut PendingVertices,
        batch: &VertexBatch<'_>,
        piece: &Piece,
        budget: &mut PixelBudget,
    ) {
        let mut all = std::mem::take(&mut self.all);
        let indices = numbers(&mut all, piece.vertices);
        let is_done = self.transform(cx, &VertexBatch { indices, ..*batch });
        self.all = all;
        if !is_done {
            return;
        }
        for (n, order) in piece.indices.chunks(CHUNK).enumerate() {
            // Pieces of one chunk are many: who asks for the next one asks.
            if n > 0 && cx.stopper.asks() || !self.primitives(cx, pending, batch.registers, order) {
                return;
            }
            self.submit(cx, batch.registers, false, budget);
            if budget.is_exceeded() {
                return;
            }
        }
    }

    /// Makes the primitives of transformed vertices; false, and the run ends, without memory for them.
    fn primitives(
        &mut self,
        cx: &mut DrawContext<'_>,
        pending: &mut PendingVertices,
        registers: &Registers,
        stream: &[u32],
    ) -> bool {
        let Self { vertices, primitives, .. } = self;
        // As many as there are where nothing is clipped.
        let has_room = cx.stopper.makes_room(primitives, stream.len());
        if has_room {
            cx.stages.primitives(&PrimitiveBatch { registers, vertices, stream }, pending, primitives);
        }
        has_room
    }

    /// Submits the primitives that the budget allows.
    fn submit(
        &mut self,
        cx: &mut DrawContext<'_>,
        registers: &Registers,
        is_immediate: bool,
        budget: &mut PixelBudget,
    ) {
        let primitives = &mut self.primitives;
        let state = PixelState { registers, ..cx.pixel_state(is_immediate) };
        let spent = budget.cut(primitives, &state, cx.account, cx.texels);
        cx.stats.pixels += spent.pixels;
        cx.stats.primitives += primitives.len() as u64;
        if primitives.is_empty() {
            return;
        }
        if std::ptr::eq(registers, cx.registers) && !is_immediate {
            return cx.join(primitives, spent);
        }
        cx.submit_joined();
        cx.stages.next_draw(spent.pixels);
        let limits::Spent { covered, pixels } = spent;
        cx.queue.draw(cx.stages, Submitted { state, primitives, covered, pixels });
        primitives.clear();
    }
}

impl DrawContext<'_> {
    /// Counts a draw of a surface with so many vertices; false if the limits forbid it.
    fn may_draw_surface(&mut self, vertices: u64) -> bool {
        let is_allowed = vertices <= u64::from(self.limits.vertices);
        (!is_allowed || self.account.pay(vertices.saturating_mul(prices::SURFACE_VERTEX)))
            && self.may_draw(vertices)
    }

    /// Counts a draw of `vertices` vertices, and pays for them and their primitives; false if the limits forbid it.
    fn may_draw(&mut self, vertices: u64) -> bool {
        if vertices > u64::from(self.limits.vertices) {
            self.goes_beyond(vertices);
            return false;
        }
        let vertex = prices::vertex(self.registers, self.registers.vertex_type()) + prices::PRIMITIVE;
        let is_paid = self.account.pay(prices::DRAW + vertices * vertex);
        if is_paid {
            self.stats.draws += 1;
            self.stats.vertices += vertices;
        }
        is_paid
    }

    /// Pays for the state of vertices if the run has not drawn in it; false if the account does not.
    pub(super) fn pays_for_vertices(&mut self, registers: &Registers) -> bool {
        self.account.pay(self.texels.vertex_price(registers))
    }

    /// Records that a draw of `vertices` vertices went beyond its pixels, if it did.
    fn report(&mut self, budget: &PixelBudget, vertices: u64) {
        if budget.is_exceeded() && !self.account.is_overdrawn() {
            self.goes_beyond(vertices);
        }
    }

    fn goes_beyond(&mut self, vertices: u64) {
        let vertices = vertices.min(u64::from(u32::MAX)) as u32;
        self.faults.push(Fault::DrawBudget { vertices });
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
            memory: self.memory,
        }
    }
}
