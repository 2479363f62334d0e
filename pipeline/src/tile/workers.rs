//! Threads that draw: started when there is work for them, asleep while there is none, gone with the engine that keeps them, or with
//! the machine where the engine keeps none.
//!
//! Starting and joining threads costs tens of microseconds for each run, and a list that a host cuts into thousands of
//! runs never had enough work for it. So threads are kept; but a program that never has enough work for a
//! second thread has none. The first run that has starts threads of its own, and those that are kept start with the next.

use super::trials::Trials;
use super::{Event, Tiling, Timeline, USUAL_WORK};
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Work of a run, in pixels, that is expected before there was one.
const FIRST_GUESS: u64 = 1 << 20;
/// Runs with less than this times the work that is worth waking a thread for are drawn by the caller alone: sorting
/// their primitives into tiles costs more than another thread saves.
const LEAST: u64 = 4;
/// Time of a run, at least, that is shared out: what waking a thread costs, and what two threads lose by sorting and by sharing
/// caches, is a part of it. Pixels of one colour are drawn so fast that their number says little.
const LEAST_TIME: Duration = Duration::from_micros(100);
/// Time up to which runs may take longer on several threads than on one, which is tried.
const SHORT_TIME: Duration = Duration::from_millis(1);
/// Time of a run that is expected before there was one.
const FIRST_TIME: Duration = Duration::from_millis(1);

/// Threads beside the caller's, none at first, and what runs were like lately. An engine keeps them for all machines that draw
/// with it: see [`FragmentStage::workers`](crate::pica::stage::FragmentStage::workers).
pub struct Workers {
    started: Option<Started>,
    /// Work of the next run in pixels, from that of the latest ones: their largest, which fades by an eighth a run.
    expected: u64,
    /// No run has had as much as was expected. A guess fades by a half a run, for small programs to be drawn by the caller alone
    /// soon.
    is_guess: bool,
    /// Time of the next run on one thread, likewise, about.
    expected_time: Duration,
    trials: Trials,
    /// A run has had work for threads.
    has_hired: bool,
    /// Where runs are recorded.
    pub(crate) timeline: Option<Timeline>,
}

/// A run: how it is shared out, and when it began, unless it is small whatever time it takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) tiling: Tiling,
    began: Option<Instant>,
}

/// A job of a thread, for the time of a run.
type Job<'s> = Box<dyn FnOnce() + Send + 's>;

impl Default for Workers {
    fn default() -> Self {
        Self {
            started: None,
            expected: FIRST_GUESS,
            is_guess: true,
            expected_time: FIRST_TIME,
            trials: Trials::default(),
            has_hired: false,
            timeline: None,
        }
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
    /// Takes those that an engine keeps, or else the machine's own, whose timeline is the one that counts.
    pub(crate) fn take(kept: Option<&mut Self>, own: &mut Self) -> Self {
        match kept {
            Some(kept) => Self { timeline: own.timeline.clone(), ..std::mem::take(kept) },
            None => std::mem::take(own),
        }
    }

    /// Gives them back.
    pub(crate) fn give_back(self, kept: Option<&mut Self>, own: &mut Self) {
        match kept {
            Some(kept) => *kept = Self { timeline: None, ..self },
            None => *own = self,
        }
    }

    /// Begins a run: on one thread if it is expected to be small.
    pub(crate) fn begin(&self, tiling: Tiling) -> Run {
        if tiling.threads <= 1 || self.expected < tiling.least_work.saturating_mul(LEAST) {
            return Run { tiling: Tiling { threads: 1, ..tiling }, began: None };
        }
        let is_alone =
            self.expected_time < LEAST_TIME || self.expected_time < SHORT_TIME && !self.trials.shares();
        let threads = if is_alone && tiling.least_work >= USUAL_WORK { 1 } else { tiling.threads };
        Run { tiling: Tiling { threads, ..tiling }, began: Some(Instant::now()) }
    }

    /// Notes that a run ended, and its work.
    pub(crate) fn ran(&mut self, run: Run, pixels: u64) {
        let faded = self.expected - self.expected / if self.is_guess { 2 } else { 8 };
        self.is_guess &= pixels < faded;
        self.expected = faded.max(pixels);
        if let Some(began) = run.began {
            self.note_time(began.elapsed(), run.tiling.threads > 1, pixels);
        }
    }

    /// Several threads are taken to have saved a third.
    fn note_time(&mut self, elapsed: Duration, is_shared: bool, pixels: u64) {
        if elapsed < SHORT_TIME {
            self.trials.note(is_shared, elapsed, pixels);
        }
        let alone = if is_shared { elapsed.saturating_mul(3) / 2 } else { elapsed };
        self.expected_time = (self.expected_time - self.expected_time / 8).max(alone);
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
            return self.lend_new(threads, work);
        }
        let process = std::process::id();
        if self.started.as_ref().is_some_and(|started| started.process != process) {
            // Its threads cannot be joined; what it holds is little.
            std::mem::forget(self.started.take());
        }
        // More than a run asks for do no harm: those of machines with different numbers that take turns are made once.
        if self.started.as_ref().is_none_or(|started| started.threads < threads) {
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

    /// The same with threads of the run's own, which start with the first jobs.
    fn lend_new<'s, R>(&mut self, threads: usize, work: impl FnOnce(&dyn Fn(Job<'s>) -> bool) -> R) -> R {
        let (sender, receiver) = mpsc::channel::<Job<'s>>();
        let (receiver, jobs, started) = (Mutex::new(receiver), AtomicUsize::new(0), Cell::new(0));
        let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        let result = thread::scope(|scope| {
            // Threads end with it.
            let sender = sender;
            work(&|job| {
                if jobs.fetch_add(1, Ordering::Relaxed) >= started.get() && started.get() < threads {
                    let serve = || {
                        while let Some(job) = next() {
                            job();
                            jobs.fetch_sub(1, Ordering::Relaxed);
                        }
                    };
                    let builder = thread::Builder::new().name("picaflor-draw-first".to_owned());
                    if builder.spawn_scoped(scope, serve).is_ok() {
                        started.set(started.get() + 1);
                    }
                }
                let is_taken = started.get() > 0 && sender.send(job).is_ok();
                if !is_taken {
                    jobs.fetch_sub(1, Ordering::Relaxed);
                }
                is_taken
            })
        });
        self.has_hired = started.get() > 0;
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
        let begin = |workers: &Workers| workers.begin(Tiling::new(3));
        let threads = |workers: &Workers| begin(workers).tiling.threads;
        let ran = |workers: &mut Workers, runs, pixels| {
            (0..runs).for_each(|_| workers.ran(Run { began: None, ..begin(workers) }, pixels));
            threads(workers)
        };
        assert_eq!(threads(&workers), 3, "nothing is known");
        assert_eq!([ran(&mut workers, 4, 100), ran(&mut workers, 1, 100)], [3, 1], "a guess");
        assert_eq!(ran(&mut workers, 1, 1 << 20), 3);
        assert_eq!(
            [ran(&mut workers, 20, 100), ran(&mut workers, 10, 100)],
            [3, 1],
            "one in twenty is large"
        );
        assert_eq!(workers.begin(Tiling { least_work: 0, ..Tiling::new(2) }).tiling.threads, 2);
    }

    /// Of an engine that keeps them, a second machine finds the threads of the first.
    #[test]
    fn machines_share_the_workers_of_an_engine() {
        let mut kept = Workers::default();
        let mut run = || {
            let mut own = Workers { timeline: Some(Timeline::default()), ..Workers::default() };
            let mut workers = Workers::take(Some(&mut kept), &mut own);
            assert!(workers.timeline.is_some());
            let ids = ids(&mut workers, 1);
            workers.give_back(Some(&mut kept), &mut own);
            assert!(kept.timeline.is_none() && own.timeline.is_some() && !own.has_hired);
            ids
        };
        let [_, first, second] = [(); 3].map(|()| run());
        assert_eq!(first, second);
        let mut own = Workers::default();
        for _ in 0..2 {
            let mut workers = Workers::take(None, &mut own);
            ids(&mut workers, 1);
            workers.give_back(None, &mut own);
        }
        assert!(own.has_hired && own.started.is_some());
    }

    /// Many pixels of one colour, which take no time, and then others.
    #[test]
    fn short_runs_stay_on_one_thread() {
        let mut workers = Workers::default();
        let mut after = |micros: u64, is_shared: bool| {
            (0..40).for_each(|_| workers.note_time(Duration::from_micros(micros), is_shared, 0));
            workers.begin(Tiling::new(2)).tiling.threads
        };
        assert_eq!([after(30, true), after(80, false), after(120, false)], [1, 1, 2]);
        assert_eq!([after(70, true), after(60, true)], [2, 1], "times of two threads");
    }

    /// Runs that take longer on two threads than alone.
    #[test]
    fn short_runs_go_the_way_that_was_faster() {
        let mut workers = Workers::default();
        let threads = |workers: &Workers, tiling| workers.begin(tiling).tiling.threads;
        for micros in [300, 200].repeat(20) {
            workers.note_time(Duration::from_micros(micros), micros == 300, 1000);
        }
        // Twice, as a trial goes the other way.
        let mut ways = [0, 1].map(|_| {
            let way = threads(&workers, Tiling::new(2));
            workers.note_time(Duration::from_micros([200, 300][way - 1]), way == 2, 1000);
            way
        });
        ways.sort_unstable();
        assert_eq!(ways[0], 1);
        for least_work in [0, 100] {
            assert_eq!(threads(&workers, Tiling { least_work, ..Tiling::new(2) }), 2, "whatever it takes");
        }
        workers.note_time(Duration::from_millis(5), false, 1000);
        assert_eq!(threads(&workers, Tiling::new(2)), 2, "a long one");
    }

    /// Jobs of a first run that wait for each other, and a caller that panics: threads are there, and go.
    #[test]
    fn threads_of_a_first_run() {
        let (mut workers, at_work) = (Workers::default(), AtomicUsize::new(0));
        let job = || {
            at_work.fetch_add(1, Ordering::Relaxed);
            let started = Instant::now();
            while at_work.load(Ordering::Relaxed) < 2 {
                assert!(started.elapsed() < Duration::from_secs(10), "one thread");
                thread::yield_now();
            }
        };
        let work = std::panic::AssertUnwindSafe(|| {
            workers.lend(3, |start| {
                assert!(start(Box::new(job)) && start(Box::new(job)));
                panic!("of the caller");
            })
        });
        assert!(std::panic::catch_unwind(work).is_err());
        assert_eq!(at_work.into_inner(), 2);
    }

    #[test]
    fn runs_find_the_same_threads() {
        let mut workers = Workers::default();
        workers.lend(1, |_| ());
        assert!(!workers.has_hired && workers.started.is_none(), "there was no work");
        let own = ids(&mut workers, 1);
        assert_eq!(own.len(), 1, "for all jobs");
        assert!(workers.has_hired && workers.started.is_none(), "of the run");
        let first = ids(&mut workers, 1);
        assert_eq!(first.len(), 1);
        assert!(own.is_disjoint(&first) && !first.contains(&thread::current().id()));
        assert_eq!(ids(&mut workers, 1), first);
        assert!(ids(&mut workers, 2).is_disjoint(&first), "others for a larger number");
        let pool = |workers: &Workers| workers.started.as_ref().map(|started| started.threads);
        workers.lend(1, |start| assert!(start(Box::new(|| ()))));
        assert_eq!(pool(&workers), Some(2), "enough for a smaller one");
    }
}
