//! What a machine is to everything that compares: a [`Machine`] says how its captures are read and played, and how people
//! call what it does. Whatever needs no more is written once, over it.
//!
//! Start with the list of all machines, in `machines`.

use crate::features::Topic;
use crate::html;
use crate::image::Image;
use crate::lockstep::{Difference, GivenUp, Moment, Place, Point, Shared, Surface};
use crate::replay::{Depth, ReplayError};
use crate::setup::Setup;
use crate::timing::{Charge, Clock};
use picaflor_interp::Interpreter;
use picaflor_jit::{DiskStats, Engine};
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::BlockMemory;
use std::fmt;
use std::time::Duration;

/// How shaders round, of machines that can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Precision {
    /// Shaders round to 16 bits of mantissa, as the console does
    Console,
    /// Shaders round to binary32
    Binary32,
}

impl Precision {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::Binary32 => "binary32",
        }
    }
}

/// How a capture is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// In place of the precision of the capture.
    pub precision: Option<Precision>,
    /// Whether lists that were recorded in pieces stay so: where draws do not overlap, pieces say better where something
    /// is.
    pub in_pieces: bool,
}

/// A scene of the project's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SceneName {
    /// Short name.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub about: &'static str,
}

/// Counters of a machine that draws.
pub trait Counters: Copy + Default + fmt::Debug + PartialEq + Send {
    /// Draws, vertices, primitives and fragments.
    fn counts(&self) -> [u64; 4];
}

/// An event that was played.
#[derive(Debug)]
pub struct Stepped<'c, M: Machine> {
    /// Its position among the events.
    pub index: usize,
    /// The event.
    pub event: &'c M::Event,
    /// What became of it.
    pub outcome: M::Outcome,
}

/// A machine, as a type without values.
pub trait Machine: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// Its name for people, and its console.
    const TITLE: &'static str;
    /// What stands before the names of its scenes; nothing for one machine.
    const PREFIX: &'static str;
    /// Whether a capture can be played in several precisions.
    const HAS_PRECISIONS: bool;
    /// The names of its engines, the reference first.
    const ENGINES: &'static [&'static str];
    /// What it draws, and what that is made of.
    const NOUNS: [&'static str; 2];
    /// What is said of captures that leave no picture or no depth buffer.
    const NOTHING: [&'static str; 2];

    /// What memory is, among what is compared.
    const MEMORY: Self::Role;

    /// A capture.
    type Capture: Clone + PartialEq + fmt::Debug + Send + Sync;
    /// What happens in a capture.
    type Event: fmt::Debug;
    /// What becomes of that.
    type Outcome: Copy + fmt::Debug;
    /// A machine that plays a capture, with memory of its own.
    type Player<'c>;
    /// What draws for it.
    type Stages<'s>: ?Sized + 's;
    /// An engine by name, which draws for it and may be wrong on purpose.
    type Engine: Send;
    /// An engine that is watched in lock step.
    type Watched<'e>;
    /// An engine whose work is timed.
    type Clocked<'e>;
    /// What such an engine did.
    type Work: Clone + fmt::Debug + Send;
    /// Its counters.
    type Stats: Counters;
    /// What of its state is known at a point.
    type State: Clone + Default + fmt::Debug + Send + 'static;
    /// What compared bytes are.
    type Role: Copy + PartialEq + fmt::Debug + fmt::Display + Send + 'static;
    /// What has to be known between points.
    type Known: Default + Send;

    /// Whether a file is a capture of this machine, as far as its first bytes tell.
    fn recognises(first: &[u8]) -> bool;

    /// The capture of a file.
    ///
    /// # Errors
    /// It is none, or damaged.
    fn read(file: &[u8], how: Reading) -> Result<Self::Capture, CaptureError>;

    /// All scenes.
    fn scenes() -> Vec<SceneName>;

    /// The scene of a name.
    fn scene(name: &str, how: Reading) -> Option<Self::Capture>;

    /// What is said where there is no scene of a name.
    fn no_scene(name: &str) -> String;

    /// What kind of capture it is: the precision, or the machine where there is only one; and the name of that in JSON.
    fn kind(capture: &Self::Capture) -> (&'static str, &'static str);

    /// What happens in a capture, in order.
    fn events(capture: &Self::Capture) -> &[Self::Event];

    /// The same, to leave some of it out.
    fn events_mut(capture: &mut Self::Capture) -> &mut Vec<Self::Event>;

    /// Whether a frame ends with an event.
    fn ends_frame(event: &Self::Event) -> bool;

    /// The file of a capture, in the own format.
    fn write(capture: &Self::Capture) -> Vec<u8>;

    /// The engine of a name.
    ///
    /// # Errors
    /// There is none, or it cannot run here.
    fn engine(name: &str, setup: Setup<'_>) -> Result<Self::Engine, ReplayError>;

    /// The name of an engine.
    fn engine_name(engine: &Self::Engine) -> &'static str;

    /// An engine as what draws.
    fn stages(engine: &mut Self::Engine) -> &mut Self::Stages<'_>;

    /// What an engine loaded from disk and stored there.
    fn disk(engine: &Self::Engine) -> DiskStats;

    /// A machine that begins with a capture.
    ///
    /// # Errors
    /// The capture is not sound.
    fn player(capture: &Self::Capture) -> Result<Self::Player<'_>, CaptureError>;

    /// Sets the threads that draw.
    fn set_threads(player: &mut Self::Player<'_>, threads: usize);

    /// The same in lock step, where small draws may be shared out too.
    fn share_out(player: &mut Self::Player<'_>, threads: usize) {
        Self::set_threads(player, threads);
    }

    /// Threads of the reference in lock step, for so many of the candidate.
    fn reference_threads(threads: usize) -> usize {
        threads
    }

    /// Plays the next event; `None` after the last.
    fn step<'c>(player: &mut Self::Player<'c>, stages: &mut Self::Stages<'_>) -> Option<Stepped<'c, Self>>;

    /// Why a list was given up, if that became of it.
    fn given_up(outcome: Self::Outcome) -> Option<String>;

    /// The memory of a machine.
    fn memory<'p>(player: &'p Self::Player<'_>) -> &'p BlockMemory;

    /// Its counters.
    fn stats(player: &Self::Player<'_>) -> Self::Stats;

    /// What the guest did wrong.
    fn faults<'p>(player: &'p Self::Player<'_>) -> &'p FaultList;

    /// What it shows, if it shows anything.
    fn picture(player: &Self::Player<'_>) -> Option<Image>;

    /// Its depth buffer, if it has one.
    fn depth(player: &Self::Player<'_>) -> Option<Depth>;

    /// In lock step: an engine that is watched, and an observer that stops at points; all points if `steps` are wanted.
    fn watched<'e>(
        engine: &'e mut Self::Engine,
        player: &mut Self::Player<'_>,
        shared: &Shared<Self>,
        steps: bool,
    ) -> Self::Watched<'e>;

    /// That as what draws.
    fn stages_of<'w>(watched: &'w mut Self::Watched<'_>) -> &'w mut Self::Stages<'w>;

    /// What it did.
    fn work(watched: Self::Watched<'_>) -> Self::Work;

    /// Compiled code as what draws.
    fn compiled(engine: &mut Engine) -> &mut Self::Stages<'_>;

    /// The interpreter as what draws.
    fn interpreted(engine: &mut Interpreter) -> &mut Self::Stages<'_>;

    /// An engine whose work is timed.
    fn clocked<'e>(engine: &'e mut Self::Stages<'_>) -> Self::Clocked<'e>;

    /// That as what draws.
    fn clocked_stages<'w>(clocked: &'w mut Self::Clocked<'_>) -> &'w mut Self::Stages<'w>;

    /// When it worked.
    fn clock(clocked: Self::Clocked<'_>) -> Clock;

    /// What the time of an event is charged to, with the counters before and after it.
    fn charge(event: &Self::Event, stats: [Self::Stats; 2]) -> Charge;

    /// Takes note of what has to be known inside the next event.
    fn note(_player: &Self::Player<'_>, _known: &mut Self::Known) {}

    /// The state at a point between events.
    fn state(player: &Self::Player<'_>, known: &mut Self::Known) -> Self::State;

    /// Whether there is a point after an event, and what is compared there.
    fn after(
        player: &Self::Player<'_>,
        step: &Stepped<'_, Self>,
    ) -> Option<(Moment, Vec<Surface<Self::Role>>)>;

    /// What is compared at the end, before all memory.
    fn at_end(player: &Self::Player<'_>, given_up: &[GivenUp]) -> Vec<Surface<Self::Role>>;

    /// Whether something is what the machine made, and not what it is set to or what a host put into memory.
    fn is_made(moment: Moment, role: Self::Role) -> bool;

    /// All that differs between two points of the same place.
    fn differences(expected: &Point<Self>, actual: &Point<Self>) -> Vec<Difference>;

    /// The key of the code that draws in a state, or why there is none; nothing where nothing was drawn.
    fn key(state: &Self::State, moment: Moment) -> String;

    /// A state for a page.
    fn described(state: &Self::State) -> html::State;

    /// A shorter capture than one that is cut off after a place, which may differ as well. `first` says where a capture
    /// differs first.
    fn shortened(
        cut: &Self::Capture,
        place: Place,
        first: &dyn Fn(&Self::Capture) -> Option<Place>,
    ) -> Option<Self::Capture>;

    /// The smallest capture found in `time` for which `fails` still holds.
    fn reduce(
        capture: &Self::Capture,
        time: Duration,
        fails: &mut dyn FnMut(&Self::Capture) -> bool,
    ) -> Self::Capture;

    /// What it can do.
    fn feature(topic: Topic) -> String;
}

/// The names of scenes, with commas.
pub(crate) fn listed(scenes: &[SceneName]) -> String {
    scenes.iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ")
}
