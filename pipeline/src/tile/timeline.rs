//! `Timeline`: what the threads of a machine did, for tools that ask what more of them would bring.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A record of runs that draw on several threads, in the order of the caller. Clocks are read for each tile of each batch, which
/// costs some time; results do not depend on it.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    events: Arc<Mutex<Vec<Event>>>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The caller worked alone: it read commands, made and sorted primitives, or drew what is too small to be shared.
    Caller(Duration),
    /// The caller handed a batch of draws over.
    HandedOver {
        /// Number of the batch in its run, from 0 on.
        batch: usize,
        /// Numbers of the tiles with something to draw. Batches of one tile are drawn in their order.
        tiles: Vec<usize>,
    },
    /// A thread drew a batch in a tile, or in a half of it. Stands anywhere between the batch and the next barrier.
    Drawn {
        /// Number of the batch.
        batch: usize,
        /// Number of the tile.
        tile: usize,
        /// Time that it took.
        time: Duration,
    },
    /// The caller has waited until everything was drawn, and has drawn tiles itself meanwhile.
    Barrier,
}

impl Timeline {
    /// The events so far; the record begins anew.
    #[must_use]
    pub fn take(&self) -> Vec<Event> {
        mem::take(&mut self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn note(&self, event: Event) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}

/// The caller's part of a timeline.
#[derive(Debug)]
pub(super) struct Caller {
    timeline: Timeline,
    /// End of the last time that is noted.
    since: Instant,
    batches: usize,
}

impl Caller {
    pub(super) fn new(timeline: Timeline) -> Self {
        Self { timeline, since: Instant::now(), batches: 0 }
    }

    /// Notes its own time until now.
    pub(super) fn note_own(&mut self) {
        self.timeline.note(Event::Caller(self.since.elapsed()));
        self.since = Instant::now();
    }

    /// Notes a batch that is about to be handed over. Returns its number.
    pub(super) fn note_batch(&mut self, tiles: &[usize]) -> usize {
        let batch = self.batches;
        self.batches += 1;
        self.timeline.note(Event::HandedOver { batch, tiles: tiles.to_vec() });
        batch
    }

    /// Notes the end of a barrier.
    pub(super) fn note_barrier(&mut self) {
        self.timeline.note(Event::Barrier);
        self.resume();
    }

    /// What happened since the last note was not its own work.
    pub(super) fn resume(&mut self) {
        self.since = Instant::now();
    }
}
