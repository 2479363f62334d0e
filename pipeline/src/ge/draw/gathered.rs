//! `Gathered`: vertices of small draws in one state, transformed together.
//!
//! A draw of a few vertices costs an engine a routine, constants and a group of vertices that is half empty. Records of such
//! draws are therefore copied, and transformed before something that vertices depend on changes. A guest sees nothing of it: a
//! draw waits only if the limits and the account allow it whatever its vertices turn out to be, and each draw is assembled,
//! cut and paid by itself.

use super::context::DrawContext;
use super::fetch::Fetched;
use super::limits::PixelBudget;
use super::reuse::Reuse;
use super::{CHUNK, FrontEnd, numbers};
use crate::ge::extents::MIRRORS_END;
use crate::ge::prices::{self, PixelPrice};
use crate::ge::queue::{self, Image};
use crate::ge::raster::Shape;
use crate::ge::stage::VertexBatch;
use crate::ge::stage::primitive::Kind;
use crate::ge::vertex_type::Element;
use crate::guest_slice::GuestSlice;
use crate::work;
use std::ops::Range;

/// Most vertices of a draw that is gathered: larger ones gain nothing.
const MOST: u32 = 256;
/// Units that one command which ends no gathering may cost, with room: a small draw with indices and records apart.
const COMMAND: u64 = 16 << 20;

/// Draws that wait for others in the same state, with their records; none between runs.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    draws: Vec<Gather>,
    /// The different records of the draws.
    records: Vec<u8>,
    /// Number of these.
    count: u32,
    /// Their numbers in the order of the draws.
    order: Vec<u32>,
    most: Most,
    /// Small draws since something changed that draws depend on.
    in_state: u32,
    /// There was more than one in the state before: the first one of a state waits already.
    expects_more: bool,
    /// Pixels of the machine's counter when the run began.
    began_at: u64,
}

/// A draw that waits.
#[derive(Debug, Clone, Copy)]
struct Gather {
    kind: Kind,
    /// End of its part of the order.
    end: usize,
}

/// What the draws can cost at most.
#[derive(Debug, Clone, Copy, Default)]
struct Most {
    /// Units of what they have not paid yet.
    units: u64,
    pixels: u64,
    /// Textures and states of one of them, and one of its pixels.
    once: u64,
    pixel: u64,
}

impl Gathered {
    /// True if no draw waits.
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.draws.is_empty()
    }

    /// Something changes that draws may depend on; whatever waited is done.
    #[inline]
    pub(crate) const fn end_state(&mut self) {
        if self.in_state > 0 {
            (self.expects_more, self.in_state) = (self.in_state > 1, 0);
        }
    }

    /// True if there was no draw in the state: then none waits.
    #[inline]
    pub(crate) const fn is_idle(&self) -> bool {
        self.in_state == 0
    }

    /// Begins a run, which has covered no pixels; the machine's counter has so many.
    pub(crate) fn begin(&mut self, pixels: u64) {
        self.clear();
        self.end_state();
        self.began_at = pixels;
    }

    /// Units that the account must have before a command: less, and the draws that wait have to be done first.
    #[inline]
    pub(crate) const fn units(&self) -> u64 {
        if self.draws.is_empty() { 0 } else { self.most.units + COMMAND }
    }

    /// Vertices of the draw `n`, as part of the order.
    fn part(&self, n: usize) -> Range<usize> {
        let start = n.checked_sub(1).map_or(0, |before| self.draws[before].end);
        start..self.draws[n].end
    }

    fn clear(&mut self) {
        self.draws.clear();
        self.records.clear();
        self.order.clear();
        (self.count, self.most) = (0, Most::default());
    }

    /// Adds a draw.
    fn push(&mut self, kind: Kind, fetched: &Fetched<'_>, stride: usize, reuse: &mut Reuse) {
        let records = fetched.records();
        let first = self.count;
        if fetched.is_in_order {
            self.count += fetched.indices.len() as u32;
            self.order.extend(first..self.count);
            records.slice(0, fetched.indices.len() * stride).append_to(&mut self.records);
        } else {
            reuse.find(&fetched.indices);
            for &index in &reuse.different {
                records.slice(index as usize * stride, stride).append_to(&mut self.records);
            }
            self.count += reuse.different.len() as u32;
            self.order.extend(reuse.order.iter().map(|place| first + place));
        }
        self.draws.push(Gather { kind, end: self.order.len() });
    }
}

/// Most primitives of a draw: a triangle that is clipped becomes two.
const fn most_primitives(kind: Kind, vertices: u64) -> u64 {
    match kind.shape() {
        Shape::Triangle => 2 * vertices,
        Shape::Point | Shape::Line | Shape::Rectangle => vertices,
    }
}

impl DrawContext<'_> {
    /// True if the next vertices and indices lie where no draw writes, as far as the addresses tell.
    pub(super) fn reads_main_memory(&self) -> bool {
        // Whatever begins behind VRAM and its mirrors ends there.
        let has_indices = self.registers.vertex_type().index() != Element::None;
        *self.vertex_pointer >= MIRRORS_END && (!has_indices || *self.index_pointer >= MIRRORS_END)
    }

    /// True if a draw may wait: whatever its vertices are, the limits and the account allow it.
    fn affords(&mut self, kind: Kind, vertices: u64) -> bool {
        let state = self.pixel_state(false);
        let area = state.registers.drawing_area();
        let primitives = most_primitives(kind, vertices);
        let pixels = primitives.saturating_mul(area.pixels());
        let paid =
            if area.is_empty() { 0 } else { primitives.saturating_mul(prices::most_paid_pixels(area)) };
        let announced = self.texels.target_price();
        let gathered = &mut self.joined.gathered;
        // All have one state of vertices, and one of pixels each.
        let mut first = 0;
        if gathered.is_empty() {
            first = prices::vertex_state(state.registers);
            let texels = |image: Image| {
                let read = work::bytes(image.bytes.1.into(), false);
                read.saturating_add(image.decoded_bytes() / 4 * prices::TEXEL)
            };
            let textures = queue::images(&state).map(texels).fold(announced, u64::saturating_add);
            gathered.most.once = textures.saturating_add(prices::PIXEL_STATE);
            gathered.most.pixel = PixelPrice::new(&state, kind.shape()).most();
        }
        let Most { units, pixels: before, once, pixel } = gathered.most;
        let most = Most {
            units: units.saturating_add(first + once).saturating_add(paid.saturating_mul(pixel)),
            pixels: before.saturating_add(pixels),
            ..gathered.most
        };
        let run = (self.stats.pixels - gathered.began_at).saturating_add(most.pixels);
        let is_certain = pixels <= self.limits.pixels
            && run <= self.limits.run_pixels
            && most.units.saturating_add(COMMAND) <= self.account.left();
        if is_certain {
            gathered.most = most;
        }
        is_certain
    }
}

impl FrontEnd {
    /// The kind of a draw that may wait for others; what waits already is then of the same shape. `None` for draws that
    /// continue a primitive, are large, or read from VRAM.
    pub(super) fn gathers(
        &mut self,
        cx: &mut DrawContext<'_>,
        kind: Option<Kind>,
        vertices: u32,
    ) -> Option<Kind> {
        let kind = kind.filter(|_| vertices <= MOST && cx.reads_main_memory())?;
        let gathered = &cx.joined.gathered;
        let shape = gathered.draws.first().map(|draw| draw.kind.shape());
        if shape.is_some_and(|shape| shape != kind.shape())
            || gathered.order.len() + vertices as usize > CHUNK
        {
            self.transform_gathered(cx);
        }
        Some(kind)
    }

    /// Has a draw wait, if that is possible.
    pub(super) fn gather(&mut self, cx: &mut DrawContext<'_>, kind: Kind, fetched: &Fetched<'_>) -> bool {
        let gathered = &mut cx.joined.gathered;
        gathered.in_state += 1;
        if gathered.in_state == 1 && !gathered.expects_more {
            return false;
        }
        let vertices = fetched.indices.len() as u64;
        if !cx.affords(kind, vertices) {
            self.transform_gathered(cx);
            if !cx.affords(kind, vertices) {
                return false;
            }
        }
        let stride = cx.registers.vertex_type().stride() as usize;
        cx.joined.gathered.push(kind, fetched, stride, &mut self.buffers.reuse);
        true
    }

    /// Transforms and assembles the draws that wait. Registers and matrices are those of all of them.
    pub(crate) fn transform_gathered(&mut self, cx: &mut DrawContext<'_>) {
        if cx.joined.gathered.is_empty() {
            return;
        }
        let mut gathered = std::mem::take(&mut cx.joined.gathered);
        let mut all = std::mem::take(&mut self.buffers.all);
        self.draw_gathered(cx, &gathered, numbers(&mut all, gathered.count));
        self.buffers.all = all;
        gathered.clear();
        cx.joined.gathered = gathered;
    }

    /// Transforms and assembles; `indices` are the numbers of all records.
    fn draw_gathered(&mut self, cx: &mut DrawContext<'_>, gathered: &Gathered, indices: &[u32]) {
        let registers = cx.registers;
        let batch = VertexBatch {
            registers,
            matrices: cx.matrices,
            remembered: *cx.remembered,
            records: GuestSlice::from_slice(&gathered.records),
            stride: registers.vertex_type().stride(),
            indices,
            memory: cx.memory,
        };
        let Some(last) = gathered.draws.last() else { return };
        let of_last =
            VertexBatch { indices: &gathered.order[gathered.part(gathered.draws.len() - 1)], ..batch };
        // No draw lacks a component that another one has.
        let remembered = cx.stages.remembered(&of_last);
        // The account has it: see `affords`.
        cx.pays_for_vertices(registers);
        let is_unseen = cx.stages.is_unseen(&batch, last.kind.shape());
        if is_unseen || !self.draw_each(cx, gathered, &batch) {
            self.assembly.begin(Some(last.kind));
            self.buffers.pass(cx, &mut self.assembly, &of_last);
        }
        *cx.remembered = remembered;
    }

    /// Transforms the records of a batch, and assembles one draw after the other; false if the run ends before the last one is.
    fn draw_each(&mut self, cx: &mut DrawContext<'_>, gathered: &Gathered, batch: &VertexBatch<'_>) -> bool {
        if !self.buffers.transform(cx, batch) {
            return false;
        }
        let mut budget = PixelBudget::new(cx.limits.pixels);
        for (n, draw) in gathered.draws.iter().enumerate() {
            self.assembly.begin(Some(draw.kind));
            let order = &gathered.order[gathered.part(n)];
            if !self.buffers.primitives(cx, &mut self.assembly, batch.registers, order) {
                return false;
            }
            self.buffers.submit(cx, batch.registers, false, &mut budget);
            budget.next_draw(cx.limits.pixels);
        }
        true
    }
}
