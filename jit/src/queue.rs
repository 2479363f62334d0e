//! Compile threads, one reused [`Compiler`] each.

use crate::code::compile::Compiler;
use std::collections::{HashSet, VecDeque};
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fmt, io};

/// Work for a compile thread. A job publishes its own result; cleanup that must survive a panic belongs in a drop
/// guard.
pub(crate) type Job = Box<dyn FnOnce(&mut Compiler) + Send>;

/// Jobs behind the others, as a multiple of those that may wait.
const BEHIND: usize = 16;

/// Time without a new job after which those behind begin: three frames of 60 a second. In the middle of a first frame, between
/// two routines that it needs, they would take the thread that makes the next one.
const QUIET: Duration = Duration::from_millis(50);

/// Time between two questions of a thread that waits.
const ASKED_AFTER: Duration = Duration::from_micros(500);

/// Outcome of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Submitted {
    /// Accepted.
    Queued,
    /// Dropped: a job with this key is waiting or running.
    Duplicate,
    /// Dropped: the queue is full. The caller may submit again later.
    Full,
}

/// Outcome of waiting for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waited {
    /// The job ran, and is done.
    Done,
    /// No thread had begun the job, and none will: it was taken out of the queue and dropped; or there was none.
    Withdrawn,
    /// The wait was given up; the job goes on.
    Stopped,
}

/// Compile threads and the jobs waiting for them. Dropping the queue drops the waiting jobs and waits for the
/// running ones.
pub(crate) struct Queue<K> {
    shared: Arc<Shared<K>>,
    workers: Vec<JoinHandle<()>>,
}

struct Shared<K> {
    state: Mutex<State<K>>,
    /// Signalled for new work and for shutdown.
    work: Condvar,
    /// Signalled when a job is done.
    done: Condvar,
    capacity: usize,
}

struct State<K> {
    waiting: VecDeque<(K, Job)>,
    /// When a job was submitted last.
    latest: Option<Instant>,
    /// Jobs for when none waits, nor has for some [time](QUIET).
    behind: VecDeque<Job>,
    /// Such jobs that run.
    running_behind: usize,
    /// Keys of waiting and running jobs.
    keys: HashSet<K>,
    panics: u64,
    closing: bool,
}

impl<K: Eq + Hash + Clone + Send + 'static> Queue<K> {
    /// One thread for each of `compilers`. At most `capacity` jobs wait, so that a guest cannot fill memory
    /// with programs.
    ///
    /// # Errors
    /// The system's refusal to start a thread.
    pub(crate) fn new(compilers: impl IntoIterator<Item = Compiler>, capacity: usize) -> io::Result<Self> {
        let state = State {
            waiting: VecDeque::new(),
            latest: None,
            behind: VecDeque::new(),
            running_behind: 0,
            keys: HashSet::new(),
            panics: 0,
            closing: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            work: Condvar::new(),
            done: Condvar::new(),
            capacity,
        });
        let mut queue = Self { shared, workers: Vec::new() };
        for (index, compiler) in compilers.into_iter().enumerate() {
            let shared = Arc::clone(&queue.shared);
            let builder = thread::Builder::new().name(format!("picaflor-compile-{index}"));
            queue.workers.push(builder.spawn(move || shared.serve(compiler))?);
        }
        Ok(queue)
    }

    /// Submits a job. `key` identifies it: a job that is already waiting or running is not queued twice.
    pub(crate) fn submit(&self, key: K, job: Job) -> Submitted {
        let mut state = self.shared.lock();
        if state.keys.contains(&key) {
            return Submitted::Duplicate;
        }
        if state.waiting.len() >= self.shared.capacity {
            return Submitted::Full;
        }
        state.latest = Some(Instant::now());
        state.keys.insert(key.clone());
        state.waiting.push_back((key, job));
        // A thread that wakes up finds the lock open.
        drop(state);
        self.shared.work.notify_one();
        Submitted::Queued
    }

    /// The place for jobs that nobody waits for.
    pub(crate) fn behind(&self) -> Behind<K> {
        Behind(Arc::downgrade(&self.shared))
    }

    /// Waits for a job that a thread has begun, unless `is_stopping`, which is asked from time to time; takes a job that none
    /// has begun out of the queue. Deadlocks when called from a job.
    pub(crate) fn wait_for(&self, key: &K, is_stopping: &dyn Fn() -> bool) -> Waited {
        let mut state = self.shared.lock();
        if let Some(place) = state.waiting.iter().position(|(waiting, _)| waiting == key) {
            let job = state.waiting.remove(place);
            state.keys.remove(key);
            drop(state);
            drop(job);
            return Waited::Withdrawn;
        }
        if !state.keys.contains(key) {
            return Waited::Withdrawn;
        }
        if self.shared.wait_while(state, key, is_stopping) { Waited::Done } else { Waited::Stopped }
    }

    /// Waits for a job, begun or not, unless `is_stopping`, which is asked from time to time. False if the wait was given up;
    /// the job goes on. Deadlocks when called from a job.
    pub(crate) fn finish(&self, key: &K, is_stopping: &dyn Fn() -> bool) -> bool {
        self.shared.wait_while(self.shared.lock(), key, is_stopping)
    }

    /// Waits until no job is waiting or running. Deadlocks when called from a job.
    pub(crate) fn wait_idle(&self) {
        let mut state = self.shared.lock();
        while !state.is_idle() {
            state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Jobs that no thread has begun.
    #[cfg(test)]
    pub(crate) fn waits(&self) -> usize {
        self.shared.lock().waiting.len()
    }

    /// Jobs waiting or running.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.shared.lock().keys.len()
    }

    /// Jobs that panicked.
    #[cfg(test)]
    pub(crate) fn panics(&self) -> u64 {
        self.shared.lock().panics
    }
}

impl<K> State<K> {
    fn is_idle(&self) -> bool {
        self.keys.is_empty() && self.behind.is_empty() && self.running_behind == 0
    }
}

/// The place of a [`Queue`] for jobs that begin when no other waits. It does not keep the queue alive.
pub(crate) struct Behind<K>(Weak<Shared<K>>);

impl<K> Behind<K> {
    /// Submits a job; drops it if there are many already, or the queue is gone.
    pub(crate) fn submit(&self, job: Job) {
        let Some(shared) = self.0.upgrade() else { return };
        let mut state = shared.lock();
        if state.closing || state.behind.len() >= BEHIND * shared.capacity {
            return;
        }
        state.behind.push_back(job);
        drop(state);
        shared.work.notify_one();
    }
}

impl<K> Drop for Queue<K> {
    fn drop(&mut self) {
        let dropped = {
            let mut state = self.shared.lock();
            state.closing = true;
            (std::mem::take(&mut state.waiting), std::mem::take(&mut state.behind))
        };
        self.shared.work.notify_all();
        drop(dropped);
        for worker in self.workers.drain(..) {
            // A job may hold the last handle on what owns this queue; a thread cannot wait for itself.
            if worker.thread().id() != thread::current().id() {
                // Jobs' panics are caught, so a worker ends in good order.
                let _ = worker.join();
            }
        }
    }
}

impl<K> fmt::Debug for Queue<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting = self.shared.lock().waiting.len();
        f.debug_struct("Queue").field("workers", &self.workers.len()).field("waiting", &waiting).finish()
    }
}

impl<K> Shared<K> {
    /// Ignores poisoning: no foreign code runs under the lock, so the state is consistent.
    fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<(Option<K>, Job)> {
        let mut state = self.lock();
        loop {
            if state.closing {
                return None;
            }
            if let Some((key, job)) = state.waiting.pop_front() {
                return Some((Some(key), job));
            }
            let restless =
                state.latest.map_or(Duration::ZERO, |latest| QUIET.saturating_sub(latest.elapsed()));
            if !state.behind.is_empty() && !restless.is_zero() {
                state = self.work.wait_timeout(state, restless).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            if let Some(job) = state.behind.pop_front() {
                state.running_behind += 1;
                return Some((None, job));
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<K: Eq + Hash> Shared<K> {
    /// Waits while a job waits or runs; false if the work `is_stopping` first.
    fn wait_while(
        &self,
        mut state: MutexGuard<'_, State<K>>,
        key: &K,
        is_stopping: &dyn Fn() -> bool,
    ) -> bool {
        while state.keys.contains(key) {
            if is_stopping() {
                return false;
            }
            state = self.done.wait_timeout(state, ASKED_AFTER).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    fn serve(&self, mut compiler: Compiler) {
        while let Some((key, job)) = self.next() {
            let panicked = catch_unwind(AssertUnwindSafe(|| job(&mut compiler))).is_err();
            if panicked {
                compiler.reset();
            }
            let mut state = self.lock();
            state.panics += u64::from(panicked);
            match key {
                Some(key) => _ = state.keys.remove(&key),
                None => state.running_behind -= 1,
            }
            self.done.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{Cache, Slot};
    use crate::code::compile::host_isa;
    use crate::code::compile::tests::{store, stored};
    use crate::code::memory::{Arena, MappingScheme};
    use crate::code::routine::Routine;
    use crate::cpu_level::CpuLevel;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    fn queue(threads: usize, capacity: usize) -> (Queue<u64>, Arc<Arena>) {
        let arena = Arena::new(MappingScheme::default(), 4 << 20);
        let isa = host_isa(CpuLevel::Host).unwrap();
        let compilers = (0..threads).map(|_| Compiler::new(Arc::clone(&isa), Arc::clone(&arena)));
        (Queue::new(compilers, capacity).unwrap(), Arc::clone(&arena))
    }

    /// A job that occupies its worker until the sender is used or dropped, and a signal that it started.
    fn blocker() -> (Job, mpsc::Receiver<()>, mpsc::Sender<()>) {
        let (started, has_started) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let job: Job = Box::new(move |_| {
            started.send(()).unwrap();
            let _ = released.recv();
        });
        (job, has_started, release)
    }

    #[test]
    fn every_job_runs_once() {
        let (queue, _) = queue(3, 1000);
        let done = Arc::new(AtomicUsize::new(0));
        for key in 0..500 {
            let done = Arc::clone(&done);
            let job: Job = Box::new(move |_| {
                done.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(queue.submit(key, job), Submitted::Queued);
        }
        queue.wait_idle();
        assert_eq!((done.load(Ordering::Relaxed), queue.len()), (500, 0));
    }

    #[test]
    fn duplicates_and_overflow_are_told() {
        let (queue, _) = queue(1, 2);
        let (job, has_started, release) = blocker();
        assert_eq!(queue.submit(1, job), Submitted::Queued);
        has_started.recv().unwrap();
        assert_eq!(queue.submit(1, Box::new(|_| {})), Submitted::Duplicate);
        assert_eq!(queue.submit(2, Box::new(|_| {})), Submitted::Queued);
        assert_eq!(queue.submit(2, Box::new(|_| {})), Submitted::Duplicate);
        assert_eq!(queue.submit(3, Box::new(|_| {})), Submitted::Queued);
        assert_eq!(queue.submit(4, Box::new(|_| {})), Submitted::Full);
        drop(release);
        queue.wait_idle();
        assert_eq!(queue.submit(1, Box::new(|_| {})), Submitted::Queued);
    }

    #[test]
    fn jobs_behind_begin_when_none_waits() {
        let (queue, _) = queue(1, 1);
        let (job, has_started, release) = blocker();
        assert_eq!(queue.submit(1, job), Submitted::Queued);
        has_started.recv().unwrap();
        let order = Arc::new(Mutex::new(vec![]));
        let note = |n: u64| -> Job {
            let order = Arc::clone(&order);
            Box::new(move |_| order.lock().unwrap().push(n))
        };
        let behind = queue.behind();
        (0..20).for_each(|n| behind.submit(note(100 + n)));
        assert_eq!(queue.submit(2, note(2)), Submitted::Queued);
        drop(release);
        queue.wait_idle();
        // Of twenty, sixteen found room.
        let expected: Vec<u64> = [2].into_iter().chain(100..116).collect();
        assert_eq!(*order.lock().unwrap(), expected);
        drop(queue);
        behind.submit(note(0));
        assert_eq!(order.lock().unwrap().len(), 17);
    }

    #[test]
    fn jobs_behind_begin_after_some_quiet() {
        let (queue, _) = queue(1, 1);
        let (sender, began) = mpsc::channel();
        queue.behind().submit(Box::new(move |_| sender.send(Instant::now()).unwrap()));
        // No job before: it begins at once.
        began.recv().unwrap();
        let (sender, began) = mpsc::channel();
        for key in 0..3 {
            let (sender, submitted) = (sender.clone(), Instant::now());
            assert_eq!(queue.submit(key, Box::new(|_| {})), Submitted::Queued);
            queue.behind().submit(Box::new(move |_| sender.send(submitted.elapsed()).unwrap()));
            assert!(queue.finish(&key, &|| false));
        }
        queue.wait_idle();
        drop(sender);
        let waits: Vec<_> = began.iter().collect();
        assert!(waits.len() == 3 && waits.iter().all(|&wait| wait >= QUIET), "{waits:?}");
    }

    #[test]
    fn a_panicking_job_is_counted_and_its_worker_goes_on() {
        let (queue, _) = queue(1, 10);
        queue.submit(1, Box::new(|_| panic!("a job of this test")));
        queue.wait_idle();
        let (sender, receiver) = mpsc::channel();
        queue.submit(1, Box::new(move |compiler| sender.send(store(compiler, 8, 0).unwrap()).unwrap()));
        assert_eq!(stored(&receiver.recv().unwrap()), 8);
        assert_eq!(queue.panics(), 1);
    }

    #[test]
    fn dropping_finishes_the_running_job_and_drops_the_rest() {
        let (queue, _) = queue(1, 10);
        let (job, has_started, release) = blocker();
        queue.submit(1, job);
        has_started.recv().unwrap();
        let waiting = Arc::new(());
        let held = Arc::clone(&waiting);
        queue.submit(2, Box::new(move |_| drop(held)));
        let releaser = thread::spawn(move || {
            while Arc::strong_count(&waiting) > 1 {
                thread::yield_now();
            }
            drop(release);
        });
        drop(queue);
        releaser.join().unwrap();
    }

    #[test]
    fn a_job_may_drop_the_queue() {
        let (queue, _) = queue(1, 10);
        let queue = Arc::new(Mutex::new(Some(queue)));
        let (sender, receiver) = mpsc::channel();
        let inner = Arc::clone(&queue);
        let slot = queue.lock().unwrap();
        slot.as_ref().unwrap().submit(
            1,
            Box::new(move |_| {
                drop(inner.lock().unwrap().take());
                sender.send(()).unwrap();
            }),
        );
        drop(slot);
        receiver.recv().unwrap();
    }

    /// Compile in the background, publish into a cache too small for all, evict, free, and run from many
    /// threads.
    #[test]
    fn compile_evict_free_and_run_from_many_threads() {
        let (queue, arena) = queue(2, 8);
        let cache = Arc::new(Mutex::new(Cache::<u64, Routine<i64>>::new(4 << 10, 64)));
        thread::scope(|scope| {
            for thread in 0..3_u64 {
                let (queue, cache) = (&queue, &cache);
                scope.spawn(move || {
                    // Every key comes up several times, at different times in different threads.
                    for round in 0..600_u64 {
                        let key = (round / 10 + thread * 3 + round % 5) % 60;
                        assert_eq!(stored(&await_routine(queue, cache, key)), key as i64);
                    }
                });
            }
        });
        queue.wait_idle();
        let mut cache = cache.lock().unwrap();
        assert!(cache.evictions() > 0 && cache.bytes() <= 4 << 10);
        cache.evict_bytes(usize::MAX);
        assert_eq!(arena.used(), 0);
    }

    fn await_routine(
        queue: &Queue<u64>,
        cache: &Arc<Mutex<Cache<u64, Routine<i64>>>>,
        key: u64,
    ) -> Arc<Routine<i64>> {
        loop {
            let slot = cache.lock().unwrap().get(&key).cloned();
            match slot {
                Some(Slot::Ready(routine)) => return routine,
                Some(Slot::Refused(error)) => panic!("{error}"),
                Some(Slot::Pending) => thread::yield_now(),
                None => request(queue, cache, key),
            }
        }
    }

    fn request(queue: &Queue<u64>, cache: &Arc<Mutex<Cache<u64, Routine<i64>>>>, key: u64) {
        if !cache.lock().unwrap().begin(&key) {
            return;
        }
        let publish = Arc::clone(cache);
        let job: Job = Box::new(move |compiler| match store(compiler, key as i64, key as usize) {
            Ok(routine) => {
                let bytes = routine.code().size();
                publish.lock().unwrap().insert(key, Arc::new(routine), bytes);
            }
            Err(error) => publish.lock().unwrap().refuse(key, error),
        });
        if queue.submit(key, job) != Submitted::Queued {
            cache.lock().unwrap().abandon(&key);
        }
    }
}
