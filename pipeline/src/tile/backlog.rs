//! Batches between the caller and the workers: how many there may be, and where their buffers go.

use super::Draw;
use super::batch::Batch;
use super::crew::{Crew, Queue};
use std::collections::VecDeque;
use std::sync::Arc;

/// Entries in tiles that may wait, before those of the last batch. There are no more primitives than that, of up to
/// 356 bytes each.
const MOST_ENTRIES: usize = 1 << 15;
/// Draws that may wait, before those of the last batch: 4 KiB of registers each, and what an engine keeps.
const MOST_DRAWS: usize = 512;
/// Empty batches that are kept for later.
const MOST_SPARE: usize = 8;

/// Batches that were handed over.
pub(super) struct Backlog<'p, 'm, D: Draw> {
    crew: &'p Crew<'m, D>,
    /// Starts a worker, if the system has one.
    hire: &'p dyn Fn() -> bool,
    /// Workers that may still be started.
    vacancies: usize,
    has_hired: bool,
    /// Not known to be drawn, the oldest first.
    out: VecDeque<Arc<Batch<D>>>,
    entries: usize,
    draws: usize,
    spare: Vec<Batch<D>>,
    queue: Queue<D>,
}

impl<'p, 'm, D: Draw> Backlog<'p, 'm, D> {
    pub(super) fn new(crew: &'p Crew<'m, D>, hire: &'p dyn Fn() -> bool, vacancies: usize) -> Self {
        Self {
            crew,
            hire,
            vacancies,
            has_hired: false,
            out: VecDeque::new(),
            entries: 0,
            draws: 0,
            spare: Vec::new(),
            queue: Queue::new(),
        }
    }

    /// Whether there are workers, or none to be had.
    pub(super) const fn has_workers(&self) -> bool {
        self.vacancies == 0 || self.has_hired
    }

    /// Hands a batch over and leaves an empty one in its place. When too much waits, the caller helps first.
    pub(super) fn hand_over(&mut self, batch: &mut Batch<D>) {
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
        self.crew.hand_over(&batch);
        self.hire_for(batch.tiles().len());
        self.out.push_back(batch);
    }

    /// Starts workers for so many tiles. Where the system gives none, nobody asks again.
    fn hire_for(&mut self, tiles: usize) {
        self.has_hired = true;
        let asked = self.vacancies.min(tiles);
        let hired = (0..asked).take_while(|_| (self.hire)()).count();
        self.vacancies = if hired < asked { 0 } else { self.vacancies - hired };
    }

    /// Has everything drawn.
    pub(super) fn finish(&mut self) {
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
        if self.spare.len() < MOST_SPARE {
            batch.clear(batch.grid());
            self.spare.push(batch);
        }
    }
}
