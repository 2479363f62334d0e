//! The caller's side of overlapped drawing: collects draws into batches, hands them over, and waits.

use super::backlog::Backlog;
use super::batch::Batch;
use super::crew::Crew;
use super::grid::Grid;
use super::primitives::Primitives as _;
use super::timeline::{Caller, Timeline};
use super::{Bytes, Covered, Draw, Tiling};
use crate::memory::Memory;
use crate::stop::Stopper;

/// What draws to one target do with memory.
pub(crate) trait Footprint: Copy {
    /// These draws and one more.
    fn with(&self, draw: &Self) -> Self;

    /// Whether these bytes may be drawn to.
    fn reaches(&self, bytes: Bytes) -> bool;

    /// The buffers that may have changed.
    fn changed(&self) -> impl Iterator<Item = Bytes>;

    /// Width and height of the target in pixels.
    fn size(&self) -> [u32; 2];

    /// Pixels by which the first row of tiles is lower, less than 8, for tiles to end where blocks of memory do that
    /// only one thread may touch.
    fn lead(&self) -> u32;
}

/// Draws on several threads.
pub(crate) struct Overlap<'p, 'm, D: Draw, F> {
    memory: &'m dyn Memory,
    stopper: &'m Stopper,
    tiling: Tiling,
    crew: &'p Crew<'m, D>,
    backlog: Backlog<'p, 'm, D>,
    /// Being filled.
    batch: Batch<D>,
    /// What the draws do that are not known to be drawn.
    pending: Option<F>,
    fragments: u64,
    caller: Option<Caller>,
}

impl<'p, 'm, D: Draw, F: Footprint> Overlap<'p, 'm, D, F> {
    /// `hire` starts a worker of the crew, if the system has one.
    pub(super) fn new(
        (memory, stopper): (&'m dyn Memory, &'m Stopper),
        crew: &'p Crew<'m, D>,
        hire: &'p dyn Fn() -> bool,
        (tiling, timeline): (Tiling, Option<Timeline>),
    ) -> Self {
        let tile = tiling.tile.map(|side| side.clamp(8, 1024).next_power_of_two());
        Self {
            memory,
            stopper,
            tiling: Tiling { tile, ..tiling },
            crew,
            backlog: Backlog::new(crew, hire, tiling),
            batch: Batch::new(Grid::empty(tile)),
            pending: None,
            fragments: 0,
            caller: timeline.map(Caller::new),
        }
    }

    /// What the draws do that are not known to be drawn.
    pub(crate) const fn pending(&self) -> Option<&F> {
        self.pending.as_ref()
    }

    /// Adds a draw to what is pending, which has the same target. The primitives are gone then. Where they are several batches
    /// and the run ends, the later ones are not sorted any more.
    pub(crate) fn push(
        &mut self,
        draw: D,
        (footprint, covered): (&F, Covered),
        primitives: &mut D::Primitives,
    ) {
        if self.pending.is_none() {
            self.batch.clear(Grid::new(footprint.size(), footprint.lead(), self.tiling.tile));
        }
        self.pending = Some(self.pending.map_or(*footprint, |pending| pending.with(footprint)));
        let mut done = 0;
        let mut rest = self.batch.push(draw, covered, primitives, &mut done);
        while let Some(draw) = rest.filter(|_| !self.stopper.asks()) {
            self.hand_over(false);
            rest = self.batch.push(draw, covered, primitives, &mut done);
        }
        primitives.clear();
        if self.is_worth(self.batch.work(), 4) || self.batch.is_full() {
            self.hand_over(false);
        }
    }

    fn hand_over(&mut self, is_last: bool) {
        if let Some(caller) = self.caller.as_mut().filter(|_| self.batch.draws() > 0) {
            caller.note_own();
            self.batch.number = caller.note_batch(self.batch.tiles());
        }
        self.backlog.hand_over(&mut self.batch, is_last);
        if let Some(caller) = &mut self.caller {
            caller.resume();
        }
    }

    /// Whether so much work should be handed over. When nobody is idle, it has to be `busy` times as much.
    fn is_worth(&self, work: u64, busy: u64) -> bool {
        let least = self.tiling.least_work;
        work >= match () {
            () if !self.backlog.has_workers() => least.saturating_mul(4),
            () if self.backlog.has_idle() => least,
            () => least.saturating_mul(busy),
        }
    }

    /// Draws all that is pending, and tells the memory which buffers have changed.
    pub(crate) fn finish(&mut self) {
        let Some(pending) = self.pending.take() else { return };
        if !self.is_worth(self.batch.work(), 1) && self.crew.is_done() {
            self.fragments += self.batch.draw_whole(self.memory, self.stopper);
        } else {
            self.hand_over(true);
            self.backlog.finish();
            if let Some(caller) = &mut self.caller {
                caller.note_barrier();
            }
        }
        self.fragments += self.crew.take_fragments();
        self.batch.clear(Grid::empty(self.tiling.tile));
        for (address, length) in pending.changed() {
            self.memory.written(address, length);
        }
    }

    /// Fragments that were drawn elsewhere.
    pub(crate) const fn count(&mut self, fragments: u64) {
        self.fragments += fragments;
    }

    /// How many fragments were drawn since this was last asked.
    pub(crate) fn take_fragments(&mut self) -> u64 {
        std::mem::take(&mut self.fragments)
    }
}

/// Workers go home also when the caller panics.
impl<D: Draw, F> Drop for Overlap<'_, '_, D, F> {
    fn drop(&mut self) {
        if let Some(caller) = &mut self.caller {
            caller.note_own();
        }
        self.crew.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::FlatMemory;
    use crate::rect::Rect;
    use crate::tile::{Cut, Primitive, without_threads};
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const TARGET: Rect = Rect { x0: 0, y0: 0, x1: 1024, y1: 1024 };
    /// Tiles of the target: two primitives are a batch.
    const SIDE: u32 = 8;
    const TILES: usize = 128 * 128;

    /// Covers the whole target, and counts who asks for that.
    #[derive(Clone)]
    struct Whole<'a> {
        number: u32,
        looks: &'a AtomicUsize,
    }

    impl Primitive for Whole<'_> {
        fn bounds(&self) -> Rect {
            self.looks.fetch_add(1, Ordering::Relaxed);
            TARGET
        }
    }

    /// Notes the numbers that each tile gets, in order, and may stop the run.
    #[derive(Clone)]
    struct Noted<'a> {
        tiles: &'a Mutex<BTreeMap<[i32; 2], Vec<u32>>>,
        stops: Option<&'a Stopper>,
        looks: &'a AtomicUsize,
    }

    impl<'a> Draw for Noted<'a> {
        type Primitives = Vec<Whole<'a>>;

        fn area(&self) -> Rect {
            TARGET
        }

        fn cut(&self) -> Cut {
            Cut { pixels: 1 << 20, lead: 0, top_first: false, by_blocks: false }
        }

        fn run(&self, primitives: &Vec<Whole<'a>>, order: &[u32], tile: Rect, _: &dyn Memory) -> u64 {
            if let Some(stopper) = self.stops.filter(|stopper| !stopper.is_stopping()) {
                stopper.stop();
                self.looks.store(0, Ordering::Relaxed);
            }
            let numbers = order.iter().map(|&n| primitives[n as usize].number);
            self.tiles.lock().unwrap().entry([tile.x0, tile.y0]).or_default().extend(numbers);
            1
        }
    }

    #[derive(Clone, Copy)]
    struct Place;

    impl Footprint for Place {
        fn with(&self, _: &Self) -> Self {
            Self
        }

        fn reaches(&self, _: Bytes) -> bool {
            false
        }

        fn changed(&self) -> impl Iterator<Item = Bytes> {
            std::iter::empty()
        }

        fn size(&self) -> [u32; 2] {
            [1024; 2]
        }

        fn lead(&self) -> u32 {
            0
        }
    }

    /// Draws many primitives as one draw. Returns what each tile got, and how often bounds were asked for since the stop.
    fn drawn(count: u32, is_stopped: bool) -> (BTreeMap<[i32; 2], Vec<u32>>, usize) {
        let (tiles, looks, stopper) = (Mutex::default(), AtomicUsize::new(0), Stopper::default());
        let memory = FlatMemory::default();
        let tiling = Tiling { threads: 2, tile: [SIDE; 2], least_work: 0 };
        without_threads(tiling, (&memory, &stopper), &|| false, |mut overlap| {
            let draw = Noted { tiles: &tiles, stops: is_stopped.then_some(&stopper), looks: &looks };
            let mut primitives: Vec<_> = (0..count).map(|number| Whole { number, looks: &looks }).collect();
            let covered = Covered { bounds: TARGET, pixels: TARGET.pixels() * u64::from(count) };
            overlap.push(draw, (&Place, covered), &mut primitives);
            assert!(primitives.is_empty());
            overlap.finish();
        });
        (tiles.into_inner().unwrap(), looks.into_inner())
    }

    #[test]
    fn many_batches_keep_the_order() {
        let (tiles, _) = drawn(9, false);
        let all: Vec<u32> = (0..9).collect();
        assert_eq!(tiles.len(), TILES);
        assert!(tiles.values().all(|numbers| *numbers == all));
    }

    /// Primitives of the whole target wait, each of which is worth a worker, and four where the caller waits too.
    #[test]
    fn workers_are_asked_for_by_the_work_that_waits() {
        let (tiles, looks, stopper) = (Mutex::default(), AtomicUsize::new(0), Stopper::default());
        let (memory, asked) = (FlatMemory::default(), AtomicUsize::new(0));
        let tiling = Tiling { threads: 60, tile: [128; 2], least_work: TARGET.pixels() };
        let hire = || {
            asked.fetch_add(1, Ordering::Relaxed);
            true
        };
        without_threads(tiling, (&memory, &stopper), &hire, |mut overlap| {
            let mut numbers = 0..;
            let mut asked_after = |count: usize| {
                for number in numbers.by_ref().take(count) {
                    let draw = Noted { tiles: &tiles, stops: None, looks: &looks };
                    let covered = Covered { bounds: TARGET, pixels: TARGET.pixels() };
                    overlap.push(draw, (&Place, covered), &mut vec![Whole { number, looks: &looks }]);
                }
                asked.load(Ordering::Relaxed)
            };
            let counts = [3, 1, 2, 1, 1].map(&mut asked_after);
            assert_eq!(counts, [0, 4, 4, 4, 8], "four together, while nobody is idle");
            overlap.finish();
            assert_eq!(asked.load(Ordering::Relaxed), 32);
        });
        let tiles = tiles.into_inner().unwrap();
        assert_eq!(tiles.len(), 65, "the last one in halves");
        assert!(tiles.values().all(|numbers| numbers.iter().copied().eq(0..8)));
    }

    /// The caller draws the first tile when two batches wait.
    #[test]
    fn nothing_is_sorted_after_a_stop() {
        let (tiles, looks) = drawn(200, true);
        assert_eq!(tiles.len(), 1);
        assert!(looks < 10, "{looks} bounds of 200");
    }

    /// A worker that comes and goes: it draws what waits, and comes again for what waits then.
    #[test]
    fn workers_go_and_come_again() {
        let (tiles, looks, stopper) = (Mutex::default(), AtomicUsize::new(0), Stopper::default());
        let memory = FlatMemory::default();
        let crew = Crew::<Noted<'_>>::new(&memory, &stopper, None);
        let came = AtomicUsize::new(0);
        // On this thread, while the caller waits.
        let hire = || {
            came.fetch_add(1, Ordering::Relaxed);
            assert_eq!(crew.workers(), 1);
            crew.serve();
            assert_eq!(crew.workers(), 0);
            true
        };
        let tiling = Tiling { threads: 2, tile: [128; 2], least_work: TARGET.pixels() };
        let mut overlap = Overlap::new((&memory, &stopper), &crew, &hire, (tiling, None));
        let mut numbers = 0..;
        // For the first of a run there has to be four times as much.
        for (count, times) in [(4, 1), (1, 2), (1, 3)] {
            let draw = Noted { tiles: &tiles, stops: None, looks: &looks };
            let covered = Covered { bounds: TARGET, pixels: TARGET.pixels() * count as u64 };
            let primitives = numbers.by_ref().take(count).map(|number| Whole { number, looks: &looks });
            overlap.push(draw, (&Place, covered), &mut primitives.collect());
            assert_eq!(came.load(Ordering::Relaxed), times);
            assert!(crew.is_done());
        }
        overlap.finish();
        assert_eq!(overlap.take_fragments(), 3 * 64);
        drop(overlap);
        assert!(tiles.into_inner().unwrap().values().all(|numbers| *numbers == [0, 1, 2, 3, 4, 5]));
    }

    /// The last tile at the end of a run is taken in halves, each of which gets all that waits. Not if it is one block high.
    #[test]
    fn the_last_tile_is_shared() {
        for (height, is_ending, rows) in
            [(512, true, vec![0, 512, 768]), (512, false, vec![0, 512]), (8, true, vec![])]
        {
            let (tiles, looks, stopper) = (Mutex::default(), AtomicUsize::new(0), Stopper::default());
            let memory = FlatMemory::default();
            let crew = Crew::<Noted<'_>>::new(&memory, &stopper, None);
            for number in 0..2 {
                let draw = Noted { tiles: &tiles, stops: None, looks: &looks };
                let mut batch = Batch::new(Grid::new([1024; 2], 0, [1024, height]));
                let covered = Covered { bounds: TARGET, pixels: TARGET.pixels() };
                batch.push(draw, covered, &mut vec![Whole { number, looks: &looks }], &mut 0);
                crew.hand_over(&std::sync::Arc::new(batch), is_ending && number == 1);
            }
            // A worker that never comes: somebody might share a tile.
            assert_eq!(crew.call(|| true), Some(1));
            let mut queue = Vec::new();
            while crew.help(&mut queue) {}
            assert!(crew.is_done());
            let drawn = tiles.lock().unwrap();
            let expected = if rows.is_empty() { (0..1024).step_by(8).collect() } else { rows };
            assert_eq!(drawn.keys().map(|[_, y]| *y).collect::<Vec<_>>(), expected);
            assert!(drawn.values().all(|numbers| *numbers == [0, 1]));
        }
    }

    /// Is drawn when two threads draw it.
    #[derive(Clone)]
    struct Meeting<'a>(&'a AtomicUsize);

    impl Draw for Meeting<'_> {
        type Primitives = Vec<Whole<'static>>;

        fn area(&self) -> Rect {
            TARGET
        }

        fn cut(&self) -> Cut {
            Cut { pixels: 1 << 20, lead: 0, top_first: false, by_blocks: false }
        }

        fn run(&self, _: &Vec<Whole<'static>>, _: &[u32], tile: Rect, _: &dyn Memory) -> u64 {
            self.0.fetch_add(1, Ordering::Relaxed);
            let started = std::time::Instant::now();
            while self.0.load(Ordering::Relaxed) < 2 {
                assert!(started.elapsed().as_secs() < 10, "nobody came for the other half");
                std::thread::yield_now();
            }
            tile.pixels()
        }
    }

    /// The halves of a tile are drawn at once: whoever waits is told of one.
    #[test]
    fn halves_are_drawn_at_once() {
        static LOOKS: AtomicUsize = AtomicUsize::new(0);
        for is_early in [false, true] {
            let (drawing, stopper, memory) = (AtomicUsize::new(0), Stopper::default(), FlatMemory::default());
            let crew = Crew::<Meeting<'_>>::new(&memory, &stopper, None);
            let mut batch = Batch::new(Grid::new([1024; 2], 0, [1024; 2]));
            let covered = Covered { bounds: TARGET, pixels: TARGET.pixels() };
            batch.push(Meeting(&drawing), covered, &mut vec![Whole { number: 0, looks: &LOOKS }], &mut 0);
            crew.hand_over(&std::sync::Arc::new(batch), true);
            std::thread::scope(|scope| {
                crew.call(|| {
                    scope.spawn(|| {
                        while !is_early && drawing.load(Ordering::Relaxed) == 0 {
                            std::thread::yield_now();
                        }
                        crew.serve();
                    });
                    true
                });
                while is_early && drawing.load(Ordering::Relaxed) == 0 {
                    std::thread::yield_now();
                }
                let mut queue = Vec::new();
                while crew.help(&mut queue) {}
            });
            assert_eq!(crew.take_fragments(), TARGET.pixels());
        }
    }

    /// Of what was drawn before the caller came to wait, too: nobody helps then.
    #[test]
    fn a_panic_is_told_at_the_end() {
        let (tiles, looks, stopper) = (Mutex::default(), AtomicUsize::new(0), Stopper::default());
        let memory = FlatMemory::default();
        let crew = Crew::<Noted<'_>>::new(&memory, &stopper, None);
        let draw = Noted { tiles: &tiles, stops: None, looks: &looks };
        let mut batch = Batch::new(Grid::new([8; 2], 0, [8; 2]));
        let covered = Covered { bounds: Rect { x1: 8, y1: 8, ..TARGET }, pixels: 64 };
        batch.push(draw, covered, &mut vec![Whole { number: 0, looks: &looks }], &mut 0);
        let poisoned = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _locked = tiles.lock().unwrap();
            panic!("nobody can note a tile any more");
        }));
        assert!(poisoned.is_err());
        crew.hand_over(&std::sync::Arc::new(batch), false);
        std::thread::scope(|scope| {
            crew.call(|| {
                scope.spawn(|| crew.serve());
                true
            });
            while !crew.is_done() {
                std::thread::yield_now();
            }
            crew.close();
        });
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| crew.take_fragments()));
        assert!(told.is_err() && crew.take_fragments() == 0);
    }
}
