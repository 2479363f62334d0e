//! Threads that run the numbered cases of a campaign, a watch for cases that do not end, and tallies.

use picaflor_jit::CompileError;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// The cases to run.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// Number of the first case.
    pub first: u64,
    /// Number of cases.
    pub cases: u64,
    /// Time limit for the start of further cases.
    pub time: Option<Duration>,
    /// Threads. The results of a case do not depend on them.
    pub threads: usize,
}

/// Counters of a campaign.
pub trait Tally: Default + Send {
    /// Adds the counters of another thread.
    fn add(&mut self, other: Self);

    /// Records the time of a batch of cases that begins at a number.
    fn took(&mut self, _number: u64, _time: Duration) {}
}

/// A campaign.
pub trait Campaign: Sync {
    /// State of one thread: its engines.
    type Worker;
    /// The counters.
    type Tally: Tally;
    /// Number of cases in a batch.
    const BATCH: u64 = 1;

    /// State of a new thread.
    ///
    /// # Errors
    /// [`CompileError`] when an engine cannot be made.
    fn worker(&self) -> Result<Self::Worker, CompileError>;

    /// Runs cases and counts them.
    ///
    /// # Errors
    /// As [`worker`](Self::worker).
    fn run(
        &self,
        numbers: Range<u64>,
        worker: &mut Self::Worker,
        tally: &mut Self::Tally,
    ) -> Result<(), CompileError>;
}

/// Callbacks of an observer.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Called with the number of cases done since the last call.
    pub progress: &'a (dyn Fn(u64) + Sync),
    /// Time limit of a batch.
    pub patience: Duration,
    /// Called repeatedly with the number of a case that exceeds the limit.
    pub stuck: &'a dyn Fn(u64),
}

/// The current batch of a thread, and its start.
type Place = Mutex<Option<(u64, Instant)>>;

/// State shared by the threads.
struct Shared<'a, C> {
    campaign: &'a C,
    plan: &'a Plan,
    next: AtomicU64,
    start: Instant,
    progress: &'a (dyn Fn(u64) + Sync),
}

/// Runs work that several threads share, on as many as the system gives, and on this one if it gives none: the results
/// of each.
pub(crate) fn share<R: Send>(threads: usize, work: impl Fn() -> R + Sync) -> Vec<std::thread::Result<R>> {
    std::thread::scope(|scope| {
        let start = |_| Builder::new().spawn_scoped(scope, &work).ok();
        let started: Vec<_> = (0..threads).filter_map(start).collect();
        if started.is_empty() {
            return vec![Ok(work())];
        }
        started.into_iter().map(|thread| thread.join()).collect()
    })
}

/// Runs a plan, on as many threads as the system gives; without a watch if it gives none.
///
/// # Errors
/// [`CompileError`] when an engine cannot be made.
pub fn run<C: Campaign>(campaign: &C, plan: &Plan, watch: Watch<'_>) -> Result<C::Tally, CompileError> {
    let (next, start) = (AtomicU64::new(plan.first), Instant::now());
    let shared = Shared { campaign, plan, next, start, progress: watch.progress };
    let places: Vec<Place> = (0..plan.threads.max(1)).map(|_| Mutex::new(None)).collect();
    let tallies = std::thread::scope(|scope| {
        let shared = &shared;
        let start = |place| Builder::new().spawn_scoped(scope, move || shared.work(place)).ok();
        let threads: Vec<_> = places.iter().filter_map(start).collect();
        if threads.is_empty() {
            return places.iter().take(1).map(|place| Ok(shared.work(place))).collect();
        }
        while threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            places.iter().filter_map(|place| overdue(place, watch.patience)).for_each(watch.stuck);
        }
        threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut sum = C::Tally::default();
    for tally in tallies {
        sum.add(tally.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    Ok(sum)
}

fn overdue(place: &Place, patience: Duration) -> Option<u64> {
    let (number, since) = (*place.lock().unwrap_or_else(PoisonError::into_inner))?;
    (since.elapsed() > patience).then_some(number)
}

impl<C: Campaign> Shared<'_, C> {
    /// The next cases, if there are some and time for them.
    fn next(&self) -> Option<Range<u64>> {
        let end = self.plan.first.saturating_add(self.plan.cases);
        let in_time = self.plan.time.is_none_or(|time| self.start.elapsed() < time);
        let first = self.next.fetch_add(C::BATCH, Ordering::Relaxed);
        (in_time && first < end).then(|| first..first.saturating_add(C::BATCH).min(end))
    }

    fn work(&self, place: &Place) -> Result<C::Tally, CompileError> {
        let mut worker = self.campaign.worker()?;
        let mut tally = C::Tally::default();
        let at = |what| *place.lock().unwrap_or_else(PoisonError::into_inner) = what;
        while let Some(numbers) = self.next() {
            let (start, first, count) = (Instant::now(), numbers.start, numbers.end - numbers.start);
            at(Some((first, start)));
            self.campaign.run(numbers, &mut worker, &mut tally)?;
            tally.took(first, start.elapsed());
            (self.progress)(count);
        }
        at(None);
        Ok(tally)
    }
}

/// The message for a case that panicked.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("without a message"))
}

/// Adds counts by name.
pub(crate) fn merge<K: Ord>(counts: &mut BTreeMap<K, u64>, other: BTreeMap<K, u64>) {
    for (key, count) in other {
        *counts.entry(key).or_default() += count;
    }
}

/// FNV-1a over memory and state.
pub(crate) fn digest(memory: &[(u32, Vec<u8>)], state: &[u32]) -> u64 {
    let mix = |hash: u64, value: u64| (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3);
    let words = memory.iter().flat_map(|(_, bytes)| bytes.chunks(8));
    let words = words.map(|bytes| bytes.iter().fold(0, |word: u64, &byte| word << 8 | u64::from(byte)));
    let state = state.iter().map(|&word| u64::from(word));
    words.chain(state).fold(0xcbf2_9ce4_8422_2325, mix)
}
