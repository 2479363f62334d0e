//! One draw: conversion of vertex numbers or immediate vertices to triangles in the framebuffer.
//!
//! ```text
//!  index list ─► distinct vertices ─► shade ─► geometry stage ─► primitives ─► limits ─► tiles
//! ```
//!
//! Source: pica-geometry.md 3.5-3.9, pica-shader.md 5.8.

use super::float::Precision;
use super::limits::{Limits, RunAccount};
use super::lut::LutMemory;
use super::ports::ShaderBank;
use super::prices;
use super::queue::TileQueue;
use super::regs::Registers;
use super::stats::Stats;
use super::surface::{Target, overlap};
use super::vertex::{AttributeSource, VertexInputs};
use crate::fault::{Fault, FaultList};
use crate::memory::{Memory, Stoppable};
use crate::persist::Words;
use crate::pica::draw::geometry_stage::GeometryStage;
use crate::pica::draw::submission::Submission;
use crate::pica::draw::texels::Texels;
use crate::pica::draw::vertex_path::VertexPath;
use crate::pica::ports::immediate::{self, AttributePort, ImmediateArrays};
use crate::pica::stage::Stages;
use crate::pica::stage::primitive::{PendingVertices, Primitives};
use crate::pica::vertex::layout::{VertexLayout, VertexStream};
use crate::stop::Stopper;
use crate::work;

/// References to the parts of the machine that a draw uses.
pub(crate) struct DrawContext<'a> {
    /// All registers except those of the shader banks.
    pub registers: &'a Registers,
    /// Tables of the fragment units.
    pub luts: &'a LutMemory,
    /// The vertex units.
    pub vertex: &'a ShaderBank,
    /// The geometry unit.
    pub geometry: &'a mut ShaderBank,
    /// The engines.
    pub stages: &'a mut dyn Stages,
    /// Guest memory.
    pub memory: &'a dyn Memory,
    /// Rounding of shader arithmetic.
    pub precision: Precision,
    /// Attributes whose clock is off (0x06F) read their defaults.
    pub obeys_attribute_clocks: bool,
    /// Budgets.
    pub limits: &'a Limits,
    /// Destination of triangles.
    pub queue: &'a mut dyn TileQueue,
    /// Faults of the guest.
    pub faults: &'a mut FaultList,
    /// Counters.
    pub stats: &'a mut Stats,
    /// Budgets that are left.
    pub(crate) account: &'a mut RunAccount,
    /// Ends the run, if somebody wants so.
    pub(crate) stopper: &'a Stopper,
    /// What textures cost.
    pub(crate) texels: &'a mut Texels,
}

/// The stateful stages between the registers and the primitive engine.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrontEnd {
    port: AttributePort,
    arrays: ImmediateArrays,
    path: VertexPath,
    stream: Vec<u32>,
    /// The buffer of a draw's triangles, empty between draws.
    primitives: Primitives,
}

impl FrontEnd {
    /// A front end as after reset.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A write to 0x232: selects a fixed attribute or immediate mode.
    pub(crate) fn select_fixed(&mut self, cx: &mut DrawContext<'_>, value: u32) {
        self.flush(cx);
        self.port.select((value & 15) as u8);
    }

    /// A write to 0x233-0x235: a word of a fixed attribute or of an immediate vertex.
    pub(crate) fn fixed_word(&mut self, cx: &mut DrawContext<'_>, word: u32) {
        self.port.push(word, usize::from(cx.registers.immediate_attributes().last()) + 1);
        if self.port.pending().len() >= immediate::BATCH {
            self.flush(cx);
        }
    }

    /// True if immediate vertices wait for [`flush`](Self::flush).
    #[must_use]
    pub(crate) fn has_pending(&self) -> bool {
        !self.port.pending().is_empty()
    }

    /// A write to 0x25F: clears the pending vertices of an incomplete primitive.
    pub(crate) const fn restart(&mut self) {
        self.path.pending.restart();
    }

    /// Handles a change of the topology in 0x25E.
    pub(crate) const fn topology_changed(&mut self) {
        self.path.pending.restart();
    }

    pub(crate) const fn set_fixed_attribute(&mut self, n: u8, value: [f32; 4]) {
        self.port.set_fixed(n, value);
    }

    /// The fixed attributes and the immediate port.
    #[must_use]
    pub(crate) const fn attributes(&self) -> &AttributePort {
        &self.port
    }

    /// Draws arrays (0x22E) or, if `indexed`, elements (0x22F).
    pub(crate) fn draw(&mut self, cx: &mut DrawContext<'_>, indexed: bool) {
        self.flush(cx);
        let asked = cx.registers.vertex_count();
        if asked == 0 {
            return;
        }
        cx.stats.draws += 1;
        if !cx.account.pay(prices::DRAW) {
            return;
        }
        self.path.geometry.begin();
        let stream = VertexStream::new(cx.registers, indexed);
        let layout = VertexLayout::new(cx.registers);
        if let Some(fault) = stream.unmapped(cx.memory).or_else(|| layout.unmapped(cx.memory, first(stream)))
        {
            return cx.faults.push_once(fault);
        }
        let mut submission = Submission::new(std::mem::take(&mut self.primitives), cx);
        let sources = layout.sources(self.port.fixed(), self.port.latch());
        let last = self.draw_stream(cx, stream, &sources, &mut submission);
        let is_whole = !cx.stopper.asks();
        // The latch keeps the attributes of the last vertex, whether or not it was shaded again.
        if let Some(last) = last.filter(|_| is_whole) {
            before_fetch(cx, &sources, &[last], false);
            self.port.set_latch(sources.map(|source| source.fetch(cx.memory, last, cx.precision)));
        }
        if asked > cx.limits.vertices || submission.is_over() || cx.account.is_overdrawn() {
            cx.faults.push_once(Fault::DrawBudget { vertices: asked });
        }
        self.end(cx, submission, is_whole);
    }

    /// Ends a draw. One in which the run was stopped before all of it was assembled leaves nothing for the next.
    fn end(&mut self, cx: &mut DrawContext<'_>, submission: Submission, is_whole: bool) {
        self.primitives = submission.finish(cx, is_whole);
        if !is_whole {
            self.path.stopped();
        }
    }

    /// Shades and assembles the vertices of a draw. Returns the last one.
    fn draw_stream(
        &mut self,
        cx: &mut DrawContext<'_>,
        stream: VertexStream,
        sources: &[AttributeSource],
        submission: &mut Submission,
    ) -> Option<u32> {
        let inputs = inputs(cx, sources);
        let count = cx.registers.vertex_count().min(cx.limits.vertices);
        if !reads_target(cx, stream, sources, count) {
            submission.split();
        }
        let mut last = None;
        let mut at = 0;
        let chunk = self.path.chunk(cx);
        while at < count && !submission.is_over() && !cx.account.is_overdrawn() && !cx.stopper.asks() {
            let length = (count - at).min(chunk);
            cx.stats.positions += u64::from(length);
            if !cx.account.pay(stream_price(cx.memory, stream, at, length)) {
                break;
            }
            // A part of the draw may be pending already, and draw over the rest of the list.
            if let Some(bytes) = stream.bytes(count) {
                cx.queue.before_read(bytes);
            }
            stream.read(cx.memory, at, length, &mut self.stream);
            let indexed = matches!(stream, VertexStream::Indexed { .. });
            last = self.path.plan(cx, &self.stream, indexed).or(last);
            before_fetch(cx, sources, &self.stream, indexed);
            self.path.run(cx, cx.memory, &inputs, submission);
            at += length;
        }
        last
    }

    /// Shades and draws the pending immediate vertices. Must be called before any other state on which they depend
    /// changes.
    pub(crate) fn flush(&mut self, cx: &mut DrawContext<'_>) {
        if !self.has_pending() {
            return;
        }
        cx.stats.draws += 1;
        cx.account.pay(prices::DRAW);
        let (pending, first) = self.port.take_pending();
        if first {
            self.path.geometry.begin();
        }
        let mut submission = Submission::new(std::mem::take(&mut self.primitives), cx);
        self.run_immediate(cx, &pending, &mut submission);
        if submission.is_over() || cx.account.is_overdrawn() {
            cx.faults.push_once(Fault::DrawBudget { vertices: pending.len() as u32 });
        }
        let is_whole = !cx.stopper.asks();
        self.end(cx, submission, is_whole);
        self.port.recycle(pending);
    }

    /// Vertices whose attributes an array can represent are drawn together, through arrays; the others one by one.
    fn run_immediate(
        &mut self,
        cx: &mut DrawContext<'_>,
        pending: &[immediate::Attributes],
        submission: &mut Submission,
    ) {
        let count = cx.vertex.input_count();
        let precision = cx.precision;
        let survives =
            |vertex: &immediate::Attributes| immediate::survives_array(&vertex[..count], precision);
        for vertices in pending.chunk_by(|a, b| survives(a) && survives(b)) {
            let sources = if survives(&vertices[0]) {
                self.arrays.write(vertices, count)
            } else {
                vertices[0].map(AttributeSource::Fixed).to_vec()
            };
            if !cx.account.pay(prices::BATCH) {
                return;
            }
            let memory = Stoppable::new(self.arrays.memory(), cx.stopper);
            let (inputs, chunk) = (inputs(cx, &sources), self.path.chunk(cx));
            for first in (0..vertices.len() as u32).step_by(chunk as usize) {
                if cx.stopper.asks() {
                    return;
                }
                self.stream.clear();
                self.stream.extend((first..vertices.len() as u32).take(chunk as usize));
                self.path.plan(cx, &self.stream, false);
                self.path.run(cx, &memory, &inputs, submission);
            }
        }
    }

    /// Fixed attributes and the immediate port, for a host that restores them.
    pub(crate) const fn port_mut(&mut self) -> &mut AttributePort {
        &mut self.port
    }

    /// The incomplete primitive.
    pub(crate) const fn pending_mut(&mut self) -> &mut PendingVertices {
        &mut self.path.pending
    }

    /// The geometry stage.
    pub(crate) const fn geometry_mut(&mut self) -> &mut GeometryStage {
        &mut self.path.geometry
    }

    /// Saves or restores.
    pub(crate) fn persist(&mut self, words: &mut Words) {
        self.port.persist(words);
        self.path.pending.persist(words);
        self.path.geometry.persist(words);
    }
}

/// True if the indices or attributes of a draw may lie in its target; conservative.
fn reads_target(cx: &DrawContext<'_>, stream: VertexStream, sources: &[AttributeSource], count: u32) -> bool {
    let buffers = Target::new(cx.registers, cx.memory).ranges();
    let (first, last) = stream.widest(count);
    let attributes = sources.iter().filter_map(|source| source.bytes(first, last));
    let mut all = attributes.chain(stream.bytes(count));
    all.any(|bytes| buffers.iter().any(|&buffer| overlap(buffer, bytes)))
}

/// Waits for pending draws that may write the attributes of these vertices.
fn before_fetch(cx: &mut DrawContext<'_>, sources: &[AttributeSource], stream: &[u32], indexed: bool) {
    if cx.queue.is_idle() {
        return;
    }
    // Numbers of an array draw are consecutive, and may wrap.
    let (first, last) = match indexed {
        true => bounds(stream),
        false => (stream.first().copied().unwrap_or(0), stream.last().copied().unwrap_or(0)),
    };
    sources
        .iter()
        .filter_map(|source| source.bytes(first, last))
        .for_each(|bytes| cx.queue.before_read(bytes));
}

/// Price of reading positions of a stream.
fn stream_price(memory: &dyn Memory, stream: VertexStream, at: u32, length: u32) -> u64 {
    let indices = stream.bytes(at.saturating_add(length)).map_or(0, |(address, bytes)| {
        let read = bytes / (at + length).max(1) * length;
        work::bytes(read.into(), memory.region(address, bytes).is_some())
    });
    u64::from(length) * prices::POSITION + indices
}

/// The smallest and the largest index.
fn bounds(stream: &[u32]) -> (u32, u32) {
    stream.iter().fold((u32::MAX, 0), |(least, most), &index| (least.min(index), most.max(index)))
}

/// The first vertex of an array draw.
const fn first(stream: VertexStream) -> u32 {
    match stream {
        VertexStream::Array { first } => first,
        VertexStream::Indexed { .. } => 0,
    }
}

/// The sources of the attributes; 0x2B9 holds their number.
fn inputs(cx: &DrawContext<'_>, sources: &[AttributeSource]) -> VertexInputs {
    let count = cx.vertex.input_count().min(sources.len());
    VertexInputs { attributes: sources[..count].to_vec(), permutation: cx.vertex.permutation() }
}

pub(crate) mod emitted;
pub(crate) mod geometry_stage;
#[cfg(test)]
mod geometry_tests;
#[cfg(test)]
mod rig;
pub(crate) mod submission;
#[cfg(test)]
mod tests;
pub(crate) mod texels;
pub(crate) mod vertex_path;
