//! One of two machines in lock step: plays a capture and stops at every point.

use super::Options;
use super::point::{self, Moment, Place, Point, Role, Surface};
use crate::ge::keys::{Slip, Watched};
use crate::image::Image;
use crate::lockstep::meeting::Meeting;
use crate::lockstep::stopwatch::Stopwatch;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::ge::capture::replay::{Outcome, Player};
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::observer::{Observer, View};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::tile::Tiling;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What became of one machine.
pub(super) struct Side {
    /// Time in the machine, comparisons and waiting not included.
    pub(super) time: Duration,
    /// Counters.
    pub(super) stats: Stats,
    /// Lists that were given up, and what the guest did wrong.
    pub(super) notes: Vec<String>,
    /// What is shown at the end.
    pub(super) picture: Option<Image>,
}

/// What is known about the progress of a machine.
struct Progress {
    clock: Stopwatch,
    frame: usize,
    event: usize,
    draws: u64,
    maps: AddressMaps,
    slip: Slip,
    meeting: Box<dyn Meeting<Point>>,
}

impl Progress {
    fn stop_at(&mut self, moment: Moment, registers: &Registers, stats: &Stats, surfaces: Vec<Surface>) {
        let place = Place { frame: self.frame, event: self.event, draw: self.draws, moment };
        let (registers, stats, maps) = (registers.clone(), *stats, self.maps);
        let keys = self.slip.take().line();
        self.meeting.meet(Point { place, registers, maps, stats, keys, surfaces });
        self.draws += u64::from(moment == Moment::Draw);
    }

    /// In the middle of a list: registers and VRAM.
    fn stop_inside(&mut self, moment: Moment, View { registers, memory, stats }: View<'_>) {
        self.clock.stop();
        let surfaces = [Some(Surface::of_words(registers.words())), Surface::of_vram(memory)];
        self.stop_at(moment, registers, stats, surfaces.into_iter().flatten().collect());
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
        self.lock().stop_inside(Moment::Draw, view);
    }

    fn transfer_done(&mut self, view: View<'_>) {
        self.lock().stop_inside(Moment::Transfer, view);
    }
}

/// How `threads` share draws: with more than one, anything is worth it.
fn tiling(threads: usize) -> Tiling {
    let usual = Tiling::new(threads);
    if threads > 1 { Tiling { least_work: 0, ..usual } } else { usual }
}

/// Plays the whole capture. `done` is called after every event.
pub(super) fn run(
    capture: &Capture,
    stages: &mut dyn Stages,
    Options { threads, steps }: Options,
    meeting: Box<dyn Meeting<Point>>,
    done: &dyn Fn(),
) -> Result<Side, CaptureError> {
    let mut player = Player::new(capture)?;
    player.ge_mut().set_tiling(tiling(threads));
    let (slip, maps) = (Slip::default(), player.ge().address_maps());
    let progress = Progress {
        clock: Stopwatch::default(),
        frame: 0,
        event: 0,
        draws: 0,
        maps,
        slip: slip.clone(),
        meeting,
    };
    let shared = Shared(Arc::new(Mutex::new(progress)));
    let given_up = if steps {
        player.ge_mut().set_observer(Some(Box::new(shared.clone())));
        play(&mut player, &mut Watched::new(stages, slip), &shared, done)
    } else {
        play(&mut player, stages, &shared, done)
    };
    let faults = player.ge().faults().as_slice().iter().map(|fault| format!("fault: {fault}"));
    let notes: Vec<String> = given_up.into_iter().chain(faults).collect();
    finish(&player, &shared, &notes);
    let time = shared.lock().clock.total;
    let picture = player.display().map(|display| Image::from(&player.picture(display)));
    Ok(Side { time, stats: *player.ge().stats(), notes, picture })
}

fn play(player: &mut Player<'_>, stages: &mut dyn Stages, shared: &Shared, done: &dyn Fn()) -> Vec<String> {
    let mut given_up = Vec::new();
    loop {
        shared.lock().clock.start();
        let step = player.step(stages);
        shared.lock().clock.stop();
        let Some(step) = step else { return given_up };
        if let Outcome::GaveUp(why) = step.outcome {
            given_up.push(format!("event {}: given up: {why}", step.index));
        }
        let mut progress = shared.lock();
        progress.maps = player.ge().address_maps();
        if matches!(step.event, Event::Run(_) | Event::Execute(_)) {
            let (registers, stats) = (player.ge().registers(), player.ge().stats());
            progress.stop_at(Moment::List, registers, stats, after_list(player, step.outcome));
        }
        progress.frame += usize::from(matches!(step.event, Event::Display(_)));
        progress.event += 1;
        drop(progress);
        done();
    }
}

/// How the list stopped, the state of the machine, and VRAM.
fn after_list(player: &Player<'_>, outcome: Outcome) -> Vec<Surface> {
    let course = Surface::of_text(Role::Course, format!("{outcome:?}"));
    let state = Surface::of_words(player.ge().save().words());
    [course, state].into_iter().chain(Surface::of_vram(player.memory())).collect()
}

/// Compares all that is left when the capture is over.
fn finish(player: &Player<'_>, shared: &Shared, notes: &[String]) {
    let (registers, stats) = (player.ge().registers(), player.ge().stats());
    let mut progress = shared.lock();
    let faults = Surface::of_text(Role::Faults, notes.join("\n"));
    progress.stop_at(Moment::End, registers, stats, vec![faults]);
    for surface in point::memory(player) {
        progress.stop_at(Moment::End, registers, stats, vec![surface]);
    }
}
