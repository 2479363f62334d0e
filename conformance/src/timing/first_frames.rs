//! First frames of an engine that compiles in the background: interpreted and compiled draws, and the waits of draws.

use super::{Charge, touch};
use crate::machine::Machine;
use crate::replay::ReplayError;
use picaflor_jit::{Engine, EngineMode, Stats};
use picaflor_pipeline::capture::CaptureError;
use std::time::{Duration, Instant};

/// Replays after which even an engine that never becomes steady is left alone.
const MOST_REPLAYS: usize = 60;

/// One frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Frame {
    /// Time in the machine.
    pub time: Duration,
    /// Batches of vertices and runs of geometry programs that the interpreter served.
    pub interpreted_batches: u64,
    /// Tiles that the interpreter drew, or triangles in one.
    pub interpreted_tiles: u64,
}

impl Frame {
    /// Both numbers.
    #[must_use]
    pub const fn interpreted(&self) -> [u64; 2] {
        [self.interpreted_batches, self.interpreted_tiles]
    }
}

/// The first frames of an engine that compiles in the background.
#[derive(Debug, Clone)]
pub struct FirstFrames {
    /// The frames of the capture, repeated, until the only interpreted work is work that is always interpreted.
    pub frames: Vec<Frame>,
    /// Frames until then; `None` if it did not come to that.
    pub until_steady: Option<usize>,
    /// Counters of the engine at the end, with compile times and the longest time that a draw waited.
    pub stats: Stats,
    /// The longest time that a draw of the first frame waited.
    pub first_wait: Duration,
}

/// Plays a capture on a new engine until everything is compiled. A host would show frames at its own pace; here each
/// frame starts at the end of the one before, so there are more of them until then.
///
/// # Errors
/// The capture is invalid, or the host cannot run compiled code.
pub fn first_frames<M: Machine>(capture: &M::Capture, threads: usize) -> Result<FirstFrames, ReplayError> {
    of(&mut |engine, done| Ok(frames_of::<M>(capture, engine, threads, done)?))
}

/// Plays a capture on an engine and calls back at the end of each frame.
type Play<'a> = &'a mut dyn FnMut(&mut Engine, &mut dyn FnMut(&Engine)) -> Result<Vec<Frame>, ReplayError>;

/// Plays a capture on a new engine until everything is compiled.
fn of(play: Play<'_>) -> Result<FirstFrames, ReplayError> {
    let usual = usual(play)?;
    let mut engine = Engine::builder().mode(EngineMode::Background).build()?;
    let (mut frames, mut first_wait) = (Vec::new(), None);
    let mut is_steady = false;
    for _ in 0..MOST_REPLAYS {
        let replayed = play(&mut engine, &mut |engine| {
            first_wait.get_or_insert_with(|| engine.stats().longest_lookup);
        })?;
        is_steady = replayed.iter().map(Frame::interpreted).eq(usual.iter().map(Frame::interpreted));
        frames.extend(replayed);
        if is_steady {
            break;
        }
    }
    let unusual = |(n, frame): (usize, &Frame)| {
        (frame.interpreted() != usual[n % usual.len()].interpreted()).then_some(n + 1)
    };
    let last = frames.iter().enumerate().filter_map(unusual).next_back().unwrap_or(0);
    let first_wait = first_wait.unwrap_or_default();
    Ok(FirstFrames { until_steady: is_steady.then_some(last), frames, stats: engine.stats(), first_wait })
}

/// The frames of an engine that has compiled everything.
fn usual(play: Play<'_>) -> Result<Vec<Frame>, ReplayError> {
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build()?;
    play(&mut engine, &mut |_| {})?;
    play(&mut engine, &mut |_| {})
}

/// Frames of an engine, as they end.
struct Frames {
    /// The frames that have ended.
    frames: Vec<Frame>,
    /// Time in the machine since the end of the last frame.
    time: Duration,
    before: Stats,
}

impl Frames {
    fn new(engine: &Engine) -> Self {
        Self { frames: Vec::new(), time: Duration::ZERO, before: engine.stats() }
    }

    /// A frame ends.
    fn end(&mut self, engine: &Engine, done: &mut dyn FnMut(&Engine)) {
        let now = engine.stats();
        self.frames.push(between(&self.before, &now, std::mem::take(&mut self.time)));
        self.before = now;
        done(engine);
    }
}

/// Plays a capture once.
fn frames_of<M: Machine>(
    capture: &M::Capture,
    engine: &mut Engine,
    threads: usize,
    done: &mut dyn FnMut(&Engine),
) -> Result<Vec<Frame>, CaptureError> {
    let mut player = M::player(capture)?;
    M::set_threads(&mut player, threads);
    touch(M::memory(&player));
    let mut frames = Frames::new(engine);
    let mut is_open = false;
    loop {
        let before = M::stats(&player);
        let start = Instant::now();
        let Some(step) = M::step(&mut player, M::compiled(engine)) else { break };
        let time = start.elapsed();
        is_open = !M::ends_frame(step.event);
        if !is_open {
            frames.end(engine, done);
        } else if M::charge(step.event, [before, M::stats(&player)]) != Charge::Nothing {
            frames.time += time;
        }
    }
    // What follows the last frame that ends is one more.
    if is_open {
        frames.end(engine, done);
    }
    Ok(frames.frames)
}

fn between(before: &Stats, now: &Stats, time: Duration) -> Frame {
    Frame {
        time,
        interpreted_batches: now.interpreter_batches - before.interpreter_batches,
        interpreted_tiles: now.interpreted_tiles - before.interpreted_tiles,
    }
}
