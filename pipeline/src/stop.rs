//! `Stopper`: ends a run from another thread, after a time, or where memory is missing.
//!
//! A run looks at its stopper between commands, batches of vertices, draws, and pieces of draws of a few thousand pixels; its
//! engines ask the run's [memory](crate::memory::Memory::is_stopping) inside of transfers, fills, textures that they decode, and
//! chunks of vertices. After that it ends with an error that names the command. The state of the machine is that after this
//! command, but of draws that were not complete some pixels, or all, are missing, and of a transfer or fill some bytes. On the GE
//! later draws find everything as after the whole draw, but for one beyond its limits or without memory. On the PICA200 a draw in which the run was stopped leaves no incomplete
//! primitive, the geometry stage as after reset, the attributes of the last vertex as they were before it, and in the uniforms that
//! take inputs of the geometry program those of any of its primitives. Beside counters nothing else depends on when the stop was
//! noticed, and the next run begins as ever.

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Reason why a run was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// [`Stopper::stop`] was called.
    Requested,
    /// The time limit of the run has passed.
    TimeLimit,
    /// The system had no memory for vertices, primitives or bins. The next run tries again.
    NoMemory,
}

impl std::fmt::Display for StopCause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Requested => "as requested",
            Self::TimeLimit => "by its time limit",
            Self::NoMemory => "for lack of memory",
        })
    }
}

/// Ends runs of one machine, from any thread. Clones belong to the same machine.
///
/// ```
/// use picaflor_pipeline::stop::Stopper;
///
/// let stopper = Stopper::default(); // a host gets that of its machine
/// let other = stopper.clone();
/// std::thread::spawn(move || other.stop()).join().unwrap();
/// assert!(stopper.is_stopping());
/// stopper.resume();
/// assert!(!stopper.is_stopping());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stopper(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    requested: AtomicBool,
    /// What the run was stopped by: 0 nothing, 1 request, 2 time limit, 3 lack of memory.
    stopped: AtomicU8,
    /// Nanoseconds from `start` to the end of the run; the largest number: no end.
    end: AtomicU64,
    start: OnceLock<Instant>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            requested: AtomicBool::new(false),
            stopped: AtomicU8::new(0),
            end: AtomicU64::new(u64::MAX),
            start: OnceLock::new(),
        }
    }
}

impl Stopper {
    /// Stops the run that is under way, and every later one at its first command, until [`resume`](Self::resume).
    pub fn stop(&self) {
        self.0.requested.store(true, Ordering::Relaxed);
    }

    /// Lets runs go on.
    pub fn resume(&self) {
        self.0.requested.store(false, Ordering::Relaxed);
    }

    /// True from [`stop`](Self::stop) to [`resume`](Self::resume).
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.0.requested.load(Ordering::Relaxed)
    }

    /// Begins a run with a time limit.
    pub(crate) fn begin(&self, limit: Option<Duration>) {
        self.limit(limit);
        self.0.stopped.store(0, Ordering::Relaxed);
    }

    /// Limits the time from now on; a run that was stopped stays so.
    pub(crate) fn limit(&self, limit: Option<Duration>) {
        let end = limit.map_or(u64::MAX, |limit| {
            let end = self.0.start.get_or_init(Instant::now).elapsed().saturating_add(limit);
            u64::try_from(end.as_nanos()).unwrap_or(u64::MAX)
        });
        self.0.end.store(end, Ordering::Relaxed);
    }

    /// True if somebody may stop the run: draws are then cut into pieces.
    pub(crate) fn is_watched(&self) -> bool {
        // One owner is the machine, the second the run.
        let has_limit = self.0.end.load(Ordering::Relaxed) != u64::MAX;
        Arc::strong_count(&self.0) > 2 || has_limit || self.is_stopping()
    }

    /// True if the run is to end, from the first time on to the end of the run.
    pub(crate) fn asks(&self) -> bool {
        if self.0.stopped.load(Ordering::Relaxed) != 0 {
            return true;
        }
        let end = self.0.end.load(Ordering::Relaxed);
        let is_late = || {
            let now = self.0.start.get().map_or(0, |start| start.elapsed().as_nanos());
            now >= u128::from(end)
        };
        let cause = match (self.is_stopping(), end != u64::MAX && is_late()) {
            (true, _) => 1,
            (_, true) => 2,
            _ => return false,
        };
        self.0.stopped.store(cause, Ordering::Relaxed);
        true
    }

    /// Room for so many more elements; false if the system has none, and the run is to end.
    pub(crate) fn makes_room<T>(&self, elements: &mut Vec<T>, more: usize) -> bool {
        self.has_room(elements.try_reserve(more))
    }

    /// Whether there was memory for more; without, the run stops.
    pub(crate) fn has_room(&self, reserved: Result<(), TryReserveError>) -> bool {
        if reserved.is_err() {
            self.0.stopped.store(3, Ordering::Relaxed);
        }
        reserved.is_ok()
    }

    /// What stopped the run, if anything did.
    pub(crate) fn cause(&self) -> Option<StopCause> {
        match self.0.stopped.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(StopCause::Requested),
            2 => Some(StopCause::TimeLimit),
            _ => Some(StopCause::NoMemory),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_run_stays_so_to_its_end() {
        let stopper = Stopper::default();
        stopper.begin(None);
        assert!(!stopper.asks() && stopper.cause().is_none());
        stopper.stop();
        assert!(stopper.asks());
        stopper.resume();
        assert!(stopper.asks(), "its workers must agree");
        assert_eq!(stopper.cause(), Some(StopCause::Requested));
        stopper.begin(None);
        assert!(!stopper.asks());
    }

    #[test]
    fn lack_of_memory_ends_one_run() {
        let stopper = Stopper::default();
        stopper.begin(None);
        let mut words = vec![7_u64];
        assert!(stopper.makes_room(&mut words, 100) && words.capacity() > 100 && !stopper.asks());
        assert!(!stopper.makes_room(&mut words, usize::MAX) && stopper.asks());
        assert_eq!((stopper.cause(), words), (Some(StopCause::NoMemory), vec![7]));
        stopper.begin(None);
        assert!(!stopper.asks());
    }

    #[test]
    fn time_limits_are_of_one_run() {
        let stopper = Stopper::default();
        stopper.begin(Some(Duration::ZERO));
        assert!(stopper.asks() && stopper.is_watched());
        assert_eq!(stopper.cause(), Some(StopCause::TimeLimit));
        stopper.begin(Some(Duration::from_secs(3600)));
        assert!(!stopper.asks());
        stopper.begin(None);
        assert!(!stopper.asks() && !stopper.is_watched());
    }
}
