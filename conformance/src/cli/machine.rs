//! Machines for the command line: [`Commands`] holds a machine's own part of the subcommands, [`AnyMachine`] is a
//! machine of the list without its type.

use super::capture::{self, Named, load};
use super::convert::Format;
use super::diff::compared::{Compared, Held, Task, compare, compiled, lines};
use super::fuzz::Kind;
use super::source::Source;
use super::video::{self, Screen};
use super::{CliError, bench, check, demo, info, render};
use crate::convert::{Converted, Losses};
use crate::features::Topic;
use crate::image::Image;
use crate::inspect::{Inspect, Inspector, NoAnswer, Session};
use crate::lockstep::{Comparison, Side};
use crate::machine::{Machine, Reading, SceneName};
use crate::machines::MACHINES;
use crate::setup::Setup;
use indicatif::ProgressBar;
use picaflor_pipeline::capture::CaptureError;
use serde_json::{Map, Value};

/// The command line's extension of [`Machine`].
pub(crate) trait Commands: Inspect + Machine {
    /// Noun for the requests that compiled code serves or refuses.
    const ASKED: &'static str;
    /// Orientation of pictures of buffers.
    const PICTURES: &'static str;
    /// The kinds of cases that `fuzz` has for it.
    const KINDS: &'static [&'static dyn Kind];

    /// The format of others that holds captures of this machine.
    const FOREIGN: Format;

    /// A capture in the [`FOREIGN`](Self::FOREIGN) format.
    ///
    /// # Errors
    /// The capture is not sound, or has no such form.
    fn convert(capture: &Self::Capture) -> Result<Converted, NoAnswer>;

    /// What of a file its capture does not hold.
    fn lost_by_reading(_file: &[u8]) -> Losses {
        Losses::default()
    }

    /// What the screens show, or one of them.
    fn screen(
        player: &Self::Player<'_>,
        stages: &mut Self::Stages<'_>,
        which: Option<Screen>,
    ) -> Option<Image> {
        match which {
            None | Some(Screen::Top) => Self::picture(player, stages),
            Some(Screen::Bottom) => None,
        }
    }

    /// Shows the content of a capture.
    fn info(named: &Named<Self>, args: &info::Args) -> Result<(), CliError>;

    /// The keys of the draws of a capture, by kind, and the number of draws.
    fn keys(capture: &Self::Capture) -> Result<(u64, info::keys::Kinds), CaptureError>;

    /// Requests that compiled code served, and all requests; see [`ASKED`](Self::ASKED).
    fn share(work: &Self::Work) -> [u64; 2];

    /// Work that was not compiled, lists that were given up, and faults of the guest.
    fn notes(side: &Side<Self>) -> Vec<String>;

    /// An engine in `diff --json`.
    fn side_as_json(side: &Side<Self>) -> Value;

    /// Fields of `diff --json` before and after those of all machines.
    fn more_details(comparison: &Comparison<Self>) -> [Map<String, Value>; 2] {
        let _ = comparison;
        [Map::new(), Map::new()]
    }

    /// The cell in `demo`'s column of compiled code.
    fn compiled_in_demo(work: &Self::Work) -> String {
        compiled::<Self>(work)
    }

    /// Lines below `demo`'s table.
    fn lines_in_demo(comparison: &Comparison<Self>) -> Vec<String> {
        lines(comparison)
    }

    /// A scene in `demo --json`, from its picture on.
    fn demo_as_json(comparison: &Comparison<Self>, picture: &str) -> Value;
}

/// The names of the engines of all machines, from this one of each on; the first is the reference.
pub(super) fn engines(from: usize) -> Vec<&'static str> {
    let mut engines = Vec::new();
    for engine in MACHINES.iter().flat_map(|machine| &machine.engines()[from..]) {
        if !engines.contains(engine) {
            engines.push(*engine);
        }
    }
    engines
}

/// Any machine.
pub(crate) trait AnyMachine: Sync {
    /// See [`Machine::TITLE`].
    fn title(&self) -> &'static str;
    /// See [`Machine::PREFIX`].
    fn prefix(&self) -> &'static str;
    /// See [`Machine::HAS_PRECISIONS`].
    fn has_precisions(&self) -> bool;
    /// See [`Machine::HAS_SCREENS`].
    fn has_screens(&self) -> bool;
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
    /// A capture that answers questions; an engine draws what is not asked for, the default one unless named.
    fn inspector(
        &self,
        source: &Source,
        how: Reading,
        engine: Option<&str>,
    ) -> Result<Box<dyn Inspector>, CliError>;
    /// `convert`.
    fn convert(&self, source: &Source, to: Format) -> Result<Converted, CliError>;
    /// `video`.
    fn video(&self, args: &video::Args) -> Result<(), CliError>;
    /// `info`.
    fn info(&self, source: &Source, args: &info::Args) -> Result<(), CliError>;
    /// `info --keys`.
    fn keys(&self, source: &Source, how: Reading) -> Result<info::keys::Keys, CliError>;
    /// A capture of `diff`.
    fn compared<'a>(&self, held: Held<'a>, task: &Task) -> Result<Box<dyn Compared + 'a>, CliError>;
    /// The picture of a capture for `check`.
    fn picture(&self, source: &Source, how: &check::How<'_>) -> Result<Image, CliError>;
    /// A scene of `demo`.
    fn shown(
        &self,
        args: &demo::Args,
        scene: SceneName,
        bar: &ProgressBar,
    ) -> Result<Box<dyn demo::Shown>, CliError>;
    /// A capture of `bench`.
    fn measured(&self, source: &Source, args: &bench::Args) -> Result<bench::Measured, CliError>;
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

    fn has_screens(&self) -> bool {
        M::HAS_SCREENS
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

    fn inspector(
        &self,
        source: &Source,
        how: Reading,
        engine: Option<&str>,
    ) -> Result<Box<dyn Inspector>, CliError> {
        let named = load::<M>(source, how)?;
        let engine = engine.or(M::ENGINES.last().copied()).unwrap_or_default();
        let engine = M::engine(engine, Setup::default()).map_err(CliError::new)?;
        Ok(Box::new(Session::<M>::new(named.capture, engine)))
    }

    fn convert(&self, source: &Source, to: Format) -> Result<Converted, CliError> {
        let named = load::<M>(source, Reading::default())?;
        if to == Format::Own {
            let is_scene = capture::is_scene(source);
            let file = if is_scene { Vec::new() } else { capture::file_of(source)? };
            let losses = M::lost_by_reading(&file);
            return Ok(Converted { bytes: M::write(&named.capture), losses });
        }
        if to != M::FOREIGN {
            let (no, yes) = (to.name(), M::FOREIGN.name());
            return Err(CliError::new(format!(
                "`{source}` is a capture of the {}: {no} cannot hold it; {yes} and the own format can",
                M::TITLE
            )));
        }
        let converted = M::convert(&named.capture).map_err(|why| named.refused(why))?;
        // The file counts if others can read it.
        M::read(&converted.bytes, Reading::default()).map_err(|why| named.refused(why))?;
        Ok(converted)
    }

    fn video(&self, args: &video::Args) -> Result<(), CliError> {
        video::video::<M>(args)
    }

    fn info(&self, source: &Source, args: &info::Args) -> Result<(), CliError> {
        M::info(&load(source, args.reading())?, args)
    }

    fn keys(&self, source: &Source, how: Reading) -> Result<info::keys::Keys, CliError> {
        info::keys::of::<M>(source, how)
    }

    fn compared<'a>(&self, held: Held<'a>, task: &Task) -> Result<Box<dyn Compared + 'a>, CliError> {
        compare::<M>(held, task)
    }

    fn picture(&self, source: &Source, how: &check::How<'_>) -> Result<Image, CliError> {
        check::picture::<M>(source, how)
    }

    fn shown(
        &self,
        args: &demo::Args,
        scene: SceneName,
        bar: &ProgressBar,
    ) -> Result<Box<dyn demo::Shown>, CliError> {
        demo::draw::<M>(args, scene, bar)
    }

    fn measured(&self, source: &Source, args: &bench::Args) -> Result<bench::Measured, CliError> {
        bench::measured::<M>(source, args)
    }
}

impl<M: Machine> Named<M> {
    /// The error for a capture that cannot be used.
    pub(crate) fn refused(&self, why: impl std::fmt::Display) -> CliError {
        capture::refused(&self.name, &why)
    }
}
