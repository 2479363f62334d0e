//! The threads of a machine: started when there is work for them, asleep between runs, gone with the machine.
//!
//! Starting and joining threads costs tens of microseconds for each run, and a list that a host cuts into thousands of
//! runs never had enough work for it. So a machine keeps its threads; but a program that never has enough work for a
//! second thread has none. The first run that has starts threads of its own, and those that are kept start with the next.

use super::{Event, Tiling, Timeline};
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;
use std::fmt;
use std::thread;
use std::time::Instant;

/// Work of a run, in pixels, that is expected before there was one.
const FIRST_GUESS: u64 = 1 << 20;
/// Runs with less than this times the work that is worth waking a thread for are drawn by the caller alone: sorting
/// their primitives into tiles costs more than another thread saves.
const LEAST: u64 = 4;

/// Threads beside the caller's, none at first, and what runs were like lately.
pub(crate) struct Workers {
    started: Option<Started>,
    /// Work of the next run in pixels, from that of the latest ones: their largest, which fades by an eighth a run.
    expected: u64,
    /// A run has had work for threads.
    has_hired: bool,
    /// Where runs are recorded.
    pub(crate) timeline: Option<Timeline>,
}

/// A job of a thread, for the time of a run.
type Job<'s> = Box<dyn FnOnce() + Send + 's>;

impl Default for Workers {
    fn default() -> Self {
        Self { started: None, expected: FIRST_GUESS, has_hired: false, timeline: None }
    }
}

struct Started {
    pool: ThreadPool,
    threads: usize,
    /// A process that was forked has none of its parent's threads.
    process: u32,
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.started.as_ref().map(|started| started.threads);
        f.debug_struct("Workers").field("threads", &threads).field("expected", &self.expected).finish()
    }
}

impl Workers {
    /// How the next run is shared out: on one thread if it is expected to be small.
    pub(crate) fn tiling(&self, tiling: Tiling) -> Tiling {
        let is_small = self.expected < tiling.least_work.saturating_mul(LEAST);
        Tiling { threads: if is_small { 1 } else { tiling.threads }, ..tiling }
    }

    /// Notes the work of a run.
    pub(crate) const fn ran(&mut self, pixels: u64) {
        let faded = self.expected - self.expected / 8;
        self.expected = if pixels > faded { pixels } else { faded };
    }

    /// Calls `work`, which draws on this thread alone.
    pub(crate) fn alone<R>(&self, work: impl FnOnce() -> R) -> R {
        let Some(timeline) = &self.timeline else { return work() };
        let start = Instant::now();
        let result = work();
        timeline.note(Event::Caller(start.elapsed()));
        result
    }

    /// Calls `work` with a function that has another of so many threads do a job; false if the system gives none. Jobs end before
    /// the return.
    pub(super) fn lend<'s, R>(
        &mut self,
        threads: usize,
        work: impl FnOnce(&dyn Fn(Job<'s>) -> bool) -> R,
    ) -> R {
        if !self.has_hired {
            return self.lend_new(work);
        }
        let process = std::process::id();
        if self.started.as_ref().is_some_and(|started| started.process != process) {
            // Its threads cannot be joined; what it holds is little.
            std::mem::forget(self.started.take());
        }
        if self.started.as_ref().is_none_or(|started| started.threads != threads) {
            let builder = ThreadPoolBuilder::new().num_threads(threads);
            let pool = builder.thread_name(|n| format!("picaflor-draw-{n}")).build().ok();
            self.started = pool.map(|pool| Started { pool, threads, process });
        }
        match &self.started {
            Some(started) => started.pool.in_place_scope(|scope| {
                work(&|job| {
                    scope.spawn(|_| job());
                    true
                })
            }),
            None => work(&|_| false),
        }
    }

    /// The same with threads of the run's own, each started with its job.
    fn lend_new<'s, R>(&mut self, work: impl FnOnce(&dyn Fn(Job<'s>) -> bool) -> R) -> R {
        let has_hired = Cell::new(false);
        let result = thread::scope(|scope| {
            work(&|job| {
                let builder = thread::Builder::new().name("picaflor-draw-first".to_owned());
                has_hired.set(true);
                builder.spawn_scoped(scope, job).is_ok()
            })
        });
        self.has_hired = has_hired.get();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::thread::ThreadId;

    /// The threads that eight jobs ran on.
    fn ids(workers: &mut Workers, threads: usize) -> HashSet<ThreadId> {
        let ids = Mutex::new(HashSet::new());
        let job = || _ = ids.lock().unwrap().insert(thread::current().id());
        workers.lend(threads, |start| assert!((0..8).all(|_| start(Box::new(job)))));
        ids.into_inner().unwrap()
    }

    #[test]
    fn small_runs_stay_on_one_thread() {
        let mut workers = Workers::default();
        let threads = |workers: &Workers| workers.tiling(Tiling::new(3)).threads;
        assert_eq!(threads(&workers), 3, "nothing is known");
        (0..40).for_each(|_| workers.ran(100));
        assert_eq!(threads(&workers), 1);
        workers.ran(100_000);
        assert_eq!(threads(&workers), 3);
        assert_eq!(workers.tiling(Tiling { least_work: 0, ..Tiling::new(2) }).threads, 2);
    }

    #[test]
    fn runs_find_the_same_threads() {
        let mut workers = Workers::default();
        workers.lend(1, |_| ());
        assert!(!workers.has_hired && workers.started.is_none(), "there was no work");
        let own = ids(&mut workers, 1);
        assert!(workers.has_hired && workers.started.is_none(), "of the run");
        let first = ids(&mut workers, 1);
        assert_eq!(first.len(), 1);
        assert!(own.is_disjoint(&first) && !first.contains(&thread::current().id()));
        assert_eq!(ids(&mut workers, 1), first);
        assert!(ids(&mut workers, 2).is_disjoint(&first), "other threads for another number");
    }
}
