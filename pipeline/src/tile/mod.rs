//! Tiles: the primitives of draws are sorted into tiles of the target, rectangles, which threads draw. Both machines draw so.
//!
//! Inside a tile everything keeps the order of submission, and tiles share no pixel, so the picture depends on
//! neither the tiles nor the threads. With one thread nothing of this happens: each draw is one tile, and is
//! drawn where it is submitted.
//!
//! Here are the tiles (`grid`), what waits for each (`bins`, `batch`), the threads (`crew`, `backlog`; `trials` of short runs) and
//! the caller's side of it all (`overlap`); [`Timeline`] is a record of it for tools. What draws depend on each other, and so when the caller has to wait,
//! is for each machine to say: see `overlap::Footprint`.

mod backlog;
mod batch;
mod bins;
mod crew;
mod grid;
mod overlap;
mod pieces;
mod primitives;
mod timeline;
mod trials;
mod workers;

use crate::memory::Memory;
use crate::rect::Rect;
use crate::stop::Stopper;
use crew::Crew;
pub(crate) use overlap::{Footprint, Overlap};
pub use pieces::in_pieces;
pub(crate) use pieces::{Cut, draw as draw_pieces};
pub(crate) use primitives::{Primitives, empty, is_roomy};
use std::ops::Range;
use std::thread;
pub use timeline::{Event, Timeline};
pub use workers::Workers;

/// Threads that work at once, whatever was asked for.
const MOST_THREADS: usize = 64;

/// Address of the first byte, and number of bytes.
pub(crate) type Bytes = (u32, u32);

/// What is sorted into tiles.
pub(crate) trait Primitive: Clone + Send + Sync {
    /// The pixels that it may cover: none outside of them.
    fn bounds(&self) -> Rect;

    /// How many it may cover in a tile, at most. What has more than a piece is cut into rows of blocks, and so has to be drawn in
    /// their order.
    fn most_pixels(&self, tile: Rect) -> u64 {
        self.bounds().intersect(tile).pixels()
    }
}

/// What primitives of a draw may cover inside of its area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Covered {
    /// A rectangle with all of it.
    pub(crate) bounds: Rect,
    /// Pixels in the bounds of each primitive, together.
    pub(crate) pixels: u64,
}

/// Nothing.
impl Default for Covered {
    fn default() -> Self {
        Self { bounds: Rect::EMPTY, pixels: 0 }
    }
}

impl Covered {
    /// By these primitives.
    pub(crate) fn by(primitives: &[impl Primitive], area: Rect) -> Self {
        let mut covered = Self::default();
        for primitive in primitives {
            covered.add(Self::one(primitive.bounds().intersect(area)));
        }
        covered
    }

    /// By one primitive with these bounds inside of the area.
    pub(crate) fn one(bounds: Rect) -> Self {
        Self { bounds, pixels: bounds.pixels() }
    }

    /// Adds what others cover.
    pub(crate) fn add(&mut self, other: Self) {
        self.bounds = self.bounds.hull(other.bounds);
        self.pixels = self.pixels.saturating_add(other.pixels);
    }
}

/// A draw, independent of the machine that submitted it.
pub(crate) trait Draw: Clone + Send + Sync {
    /// What it draws.
    type Primitives: Primitives;

    /// The pixels that it may reach.
    fn area(&self) -> Rect;

    /// Where a tile of it may be cut.
    fn cut(&self) -> Cut;

    /// True if primitives of this draw may be added to those of an earlier one: everything else is the same.
    fn continues(&self, before: &Self) -> bool {
        let _ = before;
        false
    }

    /// Draws some of its primitives, `order` in `primitives`, inside the tile, which lies in the area. Returns how
    /// many fragments there were.
    fn run(&self, primitives: &Self::Primitives, order: &[u32], tile: Rect, memory: &dyn Memory) -> u64;
}

/// How drawing is shared out. Results do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// Threads that draw, the caller's among them; 0 counts as 1, and there are never more than 64.
    pub threads: usize,
    /// Width and height of a tile in pixels, each rounded up to a power of two from the blocks' 8 to 1024. A triangle costs something
    /// in each tile that it touches, and each of its rows something before the first pixel: so tiles are wide. There have to be
    /// enough of them for the threads, in narrow targets too: 480x272 pixels have 9 tiles of 512x32, 240x400 have 13.
    pub tile: [u32; 2],
    /// Work, in pixels, that is worth waking a thread for. For the first of a run there has to be four times as much. Draws are
    /// collected until there is so much; with 0 each is handed over by itself. With less than the usual 16,384 runs are shared
    /// out whatever time they take.
    pub least_work: u64,
}

/// What is worth it, as it was measured.
const USUAL_WORK: u64 = 16 * 1024;

impl Tiling {
    /// So many threads, and otherwise what was measured to be good.
    #[must_use]
    pub const fn new(threads: usize) -> Self {
        let height = if threads <= 2 { 32 } else { 16 };
        Self { threads, tile: [512, height], least_work: USUAL_WORK }
    }

    /// Likewise, but no more threads than the system says that this process runs at once: more would only take turns.
    #[must_use]
    pub fn on_host(threads: usize) -> Self {
        Self::new(thread::available_parallelism().map_or(threads, |most| threads.min(most.get())))
    }
}

/// One thread.
impl Default for Tiling {
    fn default() -> Self {
        Self::new(1)
    }
}

/// Lends `work` threads to draw on. They come with the first work that is worth it, and are gone when this returns.
/// What `work` leaves undrawn stays so.
pub(crate) fn with_threads<'m, D: Draw + 'm, F: Footprint, R>(
    tiling: Tiling,
    workers: &mut Workers,
    memory: &'m dyn Memory,
    stopper: &'m Stopper,
    work: impl FnOnce(Overlap<'_, 'm, D, F>) -> R,
) -> R {
    let timeline = workers.timeline.clone();
    let crew = Crew::new(memory, stopper, timeline.clone());
    workers.lend(tiling.threads.clamp(2, MOST_THREADS) - 1, |start| {
        let hire = || start(Box::new(|| crew.serve()));
        work(Overlap::new((memory, stopper), &crew, &hire, (tiling, timeline)))
    })
}

/// Those of a range of primitives that may touch an area, as indices.
pub(crate) fn visible<P: Primitive>(primitives: &[P], range: Range<usize>, area: Rect) -> Vec<u32> {
    let visible = |primitive: &P| !primitive.bounds().intersect(area).is_empty();
    let all = (range.start as u32..).zip(primitives.get(range).unwrap_or_default());
    all.filter(|(_, primitive)| visible(primitive)).map(|(n, _)| n).collect()
}

/// As [`with_threads`] on a system that has none to give.
#[cfg(test)]
pub(crate) fn without_threads<'m, D: Draw + 'm, F: Footprint, R>(
    tiling: Tiling,
    (memory, stopper): (&'m dyn Memory, &'m Stopper),
    refuse: &dyn Fn() -> bool,
    work: impl FnOnce(Overlap<'_, 'm, D, F>) -> R,
) -> R {
    let crew = Crew::new(memory, stopper, None);
    work(Overlap::new((memory, stopper), &crew, refuse, (tiling, None)))
}
