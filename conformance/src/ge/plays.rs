//! The GE as a machine that plays captures.

use super::replay;
use crate::image::Image;
use crate::plays::{Counters, Plays, Reading, Stepped};
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::capture::replay::Mark;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::ge::RunError;
use picaflor_pipeline::ge::capture::ppdmp::{self, Lists};
use picaflor_pipeline::ge::capture::replay::{Outcome, Player, StepReport};
use picaflor_pipeline::ge::capture::{Capture, Display, Event, format};
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::memory::BlockMemory;
use picaflor_pipeline::stop::StopCause;
use picaflor_scenes::ge::Scene;

/// The GE of the PlayStation Portable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ge;

impl Counters for Stats {
    fn counts(&self) -> [u64; 4] {
        [self.draws, self.vertices, self.primitives, self.covered]
    }
}

impl Plays for Ge {
    const TITLE: &'static str = "GE (PSP)";
    const PREFIX: &'static str = "ge:";

    type Capture = Capture;
    type Event = Event;
    type Outcome = Outcome;
    type Player<'c> = Player<'c>;
    type Stages<'s> = dyn Stages + 's;
    #[cfg(not(target_family = "wasm"))]
    type Engine = super::engine::Named;
    #[cfg(target_family = "wasm")]
    type Engine = picaflor_interp::Interpreter;
    type Stats = Stats;
    type Mark = Mark<Option<Display>>;

    fn recognises(first: &[u8]) -> bool {
        first.starts_with(ppdmp::MAGIC) || format::is_ge(first)
    }

    fn read(file: &[u8], how: Reading) -> Result<Capture, CaptureError> {
        if !file.starts_with(ppdmp::MAGIC) {
            return format::read(file);
        }
        let lists = if how.in_pieces { Lists::OfRecords } else { Lists::Long };
        ppdmp::read(file).and_then(|dump| ppdmp::translate(&dump, lists)).map(|(capture, _)| capture)
    }

    fn scene(name: &str, _: Reading) -> Option<Capture> {
        Some(Scene::by_name(name)?.capture())
    }

    fn events(capture: &Capture) -> &[Event] {
        &capture.events
    }

    fn ends_frame(event: &Event) -> bool {
        matches!(event, Event::Display(_))
    }

    fn write(capture: &Capture) -> Vec<u8> {
        format::write(capture)
    }

    #[cfg(not(target_family = "wasm"))]
    fn interpreter() -> Self::Engine {
        super::engine::Named::interpreter()
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
        player.ge().faults()
    }

    fn picture(player: &Player<'_>, stages: &mut Self::Stages<'_>) -> Option<Image> {
        replay::picture(player, stages)
    }
}

fn stepped(step: StepReport<'_>) -> Stepped<'_, Ge> {
    let StepReport { index, event, outcome, has_waited } = step;
    Stepped { index, event, outcome, has_waited }
}
