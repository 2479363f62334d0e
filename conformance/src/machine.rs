//! The trait [`Machine`]: a console's GPU as the comparisons see it. It [plays](Plays) captures and names the parts of a
//! replay. Code that needs no more than this trait is written once, generic over the machine.
//!
//! Start with the list of all machines, in `machines`.

use crate::features::Topic;
use crate::html;
use crate::image::Image;
use crate::lockstep::{Difference, GivenUpList, Moment, Place, Point, Shared, Surface};
pub use crate::plays::{Counters, Eye, Plays, Precision, Reading, SceneName, Stepped};
use crate::replay::{Depth, ReplayError};
use crate::setup::Setup;
use crate::timing::{Charge, Clock};
use picaflor_interp::Interpreter;
use picaflor_jit::{DiskStats, Engine};
use picaflor_pipeline::tile::{Tiling, Timeline};
use std::fmt;
use std::time::Duration;

/// A machine, as a marker type.
pub trait Machine: Plays {
    /// True if a capture can be played in several precisions.
    const HAS_PRECISIONS: bool;
    /// True if it has several screens, one of them with a picture for each eye.
    const HAS_SCREENS: bool;
    /// The names of its engines, the reference first.
    const ENGINES: &'static [&'static str];
    /// Nouns for reports: the things drawn, and their parts.
    const NOUNS: [&'static str; 2];
    /// Messages for captures that leave no picture or no depth buffer.
    const NOTHING: [&'static str; 2];

    /// The role of memory among the compared surfaces.
    const MEMORY: Self::Role;

    /// An engine with a watch, in lock step.
    type Watched<'e>;
    /// An engine with a clock.
    type Clocked<'e>;
    /// Counters of a watched engine.
    type Work: Clone + fmt::Debug + Send;
    /// The part of the machine's state that is known at a point.
    type State: Clone + Default + fmt::Debug + Send + 'static;
    /// The role of compared bytes.
    type Role: Copy + PartialEq + fmt::Debug + fmt::Display + Send + 'static;
    /// Facts that are carried from point to point.
    type Known: Default + Send;

    /// All scenes.
    fn scenes() -> Vec<SceneName>;

    /// The error message for a scene name that does not exist.
    fn no_scene(name: &str) -> String;

    /// The kind of a capture (the precision, or the machine where there is only one) and the name of that property in
    /// JSON.
    fn kind(capture: &Self::Capture) -> (&'static str, &'static str);

    /// The events, mutable, for reduction.
    fn events_mut(capture: &mut Self::Capture) -> &mut Vec<Self::Event>;

    /// The engine of a name.
    ///
    /// # Errors
    /// There is none, or it cannot run here.
    fn engine(name: &str, setup: Setup<'_>) -> Result<Self::Engine, ReplayError>;

    /// The name of an engine.
    fn engine_name(engine: &Self::Engine) -> &'static str;

    /// The engine's counters of the disk cache.
    fn disk(engine: &Self::Engine) -> DiskStats;

    /// Sets the threads that draw.
    fn set_threads(player: &mut Self::Player<'_>, threads: usize);

    /// Records what the threads do.
    fn record(player: &mut Self::Player<'_>, timeline: &Timeline);

    /// Sets the threads, however few the host runs at once, and how work is shared out to them.
    fn set_tiling(player: &mut Self::Player<'_>, tiling: Tiling);

    /// Threads of the reference in lock step, for so many of the candidate.
    fn reference_threads(threads: usize) -> usize {
        threads
    }

    /// The picture on the screens for an eye; for [`Eye::Both`] two pictures side by side, on machines that have them.
    fn picture_for(player: &Self::Player<'_>, stages: &mut Self::Stages<'_>, _eye: Eye) -> Option<Image> {
        Self::picture(player, stages)
    }

    /// Its depth buffer, if it has one.
    fn depth(player: &Self::Player<'_>) -> Option<Depth>;

    /// An engine with a watch and its observer, for lock step. The observer stops at points; at all points if `steps`
    /// is set.
    fn watched<'e>(
        engine: &'e mut Self::Engine,
        player: &mut Self::Player<'_>,
        shared: &Shared<Self>,
        steps: bool,
    ) -> Self::Watched<'e>;

    /// The stages of a watched engine.
    fn stages_of<'w>(watched: &'w mut Self::Watched<'_>) -> &'w mut Self::Stages<'w>;

    /// Its counters.
    fn work(watched: Self::Watched<'_>) -> Self::Work;

    /// The stages of compiled code.
    fn compiled(engine: &mut Engine) -> &mut Self::Stages<'_>;

    /// The stages of the interpreter.
    fn interpreted(engine: &mut Interpreter) -> &mut Self::Stages<'_>;

    /// An engine with a clock.
    fn clocked<'e>(engine: &'e mut Self::Stages<'_>) -> Self::Clocked<'e>;

    /// The stages of a clocked engine.
    fn clocked_stages<'w>(clocked: &'w mut Self::Clocked<'_>) -> &'w mut Self::Stages<'w>;

    /// The spans of its work.
    fn clock(clocked: Self::Clocked<'_>) -> Clock;

    /// The account to which the time of an event is charged; `stats` are the counters before and after it.
    fn charge(event: &Self::Event, stats: [Self::Stats; 2]) -> Charge;

    /// Records the facts that are needed inside the next event.
    fn note(_player: &Self::Player<'_>, _known: &mut Self::Known) {}

    /// The state at a point between events.
    fn state(player: &Self::Player<'_>, known: &mut Self::Known) -> Self::State;

    /// The surfaces to compare after an event; `None` if there is no point. The engine reads the screens.
    fn after(
        player: &Self::Player<'_>,
        stages: &mut Self::Stages<'_>,
        step: &Stepped<'_, Self>,
    ) -> Option<(Moment, Vec<Surface<Self::Role>>)>;

    /// The surfaces to compare at the end of a frame, of a replay that stops nowhere else. The engine reads the screens.
    fn at_frame(player: &Self::Player<'_>, stages: &mut Self::Stages<'_>) -> Vec<Surface<Self::Role>>;

    /// The surfaces to compare at the end, before all memory.
    fn at_end(
        player: &Self::Player<'_>,
        stages: &mut Self::Stages<'_>,
        given_up: &GivenUpList,
    ) -> Vec<Surface<Self::Role>>;

    /// True if the machine produced the bytes; false for its settings and for memory that a host wrote.
    fn is_made(moment: Moment, role: Self::Role) -> bool;

    /// True if the bytes of a surface lie in guest memory, from its address on.
    fn is_in_memory(role: Self::Role) -> bool;

    /// Takes over the machine's own state from a point between events, as far as the point has it.
    fn adopt(_player: &mut Self::Player<'_>, _point: &Point<Self>) {}

    /// The differences between two points of the same place.
    fn differences(expected: &Point<Self>, actual: &Point<Self>) -> Vec<Difference>;

    /// The key of the code that draws in a state, or the reason for which there is none; empty if nothing was drawn.
    fn key(state: &Self::State, moment: Moment) -> String;

    /// A state for a page.
    fn described(state: &Self::State) -> html::State;

    /// A capture shorter than one cut off behind a place, which may differ as well. `first` is the place of the first
    /// difference.
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

    /// The machine's cell in the table of features.
    fn feature(topic: Topic) -> String;
}

/// The error for a scene that does not exist, `shown` in words.
pub(crate) fn no_scene(shown: &str, name: &str, scenes: &[SceneName]) -> String {
    match crate::suggest::near(name, scenes.iter().map(|scene| scene.name)) {
        Some(near) => {
            format!("there is no scene {shown}; did you mean `{near}`? The scenes are {}", listed(scenes))
        }
        None => format!("there is no scene {shown}; the scenes are {}", listed(scenes)),
    }
}

/// The names of scenes, with commas.
fn listed(scenes: &[SceneName]) -> String {
    scenes.iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ")
}
