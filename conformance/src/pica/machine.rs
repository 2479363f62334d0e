//! The PICA200 among the machines.

use super::clocked::Clocked;
use super::engine::{self, NamedEngine};
use super::key::key;
use super::lockstep::point::{self, Surface};
use super::lockstep::{self, Batches, Counted, Role, difference};
use super::replay::flatten::flatten;
use super::{Pica, lists, page, precision_name, replay};
use crate::features::{NONE, Topic, YES};
use crate::html;
use crate::image::Image;
use crate::lockstep::{Difference, GivenUpList, Moment, Place, Point, Shared};
use crate::machine::{self, Eye, Machine, Plays as _, SceneName, Stepped};
use crate::replay::{Depth, ReplayError};
use crate::reproduce::cut_after;
use crate::setup::Setup;
use crate::suggest::did_you_mean;
use crate::timing::{Charge, Clock};
use picaflor_interp::Interpreter;
use picaflor_jit::{DiskStats, Engine};
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stats::Stats;
use picaflor_pipeline::tile::{Tiling, Timeline};
use picaflor_scenes::pica::Scene;
use std::time::Duration;

impl Machine for Pica {
    const HAS_PRECISIONS: bool = true;
    const HAS_SCREENS: bool = true;
    const ENGINES: &'static [&'static str] = &engine::NAMES;
    const NOUNS: [&'static str; 2] = ["triangles", "fragments"];
    const NOTHING: [&'static str; 2] =
        ["shows nothing: no screen is in use", "leaves no depth buffer behind"];

    const MEMORY: Role = Role::Memory;

    type Watched<'e> = Counted<'e>;
    type Clocked<'e> = Clocked<'e>;
    type Work = Batches;
    type State = Registers;
    type Role = Role;
    type Known = ();

    fn scenes() -> Vec<SceneName> {
        Scene::all().iter().map(|scene| SceneName { name: scene.name, about: scene.about }).collect()
    }

    fn no_scene(name: &str) -> String {
        machine::no_scene(&format!("`{name}`"), name, &Self::scenes())
    }

    fn kind(capture: &Capture) -> (&'static str, &'static str) {
        ("precision", precision_name(capture.precision))
    }

    fn events_mut(capture: &mut Capture) -> &mut Vec<Event> {
        &mut capture.events
    }

    fn engine(name: &str, setup: Setup<'_>) -> Result<NamedEngine, ReplayError> {
        let unknown = || {
            let near = did_you_mean(name, engine::NAMES);
            ReplayError::NoSuchEngine(format!("there is no engine `{name}`{near}"))
        };
        Ok(NamedEngine::with_setup(name, setup).ok_or_else(unknown)??)
    }

    fn engine_name(engine: &NamedEngine) -> &'static str {
        engine.name()
    }

    fn disk(engine: &NamedEngine) -> DiskStats {
        engine.disk_stats()
    }

    fn set_threads(player: &mut Player<'_>, threads: usize) {
        player.pica_mut().set_threads(threads);
    }

    fn set_tiling(player: &mut Player<'_>, tiling: Tiling) {
        player.pica_mut().set_tiling(tiling);
    }

    fn record(player: &mut Player<'_>, timeline: &Timeline) {
        player.pica_mut().set_timeline(Some(timeline.clone()));
    }

    fn picture_for(player: &Player<'_>, stages: &mut Self::Stages<'_>, eye: Eye) -> Option<Image> {
        replay::display(player.pica(), stages, player.memory(), eye)
    }

    fn depth(player: &Player<'_>) -> Option<Depth> {
        replay::depth(player.pica(), player.memory())
    }

    fn watched<'e>(
        engine: &'e mut NamedEngine,
        player: &mut Player<'_>,
        shared: &Shared<Self>,
        _: bool,
    ) -> Counted<'e> {
        lockstep::watch(player, shared);
        Counted::new(engine)
    }

    fn stages_of<'w>(watched: &'w mut Counted<'_>) -> &'w mut Self::Stages<'w> {
        watched
    }

    fn work(watched: Counted<'_>) -> Batches {
        watched.batches()
    }

    fn compiled(engine: &mut Engine) -> &mut Self::Stages<'_> {
        engine
    }

    fn interpreted(engine: &mut Interpreter) -> &mut Self::Stages<'_> {
        engine
    }

    fn clocked<'e>(engine: &'e mut Self::Stages<'_>) -> Clocked<'e> {
        Clocked::new(engine)
    }

    fn clocked_stages<'w>(clocked: &'w mut Clocked<'_>) -> &'w mut Self::Stages<'w> {
        clocked
    }

    fn clock(clocked: Clocked<'_>) -> Clock {
        clocked.clock()
    }

    fn charge(event: &Event, stats: [Stats; 2]) -> Charge {
        let [before, after] = stats;
        match event {
            Event::Memory { .. } | Event::Frame | Event::VBlank { .. } | Event::Field { .. } => {
                Charge::Nothing
            }
            // A write can also start a list.
            Event::Mmio { .. } if after.lists == before.lists => Charge::Transfer,
            Event::Mmio { .. } | Event::List { .. } | Event::Register { .. } => Charge::Machine,
        }
    }

    fn state(player: &Player<'_>, (): &mut ()) -> Registers {
        player.pica().registers().clone()
    }

    fn after(
        player: &Player<'_>,
        stages: &mut Self::Stages<'_>,
        step: &Stepped<'_, Self>,
    ) -> Option<(Moment, Vec<Surface>)> {
        Self::ends_frame(step.event).then(|| (Moment::Frame, Self::at_frame(player, stages)))
    }

    fn at_frame(player: &Player<'_>, stages: &mut Self::Stages<'_>) -> Vec<Surface> {
        point::after_frame(player, stages)
    }

    fn at_end(player: &Player<'_>, stages: &mut Self::Stages<'_>, given_up: &GivenUpList) -> Vec<Surface> {
        point::at_end(player, stages, given_up)
    }

    fn is_made(_: Moment, role: Role) -> bool {
        role.is_made()
    }

    /// The state of the machine between lists holds no results of an engine but primitives that wait for vertices;
    /// these stay.
    fn is_in_memory(role: Role) -> bool {
        matches!(role, Role::Colour | Role::Depth | Role::Output | Role::Memory)
    }

    fn differences(expected: &Point<Self>, actual: &Point<Self>) -> Vec<Difference> {
        difference::find(expected, actual)
    }

    fn key(registers: &Registers, moment: Moment) -> String {
        match moment {
            Moment::Draw => key(registers),
            _ => String::new(),
        }
    }

    fn described(registers: &Registers) -> html::State {
        page::described(registers)
    }

    fn shortened(cut: &Capture, _: Place, first: &dyn Fn(&Capture) -> Option<Place>) -> Option<Capture> {
        let (flat, _) = flatten(cut).ok().flatten()?;
        Some(cut_after::<Self>(&flat, first(&flat)?))
    }

    fn reduce(capture: &Capture, time: Duration, fails: &mut dyn FnMut(&Capture) -> bool) -> Capture {
        lists::reduce::reduce(capture, time, fails)
    }

    fn feature(topic: Topic) -> String {
        let text = match topic {
            Topic::Lists => "all registers, jumps",
            Topic::Vertices | Topic::Programs => "compiled",
            Topic::Pixels => "compiled; textures and lights in Rust, with AVX2",
            Topic::Curves => "by geometry programs",
            Topic::Clipping | Topic::Recorder | Topic::Library | Topic::Threads | Topic::Disk => YES,
            Topic::Triangles => "compiled; no rectangles",
            Topic::Points => NONE,
            Topic::Feedback => "interpreted",
            Topic::Transfers => "fills, transfers, copies",
            Topic::Arithmetic => "24 bits as the chip, or 32",
            Topic::Captures => "own format, CiTrace",
            Topic::Engines => return engine::NAMES.join(", "),
            Topic::Consoles => "vectors",
        };
        text.into()
    }
}
