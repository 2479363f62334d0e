//! Counters and phase timers.
//!
//! One [`Profile`] per engine, shared by its compilers. Counting is a relaxed addition and happens per routine or per
//! batch, never per vertex. [`Stats`] is the public form.

use crate::error::CompileError;
use crate::stats::{Phase, Stats};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Distinct refusal texts counted separately; further texts share one counter, because texts may contain numbers
/// chosen by the guest.
const MAX_REASONS: usize = 256;

/// Nanoseconds that compiling a routine is assumed to take before one was compiled (measured: 1 to 5 ms).
const FIRST_GUESS: u64 = 2_000_000;

/// The counters behind [`Stats`].
#[derive(Debug, Default)]
pub(crate) struct Profile {
    compiles: AtomicU64,
    compile_nanoseconds: AtomicU64,
    compile_nanoseconds_max: AtomicU64,
    /// First versions alone, of which somebody may wait for each.
    first_versions: AtomicU64,
    first_version_nanoseconds: AtomicU64,
    phase_nanoseconds: [AtomicU64; Phase::ALL.len()],
    refined: AtomicU64,
    compiled_bytes: AtomicU64,
    panics: AtomicU64,
    refusals: Mutex<BTreeMap<String, u64>>,
    /// Number of refusals, and the last one.
    last_refusal: Mutex<(u64, String)>,
    groups: AtomicU64,
    replayed_groups: AtomicU64,
    interpreter_batches: AtomicU64,
    fragment_draws: AtomicU64,
    interpreted_tiles: AtomicU64,
    missing_tiles: AtomicU64,
    longest_lookup_nanoseconds: AtomicU64,
}

impl Profile {
    /// Counts a routine of `bytes` bytes of code that was compiled in `time`.
    pub(crate) fn compiled(&self, bytes: usize, time: Duration) {
        self.compiles.fetch_add(1, Relaxed);
        self.compile_nanoseconds.fetch_add(nanoseconds(time), Relaxed);
        self.compile_nanoseconds_max.fetch_max(nanoseconds(time), Relaxed);
        self.compiled_bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// Counts the first version of a routine, compiled in `time`.
    pub(crate) fn first_version(&self, time: Duration) {
        self.first_versions.fetch_add(1, Relaxed);
        self.first_version_nanoseconds.fetch_add(nanoseconds(time), Relaxed);
    }

    /// Counts a routine that took the place of its first version.
    pub(crate) fn refined(&self) {
        self.refined.fetch_add(1, Relaxed);
    }

    /// Counts a contained panic.
    pub(crate) fn panicked(&self) {
        self.panics.fetch_add(1, Relaxed);
    }

    /// Counts a refusal.
    pub(crate) fn refused(&self, reason: &CompileError) {
        let mut refusals = lock(&self.refusals);
        let text = reason.to_string();
        let mut last = lock(&self.last_refusal);
        last.0 += 1;
        last.1.clone_from(&text);
        let known = refusals.len() < MAX_REASONS || refusals.contains_key(&text);
        *refusals.entry(if known { text } else { "other reasons".into() }).or_default() += 1;
    }

    /// Counts `groups` groups run by compiled code, `replayed` of them twice.
    pub(crate) fn ran(&self, groups: u32, replayed: u32) {
        // Only the thread with the engine writes these counters, so that a batch needs no locked instruction.
        self.groups.store(self.groups.load(Relaxed) + u64::from(groups), Relaxed);
        if replayed != 0 {
            self.replayed_groups.fetch_add(replayed.into(), Relaxed);
        }
    }

    /// Counts a batch served by the interpreter.
    pub(crate) fn interpreted(&self) {
        self.interpreter_batches.fetch_add(1, Relaxed);
    }

    /// Counts a draw whose fragments go to compiled code.
    pub(crate) fn fragments_drawn(&self) {
        self.fragment_draws.fetch_add(1, Relaxed);
    }

    /// Counts a tile drawn by the interpreter (`interpreted`), or not drawn.
    pub(crate) fn fragments_left(&self, interpreted: bool) {
        let counter = if interpreted { &self.interpreted_tiles } else { &self.missing_tiles };
        counter.fetch_add(1, Relaxed);
    }

    /// Records the duration of a lookup.
    pub(crate) fn looked_up(&self, time: Duration) {
        self.longest_lookup_nanoseconds.fetch_max(nanoseconds(time), Relaxed);
    }

    /// Adds the time until the guard is dropped to `phase`.
    pub(crate) fn time(&self, phase: Phase) -> PhaseTimer<'_> {
        PhaseTimer { nanoseconds: &self.phase_nanoseconds[phase as usize], start: Instant::now() }
    }

    /// What the first version of a routine usually takes to compile, in nanoseconds: the mean so far, a quarter of the first guess
    /// to four times as much as it.
    pub(crate) fn usual_compile_time(&self) -> u64 {
        let (time, routines) =
            (self.first_version_nanoseconds.load(Relaxed), self.first_versions.load(Relaxed));
        time.checked_div(routines).map_or(FIRST_GUESS, |mean| mean.clamp(FIRST_GUESS / 4, 4 * FIRST_GUESS))
    }

    /// Current counters, without those of the arena, the caches and the disk.
    pub(crate) fn stats(&self) -> Stats {
        let load = |counter: &AtomicU64| counter.load(Relaxed);
        let time = |counter: &AtomicU64| Duration::from_nanos(counter.load(Relaxed));
        Stats {
            compiles: load(&self.compiles),
            compile_time: time(&self.compile_nanoseconds),
            compile_time_max: time(&self.compile_nanoseconds_max),
            phase_times: self.phase_nanoseconds.each_ref().map(time),
            refined: load(&self.refined),
            compiled_bytes: load(&self.compiled_bytes),
            panics_contained: load(&self.panics),
            refusals: lock(&self.refusals).clone(),
            groups: load(&self.groups),
            replayed_groups: load(&self.replayed_groups),
            interpreter_batches: load(&self.interpreter_batches),
            fragment_draws: load(&self.fragment_draws),
            interpreted_tiles: load(&self.interpreted_tiles),
            missing_tiles: load(&self.missing_tiles),
            longest_lookup: time(&self.longest_lookup_nanoseconds),
            ..Stats::default()
        }
    }
}

/// A view of what an engine leaves to the interpreter, while the engine is in use.
#[derive(Debug, Clone)]
pub struct Watch(Arc<Profile>);

impl Watch {
    pub(crate) const fn new(profile: Arc<Profile>) -> Self {
        Self(profile)
    }

    /// Batches of vertices and tiles of pixels that the interpreter served since the engine was built.
    #[must_use]
    pub fn interpreted(&self) -> u64 {
        self.0.interpreter_batches.load(Relaxed) + self.0.interpreted_tiles.load(Relaxed)
    }

    /// How often programs and states were refused since the engine was built, and the last reason.
    #[must_use]
    pub fn last_refusal(&self) -> (u64, String) {
        lock(&self.0.last_refusal).clone()
    }
}

/// Counts time until it is dropped.
#[derive(Debug)]
pub(crate) struct PhaseTimer<'a> {
    nanoseconds: &'a AtomicU64,
    start: Instant,
}

impl Drop for PhaseTimer<'_> {
    fn drop(&mut self) {
        self.nanoseconds.fetch_add(nanoseconds(self.start.elapsed()), Relaxed);
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Ignores poisoning: the guarded data is consistent after every step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile::tests::{compiler, store};
    use std::sync::Arc;

    #[test]
    fn compilations_are_counted_and_timed() {
        let profile = Arc::new(Profile::default());
        let mut compiler = compiler().profiled(Arc::clone(&profile));
        let routines: Vec<_> = (0..5).map(|value| store(&mut compiler, value, 10).unwrap()).collect();
        let stats = profile.stats();
        assert_eq!(stats.compiles, 5);
        assert_eq!(
            stats.compiled_bytes,
            routines.iter().map(|routine| routine.code().size() as u64).sum::<u64>()
        );
        assert!(stats.compile_time_max <= stats.compile_time && stats.compile_time_max > Duration::ZERO);
        let [analyse, emit, generate, publish] = stats.phase_times;
        assert_eq!(analyse, Duration::ZERO);
        assert!(emit > Duration::ZERO && generate > Duration::ZERO && publish > Duration::ZERO);
        assert!(emit + generate + publish <= stats.compile_time);
        drop(routines);
        assert_eq!(profile.stats(), stats);
    }

    #[test]
    fn second_versions_are_waited_for_by_nobody() {
        let profile = Profile::default();
        assert_eq!(profile.usual_compile_time(), FIRST_GUESS);
        let milliseconds = Duration::from_millis;
        [1, 3, 2].map(milliseconds).into_iter().for_each(|time| profile.first_version(time));
        profile.compiled(100, milliseconds(70));
        assert_eq!(profile.usual_compile_time(), 2_000_000);
        (0..100).for_each(|_| profile.first_version(Duration::ZERO));
        assert_eq!(profile.usual_compile_time(), FIRST_GUESS / 4);
    }

    #[test]
    fn panics_are_counted() {
        let profile = Arc::new(Profile::default());
        let mut compiler = compiler().profiled(Arc::clone(&profile));
        assert!(compiler.define("panics", |_, _, _| panic!("for this test")).is_err());
        let stats = profile.stats();
        assert_eq!((stats.panics_contained, stats.compiles), (1, 0));
    }

    #[test]
    fn refusals_are_counted_by_reason_within_bounds() {
        let profile = Profile::default();
        for limit in 0..1000 {
            profile.refused(&CompileError::TooManyStates { limit });
            profile.refused(&CompileError::TooManyStates { limit: 1 });
        }
        let refusals = profile.stats().refusals;
        assert_eq!(refusals.len(), MAX_REASONS + 1);
        assert_eq!(refusals[&CompileError::TooManyStates { limit: 1 }.to_string()], 1001);
        assert_eq!(refusals.values().sum::<u64>(), 2000);
    }

    #[test]
    fn runs_are_counted() {
        let profile = Profile::default();
        profile.ran(10, 2);
        profile.ran(5, 0);
        profile.interpreted();
        let stats = profile.stats();
        assert_eq!((stats.groups, stats.replayed_groups, stats.interpreter_batches), (15, 2, 1));
    }
}
