//! What the subcommands say of the GE in words of its own, and the one that is for it alone.

mod demo;
mod diff;
mod fuzz;
pub mod hardware;
mod info;

use super::capture::Named;
use super::demo::Shown;
use super::diff::compared::{Compared, Held, Task};
use super::fuzz::Kind;
use super::info::keys::{KINDS, Kinds};
use super::machine::Commands;
use super::{CliError, render};
use crate::ge::pixels::Pixels;
use crate::ge::vertices::Vertices;
use crate::ge::{Ge, engine, replay};
use crate::machine::SceneName;
use crate::replay::{Played, ReplayError};
use crate::timing::{FirstFrames, Timing, ge as timing};
use fuzz::list::DisplayLists;
use fuzz::states::States;
use indicatif::ProgressBar;
use picaflor_interp::Interpreter;
use picaflor_jit::{DiskStats, Engine};
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::ge::capture::Capture;
use picaflor_pipeline::ge::stats::Stats;

impl Commands for Ge {
    type Stats = Stats;

    const KINDS: &'static [&'static dyn Kind] =
        &[&States::<Pixels>::KIND, &States::<Vertices>::KIND, &DisplayLists];

    fn play(
        capture: &Capture,
        args: &render::Args,
        threads: usize,
    ) -> Result<(Played, DiskStats), ReplayError> {
        let mut engine = engine::with_setup(&args.engine, args.setup())?;
        let played = replay::play(capture, &mut engine, threads, args.frame)?;
        Ok((played, engine.work().disk))
    }

    fn info(named: &Named<Self>, args: &super::info::Args) -> Result<(), CliError> {
        info::info(named, args)
    }

    fn keys(capture: &Capture) -> Result<(u64, Kinds), CaptureError> {
        let keys = crate::ge::keys::keys(capture)?;
        let kinds = KINDS.into_iter().zip([keys.pixels, keys.textures, keys.vertices]).collect();
        Ok((keys.draws, kinds))
    }

    fn compared<'a>(held: Held<'a>, task: &Task) -> Result<Box<dyn Compared + 'a>, CliError> {
        diff::compared(held, task)
    }

    fn shown(_: &super::demo::Args, scene: SceneName, bar: &ProgressBar) -> Result<Box<dyn Shown>, CliError> {
        demo::shown(scene, bar)
    }

    fn timed(
        capture: &Capture,
        engine: Option<&mut Engine>,
        threads: usize,
    ) -> Result<Timing<Stats>, ReplayError> {
        Ok(match engine {
            Some(engine) => timing::replay(capture, engine, threads)?,
            None => timing::replay(capture, &mut Interpreter::new(), threads)?,
        })
    }

    fn first_frames(capture: &Capture, threads: usize) -> Result<FirstFrames, ReplayError> {
        timing::first_frames(capture, threads)
    }
}
