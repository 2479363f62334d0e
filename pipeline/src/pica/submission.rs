//! The triangles of one draw, on their way to the framebuffer.

use super::draw::DrawContext;
use super::primitive::Vertex;
use super::raster::{self, Triangle};
use super::surface::Target;
use crate::fault::Fault;
use crate::stage::FragmentState;
use crate::tile;

/// Triangles that are drawn at once, which bounds the memory that a draw needs.
const MOST_TRIANGLES: usize = 1 << 16;

/// Where assembled triangles go.
pub(crate) trait TriangleSink {
    /// Takes a triangle; returns how many pieces of it are left after culling and clipping.
    fn triangle(&mut self, cx: &mut DrawContext<'_>, vertices: [&Vertex; 3]) -> u32;

    /// The draw ends.
    fn finish(&mut self, cx: &mut DrawContext<'_>);
}

/// Sets triangles up and draws them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rasterizer {
    triangles: Vec<Triangle>,
}

impl TriangleSink for Rasterizer {
    fn triangle(&mut self, cx: &mut DrawContext<'_>, vertices: [&Vertex; 3]) -> u32 {
        if self.triangles.len() >= MOST_TRIANGLES {
            self.finish(cx);
        }
        let before = self.triangles.len();
        raster::process(vertices, cx.registers, &mut self.triangles);
        (self.triangles.len() - before) as u32
    }

    fn finish(&mut self, cx: &mut DrawContext<'_>) {
        if self.triangles.is_empty() {
            return;
        }
        let target = Target::new(cx.registers, cx.memory);
        if target.width() == 0 {
            cx.faults.push_once(Fault::EmptyTarget { dim: cx.registers.raw(0x11e) });
        } else {
            let state = FragmentState { registers: cx.registers, luts: cx.luts, memory: cx.memory };
            let routine = cx.stages.fragment_routine(&state);
            cx.stats.fragments += tile::rasterize(&*routine, state, &self.triangles, &target, cx.threads);
            target.notify_written();
        }
        self.triangles.clear();
    }
}

/// The triangles of one draw, counted.
pub(crate) struct Submission<'s> {
    sink: &'s mut dyn TriangleSink,
    left: u32,
    over: bool,
}

impl<'s> Submission<'s> {
    /// Nothing yet, and at most `limit` triangles.
    pub(crate) fn new(sink: &'s mut dyn TriangleSink, limit: u32) -> Self {
        Self { sink, left: limit, over: false }
    }

    /// Whether there were more triangles than the limit allows.
    pub(crate) const fn is_over(&self) -> bool {
        self.over
    }

    /// Takes an assembled triangle.
    pub(crate) fn triangle(&mut self, cx: &mut DrawContext<'_>, vertices: [&Vertex; 3]) {
        if self.left == 0 {
            self.over = true;
            return;
        }
        cx.stats.triangles += 1;
        let pieces = self.sink.triangle(cx, vertices);
        cx.stats.triangles_displayed += u64::from(pieces != 0);
        self.left = self.left.saturating_sub(pieces.max(1));
    }

    /// The draw ends.
    pub(crate) fn finish(self, cx: &mut DrawContext<'_>) {
        self.sink.finish(cx);
    }
}
