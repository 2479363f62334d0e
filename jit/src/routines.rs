//! Routines by key: looked up, made synchronously, or queued for a compile thread. Making a routine means loading it
//! from disk or compiling it.
//!
//! One cache, one budget and one queue for all kinds of routines; see [`RoutineKind`].

use crate::cache::{Cache, Slot};
use crate::code::compile::Compiler;
use crate::disk_cache::{DiskCache, Stored};
use crate::effort::Effort;
use crate::error::CompileError;
use crate::kind::{AnyKey, RoutineKind};
use crate::profile::Profile;
use crate::queue::{Behind, Queue, Submitted, Waited};
use crate::stats::DiskStats;
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
#[cfg(test)]
use std::time::Duration;
use std::time::Instant;

/// Entries of the cache, refusals included.
const MAX_ENTRIES: usize = 16_384;
/// Jobs that may wait for compile threads.
const MAX_WAITING: usize = 256;

/// The cache and the compilers that fill it.
pub(crate) struct Routines {
    shared: Arc<Shared>,
    compiler: Compiler,
    queue: Option<Queue<Arc<dyn AnyKey>>>,
    /// A thread for what the caller waits for, from the first time on.
    awaited: Option<Queue<Arc<dyn AnyKey>>>,
    /// Result of the last lookup: consecutive batches often need the same routine.
    last: Option<Last>,
    /// Time in nanoseconds that the interpreter needed, or would have, while routines were awaited.
    interpreted: HashMap<Arc<dyn AnyKey>, u64>,
}

/// A routine of any kind.
type AnyRoutine = dyn Any + Send + Sync;

/// A routine with its key.
struct Last {
    generation: u64,
    key: Arc<dyn AnyKey>,
    routine: Arc<AnyRoutine>,
}

impl Last {
    /// The routine, if `key` equals its key, and none was replaced since.
    fn routine_of<K: RoutineKind>(&self, key: &K, generation: u64) -> Option<Arc<K::Routine>> {
        if generation == self.generation && key.equals(&*self.key) {
            Arc::clone(&self.routine).downcast().ok()
        } else {
            None
        }
    }
}

/// When a routine is made with care, by [`Effort::Adaptive`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// At once: there is more to do with it than a worse one would save.
    Now,
    /// After a draft, when nobody waits.
    Later,
}

/// Times that compiling takes, in the interpreter, from which on work is worth care at once. Drafts of large fragment paths take up to
/// two and a half times as long as careful code, and that a hundredth of what the interpreter takes.
const MUCH_WORK: u64 = 64;

/// What a host chose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// Bytes of code.
    pub(crate) budget: usize,
    pub(crate) effort: Effort,
}

/// State shared by all compile threads and callers.
struct Shared {
    cache: Mutex<Cache<Arc<dyn AnyKey>, AnyRoutine>>,
    profile: Arc<Profile>,
    disk: Option<DiskCache>,
    effort: Effort,
    /// Where second versions are made.
    behind: Option<Behind<Arc<dyn AnyKey>>>,
    /// Counts routines that took the place of their first version.
    generation: AtomicU64,
}

impl fmt::Debug for Routines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routines").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl Routines {
    /// Without a thread in `background`, routines are made on the calling thread.
    pub(crate) fn new(
        compiler: Compiler,
        background: Vec<Compiler>,
        Settings { budget, effort }: Settings,
        profile: Arc<Profile>,
        disk: Option<DiskCache>,
    ) -> Result<Self, CompileError> {
        let queue = if background.is_empty() {
            None
        } else {
            let queue = Queue::new(background, MAX_WAITING);
            Some(queue.map_err(|error| CompileError::Host(error.to_string()))?)
        };
        let cache = Mutex::new(Cache::new(budget, MAX_ENTRIES));
        let behind = queue.as_ref().map(Queue::behind);
        let generation = AtomicU64::new(0);
        Ok(Self {
            shared: Arc::new(Shared { cache, profile, disk, effort, behind, generation }),
            compiler,
            queue,
            awaited: None,
            last: None,
            interpreted: HashMap::new(),
        })
    }

    /// The routine, for work that the interpreter would need so many `nanoseconds` for; `None` while it is being made; the refusal
    /// otherwise.
    pub(crate) fn find<K: RoutineKind>(
        &mut self,
        key: &K,
        source: &K::Source,
        nanoseconds: impl FnOnce() -> u64,
    ) -> Result<Option<Arc<K::Routine>>, CompileError> {
        let generation = self.generation();
        if let Some(routine) = self.last.as_ref().and_then(|last| last.routine_of(key, generation)) {
            return Ok(Some(routine));
        }
        let start = Instant::now();
        let slot = self.shared.slot(key);
        if let (None, Some(queue)) = (&slot, &self.queue) {
            self.shared.order(queue, key, source, self.shared.care_for(nanoseconds()));
        }
        if self.queue.is_some() {
            self.shared.profile.looked_up(start.elapsed());
        }
        let routine = match slot {
            Some(Slot::Ready(routine)) => routine,
            Some(Slot::Refused(reason)) => return Err(reason),
            Some(Slot::Pending) => return Ok(None),
            None if self.queue.is_some() => return Ok(None),
            None => self.shared.make(&mut self.compiler, key, source, Care::Later)?,
        };
        let last: Arc<AnyRoutine> = Arc::<K::Routine>::clone(&routine);
        self.last = Some(Last { generation, key: Arc::new(key.clone()), routine: last });
        Ok(Some(routine))
    }

    /// A number that changes when a routine is replaced by its second version.
    pub(crate) fn generation(&self) -> u64 {
        self.shared.generation.load(Relaxed)
    }

    /// Weighs more work of the interpreter, without a routine that is being made, against the time that making it takes:
    /// where both come to the same, the routine is made now, or waited for. The rule costs at most twice what the
    /// better of both would have. A wait ends without a routine when the work `is_stopping`; that for a
    /// [short](RoutineKind::is_short) one is not begun then.
    pub(crate) fn weigh<K: RoutineKind>(
        &mut self,
        key: &K,
        source: &K::Source,
        nanoseconds: u64,
        is_stopping: &dyn Fn() -> bool,
    ) -> Result<Option<Arc<K::Routine>>, CompileError> {
        let Some(queue) = &self.queue else { return Ok(None) };
        let any: Arc<dyn AnyKey> = Arc::new(key.clone());
        if self.interpreted.len() > MAX_ENTRIES {
            self.interpreted.clear();
        }
        let spent = self.interpreted.entry(Arc::clone(&any)).or_default();
        *spent = spent.saturating_add(nanoseconds);
        if *spent < self.shared.profile.usual_compile_time() {
            return Ok(None);
        }
        self.interpreted.remove(&any);
        let care = self.shared.care_for(nanoseconds);
        let start = Instant::now();
        let found = match queue.wait_for(&any, is_stopping) {
            Waited::Done => self.shared.found(key),
            Waited::Stopped => Ok(None),
            // Files are read and written by compile threads only.
            Waited::Withdrawn if key.is_short() && self.shared.disk.is_none() => match self.shared.found(key)
            {
                // A thread may have made it meanwhile.
                Ok(None) if !is_stopping() => {
                    self.shared.make(&mut self.compiler, key, source, care).map(Some)
                }
                found => found,
            },
            Waited::Withdrawn => self.make_awaited(key, source, care, is_stopping),
        };
        self.shared.profile.looked_up(start.elapsed());
        found
    }

    /// Makes a routine on a thread of its own, so that the wait for it can end: without a routine, when the work `is_stopping`. The
    /// thread goes on then, for the next run. Where the system has no thread to give, the routine is made here.
    fn make_awaited<K: RoutineKind>(
        &mut self,
        key: &K,
        source: &K::Source,
        care: Care,
        is_stopping: &dyn Fn() -> bool,
    ) -> Result<Option<Arc<K::Routine>>, CompileError> {
        if self.awaited.is_none() {
            self.awaited = Queue::new([self.compiler.twin()], MAX_WAITING).ok();
        }
        let any: Arc<dyn AnyKey> = Arc::new(key.clone());
        match &self.awaited {
            Some(queue) if self.shared.order(queue, key, source, care) => {
                match queue.finish(&any, is_stopping) {
                    true => self.shared.found(key),
                    false => Ok(None),
                }
            }
            _ => self.shared.make(&mut self.compiler, key, source, care).map(Some),
        }
    }

    /// Makes the routine synchronously, replacing an existing one, and caches it.
    pub(crate) fn make_now<K: RoutineKind>(
        &mut self,
        key: &K,
        source: &K::Source,
    ) -> Result<Arc<K::Routine>, CompileError> {
        self.last = None;
        let Self { shared, compiler, .. } = self;
        let made = shared.with_room(|| shared.compile(compiler, key, source));
        shared.keep(key, made)
    }

    /// Waits until the queues are idle.
    pub(crate) fn wait(&self) {
        [&self.awaited, &self.queue].into_iter().flatten().for_each(Queue::wait_idle);
    }

    /// Fault injection of all compilers.
    #[cfg(test)]
    pub(crate) fn faults(&self) -> &crate::code::fault_injection::FaultInjection {
        &self.compiler.arena().faults
    }

    /// Occupies one compile thread until the returned guard is dropped, at most a minute.
    #[cfg(test)]
    pub(crate) fn hold<K: RoutineKind>(&self, key: K) -> std::sync::mpsc::Sender<()> {
        let (sender, held) = std::sync::mpsc::channel();
        let queue = self.queue.as_ref().expect("an engine of the background mode");
        let job = Box::new(move |_: &mut Compiler| _ = held.recv_timeout(Duration::from_secs(60)));
        assert_eq!(queue.submit(Arc::new(key), job), Submitted::Queued);
        sender
    }

    pub(crate) fn evictions(&self) -> u64 {
        self.shared.cache().evictions()
    }

    pub(crate) fn disk_stats(&self) -> DiskStats {
        self.shared.disk.as_ref().map(DiskCache::stats).unwrap_or_default()
    }
}

/// Drop guard: removes a pending key when its job ends without an outcome.
struct Abandon {
    shared: Arc<Shared>,
    key: Arc<dyn AnyKey>,
}

impl Drop for Abandon {
    fn drop(&mut self) {
        self.shared.cache().abandon(&self.key);
    }
}

impl Shared {
    /// How routines are made for work that the interpreter would need so many nanoseconds for.
    fn care_for(&self, nanoseconds: u64) -> Care {
        if nanoseconds < MUCH_WORK * self.profile.usual_compile_time() { Care::Later } else { Care::Now }
    }

    fn cache(&self) -> MutexGuard<'_, Cache<Arc<dyn AnyKey>, AnyRoutine>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// State of a key.
    fn slot<K: RoutineKind>(&self, key: &K) -> Option<Slot<K::Routine>> {
        match self.cache().get(key as &dyn AnyKey)? {
            Slot::Pending => Some(Slot::Pending),
            Slot::Ready(routine) => Arc::clone(routine).downcast().ok().map(Slot::Ready),
            Slot::Refused(reason) => Some(Slot::Refused(reason.clone())),
        }
    }

    /// What became of a routine that was to be made.
    fn found<K: RoutineKind>(&self, key: &K) -> Result<Option<Arc<K::Routine>>, CompileError> {
        match self.slot(key) {
            Some(Slot::Ready(routine)) => Ok(Some(routine)),
            Some(Slot::Refused(reason)) => Err(reason),
            Some(Slot::Pending) | None => Ok(None),
        }
    }

    /// Queues a routine for a compile thread, if it is not being made; false if there is no room.
    fn order<K: RoutineKind>(
        self: &Arc<Self>,
        queue: &Queue<Arc<dyn AnyKey>>,
        key: &K,
        source: &K::Source,
        care: Care,
    ) -> bool {
        let any: Arc<dyn AnyKey> = Arc::new(key.clone());
        if !self.cache().begin(&any) {
            return true;
        }
        let guard = Abandon { shared: Arc::clone(self), key: Arc::clone(&any) };
        let (key, source) = (key.clone(), source.clone());
        let job = Box::new(move |compiler: &mut Compiler| {
            // The outcome is in the cache either way.
            let _ = guard.shared.make(compiler, &key, &source, care);
        });
        let is_queued = queue.submit(Arc::clone(&any), job) == Submitted::Queued;
        if !is_queued {
            self.cache().abandon(&any);
        }
        is_queued
    }

    /// Loads or compiles a routine and caches it or the refusal; a newly compiled routine is then stored on disk.
    fn make<K: RoutineKind>(
        self: &Arc<Self>,
        compiler: &mut Compiler,
        key: &K,
        source: &K::Source,
        care: Care,
    ) -> Result<Arc<K::Routine>, CompileError> {
        let has_second = self.effort == Effort::Adaptive && self.behind.is_some();
        if let Some(loaded) = self.load(compiler, key, source).transpose() {
            let is_draft = loaded.as_ref().is_ok_and(|stored| stored.is_draft);
            let routine = self.keep(key, loaded.map(|stored| stored.routine))?;
            if is_draft && has_second {
                self.refine_later(key, source);
            }
            return Ok(routine);
        }
        compiler.take_hurried();
        let start = Instant::now();
        let is_draft = self.effort == Effort::Quick || has_second && key.has_draft() && care == Care::Later;
        let draft = is_draft
            .then(|| self.with_room(|| compiler.drafting(|compiler| key.compile(source, compiler))))
            // The quick allocator leaves larger frames.
            .filter(|draft| !matches!(draft, Err(CompileError::LargeFrame { .. })));
        let made = draft.unwrap_or_else(|| {
            compiler.take_hurried();
            self.with_room(|| self.compile(compiler, key, source))
        });
        self.profile.first_version(start.elapsed());
        let routine = self.keep(key, made)?;
        let is_hurried = compiler.take_hurried();
        if is_hurried && has_second {
            self.refine_later(key, source);
        } else if !(is_hurried && self.effort == Effort::Quick)
            && let Some(disk) = &self.disk
        {
            let is_draft = is_hurried && self.effort != Effort::Careful;
            disk.store_routine(key, source, Stored { routine: &*routine, is_draft });
        }
        Ok(routine)
    }

    /// The routine from disk, if there is one that is good enough.
    fn load<K: RoutineKind>(
        &self,
        compiler: &Compiler,
        key: &K,
        source: &K::Source,
    ) -> Result<Option<Stored<K::Routine>>, CompileError> {
        match self.disk.as_ref().filter(|_| !compiler.always_compiles()) {
            Some(disk) => {
                let takes_drafts = self.effort != Effort::Careful;
                self.with_room(|| disk.load_routine(compiler, key, source, takes_drafts))
            }
            None => Ok(None),
        }
    }

    /// Compiles a routine, for somebody who waits unless the effort says otherwise.
    fn compile<K: RoutineKind>(
        &self,
        compiler: &mut Compiler,
        key: &K,
        source: &K::Source,
    ) -> Result<K::Routine, CompileError> {
        match self.effort {
            Effort::Careful => compiler.at_leisure(|compiler| key.compile(source, compiler)),
            Effort::Adaptive | Effort::Quick => key.compile(source, compiler),
        }
    }

    /// Queues the second version of a routine, behind all that somebody waits for.
    fn refine_later<K: RoutineKind>(self: &Arc<Self>, key: &K, source: &K::Source) {
        let Some(behind) = &self.behind else { return };
        let (shared, key, source) = (Arc::clone(self), key.clone(), source.clone());
        behind.submit(Box::new(move |compiler: &mut Compiler| shared.refine(compiler, &key, &source)));
    }

    /// Makes the second version of a routine, unless the first is gone. Where it cannot be made, the first stays.
    fn refine<K: RoutineKind>(&self, compiler: &mut Compiler, key: &K, source: &K::Source) {
        let has_first = matches!(self.slot(key), Some(Slot::Ready(_)));
        let made = has_first.then(|| compiler.at_leisure(|compiler| key.compile(source, compiler)));
        let Some(Ok(routine)) = made else { return };
        let Ok(routine) = self.keep(key, Ok(routine)) else { return };
        self.generation.fetch_add(1, Relaxed);
        self.profile.refined();
        if let Some(disk) = &self.disk {
            disk.store_routine(key, source, Stored { routine: &*routine, is_draft: false });
        }
    }

    /// Retries after evicting a part of the cache, and then all of it. Free memory may be fragmented: routines that a guest
    /// keeps in use between those that go leave no room for a larger one. A refusal lasts, and what is refused is
    /// interpreted at the price of code.
    fn with_room<T>(&self, mut make: impl FnMut() -> Result<T, CompileError>) -> Result<T, CompileError> {
        let mut made = make();
        for part in [8, 1] {
            let Err(CompileError::BudgetExceeded { budget }) = made else { break };
            if self.cache().evict_bytes(budget / part) > 0 {
                made = make();
            }
        }
        made
    }

    /// Caches the outcome.
    fn keep<K: RoutineKind>(
        &self,
        key: &K,
        made: Result<K::Routine, CompileError>,
    ) -> Result<Arc<K::Routine>, CompileError> {
        let any = Arc::new(key.clone());
        match made {
            Ok(routine) => {
                let routine = Arc::new(routine);
                let bytes = K::code(&routine).charged();
                self.cache().insert(any, Arc::<K::Routine>::clone(&routine), bytes);
                Ok(routine)
            }
            Err(reason) => {
                self.profile.refused(&reason);
                tracing::debug!(%key, %reason, "not compiled");
                self.cache().refuse(any, reason.clone());
                Err(reason)
            }
        }
    }
}

#[cfg(test)]
mod tests;
