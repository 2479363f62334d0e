//! Timing of captures, by stage of the machine.
//!
//! Only time in the machine counts. The host's writes of recorded memory are excluded, and all memory is touched
//! before the clock starts, so that the system's page faults are not charged to a draw.

mod first_frames;
mod spans;

pub use first_frames::{FirstFrames, Frame, first_frames};
pub use spans::{Clock, Ledger};

use crate::machine::{Counters, Machine, Stepped};
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::memory::BlockMemory;
use picaflor_pipeline::tile::{Event, Tiling, Timeline};
use std::time::{Duration, Instant};

/// Bytes of a page of the host, or a fraction of them.
const PAGE: usize = 4096;

/// Counters and stage times of a replay.
#[derive(Debug, Clone, Copy)]
pub struct Timing<S> {
    /// Counters of the replay.
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

/// Replays a capture once, with a clock at every stage.
///
/// # Errors
/// The capture is not sound.
pub fn replay<M: Machine>(
    capture: &M::Capture,
    engine: &mut M::Stages<'_>,
    threads: usize,
) -> Result<Timing<M::Stats>, CaptureError> {
    let mut clocked = M::clocked(engine);
    let timing = unclocked::<M>(capture, M::clocked_stages(&mut clocked), threads)?;
    let times = M::clock(clocked).times();
    let command = timing.whole.saturating_sub(timing.transfer + times.either);
    let (vertex, fragment) = (times.vertex, times.fragment);
    Ok(Timing { shaded: times.shaded, vertex, fragment, command, ..timing })
}

/// Replays a capture once as a host would: without the clocks, which cost some time for every draw and keep draws apart
/// that an engine would join. The times of vertices, fragments and commands are zero.
///
/// # Errors
/// As [`replay`].
pub fn unclocked<M: Machine>(
    capture: &M::Capture,
    engine: &mut M::Stages<'_>,
    threads: usize,
) -> Result<Timing<M::Stats>, CaptureError> {
    let mut player = M::player(capture)?;
    M::set_threads(&mut player, threads);
    Ok(played::<M>(&mut player, engine))
}

/// Likewise, with a record of what the threads do. Returns the time in the machine too.
///
/// # Errors
/// As [`replay`].
pub fn recorded<M: Machine>(
    capture: &M::Capture,
    engine: &mut M::Stages<'_>,
    tiling: Tiling,
) -> Result<(Duration, Vec<Event>), CaptureError> {
    let mut player = M::player(capture)?;
    let timeline = Timeline::default();
    M::set_tiling(&mut player, tiling);
    M::record(&mut player, &timeline);
    let timing = played::<M>(&mut player, engine);
    Ok((timing.whole, timeline.take()))
}

fn played<M: Machine>(player: &mut M::Player<'_>, engine: &mut M::Stages<'_>) -> Timing<M::Stats> {
    touch(M::memory(player));
    let (mut whole, mut transfer) = (Duration::ZERO, Duration::ZERO);
    let begin = Instant::now();
    let (mut before, mut start) = (M::stats(player), begin);
    let mut note = |step: Stepped<'_, M>, after: M::Stats| {
        // Lists are cut at every write of the host: thousands a frame, in which two readings would be 6 % of the time.
        let end = Instant::now();
        let time = end - start;
        let states = [std::mem::replace(&mut before, after), after];
        start = end;
        let charge = if step.has_waited { Charge::Machine } else { M::charge(step.event, states) };
        match charge {
            Charge::Nothing => {}
            Charge::Transfer => {
                transfer += time;
                whole += time;
            }
            Charge::Machine => whole += time,
        }
    };
    while M::watch_frame(player, engine, &mut note) {}
    let player_time = begin.elapsed().saturating_sub(whole);
    let stats = M::stats(player);
    let [vertex, fragment, command] = [Duration::ZERO; 3];
    Timing { stats, shaded: 0, vertex, fragment, transfer, command, whole, player: player_time }
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
    /// The fastest replay with clocks: times of stages.
    pub stages: Timing<S>,
    /// The fastest replay without them: the frame, and the player.
    pub best: Timing<S>,
    /// Time in the machine of the median replay without clocks.
    pub median: Duration,
    /// Number of replays without clocks.
    pub replays: usize,
}

/// Replays for `duration` and at least once in either way, after a replay that does not count. `replay` is told whether
/// there are clocks; one replay in four has them.
///
/// # Errors
/// As `replay`.
pub fn steady<S: Copy, E>(
    duration: Duration,
    replay: &mut dyn FnMut(bool) -> Result<Timing<S>, E>,
) -> Result<Steady<S>, E> {
    replay(false)?;
    let end = Instant::now() + duration;
    let (mut clocked, mut plain) = (vec![replay(true)?], vec![replay(false)?]);
    while Instant::now() < end {
        if plain.len() < 3 * clocked.len() {
            plain.push(replay(false)?);
        } else {
            clocked.push(replay(true)?);
        }
    }
    Ok(Steady::of(clocked, plain))
}

impl<S: Copy> Steady<S> {
    /// The fastest and the median of some replays; there must be at least one with clocks and one without.
    #[must_use]
    pub fn of(mut clocked: Vec<Timing<S>>, mut plain: Vec<Timing<S>>) -> Self {
        for runs in [&mut clocked, &mut plain] {
            runs.sort_unstable_by_key(|run| run.whole);
        }
        let median = plain[plain.len() / 2].whole;
        Self { stages: clocked[0], best: plain[0], median, replays: plain.len() }
    }
}

/// Writes zeros to every page of zeroed memory, to make it resident.
fn touch(memory: &BlockMemory) {
    for bytes in memory.blocks().iter().map(|block| block.as_slice()) {
        (0..bytes.len()).step_by(PAGE).for_each(|at| bytes.write(at, 0));
    }
}
