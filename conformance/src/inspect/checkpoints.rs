//! `Checkpoints`: points of a replay with the content of memory, so that a draw in the middle is reached without playing
//! all before it.
//!
//! Points lie between events, a span of time apart. Pages of memory that do not change are shared with the point before.
//! Beyond the budget every second point is dropped, and the span doubles.

use super::clock;
use crate::plays::Plays;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::memory::{BlockMemory, FlatMemory};
use std::collections::HashSet;
use std::sync::Arc;

/// Bytes of a page.
const PAGE: usize = 4096;
/// A page of memory that nothing has written.
const ZEROS: [u8; PAGE] = [0; PAGE];
/// Bytes that all pages may have, and number of points.
const MOST_BYTES: usize = if cfg!(target_family = "wasm") { 96 << 20 } else { 192 << 20 };
const MOST_POINTS: usize = 256;
/// Larger memories have no points: each of them would be compared as a whole.
const MOST_MEMORY: usize = 64 << 20;
/// Time between points in nanoseconds.
const SPAN: u64 = 25_000_000;

/// A place in a replay, between two events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct At {
    /// Draws before it.
    pub(super) draws: u64,
    /// Frames that ended before it.
    pub(super) frame: usize,
    /// Actions before it, ends of frames among them.
    pub(super) actions: usize,
    /// Number of the next event.
    pub(super) event: usize,
}

/// A point.
struct Point<M: Plays> {
    at: At,
    mark: M::Mark,
    pages: Vec<Arc<[u8]>>,
}

/// The points of a capture, in order.
pub(super) struct Checkpoints<M: Plays> {
    points: Vec<Point<M>>,
    span: u64,
    since: u64,
    bytes: usize,
}

impl<M: Plays> Default for Checkpoints<M> {
    fn default() -> Self {
        Self::every(SPAN)
    }
}

impl<M: Plays> Checkpoints<M> {
    /// None yet; so many nanoseconds will lie between them.
    pub(super) fn every(span: u64) -> Self {
        Self { points: Vec::new(), span, since: clock::now(), bytes: 0 }
    }

    /// Their number.
    #[cfg(test)]
    pub(super) const fn count(&self) -> usize {
        self.points.len()
    }

    /// Makes a point of the place that a replay has reached, if the last one is long ago.
    pub(super) fn note(&mut self, player: &M::Player<'_>, at: At) {
        let blocks = M::memory(player).blocks();
        let is_large = blocks.iter().map(|block| block.as_slice().len()).sum::<usize>() > MOST_MEMORY;
        let is_new = self.points.last().is_none_or(|last| last.at.draws < at.draws);
        if is_large || !is_new || clock::now().saturating_sub(self.since) < self.span {
            return;
        }
        let before = self.points.last().map_or(&[][..], |last| &last.pages);
        let (pages, added) = pages(blocks, before);
        self.bytes += added;
        self.points.push(Point { at, mark: M::mark(player), pages });
        if self.bytes > MOST_BYTES || self.points.len() > MOST_POINTS {
            self.thin_out();
        }
        self.since = clock::now();
    }

    /// Drops every second point.
    fn thin_out(&mut self) {
        let mut number = 0;
        self.points.retain(|_| {
            number += 1;
            number % 2 == 0
        });
        self.span = self.span.saturating_mul(2).max(1);
        let kept = self.points.iter().flat_map(|point| &point.pages);
        let mut known = HashSet::new();
        self.bytes = kept.filter(|page| known.insert(page.as_ptr())).map(|page| page.len()).sum();
    }

    /// The places of the points.
    pub(super) fn places(&self) -> impl Iterator<Item = At> + '_ {
        self.points.iter().map(|point| point.at)
    }

    /// A machine at the last point that a predicate holds for, and the place of the point; `None` without one.
    ///
    /// # Errors
    /// The capture is not sound.
    pub(super) fn player<'c>(
        &self,
        capture: &'c M::Capture,
        is_before: impl Fn(At) -> bool,
    ) -> Result<Option<(M::Player<'c>, At)>, CaptureError> {
        let Some(point) = self.points.iter().rfind(|point| is_before(point.at)) else { return Ok(None) };
        let player = M::resume(capture, &point.mark)?;
        restore(M::memory(&player), &point.pages);
        Ok(Some((player, point.at)))
    }
}

/// The pages of memory, without bytes where they are zero, and the bytes of those that are not as before.
fn pages(blocks: &[FlatMemory], before: &[Arc<[u8]>]) -> (Vec<Arc<[u8]>>, usize) {
    let (mut pages, mut added) = (Vec::new(), 0);
    for block in blocks {
        let bytes = block.as_slice();
        for start in (0..bytes.len()).step_by(PAGE) {
            let page = bytes.slice(start, PAGE.min(bytes.len() - start));
            let zeros = &ZEROS[..page.len()];
            let same = before.get(pages.len()).filter(|known| match known.is_empty() {
                true => page.equals(zeros),
                false => page.equals(known),
            });
            pages.push(match same {
                Some(known) => known.clone(),
                None if page.equals(zeros) => Arc::default(),
                None => {
                    added += page.len();
                    page.to_vec().into()
                }
            });
        }
    }
    (pages, added)
}

/// Writes pages into zeroed memory.
fn restore(memory: &BlockMemory, pages: &[Arc<[u8]>]) {
    let mut pages = pages.iter();
    for block in memory.blocks() {
        let bytes = block.as_slice();
        for start in (0..bytes.len()).step_by(PAGE) {
            if let Some(page) = pages.next().filter(|page| !page.is_empty()) {
                bytes.write_all(start, page);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::Ge;
    use crate::inspect::{Inspector as _, Session};
    use crate::plays::Reading;

    #[test]
    fn pages_are_shared_and_restored() {
        let memory = BlockMemory::zeroed(&[(0, 3 * 4096 + 5), (1 << 20, 100)]);
        memory.blocks()[0].as_slice().write(4097, 7);
        let (first, added) = pages(memory.blocks(), &[]);
        assert_eq!((first.len(), added), (5, 4096));
        memory.blocks()[1].as_slice().write(99, 9);
        let (second, added) = pages(memory.blocks(), &first);
        assert_eq!(added, 100);
        assert!(Arc::ptr_eq(&first[1], &second[1]) && second[0].is_empty());
        let other = BlockMemory::zeroed(&[(0, 3 * 4096 + 5), (1 << 20, 100)]);
        restore(&other, &second);
        assert!((0..2).all(|n| other.blocks()[n].as_slice().equals(&memory.blocks()[n].as_slice().to_vec())));
    }

    /// Answers are those of a replay from the start, whichever way draws are visited.
    #[test]
    fn draws_from_points_are_those_from_the_start() {
        let capture = <Ge as Plays>::scene("game", Reading::default()).expect("one of the scenes");
        let mut plain = Session::<Ge>::new(capture.clone(), Ge::interpreter()).with_span(u64::MAX);
        let mut quick = Session::<Ge>::new(capture, Ge::interpreter()).with_span(0);
        let draws = plain.actions().expect("it plays").iter().filter_map(|action| action.draw).max();
        let draws = draws.expect("draws") + 1;
        quick.actions().expect("it plays");
        assert!(quick.points() > 0 && plain.points() == 0);
        for draw in (0..draws).rev().step_by(3).chain([draws - 1, 0]) {
            let [a, b] = [&mut plain, &mut quick].map(|session| session.draw(draw, 0).expect("a draw"));
            assert_eq!((a.before, a.after, a.mesh), (b.before, b.after, b.mesh), "draw {draw}");
        }
        assert_eq!(
            plain.screen(None).expect("a picture").to_png(),
            quick.screen(None).expect("a picture").to_png()
        );
    }
}
