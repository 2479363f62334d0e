//! The GE among the machines.

use super::clocked::Clocked;
use super::engine::{self, Named};
use super::keys::Watched;
use super::lockstep::point::{self, Surface};
use super::lockstep::{self, Known, Role, State};
use super::{Ge, page, replay, reproduce};
use crate::features::{NONE, Topic, YES};
use crate::ge::engine::Work;
use crate::html;
use crate::lockstep::{Difference, GivenUpList, Moment, Place, Point, Shared};
use crate::machine::{Machine, SceneName, Stepped, no_scene};
use crate::replay::{Depth, ReplayError};
use crate::setup::Setup;
use crate::timing::{Charge, Clock};
use picaflor_interp::Interpreter;
use picaflor_jit::keys::PixelStateKey;
use picaflor_jit::{DiskStats, Engine};
use picaflor_pipeline::ge::capture::ppdmp;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::tile::{Tiling, Timeline};
use picaflor_scenes::ge::Scene;
use std::time::Duration;

impl Machine for Ge {
    const HAS_PRECISIONS: bool = false;
    const HAS_SCREENS: bool = false;
    const ENGINES: &'static [&'static str] = &engine::NAMES;
    const NOUNS: [&'static str; 2] = ["primitives", "pixels"];
    const NOTHING: [&'static str; 2] = ["shows nothing of this kind"; 2];

    const MEMORY: Role = Role::Memory;

    type Watched<'e> = Watched<'e, Named>;
    type Clocked<'e> = Clocked<'e>;
    type Work = Work;
    type State = State;
    type Role = Role;
    type Known = Known;

    fn scenes() -> Vec<SceneName> {
        Scene::all().iter().map(|scene| SceneName { name: scene.name, about: scene.about }).collect()
    }

    fn no_scene(name: &str) -> String {
        no_scene(&format!("`{name}` of the GE"), name, &Self::scenes())
    }

    fn kind(_: &Capture) -> (&'static str, &'static str) {
        ("machine", "GE")
    }

    fn events_mut(capture: &mut Capture) -> &mut Vec<Event> {
        &mut capture.events
    }

    fn engine(name: &str, setup: Setup<'_>) -> Result<Named, ReplayError> {
        engine::with_setup(name, setup)
    }

    fn engine_name(engine: &Named) -> &'static str {
        engine.name()
    }

    fn disk(engine: &Named) -> DiskStats {
        engine.work().disk
    }

    fn set_threads(player: &mut Player<'_>, threads: usize) {
        player.ge_mut().set_threads(threads);
    }

    fn set_tiling(player: &mut Player<'_>, tiling: Tiling) {
        player.ge_mut().set_tiling(tiling);
    }

    fn record(player: &mut Player<'_>, timeline: &Timeline) {
        player.ge_mut().set_timeline(Some(timeline.clone()));
    }

    fn reference_threads(_: usize) -> usize {
        1
    }

    fn depth(player: &Player<'_>) -> Option<Depth> {
        replay::depth(player)
    }

    fn watched<'e>(
        engine: &'e mut Named,
        player: &mut Player<'_>,
        shared: &Shared<Self>,
        steps: bool,
    ) -> Watched<'e, Named> {
        lockstep::watched(engine, player, shared, steps)
    }

    fn stages_of<'w>(watched: &'w mut Watched<'_, Named>) -> &'w mut Self::Stages<'w> {
        watched
    }

    fn work(watched: Watched<'_, Named>) -> Work {
        watched.inner().work()
    }

    fn note(player: &Player<'_>, known: &mut Known) {
        known.maps = player.ge().address_maps();
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

    /// Block transfers are commands, and count as such.
    fn charge(event: &Event, _: [Stats; 2]) -> Charge {
        match event {
            Event::Run(_) | Event::Execute(_) => Charge::Machine,
            Event::Memory { .. } | Event::State(_) | Event::Display(_) => Charge::Nothing,
        }
    }

    fn state(player: &Player<'_>, known: &mut Known) -> State {
        known.state(player.ge().registers())
    }

    fn after(
        player: &Player<'_>,
        _: &mut Self::Stages<'_>,
        step: &Stepped<'_, Self>,
    ) -> Option<(Moment, Vec<Surface>)> {
        let is_list = matches!(step.event, Event::Run(_) | Event::Execute(_));
        is_list.then(|| (Moment::List, point::after_list(player, step.outcome)))
    }

    fn at_frame(player: &Player<'_>, _: &mut Self::Stages<'_>) -> Vec<Surface> {
        point::after_frame(player)
    }

    fn at_end(player: &Player<'_>, _: &mut Self::Stages<'_>, given_up: &GivenUpList) -> Vec<Surface> {
        point::at_end(player, given_up)
    }

    fn is_made(moment: Moment, role: Role) -> bool {
        moment == Moment::List && role == Role::Vram
    }

    fn is_in_memory(role: Role) -> bool {
        matches!(role, Role::Vram | Role::Memory)
    }

    fn adopt(player: &mut Player<'_>, point: &Point<Self>) {
        if let Some(state) = point::state_of(point).filter(|state| *state != player.ge().save()) {
            // A state that a machine has just saved can be loaded.
            let _ = player.ge_mut().load(&state);
        }
    }

    fn differences(expected: &Point<Self>, actual: &Point<Self>) -> Vec<Difference> {
        point::find(expected, actual)
    }

    fn key(state: &State, _: Moment) -> String {
        state.keys.clone()
    }

    fn described(state: &State) -> html::State {
        page::described(&state.registers, state.keys.clone())
    }

    fn shortened(cut: &Capture, place: Place, _: &dyn Fn(&Capture) -> Option<Place>) -> Option<Capture> {
        reproduce::from_before(cut, place)
    }

    fn reduce(capture: &Capture, time: Duration, fails: &mut dyn FnMut(&Capture) -> bool) -> Capture {
        reproduce::reduce(capture, time, fails)
    }

    fn feature(topic: Topic) -> String {
        let text = match topic {
            Topic::Lists => "all commands, calls, signals, queues, contexts",
            Topic::Vertices => "compiled; transform and lighting in Rust",
            Topic::Programs => NONE,
            Topic::Curves => "Bezier and spline patches",
            Topic::Clipping | Topic::Recorder | Topic::Library | Topic::Threads | Topic::Disk => YES,
            Topic::Triangles => shapes([Shape::Triangle, Shape::Rectangle]),
            Topic::Points => shapes([Shape::Point, Shape::Line]),
            Topic::Pixels => "compiled; textures in Rust",
            Topic::Feedback => "compiled",
            Topic::Transfers => "block transfers",
            Topic::Arithmetic => "as the chip",
            Topic::Captures => return dumps(),
            Topic::Engines => return engine::NAMES.join(", "),
            Topic::Consoles => "vectors, `hardware`, recordings of lists",
        };
        text.into()
    }
}

/// The cell of some shapes: compiled if every shape has a state key.
fn shapes(shapes: [Shape; 2]) -> &'static str {
    let (registers, clut) = (Registers::default(), Clut::default());
    let memory = FlatMemory::new(0, Vec::new());
    let maps = AddressMaps::default();
    let state = PixelState { registers: &registers, clut: &clut, memory: &memory, maps, is_immediate: false };
    let is_compiled = shapes.into_iter().all(|shape| PixelStateKey::of(&state, shape).is_ok());
    if is_compiled { "compiled" } else { "interpreted" }
}

fn dumps() -> String {
    format!("own format, frame dumps (`.ppdmp`) {} to {}", ppdmp::VERSIONS.start(), ppdmp::VERSIONS.end())
}
