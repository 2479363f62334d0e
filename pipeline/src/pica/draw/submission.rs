//! Submission of the triangles of one draw to the queue.

use crate::fault::Fault;
use crate::pica::draw::DrawContext;
use crate::pica::primitive::Vertex;
use crate::pica::queue::Submitted;
use crate::pica::raster::coverage::Scissor;
use crate::pica::raster::{SetUp, Triangle};
use crate::pica::regs::Registers;
use crate::rect::Rect;

/// Maximum number of triangles submitted together; bounds the memory of a draw.
const MOST_TRIANGLES: usize = 1 << 16;
/// Triangles of a piece, when a thread can start on it: large enough to hide the cost of a piece.
pub(crate) const PIECE: usize = 1024;

/// Destination of assembled triangles.
pub(crate) trait TriangleSink {
    /// Processes a triangle; returns the number of pieces left after culling and clipping.
    fn triangle(&mut self, cx: &mut DrawContext<'_>, vertices: [&Vertex; 3]) -> u32;

    /// Starts a draw. `may_split`: it may be drawn in pieces, because drawing changes nothing that it still has to
    /// read.
    fn begin(&mut self, may_split: bool) {
        let _ = may_split;
    }

    /// Ends the draw.
    fn finish(&mut self, cx: &mut DrawContext<'_>);
}

/// Set-up of triangles and their submission to the queue.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rasterizer {
    triangles: Vec<Triangle>,
    /// Decoded registers of the draw, from its first triangle on.
    draw: Option<(SetUp, Rect)>,
    may_split: bool,
    /// True if some triangles of the draw are submitted already.
    is_under_way: bool,
}

impl Rasterizer {
    fn submit(&mut self, cx: &mut DrawContext<'_>, is_last: bool) {
        let Self { triangles, is_under_way, .. } = self;
        if !triangles.is_empty() && cx.registers.framebuffer_dim().width() == 0 {
            cx.faults.push_once(Fault::EmptyTarget { dim: cx.registers.raw(0x11e) });
        } else if !triangles.is_empty() {
            let (registers, luts, is_first) = (cx.registers, cx.luts, !*is_under_way);
            cx.queue.draw(cx.stages, Submitted { registers, luts, triangles, is_first, is_last });
            self.is_under_way = true;
        }
        self.triangles.clear();
    }
}

impl TriangleSink for Rasterizer {
    fn triangle(&mut self, cx: &mut DrawContext<'_>, vertices: [&Vertex; 3]) -> u32 {
        if self.triangles.len() >= if self.may_split { PIECE } else { MOST_TRIANGLES } {
            self.submit(cx, false);
        }
        let before = self.triangles.len();
        let registers = cx.registers;
        let (set_up, area) = self.draw.get_or_insert_with(|| (SetUp::of(registers), drawable(registers)));
        set_up.process(vertices, &mut self.triangles);
        let area = *area;
        let pixels = |triangle: &Triangle| triangle.bounds().intersect(area).pixels();
        cx.stats.pixels += self.triangles[before..].iter().map(pixels).sum::<u64>();
        (self.triangles.len() - before) as u32
    }

    fn begin(&mut self, may_split: bool) {
        (self.may_split, self.is_under_way) = (may_split, false);
        self.draw = None;
    }

    fn finish(&mut self, cx: &mut DrawContext<'_>) {
        self.submit(cx, true);
        self.begin(false);
    }
}

/// The pixels that a draw may access.
fn drawable(registers: &Registers) -> Rect {
    let dim = registers.framebuffer_dim();
    let target = Rect { x0: 0, y0: 0, x1: dim.width() as i32, y1: dim.height() as i32 };
    Scissor::of(registers).clip(target)
}

/// The triangles of one draw, with counters.
pub(crate) struct Submission<'s> {
    sink: &'s mut dyn TriangleSink,
    left: u32,
    /// Limit of the pixel counter.
    most_pixels: u64,
    over: bool,
}

impl<'s> Submission<'s> {
    /// An empty submission, with the budgets of the limits.
    pub(crate) fn new(sink: &'s mut dyn TriangleSink, cx: &DrawContext<'_>) -> Self {
        let most_pixels = cx.stats.pixels.saturating_add(cx.limits.pixels);
        Self { sink, left: cx.limits.triangles, most_pixels, over: false }
    }

    /// True if the triangles or pixels exceed the limits.
    pub(crate) const fn is_over(&self) -> bool {
        self.over
    }

    /// Starts a draw; `may_split` allows drawing it in pieces.
    pub(crate) fn begin(&mut self, may_split: bool) {
        self.sink.begin(may_split);
    }

    /// Processes an assembled triangle.
    pub(crate) fn triangle(&mut self, cx: &mut DrawContext<'_>, vertices: [&Vertex; 3]) {
        if self.left == 0 || cx.stats.pixels > self.most_pixels {
            self.over = true;
            return;
        }
        cx.stats.triangles += 1;
        let pieces = self.sink.triangle(cx, vertices);
        cx.stats.triangles_displayed += u64::from(pieces != 0);
        self.left = self.left.saturating_sub(pieces.max(1));
    }

    /// Ends the draw.
    pub(crate) fn finish(self, cx: &mut DrawContext<'_>) {
        self.sink.finish(cx);
    }
}
