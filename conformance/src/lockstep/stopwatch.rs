//! A clock that can be stopped.

use std::time::{Duration, Instant};

/// The time between starts and stops.
#[derive(Default)]
pub(crate) struct Stopwatch {
    pub(crate) total: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    pub(crate) fn start(&mut self) {
        self.since = Some(Instant::now());
    }

    pub(crate) fn stop(&mut self) {
        self.total += self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
    }
}
