//! Captures on one engine by name: [`play`] runs a capture and keeps what the displays show.

pub(super) mod flatten;

use crate::image::{Image, stacked};
use crate::pica::engine::NamedEngine;
use crate::setup::Setup;
use picaflor_jit::CompileError;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::display::{ScanOut, Screen, scan_out};
use picaflor_pipeline::pica::external::External;
use picaflor_pipeline::pica::stats::Stats;
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::pica::{Pica, RunError};
use picaflor_pipeline::picture::Picture;
use std::path::Path;

/// Why a capture cannot be replayed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReplayError {
    /// There is no engine of this name.
    #[error("there is no engine `{0}`")]
    NoSuchEngine(String),
    /// The engine cannot run here.
    #[error("the engine cannot run on this host: {0}")]
    Engine(#[from] CompileError),
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

/// The engine of this name, whose compiled code is kept in a folder, if there is one.
///
/// # Errors
/// There is none, or it cannot run here.
pub fn engine(name: &str, cache: Option<&Path>) -> Result<NamedEngine, ReplayError> {
    engine_with(name, Setup { cache, ..Setup::default() })
}

pub(super) fn engine_with(name: &str, setup: Setup<'_>) -> Result<NamedEngine, ReplayError> {
    Ok(NamedEngine::with_setup(name, setup).ok_or_else(|| ReplayError::NoSuchEngine(name.into()))??)
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

/// A depth buffer, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Depth {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bits of a value, 16 or 24.
    pub bits: u32,
    /// The values.
    pub values: Vec<u32>,
}

impl Depth {
    fn of(pica: &Pica, memory: &dyn Memory) -> Option<Self> {
        let target = Target::new(pica.registers(), memory);
        let (width, height) = (target.width(), target.height());
        let [_, (address, length)] = target.ranges();
        if width == 0 || length == 0 || memory.region(address, 1).is_none() {
            return None;
        }
        let pixels = (0..height).rev().flat_map(|y| (0..width).map(move |x| (x, y)));
        let values = pixels.map(|(x, y)| target.depth(x, y)).collect();
        Some(Self { width, height, bits: target.depth_bits(), values })
    }

    /// Smallest and largest value.
    #[must_use]
    pub fn range(&self) -> (u32, u32) {
        let bounds = self.values.iter().fold((u32::MAX, 0), |(low, high), &v| (low.min(v), high.max(v)));
        if self.values.is_empty() { (0, 0) } else { bounds }
    }

    /// The values as grey, [`range`](Self::range) stretched from black to white.
    #[must_use]
    pub fn grey(&self) -> Vec<u16> {
        let (low, high) = self.range();
        let span = u64::from((high - low).max(1));
        self.values.iter().map(|&value| (u64::from(value - low) * 0xffff / span) as u16).collect()
    }
}

/// What a capture leaves behind after one of its frames.
#[derive(Debug, Clone)]
pub struct Played {
    /// What the displays show, if a screen is in use.
    pub picture: Option<Image>,
    /// The depth buffer of the last target, if it has one.
    pub depth: Option<Depth>,
    /// What the guest did wrong.
    pub faults: FaultList,
    /// Lists that were given up, with the number of their event.
    pub given_up: Vec<(usize, RunError)>,
    /// Counters.
    pub stats: Stats,
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
    let frames = frames(capture);
    if let Some(frame) = frame.filter(|&frame| frame >= frames) {
        return Err(ReplayError::NoSuchFrame { frame, frames });
    }
    let mut player = Player::new(capture)?;
    player.pica_mut().set_threads(threads);
    let mut given_up = Vec::new();
    while let Some(report) = player.run_frame(engine) {
        given_up.extend(report.errors);
        if frame == Some(report.frame) {
            break;
        }
    }
    let (pica, memory) = (player.pica(), player.memory());
    Ok(Played {
        picture: display(pica, memory),
        depth: Depth::of(pica, memory),
        faults: pica.faults().clone(),
        given_up,
        stats: *pica.stats(),
    })
}

/// Frames of a capture; what follows the last marker is one more.
#[must_use]
pub fn frames(capture: &Capture) -> usize {
    let is_open = capture.events.last().is_some_and(|event| *event != Event::Frame);
    capture.frames() + usize::from(is_open)
}
