//! Captures of the GE on one engine: what they leave behind.

use crate::image::Image;
use crate::replay::{Depth, Played, ReplayError};
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::display::{HEIGHT, WIDTH};
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::target::Target;

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
    ReplayError::beyond(frame, frames(capture))?;
    let mut player = Player::new(capture)?;
    player.ge_mut().set_threads(threads);
    let mut given_up = Vec::new();
    while let Some(report) = player.run_frame(engine) {
        given_up.extend(report.errors.iter().map(|(event, why)| (*event, why.to_string())));
        if frame == Some(report.frame) {
            break;
        }
    }
    Ok(Played {
        picture: player.display().map(|display| Image::from(&player.picture(display))),
        depth: depth(&player),
        faults: player.ge().faults().clone(),
        given_up,
    })
}

/// The depth buffer of the last target, as large as the screen.
fn depth(player: &Player<'_>) -> Option<Depth> {
    let target = Target::new(player.ge().registers(), player.ge().address_maps(), player.memory())?;
    let value =
        |x: u32, y: u32| u16::from_le_bytes(target.vram.read_array(target.depth_offset(x as i32, y as i32)));
    let pixels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    let values = || pixels.map(|(x, y)| value(x, y).into()).collect();
    (target.depth_stride > 0).then(|| Depth { width: WIDTH, height: HEIGHT, bits: 16, values: values() })
}
