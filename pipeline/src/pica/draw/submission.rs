//! Limits of one draw, and submission of its triangles to the queue.

use crate::fault::Fault;
use crate::pica::draw::DrawContext;
use crate::pica::prices;
use crate::pica::queue::Submitted;
use crate::pica::raster::Triangle;
use crate::pica::raster::scissor::Scissor;
use crate::pica::regs::Registers;
use crate::pica::stage::ShadedVertices;
use crate::pica::stage::primitive::{PendingVertices, PrimitiveBatch, Primitives, StreamVertex};
use crate::pica::surface::Target;
use crate::rect::Rect;

/// Maximum number of triangles submitted together; bounds the memory of a draw.
const MOST_TRIANGLES: usize = 1 << 16;
/// Stream positions that an engine gets together, and triangles of a piece when a thread can start on it: large enough
/// to hide the cost of a piece.
pub(crate) const PIECE: usize = 1024;

/// The pixels that a draw may access.
fn drawable(registers: &Registers) -> Rect {
    let dim = registers.framebuffer_dim();
    let target = Rect { x0: 0, y0: 0, x1: dim.width() as i32, y1: dim.height() as i32 };
    Scissor::of(registers).clip(target)
}

/// The triangles of one draw, with counters.
pub(crate) struct Submission {
    primitives: Primitives,
    area: Rect,
    left: u32,
    /// Limit of the pixel counter.
    most_pixels: u64,
    /// Price of a pixel.
    pixel: u64,
    /// True once a triangle has pixels in the drawing area, and the textures are paid.
    has_pixels: bool,
    over: bool,
    may_split: bool,
    /// True if some triangles of the draw are submitted already.
    is_under_way: bool,
}

impl Submission {
    /// A draw without triangles, with the budgets of the limits. `buffer` is that of an earlier draw.
    pub(crate) fn new(buffer: Primitives, cx: &DrawContext<'_>) -> Self {
        let mut primitives = buffer;
        primitives.clear();
        Self {
            primitives,
            area: drawable(cx.registers),
            left: cx.limits.triangles,
            most_pixels: cx.stats.pixels.saturating_add(cx.limits.pixels),
            pixel: prices::pixel(cx.registers, &Target::new(cx.registers, cx.memory)),
            has_pixels: false,
            over: false,
            may_split: false,
            is_under_way: false,
        }
    }

    /// Allows submission in pieces: drawing changes nothing that the draw still has to read.
    pub(crate) const fn split(&mut self) {
        self.may_split = true;
    }

    /// True if the triangles or pixels exceed the limits.
    pub(crate) const fn is_over(&self) -> bool {
        self.over
    }

    /// Passes a stream of vertices through the primitive engine; counts and submits the triangles. All of the stream
    /// passes, also past the limits, so that the pending vertices depend on no limit inside it.
    pub(crate) fn stream(
        &mut self,
        cx: &mut DrawContext<'_>,
        vertices: &ShadedVertices,
        stream: &[StreamVertex],
        pending: &mut PendingVertices,
    ) {
        cx.stats.vertices += stream.len() as u64;
        for stream in stream.chunks(PIECE) {
            if cx.stopper.asks() {
                return;
            }
            if self.primitives.triangles.len() >= if self.may_split { PIECE } else { MOST_TRIANGLES } {
                self.submit(cx, false);
            }
            let before = self.primitives.triangles.len();
            let Primitives { triangles, ends } = &mut self.primitives;
            // As many as there are where nothing is clipped.
            if !(cx.stopper.makes_room(triangles, stream.len()) && cx.stopper.makes_room(ends, stream.len()))
            {
                return;
            }
            let batch = PrimitiveBatch { registers: cx.registers, vertices, stream };
            cx.stages.primitives(&batch, pending, &mut self.primitives);
            self.count(cx, before);
        }
    }

    /// Counts and submits triangles that are set up already.
    pub(crate) fn triangles(&mut self, cx: &mut DrawContext<'_>, triangles: &[Triangle]) {
        for triangles in triangles.chunks(MOST_TRIANGLES) {
            let before = self.primitives.triangles.len();
            self.primitives.triangles.extend_from_slice(triangles);
            self.primitives.ends.extend((before as u32 + 1..).take(triangles.len()));
            self.count(cx, before);
            self.submit(cx, false);
        }
    }

    /// Counts the assembled triangles whose parts begin at `start`; drops those past the limits.
    fn count(&mut self, cx: &mut DrawContext<'_>, mut start: usize) {
        let Primitives { triangles, ends } = &mut self.primitives;
        for end in ends.drain(..).map(|end| end as usize) {
            let parts = triangles.get(start..end).unwrap_or_default();
            let pixels = |triangle: &Triangle| triangle.bounds().intersect(self.area).pixels();
            let pixels = parts.iter().map(pixels).sum::<u64>();
            let mut price = prices::TRIANGLE.saturating_add(pixels.saturating_mul(self.pixel));
            let is_over = self.left == 0 || cx.stats.pixels > self.most_pixels;
            // Paid with the first triangle that may sample them, so that a draw ends at the same one however it is split.
            if pixels > 0 && !self.has_pixels && !is_over {
                let target = Target::new(cx.registers, cx.memory);
                let state = (cx.registers, cx.luts);
                price = price.saturating_add(cx.texels.price(state, &target, cx.memory));
            }
            if is_over || !cx.account.pay(price) {
                self.over = true;
                triangles.truncate(start);
                break;
            }
            self.has_pixels |= pixels > 0;
            cx.stats.triangles += 1;
            cx.stats.triangles_displayed += u64::from(!parts.is_empty());
            cx.stats.pixels += pixels;
            self.left = self.left.saturating_sub((parts.len() as u32).max(1));
            start = end;
        }
    }

    fn submit(&mut self, cx: &mut DrawContext<'_>, is_last: bool) {
        let triangles = &mut self.primitives.triangles;
        if !triangles.is_empty() && cx.registers.framebuffer_dim().width() == 0 {
            cx.faults.push_once(Fault::EmptyTarget { dim: cx.registers.raw(0x11e) });
        } else if !triangles.is_empty() && self.has_pixels {
            // Without pixels in the drawing area nobody paid for textures, and nobody needs them.
            let (registers, luts, is_first) = (cx.registers, cx.luts, !self.is_under_way);
            cx.queue.draw(cx.stages, Submitted { registers, luts, triangles, is_first, is_last });
            self.is_under_way = true;
        }
        triangles.clear();
    }

    /// Ends the draw, whose last triangles are drawn if it `is_whole`. Returns the buffer, for another draw.
    pub(crate) fn finish(mut self, cx: &mut DrawContext<'_>, is_whole: bool) -> Primitives {
        if is_whole {
            self.submit(cx, true);
        }
        self.primitives
    }
}
