//! Batches between the caller and the workers: how many there may be, and where their buffers go.

use super::batch::Batch;
use super::crew::{Crew, Queue};
use super::{Draw, MOST_THREADS, Tiling};
use std::collections::VecDeque;
use std::sync::Arc;

/// Entries in tiles that may wait, before those of the last batch. There are no more primitives than that: of 176 bytes on the
/// GE, of 64 and up to eight vertices of 96 on the PICA200, in vectors with room for four times as many at most.
const MOST_ENTRIES: usize = 1 << 15;
/// Draws that may wait, before those of the last batch: 4 KiB of registers each, and what an engine keeps.
const MOST_DRAWS: usize = 512;
/// Where the caller waits, a thread is worth waking for this part of the work that it is worth otherwise.
const PART_AT_END: u64 = 4;
/// Empty batches that are kept for later.
const MOST_SPARE: usize = 8;

/// Batches that were handed over.
pub(super) struct Backlog<'p, 'm, D: Draw> {
    crew: &'p Crew<'m, D>,
    /// Starts a worker, if the system has one.
    hire: &'p dyn Fn() -> bool,
    /// Work, in pixels, that is worth waking a thread for.
    least_work: u64,
    /// Workers at once: how many there may be, if the system has so many, and how many there were.
    most: usize,
    hired: usize,
    /// Not known to be drawn, the oldest first.
    out: VecDeque<Arc<Batch<D>>>,
    entries: usize,
    draws: usize,
    work: u64,
    spare: Vec<Batch<D>>,
    queue: Queue<D>,
}

impl<'p, 'm, D: Draw> Backlog<'p, 'm, D> {
    /// `tiling` has the threads, the caller's among them.
    pub(super) fn new(crew: &'p Crew<'m, D>, hire: &'p dyn Fn() -> bool, tiling: Tiling) -> Self {
        Self {
            crew,
            hire,
            least_work: tiling.least_work,
            most: tiling.threads.clamp(1, MOST_THREADS) - 1,
            hired: 0,
            out: VecDeque::new(),
            entries: 0,
            draws: 0,
            work: 0,
            spare: Vec::new(),
            queue: Queue::new(),
        }
    }

    /// Whether there were workers, or none are to be had.
    pub(super) const fn has_workers(&self) -> bool {
        self.most == 0 || self.hired > 0
    }

    /// Whether a worker has come and gone, so that it can be had soon.
    pub(super) fn has_idle(&self) -> bool {
        self.crew.workers() < self.hired
    }

    /// Hands a batch over, the last one or not until all is drawn, and leaves an empty one in its place. When too much waits, the
    /// caller helps first.
    pub(super) fn hand_over(&mut self, batch: &mut Batch<D>, is_last: bool) {
        if batch.draws() == 0 {
            return;
        }
        self.recycle();
        while (self.entries > MOST_ENTRIES || self.draws > MOST_DRAWS) && self.crew.help(&mut self.queue) {
            self.recycle();
        }
        let grid = batch.grid();
        let mut next = self.spare.pop().unwrap_or_else(|| Batch::new(grid));
        next.clear(grid);
        let batch = Arc::new(std::mem::replace(batch, next));
        self.entries += batch.entries();
        self.draws += batch.draws();
        self.work += batch.work();
        let ready = self.crew.hand_over(&batch, is_last);
        self.call(self.least_work, ready);
        self.out.push_back(batch);
    }

    /// Calls workers for so many tiles that nobody draws: one at least, and no more than have a share of what waits. Each costs the
    /// caller some microseconds. Where the system gives none, nobody asks again.
    fn call(&mut self, share: u64, tiles: usize) {
        let worth = self.work.checked_div(share).unwrap_or(u64::MAX).max(1);
        let there = self.crew.workers();
        let more = worth.saturating_sub(there as u64).min(self.most.saturating_sub(there) as u64);
        for _ in 0..tiles.min(more as usize) {
            let Some(workers) = self.crew.call(self.hire) else {
                self.most = self.hired;
                break;
            };
            self.hired = self.hired.max(workers);
        }
    }

    /// Has everything drawn. The last tile may be drawn by two.
    pub(super) fn finish(&mut self) {
        self.recycle();
        let ready = self.crew.end();
        self.call(self.least_work / PART_AT_END, ready);
        while self.crew.help(&mut self.queue) {}
        self.recycle();
    }

    /// Takes back the batches that nobody needs any more.
    fn recycle(&mut self) {
        while let Some(batch) = self.out.pop_front() {
            match Arc::try_unwrap(batch) {
                Ok(batch) => self.reuse(batch),
                Err(batch) => return self.out.push_front(batch),
            }
        }
    }

    fn reuse(&mut self, mut batch: Batch<D>) {
        self.entries -= batch.entries();
        self.draws -= batch.draws();
        self.work -= batch.work();
        if self.spare.len() < MOST_SPARE {
            batch.clear(batch.grid());
            self.spare.push(batch);
        }
    }
}
