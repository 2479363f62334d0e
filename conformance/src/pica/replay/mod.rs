//! Captures on one engine by name: [`play`] runs a capture and keeps what the displays show.

pub(super) mod flatten;

use crate::image::{Image, stacked};
use crate::pica::engine::NamedEngine;
use crate::replay::{Depth, Played, ReplayError};
use crate::setup::Setup;
use picaflor_pipeline::capture::replay::Player;
use picaflor_pipeline::capture::{Capture, Event};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::display::{Picture, ScanOut, Screen, scan_out};
use picaflor_pipeline::pica::external::External;
use picaflor_pipeline::pica::surface::Target;
use std::path::Path;

/// The engine of this name, whose compiled code is kept in a folder, if there is one.
///
/// # Errors
/// There is none, or it cannot run here.
pub fn engine(name: &str, cache: Option<&Path>) -> Result<NamedEngine, ReplayError> {
    engine_with(name, Setup { cache, ..Setup::default() })
}

pub(crate) fn engine_with(name: &str, setup: Setup<'_>) -> Result<NamedEngine, ReplayError> {
    Ok(NamedEngine::with_setup(name, setup)
        .ok_or_else(|| ReplayError::NoSuchEngine(format!("there is no engine `{name}`")))??)
}

/// The screens that are in use, and their pictures: those with a size that a screen can have, and a buffer
/// that is mapped or a solid colour.
#[must_use]
pub fn screens(external: &External, memory: &dyn Memory) -> Vec<(Screen, Picture)> {
    let shown = |screen| {
        let source = ScanOut::in_use(external, screen);
        let is_lit = source.solid.is_some() || memory.region(source.address, 1).is_some();
        let picture = if is_lit { scan_out(memory, &source) } else { None };
        Some((screen, picture?))
    };
    [Screen::Top, Screen::Bottom].into_iter().filter_map(shown).collect()
}

/// What the displays of a machine show, stacked as on the console; `None` if no screen is in use.
#[must_use]
pub fn display(pica: &Pica, memory: &dyn Memory) -> Option<Image> {
    let screens = screens(pica.external(), memory);
    stacked(&screens.iter().map(|(_, picture)| Image::from(picture)).collect::<Vec<_>>())
}

/// The depth buffer of the last target.
fn depth(pica: &Pica, memory: &dyn Memory) -> Option<Depth> {
    let target = Target::new(pica.registers(), memory);
    let (width, height) = (target.width(), target.height());
    let [_, (address, length)] = target.ranges();
    if width == 0 || length == 0 || memory.region(address, 1).is_none() {
        return None;
    }
    let pixels = (0..height).rev().flat_map(|y| (0..width).map(move |x| (x, y)));
    let values = pixels.map(|(x, y)| target.depth(x, y)).collect();
    Some(Depth { width, height, bits: target.depth_bits(), values })
}

/// Replays a capture up to the end of `frame`, counted from 0, or to its end.
///
/// # Errors
/// As [`ReplayError`] says.
pub fn play(
    capture: &Capture,
    engine: &mut NamedEngine,
    threads: usize,
    frame: Option<usize>,
) -> Result<Played, ReplayError> {
    ReplayError::beyond(frame, frames(capture))?;
    let mut player = Player::new(capture)?;
    player.pica_mut().set_threads(threads);
    let mut given_up = Vec::new();
    while let Some(report) = player.run_frame(engine) {
        given_up.extend(report.errors.iter().map(|(event, why)| (*event, why.to_string())));
        if frame == Some(report.frame) {
            break;
        }
    }
    let (pica, memory) = (player.pica(), player.memory());
    Ok(Played {
        picture: display(pica, memory),
        depth: depth(pica, memory),
        faults: pica.faults().clone(),
        given_up,
    })
}

/// Frames of a capture; what follows the last marker is one more.
#[must_use]
pub fn frames(capture: &Capture) -> usize {
    let is_open = capture.events.last().is_some_and(|event| *event != Event::Frame);
    capture.frames() + usize::from(is_open)
}
