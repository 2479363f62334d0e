//! The first frames of an engine that compiles in the background: who served, and how long draws waited.

use super::touch;
use crate::replay::ReplayError;
use picaflor_jit::{CompileError, Engine, EngineMode, Stats};
use picaflor_pipeline::capture::replay::Player;
use picaflor_pipeline::capture::{Capture, CaptureError, Event};
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
    /// Tiles, or triangles in one, that the interpreter drew.
    pub interpreted_tiles: u64,
}

impl Frame {
    const fn interpreted(&self) -> [u64; 2] {
        [self.interpreted_batches, self.interpreted_tiles]
    }
}

/// The first frames of an engine that compiles in the background.
#[derive(Debug, Clone)]
pub struct FirstFrames {
    /// Frames one after the other, the capture again and again, until nothing is interpreted any more that is
    /// not always interpreted.
    pub frames: Vec<Frame>,
    /// Frames until then; `None` if it did not come to that.
    pub until_steady: Option<usize>,
    /// Counters of the engine at the end, with compile times and the longest time that a draw waited.
    pub stats: Stats,
    /// The longest time that a draw of the first frame waited.
    pub first_wait: Duration,
}

/// Plays a capture on a new engine until everything is compiled. A host would show frames at its own pace; here
/// each starts as soon as the one before has ended, so there are more of them until then.
///
/// # Errors
/// The capture is not sound, or the host cannot run compiled code.
pub fn first_frames(capture: &Capture, threads: usize) -> Result<FirstFrames, ReplayError> {
    of(&mut |engine, done| Ok(frames_of(capture, engine, threads, done)?))
}

/// Plays something on an engine, and is told to call back at the end of each frame.
type Play<'a, E> = &'a mut dyn FnMut(&mut Engine, &mut dyn FnMut(&Engine)) -> Result<Vec<Frame>, E>;

/// Plays something on a new engine until everything is compiled.
pub(super) fn of<E: From<CompileError>>(play: Play<'_, E>) -> Result<FirstFrames, E> {
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
fn usual<E: From<CompileError>>(play: Play<'_, E>) -> Result<Vec<Frame>, E> {
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build()?;
    play(&mut engine, &mut |_| {})?;
    play(&mut engine, &mut |_| {})
}

/// Frames of an engine, as they end.
pub(super) struct Frames {
    /// Those that have ended.
    pub(super) frames: Vec<Frame>,
    /// Time in the machine since the last one ended.
    pub(super) time: Duration,
    before: Stats,
}

impl Frames {
    pub(super) fn new(engine: &Engine) -> Self {
        Self { frames: Vec::new(), time: Duration::ZERO, before: engine.stats() }
    }

    /// A frame ends.
    pub(super) fn end(&mut self, engine: &Engine, done: &mut dyn FnMut(&Engine)) {
        let now = engine.stats();
        self.frames.push(between(&self.before, &now, std::mem::take(&mut self.time)));
        self.before = now;
        done(engine);
    }
}

/// Plays a capture once.
fn frames_of(
    capture: &Capture,
    engine: &mut Engine,
    threads: usize,
    done: &mut dyn FnMut(&Engine),
) -> Result<Vec<Frame>, CaptureError> {
    let mut player = Player::new(capture)?;
    player.pica_mut().set_threads(threads);
    touch(player.memory());
    let mut frames = Frames::new(engine);
    let mut is_open = false;
    loop {
        let start = Instant::now();
        let Some(step) = player.step(engine) else { break };
        is_open = *step.event != Event::Frame;
        match step.event {
            Event::Frame => frames.end(engine, done),
            Event::Memory { .. } => {}
            Event::List { .. } | Event::Mmio { .. } | Event::Register { .. } => {
                frames.time += start.elapsed()
            }
        }
    }
    // What follows the last marker is one more.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::Pica;
    use crate::pica::scene::Scene;
    use picaflor_pipeline::pica::float::Precision;

    #[test]
    fn an_engine_becomes_steady() {
        let capture = Scene::all()[0].capture(Precision::Console);
        let first = first_frames(&capture, 1).unwrap();
        let until = first.until_steady.expect("a scene that is compiled wholly");
        assert!(until >= 1 && until < first.frames.len());
        assert_eq!(first.frames.len() % crate::replay::frames::<Pica>(&capture), 0);
        assert_eq!(first.frames.last().map(Frame::interpreted), Some([0, 0]));
        assert!(first.frames[0].interpreted_tiles > 0 && first.frames[0].interpreted_batches > 0);
        assert!(first.stats.compiles > 0);
        assert!(first.first_wait > Duration::ZERO && first.first_wait <= first.stats.longest_lookup);
    }
}
