//! Schedules: what the queue of draws would allow on any number of cores, from the times that its pieces took.
//!
//! The rules are those of `picaflor_pipeline::tile`: the caller hands batches over, a tile is drawn by one thread at a time, with
//! all that waits for it, and tiles that are ready are taken in their order; at a barrier the caller draws too, and what is taken
//! last is drawn in halves. Left out are the costs of more threads: waking them, and caches and memory that they share.

use picaflor_pipeline::tile::Event;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// The events of a replay, with the times of all pieces.
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    steps: Vec<Step>,
}

/// A step of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Own(Duration),
    /// Pieces: a tile, and how long it takes.
    HandOver(Vec<(usize, Duration)>),
    Barrier,
}

impl Schedule {
    /// The schedule of a record. Pieces that were not drawn take no time.
    #[must_use]
    pub fn of(events: &[Event]) -> Self {
        let mut steps: Vec<Step> = Vec::new();
        // Numbers of batches begin anew with each run, at the latest after a barrier.
        let mut batches: HashMap<usize, usize> = HashMap::new();
        for event in events {
            match event {
                Event::Caller(time) => steps.push(Step::Own(*time)),
                Event::HandedOver { batch, tiles } => {
                    batches.insert(*batch, steps.len());
                    steps.push(Step::HandOver(tiles.iter().map(|&tile| (tile, Duration::ZERO)).collect()));
                }
                Event::Drawn { batch, tile, time } => {
                    let step = batches.get(batch).and_then(|&step| steps.get_mut(step));
                    if let Some(Step::HandOver(pieces)) = step {
                        pieces.iter_mut().filter(|piece| piece.0 == *tile).for_each(|piece| piece.1 += *time);
                    }
                }
                Event::Barrier => steps.push(Step::Barrier),
            }
        }
        Self { steps }
    }

    /// Time of the caller alone, and of all pieces together.
    #[must_use]
    pub fn work(&self) -> [Duration; 2] {
        let mut work = [Duration::ZERO; 2];
        for step in &self.steps {
            match step {
                Step::Own(time) => work[0] += *time,
                Step::HandOver(pieces) => work[1] += pieces.iter().map(|piece| piece.1).sum::<Duration>(),
                Step::Barrier => {}
            }
        }
        work
    }

    /// The time on so many threads, the caller's among them, at least one.
    #[must_use]
    pub fn on(&self, threads: usize) -> Duration {
        let mut crew = Crew { free: vec![Duration::ZERO; threads.max(1) - 1], ..Crew::default() };
        let mut now = Duration::ZERO;
        for step in &self.steps {
            match step {
                Step::Own(time) => now += *time,
                Step::HandOver(pieces) => {
                    crew.draw_until(now, false);
                    pieces.iter().for_each(|&(tile, time)| crew.push(tile, time, now));
                }
                Step::Barrier => now = crew.draw_all(now),
            }
        }
        crew.draw_all(now)
    }
}

/// Workers and tiles.
#[derive(Debug, Default)]
struct Crew {
    /// When each worker is free.
    free: Vec<Duration>,
    tiles: HashMap<usize, Tile>,
    /// Tiles with something to draw, and since when nobody draws them; in the order in which that was so.
    ready: VecDeque<(Duration, usize)>,
}

#[derive(Debug, Default)]
struct Tile {
    waits: Duration,
    /// When its thread is done.
    taken_until: Duration,
    is_ready: bool,
}

impl Crew {
    fn push(&mut self, tile: usize, time: Duration, now: Duration) {
        let state = self.tiles.entry(tile).or_default();
        state.waits += time;
        if !state.is_ready {
            state.is_ready = true;
            let since = now.max(state.taken_until);
            let place = self.ready.partition_point(|&(other, _)| other <= since);
            self.ready.insert(place, (since, tile));
        }
    }

    /// Tiles that a worker takes before a time; the last one is taken in halves if the caller draws, too.
    fn draw_until(&mut self, end: Duration, in_halves: bool) {
        while let (Some(&(since, tile)), Some(worker)) = (self.ready.front(), self.earliest()) {
            let start = since.max(self.free[worker]);
            if start >= end {
                return;
            }
            self.ready.pop_front();
            let state = self.tiles.entry(tile).or_default();
            let time = std::mem::take(&mut state.waits);
            state.is_ready = false;
            let half = if in_halves && self.ready.is_empty() { time / 2 } else { Duration::ZERO };
            let drawn = self.occupy(since, time - half);
            let drawn = if half.is_zero() { drawn } else { drawn.max(self.occupy(since, half)) };
            self.tiles.entry(tile).or_default().taken_until = drawn;
        }
    }

    /// Gives work to the worker that is free first, from a time on. Returns its end.
    fn occupy(&mut self, since: Duration, time: Duration) -> Duration {
        let Some(free) = self.earliest().map(|worker| &mut self.free[worker]) else { return since };
        *free = since.max(*free) + time;
        *free
    }

    fn earliest(&self) -> Option<usize> {
        (0..self.free.len()).min_by_key(|&worker| self.free[worker])
    }

    /// Draws everything, with the caller, who is free now. Returns the end.
    fn draw_all(&mut self, now: Duration) -> Duration {
        self.draw_until(now, false);
        self.free.push(now);
        self.draw_until(Duration::MAX, true);
        self.free.pop();
        self.tiles.values().map(|tile| tile.taken_until).max().unwrap_or(now).max(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    fn batch(events: &mut Vec<Event>, number: usize, pieces: &[(usize, u64)]) {
        let tiles = pieces.iter().map(|piece| piece.0).collect();
        events.push(Event::HandedOver { batch: number, tiles });
        let drawn = |&(tile, time): &(usize, u64)| Event::Drawn { batch: number, tile, time: us(time) };
        events.extend(pieces.iter().map(drawn));
    }

    #[test]
    fn tiles_are_drawn_side_by_side() {
        let mut events = vec![Event::Caller(us(10))];
        batch(&mut events, 0, &[(0, 40), (1, 40), (2, 40), (3, 40)]);
        events.push(Event::Barrier);
        let schedule = Schedule::of(&events);
        assert_eq!(schedule.work(), [us(10), us(160)]);
        assert_eq!([1, 2, 4, 16].map(|threads| schedule.on(threads)), [170, 90, 50, 50].map(us));
    }

    #[test]
    fn a_tile_has_one_thread_but_for_the_last() {
        let mut events = Vec::new();
        batch(&mut events, 0, &[(7, 30)]);
        events.push(Event::Caller(us(5)));
        batch(&mut events, 1, &[(7, 20), (8, 10)]);
        events.push(Event::Barrier);
        let schedule = Schedule::of(&events);
        // The caller draws tile 8 meanwhile, and half of what waits for tile 7 then.
        assert_eq!([1, 2, 4].map(|threads| schedule.on(threads)), [65, 40, 40].map(us));
    }

    #[test]
    fn workers_draw_while_the_caller_works() {
        let mut events = Vec::new();
        batch(&mut events, 0, &[(0, 100)]);
        events.push(Event::Caller(us(80)));
        events.push(Event::Barrier);
        events.push(Event::Caller(us(7)));
        let schedule = Schedule::of(&events);
        // Nobody shares the tile: it was begun before.
        assert_eq!([1, 2, 3].map(|threads| schedule.on(threads)), [187, 107, 107].map(us));
    }

    #[test]
    fn numbers_of_batches_begin_anew() {
        let mut events = Vec::new();
        for time in [10, 20] {
            batch(&mut events, 0, &[(0, time)]);
            events.push(Event::Barrier);
        }
        assert_eq!(Schedule::of(&events).work(), [us(0), us(30)]);
    }
}
