//! Captures of the GE on one engine: what they leave behind.

use crate::image::Image;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::ge::RunError;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::display::{HEIGHT, WIDTH};
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::ge::target::Target;

/// Why a capture cannot be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The capture is not sound.
    #[error("{0}")]
    Capture(#[from] CaptureError),
    /// The capture ends before this frame.
    #[error("there is no frame {frame}; the capture has {frames}, counted from 0")]
    NoSuchFrame {
        /// The frame that was asked for.
        frame: usize,
        /// Frames of the capture.
        frames: usize,
    },
}

/// What a capture leaves behind after one of its frames.
#[derive(Debug, Clone)]
pub struct Played {
    /// The buffer that was shown last, if there was one.
    pub picture: Option<Image>,
    /// The depth buffer of the last target, as large as the screen, rows from the top.
    pub depth: Option<Vec<u16>>,
    /// What the guest did wrong.
    pub faults: FaultList,
    /// Lists that were given up, with the number of their event.
    pub given_up: Vec<(usize, RunError)>,
    /// Counters.
    pub stats: Stats,
}

/// Frames of a capture; what follows the last one that is shown is one more.
#[must_use]
pub fn frames(capture: &Capture) -> usize {
    let is_open = capture.events.last().is_some_and(|event| !matches!(event, Event::Display(_)));
    capture.frames() + usize::from(is_open)
}

/// Replays a capture up to the end of `frame`, counted from 0, or to its end.
///
/// # Errors
/// As [`ReplayError`] says.
pub fn play(
    capture: &Capture,
    engine: &mut dyn Stages,
    threads: usize,
    frame: Option<usize>,
) -> Result<Played, ReplayError> {
    let frames = frames(capture);
    if let Some(frame) = frame.filter(|&frame| frame >= frames) {
        return Err(ReplayError::NoSuchFrame { frame, frames });
    }
    let mut player = Player::new(capture)?;
    player.ge_mut().set_threads(threads);
    let mut given_up = Vec::new();
    while let Some(report) = player.run_frame(engine) {
        given_up.extend(report.errors);
        if frame == Some(report.frame) {
            break;
        }
    }
    Ok(Played {
        picture: player.display().map(|display| Image::from(&player.picture(display))),
        depth: depth(&player),
        faults: player.ge().faults().clone(),
        given_up,
        stats: *player.ge().stats(),
    })
}

fn depth(player: &Player<'_>) -> Option<Vec<u16>> {
    let target = Target::new(player.ge().registers(), player.ge().address_maps(), player.memory())?;
    let value =
        |x: u32, y: u32| u16::from_le_bytes(target.vram.read_array(target.depth_offset(x as i32, y as i32)));
    (target.depth_stride > 0).then(|| {
        (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y))).map(|(x, y)| value(x, y)).collect()
    })
}
