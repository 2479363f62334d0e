//! Replay of captures on one engine, generic over the machine.

use crate::given_up::GivenUpList;
use crate::image::Image;
use crate::machine::{Eye, Machine};
pub use crate::plays::{Depth, frames};
use picaflor_jit::CompileError;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::fault::FaultList;

/// Errors of a replay.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReplayError {
    /// The machine has no engine of this name; in words.
    #[error("{0}")]
    NoSuchEngine(String),
    /// The engine cannot run here.
    #[error("the engine cannot run on this host: {0}")]
    Engine(#[from] CompileError),
    /// The capture is not sound.
    #[error("{0}")]
    Capture(#[from] CaptureError),
    /// The system starts no thread.
    #[error("there is no thread: {0}")]
    Thread(String),
    /// The system has no memory for a list: its machine has no result.
    #[error("there is no memory for event {event} on engine {engine}")]
    NoMemory {
        /// The event.
        event: usize,
        /// The engine.
        engine: &'static str,
    },
    /// The capture ends before this frame.
    #[error("there is no frame {frame}; the capture has {frames}, counted from 0")]
    NoSuchFrame {
        /// The frame that was asked for.
        frame: usize,
        /// Frames of the capture.
        frames: usize,
    },
}

/// The result of a replay up to the end of a frame.
#[derive(Debug, Clone)]
pub struct Played {
    /// The picture, if a screen is in use.
    pub picture: Option<Image>,
    /// The depth buffer of the last target, if it has one.
    pub depth: Option<Depth>,
    /// Faults of the guest.
    pub faults: FaultList,
    /// Lists that were given up.
    pub given_up: GivenUpList,
}

/// Replays a capture up to the end of `frame`, counted from 0, or to its end; the picture is that for the left eye.
///
/// # Errors
/// [`ReplayError`].
pub fn play<M: Machine>(
    capture: &M::Capture,
    engine: &mut M::Engine,
    threads: usize,
    frame: Option<usize>,
) -> Result<Played, ReplayError> {
    play_for::<M>(capture, engine, threads, frame, Eye::Left)
}

/// The same with the picture for another eye.
///
/// # Errors
/// [`ReplayError`].
pub fn play_for<M: Machine>(
    capture: &M::Capture,
    engine: &mut M::Engine,
    threads: usize,
    frame: Option<usize>,
    eye: Eye,
) -> Result<Played, ReplayError> {
    let frames = frames::<M>(capture);
    if let Some(frame) = frame.filter(|&frame| frame >= frames) {
        return Err(ReplayError::NoSuchFrame { frame, frames });
    }
    let mut player = M::player(capture)?;
    M::set_threads(&mut player, threads);
    let (mut given_up, mut ended) = (GivenUpList::default(), 0);
    while frame.is_none_or(|frame| ended <= frame) {
        let Some(step) = M::step(&mut player, M::stages(engine)) else { break };
        if let Some(why) = M::given_up(step.outcome) {
            given_up.push(step.index, why);
        }
        ended += usize::from(M::ends_frame(step.event));
    }
    let faults = M::faults(&player).clone();
    let picture = M::picture_for(&player, M::stages(engine), eye);
    Ok(Played { picture, depth: M::depth(&player), faults, given_up })
}
