//! Captures with a clock: how long the machine takes, and which of its stages.
//!
//! Only time in the machine counts. What a recording puts into memory is the host's work, and memory is touched
//! before the clock starts, so that the system's first look at a page is not charged to a draw.

mod first_frames;
pub mod ge;
mod pica;
mod spans;

pub use first_frames::{FirstFrames, Frame, first_frames};

use crate::machine::Counters;
use pica::Clocked;
use picaflor_pipeline::capture::replay::Player;
use picaflor_pipeline::capture::{Capture, CaptureError, Event};
use picaflor_pipeline::memory::BlockMemory;
use picaflor_pipeline::pica::stage::Stages;
use picaflor_pipeline::pica::stats::Stats;
use std::time::{Duration, Instant};

/// Bytes of a page of the host, or a fraction of them.
const PAGE: usize = 4096;

/// What a replay did, and how long its stages took.
#[derive(Debug, Clone, Copy)]
pub struct Timing<S = Stats> {
    /// Counters.
    pub stats: S,
    /// Vertices that were shaded; the others were known from the draw they belong to.
    pub shaded: u64,
    /// In vertex and geometry programs, attribute fetch included.
    pub vertex: Duration,
    /// While fragments were drawn or a state was bound to a routine; numbers that an engine makes for each
    /// triangle are part of it. On several threads this is the time in which at least one of them drew.
    pub fragment: Duration,
    /// In fills, display transfers and copies.
    pub transfer: Duration,
    /// In everything else: commands, indices, assembly, clipping, set-up, binning.
    pub command: Duration,
    /// In the whole machine. Less than the sum of the stages where they overlap.
    pub whole: Duration,
}

impl<S: Counters> Timing<S> {
    /// The shorter time of each stage.
    #[must_use]
    pub fn best(self, other: Self) -> Self {
        Self {
            vertex: self.vertex.min(other.vertex),
            fragment: self.fragment.min(other.fragment),
            transfer: self.transfer.min(other.transfer),
            command: self.command.min(other.command),
            whole: self.whole.min(other.whole),
            ..self
        }
    }

    /// Nanoseconds of the vertex stage for each vertex that was shaded.
    #[must_use]
    pub fn per_vertex(&self) -> f64 {
        per(self.vertex, self.shaded)
    }

    /// Nanoseconds of the fragment path for each fragment.
    #[must_use]
    pub fn per_fragment(&self) -> f64 {
        per(self.fragment, self.stats.counts()[3])
    }
}

fn per(time: Duration, count: u64) -> f64 {
    time.as_nanos() as f64 / count.max(1) as f64
}

/// Replays a capture once.
///
/// # Errors
/// The capture is not sound.
pub fn replay(capture: &Capture, engine: &mut dyn Stages, threads: usize) -> Result<Timing, CaptureError> {
    let mut player = Player::new(capture)?;
    player.pica_mut().set_threads(threads);
    touch(player.memory());
    let mut clocked = Clocked::new(engine);
    let (mut whole, mut transfer) = (Duration::ZERO, Duration::ZERO);
    loop {
        let lists = player.pica().stats().lists;
        let start = Instant::now();
        let Some(step) = player.step(&mut clocked) else { break };
        let time = start.elapsed();
        match step.event {
            Event::Memory { .. } | Event::Frame => {}
            // A write can also start a list.
            Event::Mmio { .. } if player.pica().stats().lists == lists => {
                transfer += time;
                whole += time;
            }
            Event::Mmio { .. } | Event::List { .. } | Event::Register { .. } => whole += time,
        }
    }
    let times = clocked.times();
    let command = whole.saturating_sub(transfer + times.either);
    let (vertex, fragment) = (times.vertex, times.fragment);
    let stats = *player.pica().stats();
    Ok(Timing { stats, shaded: times.shaded, vertex, fragment, transfer, command, whole })
}

/// The best of several replays, after one that does not count.
///
/// # Errors
/// The capture is not sound.
pub fn best_of(
    runs: usize,
    capture: &Capture,
    engine: &mut dyn Stages,
    threads: usize,
) -> Result<Timing, CaptureError> {
    replay(capture, engine, threads)?;
    let mut best = replay(capture, engine, threads)?;
    for _ in 1..runs {
        best = best.best(replay(capture, engine, threads)?);
    }
    Ok(best)
}

/// Replays of some time.
#[derive(Debug, Clone, Copy)]
pub struct Steady<S = Stats> {
    /// The fastest one.
    pub best: Timing<S>,
    /// Time in the machine of the one in the middle.
    pub median: Duration,
    /// How many there were.
    pub replays: usize,
}

/// Replays for `duration` and at least once, after a replay that does not count.
///
/// # Errors
/// As `replay`.
pub fn steady<S, E>(
    duration: Duration,
    replay: &mut dyn FnMut() -> Result<Timing<S>, E>,
) -> Result<Steady<S>, E> {
    replay()?;
    let end = Instant::now() + duration;
    let mut runs = vec![replay()?];
    while Instant::now() < end {
        runs.push(replay()?);
    }
    Ok(Steady::of(runs))
}

impl<S> Steady<S> {
    /// The fastest and the median of some replays, of which there is at least one.
    #[must_use]
    pub fn of(mut runs: Vec<Timing<S>>) -> Self {
        runs.sort_unstable_by_key(|run| run.whole);
        let (replays, median) = (runs.len(), runs[runs.len() / 2].whole);
        Self { best: runs.swap_remove(0), median, replays }
    }
}

/// Writes to every page, whose bytes are zero and stay so.
fn touch(memory: &BlockMemory) {
    for bytes in memory.blocks().iter().map(|block| block.as_slice()) {
        (0..bytes.len()).step_by(PAGE).for_each(|at| bytes.write(at, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::scene::Scene;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::float::Precision;

    #[test]
    fn stages_add_up_on_one_thread() {
        let capture = Scene::all()[0].capture(Precision::Console);
        let timing = replay(&capture, &mut Interpreter::new(), 1).unwrap();
        let stages = timing.vertex + timing.fragment + timing.transfer + timing.command;
        assert_eq!(stages, timing.whole);
        for time in [timing.vertex, timing.fragment, timing.transfer, timing.command] {
            assert!(time > Duration::ZERO, "{timing:?}");
        }
        assert!(timing.shaded > 0 && timing.per_vertex() > 0.0 && timing.per_fragment() > 0.0);
    }

    #[test]
    fn steady_runs_at_least_once() {
        let capture = Scene::all()[0].capture(Precision::Console);
        let mut once = || replay(&capture, &mut Interpreter::new(), 2);
        let steady = steady(Duration::ZERO, &mut once).unwrap();
        assert_eq!((steady.replays, steady.median), (1, steady.best.whole));
    }
}
