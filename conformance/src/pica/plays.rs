//! The PICA200 as a machine that plays captures.

use super::replay;
use crate::image::Image;
use crate::plays::{self, Counters, Eye, Plays, Reading, Stepped};
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::capture::replay::Mark;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::BlockMemory;
use picaflor_pipeline::pica::RunError;
use picaflor_pipeline::pica::capture::ctf;
use picaflor_pipeline::pica::capture::replay::{Outcome, Player, StepReport};
use picaflor_pipeline::pica::capture::{Capture, Event, format};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::stage::Stages;
use picaflor_pipeline::pica::stats::Stats;
use picaflor_pipeline::stop::StopCause;
use picaflor_scenes::pica::Scene;

/// Offset of the first chunk in a file of the own format; the name of that chunk differs between machines.
const FIRST_CHUNK: usize = 12;

/// The PICA200.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pica;

impl From<plays::Precision> for Precision {
    fn from(precision: plays::Precision) -> Self {
        match precision {
            plays::Precision::Console => Self::Console,
            plays::Precision::Binary32 => Self::Binary32,
        }
    }
}

impl From<Precision> for plays::Precision {
    fn from(precision: Precision) -> Self {
        match precision {
            Precision::Console => Self::Console,
            Precision::Binary32 => Self::Binary32,
        }
    }
}

/// The name of a precision.
#[must_use]
pub fn precision_name(precision: Precision) -> &'static str {
    plays::Precision::from(precision).name()
}

impl Counters for Stats {
    fn counts(&self) -> [u64; 4] {
        [self.draws, self.vertices, self.triangles, self.fragments]
    }
}

impl Plays for Pica {
    const TITLE: &'static str = "PICA200 (3DS)";
    const PREFIX: &'static str = "";

    type Capture = Capture;
    type Event = Event;
    type Outcome = Outcome;
    type Player<'c> = Player<'c>;
    type Stages<'s> = dyn Stages + 's;
    #[cfg(not(target_family = "wasm"))]
    type Engine = super::engine::NamedEngine;
    #[cfg(target_family = "wasm")]
    type Engine = picaflor_interp::Interpreter;
    type Stats = Stats;
    type Mark = Mark<Vec<(u32, u32)>>;

    fn recognises(first: &[u8]) -> bool {
        let is_own = first.starts_with(format::MAGIC)
            && first.get(FIRST_CHUNK..).is_some_and(|rest| rest.starts_with(b"HEAD"));
        is_own || first.starts_with(ctf::MAGIC)
    }

    fn read(file: &[u8], how: Reading) -> Result<Capture, CaptureError> {
        let mut capture = Capture::read(file)?;
        capture.precision = how.precision.map_or(capture.precision, Precision::from);
        Ok(capture)
    }

    fn scene(name: &str, how: Reading) -> Option<Capture> {
        let precision = how.precision.map_or(Precision::Console, Precision::from);
        Some(Scene::by_name(name)?.capture(precision))
    }

    fn events(capture: &Capture) -> &[Event] {
        &capture.events
    }

    fn ends_frame(event: &Event) -> bool {
        *event == Event::Frame
    }

    fn write(capture: &Capture) -> Vec<u8> {
        capture.to_bytes()
    }

    #[cfg(not(target_family = "wasm"))]
    fn interpreter() -> Self::Engine {
        super::engine::NamedEngine::interpreter()
    }

    #[cfg(target_family = "wasm")]
    fn interpreter() -> Self::Engine {
        picaflor_interp::Interpreter::new()
    }

    fn stages(engine: &mut Self::Engine) -> &mut Self::Stages<'_> {
        engine
    }

    fn player(capture: &Capture) -> Result<Player<'_>, CaptureError> {
        Player::new(capture)
    }

    fn mark(player: &Player<'_>) -> Self::Mark {
        player.mark()
    }

    fn resume<'c>(capture: &'c Capture, mark: &Self::Mark) -> Result<Player<'c>, CaptureError> {
        Player::resume(capture, mark)
    }

    fn step<'c>(player: &mut Self::Player<'c>, stages: &mut Self::Stages<'_>) -> Option<Stepped<'c, Self>> {
        player.step(stages).map(stepped)
    }

    fn watch_frame<'c>(
        player: &mut Self::Player<'c>,
        stages: &mut Self::Stages<'_>,
        done: &mut dyn FnMut(Stepped<'c, Self>, Stats),
    ) -> bool {
        player.watch_frame(stages, &mut |step, stats| done(stepped(step), stats)).is_some()
    }

    fn given_up(outcome: Outcome) -> Option<String> {
        if let Outcome::GaveUp(why) = outcome { Some(why.to_string()) } else { None }
    }

    fn lacked_memory(outcome: Outcome) -> bool {
        matches!(outcome, Outcome::GaveUp(RunError::Stopped { cause: StopCause::NoMemory, .. }))
    }

    fn memory<'p>(player: &'p Player<'_>) -> &'p BlockMemory {
        player.memory()
    }

    fn stats(player: &Player<'_>) -> Stats {
        *player.stats()
    }

    fn faults<'p>(player: &'p Player<'_>) -> &'p FaultList {
        player.pica().faults()
    }

    fn picture(player: &Player<'_>, stages: &mut Self::Stages<'_>) -> Option<Image> {
        replay::display(player.pica(), stages, player.memory(), Eye::Left)
    }
}

fn stepped(step: StepReport<'_>) -> Stepped<'_, Pica> {
    let StepReport { index, event, outcome, has_waited } = step;
    Stepped { index, event, outcome, has_waited }
}
