//! Timing of captures, by stage of the machine.
//!
//! Only time in the machine counts. The host's writes of recorded memory are excluded, and all memory is touched
//! before the clock starts, so that the system's page faults are not charged to a draw.

mod first_frames;
mod spans;

pub use first_frames::{FirstFrames, Frame, first_frames};
pub use spans::{Clock, Ledger};

use crate::machine::{Counters, Machine};
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::memory::BlockMemory;
use std::time::{Duration, Instant};

/// Bytes of a page of the host, or a fraction of them.
const PAGE: usize = 4096;

/// Counters and stage times of a replay.
#[derive(Debug, Clone, Copy)]
pub struct Timing<S> {
    /// Counters.
    pub stats: S,
    /// Vertices that were shaded; the others were known from the draw they belong to.
    pub shaded: u64,
    /// In vertex and geometry programs, attribute fetch included.
    pub vertex: Duration,
    /// Time of drawing fragments and of binding a state to a routine, including an engine's own set-up of triangles.
    /// On several threads: the time in which at least one of them drew.
    pub fragment: Duration,
    /// In fills, display transfers and copies.
    pub transfer: Duration,
    /// The remaining time: commands, indices, assembly, clipping, set-up, binning.
    pub command: Duration,
    /// In the whole machine. Less than the sum of the stages where they overlap.
    pub whole: Duration,
    /// In the replay outside the machine: memory that the recorded host writes between its calls.
    pub player: Duration,
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
            player: self.player.min(other.player),
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

/// The account of a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// No account: work of the host.
    Nothing,
    /// Fills, transfers and copies.
    Transfer,
    /// The rest of the machine.
    Machine,
}

/// Replays a capture once.
///
/// # Errors
/// The capture is not sound.
pub fn replay<M: Machine>(
    capture: &M::Capture,
    engine: &mut M::Stages<'_>,
    threads: usize,
) -> Result<Timing<M::Stats>, CaptureError> {
    let mut player = M::player(capture)?;
    M::set_threads(&mut player, threads);
    touch(M::memory(&player));
    let mut clocked = M::clocked(engine);
    let (mut whole, mut transfer) = (Duration::ZERO, Duration::ZERO);
    let begin = Instant::now();
    loop {
        let before = M::stats(&player);
        let start = Instant::now();
        let Some(step) = M::step(&mut player, M::clocked_stages(&mut clocked)) else { break };
        let time = start.elapsed();
        match M::charge(step.event, [before, M::stats(&player)]) {
            Charge::Nothing => {}
            Charge::Transfer => {
                transfer += time;
                whole += time;
            }
            Charge::Machine => whole += time,
        }
    }
    let outside = begin.elapsed().saturating_sub(whole);
    let times = M::clock(clocked).times();
    let command = whole.saturating_sub(transfer + times.either);
    let (vertex, fragment) = (times.vertex, times.fragment);
    let stats = M::stats(&player);
    Ok(Timing { stats, shaded: times.shaded, vertex, fragment, transfer, command, whole, player: outside })
}

/// The best of several replays, after one that does not count.
///
/// # Errors
/// The capture is invalid.
pub fn best_of<M: Machine>(
    runs: usize,
    capture: &M::Capture,
    engine: &mut M::Stages<'_>,
    threads: usize,
) -> Result<Timing<M::Stats>, CaptureError> {
    replay::<M>(capture, engine, threads)?;
    let mut best = replay::<M>(capture, engine, threads)?;
    for _ in 1..runs {
        best = best.best(replay::<M>(capture, engine, threads)?);
    }
    Ok(best)
}

/// Replays of some time.
#[derive(Debug, Clone, Copy)]
pub struct Steady<S> {
    /// The fastest replay.
    pub best: Timing<S>,
    /// Time in the machine of the median replay.
    pub median: Duration,
    /// Number of replays.
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
    /// The fastest and the median of some replays; there must be at least one.
    #[must_use]
    pub fn of(mut runs: Vec<Timing<S>>) -> Self {
        runs.sort_unstable_by_key(|run| run.whole);
        let (replays, median) = (runs.len(), runs[runs.len() / 2].whole);
        Self { best: runs.swap_remove(0), median, replays }
    }
}

/// Writes zeros to every page of zeroed memory, to make it resident.
fn touch(memory: &BlockMemory) {
    for bytes in memory.blocks().iter().map(|block| block.as_slice()) {
        (0..bytes.len()).step_by(PAGE).for_each(|at| bytes.write(at, 0));
    }
}
