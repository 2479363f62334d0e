//! The workers and what they share: for each tile a queue of batches, and a list of the tiles that somebody
//! may take.
//!
//! A tile is taken by one thread at a time, with all that waits for it. So its batches are drawn in the order
//! in which they were handed over, whoever draws them. The last tile before the caller goes on is taken in halves, which share no
//! block of memory.

use super::Draw;
use super::batch::Batch;
use super::grid::Rows;
use super::timeline::{Event, Timeline};
use crate::memory::Memory;
use crate::rect::Rect;
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
    /// Workers that have come, or are on their way, and not gone, which they do under the lock.
    workers: AtomicUsize,
    timeline: Option<Timeline>,
}

struct State<D: Draw> {
    tiles: Vec<Tile<D>>,
    /// Tiles that have a queue and that nobody draws.
    ready: VecDeque<usize>,
    /// The other half of a tile of which somebody has taken one.
    half: Option<(usize, Rows, Queue<D>)>,
    /// Tiles, and halves of some, that somebody draws.
    taken: usize,
    /// Nothing more is handed over until all is drawn.
    is_ending: bool,
    fragments: u64,
    panic: Option<Panic>,
    closing: bool,
    /// The caller waits.
    is_awaited: bool,
}

struct Tile<D: Draw> {
    queue: Queue<D>,
    /// How many draw it, or are to draw a half of it.
    takers: usize,
}

/// A tile that was drawn: the number of fragments, or the panic that ended it.
type Done = (usize, Result<u64, Panic>);

impl<D: Draw> State<D> {
    /// Moves the queue of a tile that is ready, or a half of one, into `queue`, which is empty. A tile that is taken in halves gets
    /// no other takers until both are drawn.
    fn take(&mut self, queue: &mut Queue<D>, has_company: bool) -> Option<(usize, Rows)> {
        let taken = match self.half.take() {
            Some((n, rows, half)) => {
                *queue = half;
                (n, rows)
            }
            None => {
                let n = self.ready.pop_front()?;
                std::mem::swap(&mut self.tiles[n].queue, queue);
                (n, self.halve(n, queue, has_company).unwrap_or(Rows::All))
            }
        };
        self.taken += 1;
        Some(taken)
    }

    /// Takes a tile, or, where it is the last one and others have nothing to do until it is drawn, one half of it.
    fn halve(&mut self, n: usize, queue: &Queue<D>, has_company: bool) -> Option<Rows> {
        self.tiles[n].takers = 1;
        if !(has_company && self.is_ending && self.ready.is_empty()) {
            return None;
        }
        let bounds = queue.iter().fold(Rect::EMPTY, |bounds, batch| bounds.hull(batch.bounds()));
        let middle = queue.first()?.grid().middle(n, bounds)?;
        self.tiles[n].takers = 2;
        self.half = Some((n, Rows::From(middle), queue.clone()));
        Some(Rows::Before(middle))
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

    /// Appends a batch, the last one or not until all is drawn, to the queues of its tiles. Returns how many somebody may take then.
    pub(super) fn hand_over(&self, batch: &Arc<Batch<D>>, is_last: bool) -> usize {
        let mut state = self.lock();
        state.is_ending = is_last;
        state.hand_over(batch);
        state.ready.len()
    }

    /// Says that nothing more is handed over until all is drawn. Returns how many tiles somebody may take.
    pub(super) fn end(&self) -> usize {
        let mut state = self.lock();
        state.is_ending = true;
        state.ready.len()
    }

    /// Has a worker come, by a function that is false if the system has none. Returns how many there are with it.
    pub(super) fn call(&self, start: impl FnOnce() -> bool) -> Option<usize> {
        let before = self.workers.fetch_add(1, Ordering::Relaxed);
        if start() {
            return Some(before + 1);
        }
        self.workers.fetch_sub(1, Ordering::Relaxed);
        None
    }

    /// What a worker does that was [called](Self::call): it draws tiles, and goes when there is none to take. So nobody has to wake
    /// it at the end of a run, and wait until it is gone.
    pub(super) fn serve(&self) {
        let mut queue = Queue::new();
        let mut done = None;
        while let Some(tile) = self.next(done, &mut queue) {
            done = Some(self.draw(tile, &mut queue));
        }
    }

    /// Gives a tile back and takes another. None if there is none: the worker goes.
    fn next(&self, done: Option<Done>, queue: &mut Queue<D>) -> Option<(usize, Rows)> {
        queue.clear();
        let mut state = self.lock();
        if let Some(done) = done {
            state.give_back(done);
        }
        let tile = if state.closing { None } else { state.take(queue, true) };
        if tile.is_none() {
            self.workers.fetch_sub(1, Ordering::Relaxed);
        }
        // A tile with more to draw is taken by this worker, if need be by halves.
        if state.is_awaited && (state.is_done() || state.half.is_some() || state.panic.is_some()) {
            self.drawn.notify_one();
        }
        tile
    }

    fn draw(&self, tile: (usize, Rows), queue: &mut Queue<D>) -> Done {
        let draw = || queue.drain(..).map(|batch| self.draw_batch(&batch, tile)).sum();
        (tile.0, catch_unwind(AssertUnwindSafe(draw)))
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
    /// If a worker has, or the tile does.
    pub(super) fn help(&self, queue: &mut Queue<D>) -> bool {
        let mut state = self.lock_unharmed();
        if let Some(tile) = state.take(queue, self.workers() > 0) {
            drop(state);
            let done = self.draw(tile, queue);
            // A panic is told by whoever asks next.
            self.lock().give_back(done);
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
