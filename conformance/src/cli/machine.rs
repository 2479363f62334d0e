//! A machine as the command line sees it: [`Commands`] is what it says in words of its own, [`AnyMachine`] any machine
//! of the list, whatever its types.

use super::capture::{Named, load};
use super::diff::compared::{Compared, Held, Task};
use super::fuzz::Kind;
use super::{CliError, bench, demo, info, render};
use crate::features::Topic;
use crate::machine::{Machine, Reading, SceneName};
use crate::replay::{Played, ReplayError};
use crate::timing::{Counters, FirstFrames, Timing};
use indicatif::ProgressBar;
use picaflor_jit::{DiskStats, Engine};
use picaflor_pipeline::capture::CaptureError;

/// What the command line needs of a machine, beside what everything needs.
pub(crate) trait Commands: Machine {
    /// Counters of the machine.
    type Stats: Counters;

    /// The kinds of cases that `fuzz` has for it.
    const KINDS: &'static [&'static dyn Kind];

    /// Plays a capture on an engine by name, for `render`; and what that did with its cache.
    fn play(
        capture: &Self::Capture,
        args: &render::Args,
        threads: usize,
    ) -> Result<(Played, DiskStats), ReplayError>;

    /// Shows what is in a capture.
    fn info(named: &Named<Self>, args: &info::Args) -> Result<(), CliError>;

    /// The keys of the draws of a capture, by kind, and how many draws it has.
    fn keys(capture: &Self::Capture) -> Result<(u64, info::keys::Kinds), CaptureError>;

    /// Compares a capture in lock step.
    fn compared<'a>(held: Held<'a>, task: &Task) -> Result<Box<dyn Compared + 'a>, CliError>;

    /// Draws a scene on both engines, for `demo`.
    fn shown(
        args: &demo::Args,
        scene: SceneName,
        bar: &ProgressBar,
    ) -> Result<Box<dyn demo::Shown>, CliError>;

    /// Replays a capture on compiled code, else by the interpreter, with a clock.
    fn timed(
        capture: &Self::Capture,
        engine: Option<&mut Engine>,
        threads: usize,
    ) -> Result<Timing<Self::Stats>, ReplayError>;

    /// The first frames of a new engine that compiles in the background.
    fn first_frames(capture: &Self::Capture, threads: usize) -> Result<FirstFrames, ReplayError>;
}

/// Any machine.
pub(crate) trait AnyMachine: Sync {
    /// See [`Machine::TITLE`].
    fn title(&self) -> &'static str;
    /// See [`Machine::PREFIX`].
    fn prefix(&self) -> &'static str;
    /// See [`Machine::HAS_PRECISIONS`].
    fn has_precisions(&self) -> bool;
    /// See [`Machine::ENGINES`].
    fn engines(&self) -> &'static [&'static str];
    /// See [`Machine::NOUNS`].
    fn nouns(&self) -> [&'static str; 2];
    /// The first of [`Machine::NOTHING`].
    fn nothing(&self) -> &'static str;
    /// See [`Machine::recognises`].
    fn recognises(&self, first: &[u8]) -> bool;
    /// See [`Machine::scenes`].
    fn scenes(&self) -> Vec<SceneName>;
    /// See [`Machine::no_scene`].
    fn no_scene(&self, name: &str) -> String;
    /// See [`Machine::feature`].
    fn feature(&self, topic: Topic) -> String;
    /// See [`Commands::KINDS`].
    fn kinds(&self) -> &'static [&'static dyn Kind];
    /// `render`.
    fn render(&self, args: &render::Args) -> Result<(), CliError>;
    /// `info`.
    fn info(&self, source: &str, args: &info::Args) -> Result<(), CliError>;
    /// `info --keys`.
    fn keys(&self, source: &str, how: Reading) -> Result<info::keys::Keys, CliError>;
    /// A capture of `diff`.
    fn compared<'a>(&self, held: Held<'a>, task: &Task) -> Result<Box<dyn Compared + 'a>, CliError>;
    /// A scene of `demo`.
    fn shown(
        &self,
        args: &demo::Args,
        scene: SceneName,
        bar: &ProgressBar,
    ) -> Result<Box<dyn demo::Shown>, CliError>;
    /// A capture of `bench`.
    fn measured(&self, source: &str, args: &bench::Args) -> Result<bench::Measured, CliError>;
}

impl<M: Commands> AnyMachine for M {
    fn title(&self) -> &'static str {
        M::TITLE
    }

    fn prefix(&self) -> &'static str {
        M::PREFIX
    }

    fn has_precisions(&self) -> bool {
        M::HAS_PRECISIONS
    }

    fn engines(&self) -> &'static [&'static str] {
        M::ENGINES
    }

    fn nouns(&self) -> [&'static str; 2] {
        M::NOUNS
    }

    fn nothing(&self) -> &'static str {
        M::NOTHING[0]
    }

    fn recognises(&self, first: &[u8]) -> bool {
        M::recognises(first)
    }

    fn scenes(&self) -> Vec<SceneName> {
        M::scenes()
    }

    fn no_scene(&self, name: &str) -> String {
        M::no_scene(name)
    }

    fn feature(&self, topic: Topic) -> String {
        M::feature(topic)
    }

    fn kinds(&self) -> &'static [&'static dyn Kind] {
        M::KINDS
    }

    fn render(&self, args: &render::Args) -> Result<(), CliError> {
        render::render::<M>(args)
    }

    fn info(&self, source: &str, args: &info::Args) -> Result<(), CliError> {
        M::info(&load(source, args.reading())?, args)
    }

    fn keys(&self, source: &str, how: Reading) -> Result<info::keys::Keys, CliError> {
        info::keys::of::<M>(source, how)
    }

    fn compared<'a>(&self, held: Held<'a>, task: &Task) -> Result<Box<dyn Compared + 'a>, CliError> {
        M::compared(held, task)
    }

    fn shown(
        &self,
        args: &demo::Args,
        scene: SceneName,
        bar: &ProgressBar,
    ) -> Result<Box<dyn demo::Shown>, CliError> {
        M::shown(args, scene, bar)
    }

    fn measured(&self, source: &str, args: &bench::Args) -> Result<bench::Measured, CliError> {
        bench::measured::<M>(source, args)
    }
}

impl<M: Machine> Named<M> {
    /// Says of a failure which capture cannot be used.
    pub(crate) fn refused(&self, why: impl std::fmt::Display) -> CliError {
        CliError::new(format!("cannot use `{}`: {why}", self.name))
    }
}
