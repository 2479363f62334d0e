//! One of two machines in lock step: plays a capture and stops at every point.

use super::batches::{Batches, Counted};
use super::point::{self, Moment, Place, Point, Surface};
use crate::image::Image;
use crate::lockstep::meeting::Meeting;
use crate::lockstep::stopwatch::Stopwatch;
use crate::pica::engine::NamedEngine;
use crate::pica::replay::display;
use crate::replay::ReplayError;
use picaflor_jit::DiskStats;
use picaflor_pipeline::capture::replay::{Outcome, Player};
use picaflor_pipeline::capture::{Capture, Event};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::external::Engine;
use picaflor_pipeline::pica::observer::{Observer, View};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stats::Stats;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What became of one machine.
#[derive(Debug, Clone)]
pub struct Side {
    /// Name of its engine.
    pub engine: &'static str,
    /// Time in the machine, compilation included, comparisons and waiting not.
    pub time: Duration,
    /// Counters.
    pub stats: Stats,
    /// What the guest did wrong.
    pub faults: FaultList,
    /// Lists that were given up, and why.
    pub given_up: Vec<String>,
    /// Who shaded vertices.
    pub batches: Batches,
    /// What its engine loaded from disk and stored there.
    pub disk: DiskStats,
    /// What the displays show at the end.
    pub picture: Option<Image>,
}

/// What is known about the progress of a machine.
struct Progress {
    clock: Stopwatch,
    frame: usize,
    event: usize,
    draws: u64,
    meeting: Box<dyn Meeting<Point>>,
}

impl Progress {
    fn stop_at(
        &mut self,
        moment: Moment,
        (registers, stats): (&Registers, &Stats),
        surfaces: impl FnOnce() -> Vec<Surface>,
    ) {
        self.clock.stop();
        let place = Place { frame: self.frame, event: self.event, draw: self.draws, moment };
        let (registers, stats) = (registers.clone(), *stats);
        self.meeting.meet(Point { place, registers, stats, surfaces: surfaces() });
        self.draws += u64::from(moment == Moment::Draw);
        self.clock.start();
    }
}

#[derive(Clone)]
struct Shared(Arc<Mutex<Progress>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Shared {
    fn draw_done(&mut self, view: View<'_>) {
        self.lock().stop_at(Moment::Draw, (view.registers, view.stats), || point::after_draw(view));
    }

    fn engine_done(&mut self, view: View<'_>, engine: Engine) {
        let machine = (view.registers, view.stats);
        self.lock().stop_at(Moment::Engine(engine), machine, || point::after_engine(view, engine));
    }
}

/// Plays the whole capture. `done` is called after every event.
pub(super) fn run(
    capture: &Capture,
    engine: &mut NamedEngine,
    threads: usize,
    meeting: Box<dyn Meeting<Point>>,
    done: &dyn Fn(),
) -> Result<Side, ReplayError> {
    let progress = Progress { clock: Stopwatch::default(), frame: 0, event: 0, draws: 0, meeting };
    let shared = Shared(Arc::new(Mutex::new(progress)));
    let mut player = Player::new(capture)?;
    player.pica_mut().set_threads(threads);
    player.pica_mut().set_observer(Some(Box::new(shared.clone())));
    let name = engine.name();
    let mut counted = Counted::new(engine);
    let given_up = play(&mut player, &mut counted, &shared, done);
    finish(&player, &shared, &given_up);
    let time = shared.lock().clock.total;
    Ok(Side {
        engine: name,
        time,
        stats: *player.pica().stats(),
        faults: player.pica().faults().clone(),
        given_up,
        batches: counted.batches(),
        disk: engine.disk_stats(),
        picture: display(player.pica(), player.memory()),
    })
}

fn play(player: &mut Player<'_>, engine: &mut Counted<'_>, shared: &Shared, done: &dyn Fn()) -> Vec<String> {
    let mut given_up = Vec::new();
    loop {
        shared.lock().clock.start();
        let step = player.step(engine);
        shared.lock().clock.stop();
        let Some(step) = step else { return given_up };
        if let Outcome::GaveUp(why) = step.outcome {
            given_up.push(format!("event {}: {why}", step.index));
        }
        let is_frame = *step.event == Event::Frame;
        let mut progress = shared.lock();
        if is_frame {
            progress.stop_at(Moment::Frame, machine(player), || point::after_frame(player));
            progress.clock.stop();
            progress.frame += 1;
        }
        progress.event += 1;
        drop(progress);
        done();
    }
}

fn machine<'a>(player: &'a Player<'_>) -> (&'a Registers, &'a Stats) {
    (player.pica().registers(), player.pica().stats())
}

/// Compares all that is left when the capture is over.
fn finish(player: &Player<'_>, shared: &Shared, given_up: &[String]) {
    let machine = machine(player);
    let mut progress = shared.lock();
    progress.stop_at(Moment::End, machine, || point::at_end(player, given_up));
    let memory = progress.meeting.wants_memory().then(|| point::memory(player));
    for surface in memory.into_iter().flatten() {
        progress.stop_at(Moment::End, machine, || vec![surface]);
    }
    progress.clock.stop();
}
