//! The workers and what they share: for each tile a queue of batches, and a list of the tiles that somebody
//! may take.
//!
//! A tile is taken by one thread at a time, with all that waits for it. So its batches are drawn in the order
//! in which they were handed over, whoever draws them.

use super::Draw;
use super::batch::Batch;
use super::grid::Rows;
use super::timeline::{Event, Timeline};
use crate::memory::Memory;
use crate::stop::Stopper;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Batches that wait for one tile, the oldest first.
pub(super) type Queue<D> = Vec<Arc<Batch<D>>>;
/// What a panic left.
type Panic = Box<dyn Any + Send>;

/// What all threads share.
pub(super) struct Crew<'m, D: Draw> {
    memory: &'m dyn Memory,
    stopper: &'m Stopper,
    state: Mutex<State<D>>,
    /// For the caller: everything is drawn, there is a half to take, or a worker has panicked.
    drawn: Condvar,
    /// Workers that have come and not gone. They change their number under the lock.
    workers: AtomicUsize,
    timeline: Option<Timeline>,
}

struct State<D: Draw> {
    tiles: Vec<Tile<D>>,
    /// Tiles that have a queue and that nobody draws.
    ready: VecDeque<usize>,
    /// The other half of a tile of which somebody has taken one.
    half: Option<(usize, Queue<D>)>,
    /// Tiles, and halves of some, that somebody draws.
    taken: usize,
    /// Nothing more is handed over until all is drawn, by several threads.
    is_ending: bool,
    fragments: u64,
    panic: Option<Panic>,
    closing: bool,
    /// The caller waits.
    is_awaited: bool,
}

struct Tile<D: Draw> {
    queue: Queue<D>,
    /// How many draw it, or a half of it.
    takers: usize,
}

/// A tile that was drawn: the number of fragments, or the panic that ended it.
type Done = (usize, Result<u64, Panic>);

impl<D: Draw> State<D> {
    /// Moves the queue of a tile that is ready into `queue`, which is empty. Where it is the last one and others have nothing to do
    /// until it is drawn, it is taken in halves.
    fn take(&mut self, queue: &mut Queue<D>) -> Option<(usize, Rows)> {
        let (n, rows) = match self.half.take() {
            Some((n, half)) => {
                *queue = half;
                (n, Rows::Lower)
            }
            None => {
                let n = self.ready.pop_front()?;
                std::mem::swap(&mut self.tiles[n].queue, queue);
                let is_last = self.is_ending && self.ready.is_empty();
                if is_last && queue.first().is_some_and(|batch| batch.grid().has_halves()) {
                    self.half = Some((n, queue.clone()));
                    (n, Rows::Upper)
                } else {
                    (n, Rows::All)
                }
            }
        };
        self.tiles[n].takers += 1;
        self.taken += 1;
        Some((n, rows))
    }

    fn give_back(&mut self, (n, result): Done) {
        let tile = &mut self.tiles[n];
        tile.takers -= 1;
        if tile.takers == 0 && !tile.queue.is_empty() {
            self.ready.push_back(n);
        }
        self.taken -= 1;
        match result {
            Ok(fragments) => self.fragments += fragments,
            // The first one is told.
            Err(panic) => self.panic = self.panic.take().or(Some(panic)),
        }
    }

    fn hand_over(&mut self, batch: &Arc<Batch<D>>) {
        for &n in batch.tiles() {
            if self.tiles.len() <= n {
                self.tiles.resize_with(n + 1, || Tile { queue: Queue::new(), takers: 0 });
            }
            let tile = &mut self.tiles[n];
            if tile.queue.is_empty() && tile.takers == 0 {
                self.ready.push_back(n);
            }
            tile.queue.push(Arc::clone(batch));
        }
    }

    fn is_done(&self) -> bool {
        self.ready.is_empty() && self.half.is_none() && self.taken == 0
    }
}

impl<'m, D: Draw> Crew<'m, D> {
    pub(super) fn new(memory: &'m dyn Memory, stopper: &'m Stopper, timeline: Option<Timeline>) -> Self {
        Self {
            memory,
            stopper,
            state: Mutex::new(State {
                tiles: Vec::new(),
                ready: VecDeque::new(),
                half: None,
                taken: 0,
                is_ending: false,
                fragments: 0,
                panic: None,
                closing: false,
                is_awaited: false,
            }),
            drawn: Condvar::new(),
            workers: AtomicUsize::new(0),
            timeline,
        }
    }

    /// Nobody panics while holding the lock.
    fn lock(&self) -> MutexGuard<'_, State<D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, after the panic of a worker, if there was one.
    fn lock_unharmed(&self) -> MutexGuard<'_, State<D>> {
        let mut state = self.lock();
        if let Some(panic) = state.panic.take() {
            drop(state);
            std::panic::resume_unwind(panic);
        }
        state
    }

    /// Workers that are there, or on their way.
    pub(super) fn workers(&self) -> usize {
        self.workers.load(Ordering::Relaxed)
    }

    /// Appends a batch to the queues of its tiles. Returns how many somebody may take then.
    pub(super) fn hand_over(&self, batch: &Arc<Batch<D>>) -> usize {
        let mut state = self.lock();
        state.hand_over(batch);
        state.ready.len()
    }

    /// Says whether nothing more is handed over until all is drawn, by several threads.
    pub(super) fn end(&self, is_ending: bool) {
        self.lock().is_ending = is_ending;
    }

    /// Tiles that somebody may take.
    pub(super) fn ready(&self) -> usize {
        self.lock().ready.len()
    }

    /// Has a worker come, by a function that is false if the system has none.
    pub(super) fn call(&self, start: impl FnOnce() -> bool) -> bool {
        self.workers.fetch_add(1, Ordering::Relaxed);
        let comes = start();
        if !comes {
            self.workers.fetch_sub(1, Ordering::Relaxed);
        }
        comes
    }

    /// What a worker does that was [called](Self::call): it draws tiles, and goes when there is none to take. So nobody has to wake
    /// it at the end of a run, and wait until it is gone.
    pub(super) fn serve(&self) {
        let mut queue = Queue::new();
        let mut done = None;
        while let Some(tile) = self.next(done, &mut queue) {
            let draw = AssertUnwindSafe(|| self.draw(tile, &mut queue));
            done = Some((tile.0, catch_unwind(draw)));
        }
    }

    /// Gives a tile back and takes another. None if there is none: the worker goes.
    fn next(&self, done: Option<Done>, queue: &mut Queue<D>) -> Option<(usize, Rows)> {
        queue.clear();
        let mut state = self.lock();
        if let Some(done) = done {
            state.give_back(done);
        }
        let tile = if state.closing { None } else { state.take(queue) };
        if tile.is_none() {
            self.workers.fetch_sub(1, Ordering::Relaxed);
        }
        // A tile with more to draw is taken by this worker, if need be by halves.
        if state.is_awaited && (state.is_done() || state.half.is_some() || state.panic.is_some()) {
            self.drawn.notify_one();
        }
        tile
    }

    fn draw(&self, tile: (usize, Rows), queue: &mut Queue<D>) -> u64 {
        queue.drain(..).map(|batch| self.draw_batch(&batch, tile)).sum()
    }

    fn draw_batch(&self, batch: &Batch<D>, tile: (usize, Rows)) -> u64 {
        let Some(timeline) = &self.timeline else { return batch.draw_tile(tile, self.memory, self.stopper) };
        let start = Instant::now();
        let fragments = batch.draw_tile(tile, self.memory, self.stopper);
        timeline.note(Event::Drawn { batch: batch.number, tile: tile.0, time: start.elapsed() });
        fragments
    }

    /// Has the caller draw a tile, or wait until the workers have drawn theirs. `false` when everything is drawn.
    ///
    /// # Panics
    /// If a worker has.
    pub(super) fn help(&self, queue: &mut Queue<D>) -> bool {
        let mut state = self.lock_unharmed();
        if let Some(tile) = state.take(queue) {
            drop(state);
            let fragments = self.draw(tile, queue);
            self.lock().give_back((tile.0, Ok(fragments)));
            return true;
        }
        if state.is_done() {
            return false;
        }
        state.is_awaited = true;
        state = self.drawn.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.is_awaited = false;
        true
    }

    /// Whether everything that was handed over is drawn.
    pub(super) fn is_done(&self) -> bool {
        self.lock().is_done()
    }

    /// The fragments drawn since this was last asked.
    ///
    /// # Panics
    /// If a worker has.
    pub(super) fn take_fragments(&self) -> u64 {
        std::mem::take(&mut self.lock_unharmed().fragments)
    }

    /// Sends the workers home. What is not drawn stays so.
    pub(super) fn close(&self) {
        self.lock().closing = true;
    }
}
