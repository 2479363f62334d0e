//! Limits of one draw, and submission of its triangles to the queue.

use crate::fault::Fault;
use crate::pica::draw::DrawContext;
use crate::pica::prices;
use crate::pica::queue::{Submitted, area};
use crate::pica::raster::Triangle;
use crate::pica::raster::triangles::Face;
use crate::pica::regs::geometry::Topology;
use crate::pica::stage::ShadedVertices;
use crate::pica::stage::primitive::{PendingVertices, PrimitiveBatch, Primitives, StreamVertex};
use crate::pica::surface::Target;
use crate::rect::Rect;
use crate::tile::Covered;

/// Maximum number of triangles submitted together; bounds the memory of a draw.
const MOST_TRIANGLES: usize = 1 << 16;
/// Stream positions that an engine gets together, and triangles of a piece that is drawn before the next one is made: large enough
/// to hide the cost of a piece, and small enough for what is made to be still in the second cache.
pub(crate) const PIECE: usize = 1024;

/// Triangles that so many vertices complete, at most.
const fn most_triangles(topology: Topology, vertices: usize) -> usize {
    match topology {
        // One or two were there before.
        Topology::List | Topology::Geometry => vertices.div_ceil(3),
        Topology::Strip | Topology::Fan => vertices,
    }
}

/// The triangles of one draw, with counters.
pub(crate) struct Submission {
    primitives: Primitives,
    /// What the triangles cover that wait for submission. All of them have pixels in the drawing area.
    covered: Covered,
    /// The pixels that the draw may access.
    area: Rect,
    left: u32,
    /// Limit of the pixel counter.
    most_pixels: u64,
    /// Price of a pixel.
    pixel: u64,
    /// Price of the state and its textures, which is told once: kept until it is paid, and 0 from then on.
    textures: Option<u64>,
    /// Something was assembled, clipped and not culled, wherever it lies.
    is_displayed: bool,
    over: bool,
    may_split: bool,
    /// True if some triangles of the draw are submitted already.
    is_under_way: bool,
}

/// What triangles have in the drawing area.
struct Seen {
    covered: Covered,
    /// Each has a pixel there.
    is_all: bool,
}

impl Submission {
    /// A draw without triangles, with the budgets of the limits. `buffer` is that of an earlier draw.
    pub(crate) fn new(buffer: Primitives, cx: &DrawContext<'_>) -> Self {
        let mut primitives = buffer;
        primitives.clear();
        let target = Target::new(cx.registers, cx.memory);
        Self {
            primitives,
            covered: Covered::default(),
            area: area(cx.registers, &target),
            left: cx.limits.triangles,
            most_pixels: cx.stats.pixels.saturating_add(cx.limits.pixels),
            pixel: prices::pixel(cx.registers, &target),
            textures: None,
            is_displayed: false,
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
            let Primitives { triangles, ends } = &mut self.primitives;
            let before = (triangles.len(), triangles.vertices().len());
            // As many as there are where nothing is clipped, and no more: a batch takes what leaves little room. How many vertices
            // they share is not known yet.
            let most = most_triangles(cx.registers.primitive_config().topology(), stream.len());
            let reserved = triangles.try_reserve(most, 0);
            if !(cx.stopper.has_room(reserved) && cx.stopper.makes_room(ends, most)) {
                return;
            }
            let batch = PrimitiveBatch { registers: cx.registers, vertices, stream, is_drawn: true };
            cx.stages.primitives(&batch, pending, &mut self.primitives);
            self.count(cx, before.0);
            self.primitives.triangles.tidy(before.0, before.1);
        }
    }

    /// Counts and submits triangles that are set up already.
    pub(crate) fn triangles(&mut self, cx: &mut DrawContext<'_>, triangles: &[Triangle]) {
        for triangles in triangles.chunks(MOST_TRIANGLES) {
            let before = self.primitives.triangles.len();
            self.primitives.triangles.extend(triangles.iter().cloned());
            self.primitives.ends.extend((before as u32 + 1..).take(triangles.len()));
            self.count(cx, before);
            self.submit(cx, false);
        }
    }

    /// Counts the assembled triangles whose parts begin at `start`; drops those past the limits, and parts without a pixel in
    /// the drawing area.
    fn count(&mut self, cx: &mut DrawContext<'_>, start: usize) {
        let seen = self.seen(start);
        if self.count_all(cx, start, seen.covered.pixels) {
            self.keep(start, seen);
        } else {
            self.count_each(cx, start);
            self.keep(start, self.seen(start));
        }
    }

    /// Keeps what is seen of the triangles from `start` on, which are counted.
    fn keep(&mut self, start: usize, seen: Seen) {
        self.primitives.ends.clear();
        self.covered.add(seen.covered);
        self.is_displayed |= self.primitives.triangles.len() > start;
        if !seen.is_all {
            let is_unseen = |face: &mut Face| face.bounds().intersect(self.area).is_empty();
            self.primitives.triangles.parts_mut().0.extract_if(start.., is_unseen).for_each(drop);
        }
    }

    /// What the triangles from `start` on have in the drawing area.
    fn seen(&self, start: usize) -> Seen {
        let mut seen = Seen { covered: Covered::default(), is_all: true };
        for face in self.primitives.triangles.faces().get(start..).unwrap_or_default() {
            let bounds = face.bounds().intersect(self.area);
            seen.is_all &= !bounds.is_empty();
            seen.covered.add(Covered::one(bounds));
        }
        seen
    }

    /// [`count`](Self::count) where all of it is inside of the limits for certain; true if so. `pixels`: what it covers.
    fn count_all(&mut self, cx: &mut DrawContext<'_>, start: usize, pixels: u64) -> bool {
        let Primitives { triangles, ends } = &self.primitives;
        let befores = std::iter::once(start as u32).chain(ends.iter().copied());
        let empty = befores.zip(ends).filter(|&(before, &end)| before == end).count();
        let (assembled, parts) = (ends.len() as u64, triangles.len().saturating_sub(start));
        let price =
            assembled.saturating_mul(prices::TRIANGLE).saturating_add(pixels.saturating_mul(self.pixel));
        let left = self.left.checked_sub((parts + empty) as u32);
        let is_inside = cx.stats.pixels.saturating_add(pixels) <= self.most_pixels;
        let (Some(left), true, true) = (left, is_inside, cx.account.has(price)) else { return false };
        let textures = if pixels > 0 { self.textures(cx) } else { 0 };
        if !cx.account.has(price.saturating_add(textures)) {
            return false;
        }
        cx.account.pay(price + textures);
        cx.stats.triangles += assembled;
        cx.stats.triangles_displayed += assembled - empty as u64;
        cx.stats.pixels += pixels;
        self.left = left;
        if pixels > 0 {
            self.textures = Some(0);
        }
        true
    }

    /// [`count`](Self::count) one after the other, up to the first one past the limits.
    fn count_each(&mut self, cx: &mut DrawContext<'_>, mut start: usize) {
        for n in 0..self.primitives.ends.len() {
            let end = self.primitives.ends[n] as usize;
            let parts = self.primitives.triangles.faces().get(start..end).unwrap_or_default();
            let (pixels, parts) = (Covered::by(parts, self.area).pixels, parts.len() as u32);
            let mut price = prices::TRIANGLE.saturating_add(pixels.saturating_mul(self.pixel));
            let is_over = self.left == 0 || cx.stats.pixels > self.most_pixels;
            if pixels > 0 && !is_over {
                price = price.saturating_add(self.textures(cx));
            }
            if is_over || !cx.account.pay(price) {
                self.over = true;
                break;
            }
            cx.stats.triangles += 1;
            cx.stats.triangles_displayed += u64::from(parts > 0);
            cx.stats.pixels += pixels;
            self.left = self.left.saturating_sub(parts.max(1));
            if pixels > 0 {
                self.textures = Some(0);
            }
            start = end;
        }
        self.primitives.triangles.truncate(start);
    }

    /// What the state and its textures cost until they are paid: with the first triangle that may sample them, so that a draw
    /// ends at the same one however it is split.
    fn textures(&mut self, cx: &mut DrawContext<'_>) -> u64 {
        *self.textures.get_or_insert_with(|| {
            let target = Target::new(cx.registers, cx.memory);
            cx.texels.price((cx.registers, cx.luts), &target, cx.memory)
        })
    }

    fn submit(&mut self, cx: &mut DrawContext<'_>, is_last: bool) {
        let triangles = &mut self.primitives.triangles;
        if std::mem::take(&mut self.is_displayed) && cx.registers.framebuffer_dim().width() == 0 {
            cx.faults.push_once(Fault::EmptyTarget { dim: cx.registers.raw(0x11e) });
        }
        // Without pixels in the drawing area nobody paid for textures, and nobody needs them.
        if !triangles.is_empty() {
            let (registers, luts, is_first) = (cx.registers, cx.luts, !self.is_under_way);
            let covered = std::mem::take(&mut self.covered);
            cx.queue.draw(cx.stages, Submitted { registers, luts, triangles, covered, is_first, is_last });
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

#[cfg(test)]
mod tests {
    use super::super::rig::Rig;
    use super::*;
    use crate::pica::raster::testing::{random, window_triangle};
    use crate::tile::Primitives as _;

    /// Assembled triangles with none to three parts, a third of them beside a window of 32 by 16 pixels.
    fn assembled(seed: &mut u64) -> Primitives {
        let mut out = Primitives::default();
        for _ in 0..=random(seed, 12) {
            for _ in 0..random(seed, 4) {
                let x = [0, 0, 600][random(seed, 3) as usize];
                let points = [(); 3].map(|()| [x + random(seed, 400), random(seed, 200)]);
                out.triangles.extend(window_triangle(points));
            }
            out.ends.push(out.triangles.len() as u32);
        }
        out
    }

    /// Size of a batch that holds any draw. Its triangles are counted one by one.
    const EACH: usize = 1000;

    /// Triangles, limits and what is left are the same whether they are counted together, one by one, or some at a time, near
    /// the limits too.
    #[test]
    fn triangles_count_alike_in_batches_of_any_size() {
        let (mut seed, mut over, mut whole) = (5, 0, 0);
        for case in 0..4000 {
            let all = assembled(&mut seed);
            let mut rig = Rig::new(&[]);
            let mut limit =
                |most: i32| if random(&mut seed, 2) == 0 { most } else { random(&mut seed, most) };
            rig.limits.triangles = limit(40) as u32;
            rig.limits.pixels = limit(6000) as u64;
            let state = prices::fragment_state(&rig.registers) + prices::TABLES;
            rig.limits.work = limit(80_000) as u64 + if case % 8 == 0 { 0 } else { state };
            let mut counted = |size: usize| {
                rig.stats = Default::default();
                rig.with(|_, cx| {
                    let mut submission = Submission::new(Primitives::default(), cx);
                    let mut from = 0;
                    for ends in all.ends.chunks(size) {
                        let start = submission.primitives.triangles.len();
                        let Primitives { triangles, ends: to } = &mut submission.primitives;
                        let end = ends.last().map_or(from, |&end| end as usize);
                        triangles.append_some(&all.triangles, from..end);
                        to.extend(ends.iter().map(|&end| (end as usize - from + start) as u32));
                        from = end;
                        if size == EACH {
                            submission.count_each(cx, start);
                            submission.keep(start, submission.seen(start));
                        } else {
                            submission.count(cx, start);
                        }
                        if submission.over {
                            break;
                        }
                    }
                    let Submission { primitives, covered, left, over, is_displayed, .. } = submission;
                    let area = submission.area;
                    let has_pixels = |face: &Face| !face.bounds().intersect(area).is_empty();
                    assert!(primitives.triangles.faces().iter().all(has_pixels));
                    assert_eq!(covered, Covered::by(primitives.triangles.faces(), area));
                    (primitives.triangles, (left, over, is_displayed), *cx.stats, cx.account.spent())
                })
            };
            let expected = counted(EACH);
            *if expected.1.1 { &mut over } else { &mut whole } += 1;
            for size in [1, 2, 3, 100] {
                assert_eq!(counted(size), expected, "case {case}, {size} at a time");
            }
        }
        assert!(over > 1000 && whole > 1000, "{over} {whole}");
    }
}
