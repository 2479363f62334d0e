//! What the subcommands say of the PICA200 in words of its own, and those that are for it alone.

pub mod asm;
mod demo;
mod diff;
pub mod disasm;
mod fuzz;
mod info;
mod log;
pub mod shader;
pub mod sweep;

use super::capture::Named;
use super::demo::Shown;
use super::diff::compared::{Compared, Held, Task};
use super::fuzz::Kind;
use super::info::keys::{KINDS, Kinds};
use super::machine::Commands;
use super::{CliError, render};
use crate::machine::SceneName;
use crate::pica::fragments::scenes;
use crate::pica::{Pica, replay};
use crate::replay::{Played, ReplayError};
use crate::timing::{self, FirstFrames, Timing};
use fuzz::fragment::Fragments;
use fuzz::law::Laws;
use fuzz::list::CommandLists;
use fuzz::shader::Programs;
use indicatif::ProgressBar;
use picaflor_interp::Interpreter;
use picaflor_jit::{DiskStats, Engine};
use picaflor_pipeline::capture::{Capture, CaptureError};
use picaflor_pipeline::pica::stats::Stats;

impl Commands for Pica {
    type Stats = Stats;

    const KINDS: &'static [&'static dyn Kind] = &[&Programs, &CommandLists, &Fragments, &Laws];

    fn play(
        capture: &Capture,
        args: &render::Args,
        threads: usize,
    ) -> Result<(Played, DiskStats), ReplayError> {
        let mut engine = replay::engine_with(&args.engine, args.setup())?;
        let played = replay::play(capture, &mut engine, threads, args.frame)?;
        Ok((played, engine.disk_stats()))
    }

    fn info(named: &Named<Self>, args: &super::info::Args) -> Result<(), CliError> {
        info::info(named, args)
    }

    fn keys(capture: &Capture) -> Result<(u64, Kinds), CaptureError> {
        let draws = scenes::draws(capture)?;
        Ok((draws.values().sum(), vec![(KINDS[0], draws)]))
    }

    fn compared<'a>(held: Held<'a>, task: &Task) -> Result<Box<dyn Compared + 'a>, CliError> {
        diff::compared(held, task)
    }

    fn shown(
        args: &super::demo::Args,
        scene: SceneName,
        bar: &ProgressBar,
    ) -> Result<Box<dyn Shown>, CliError> {
        demo::shown(args, scene, bar)
    }

    fn timed(capture: &Capture, engine: Option<&mut Engine>, threads: usize) -> Result<Timing, ReplayError> {
        Ok(match engine {
            Some(engine) => timing::replay(capture, engine, threads)?,
            None => timing::replay(capture, &mut Interpreter::new(), threads)?,
        })
    }

    fn first_frames(capture: &Capture, threads: usize) -> Result<FirstFrames, ReplayError> {
        timing::first_frames(capture, threads)
    }
}
