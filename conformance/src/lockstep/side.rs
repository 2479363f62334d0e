//! One of two machines in lock step: plays a capture and stops at every point.

use super::meeting::Meeting;
use super::stopwatch::Stopwatch;
use super::{Fingerprint, Moment, Options, Place, Point, Surface, tiling};
use crate::given_up::GivenUpList;
use crate::image::Image;
use crate::machine::Machine;
use crate::replay::ReplayError;
use picaflor_jit::DiskStats;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::Memory;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The result of one machine.
#[derive(Debug, Clone)]
pub struct Side<M: Machine> {
    /// Name of its engine.
    pub engine: &'static str,
    /// Time in the machine, compilation included, comparisons and waiting not.
    pub time: Duration,
    /// Counters of the replay.
    pub stats: M::Stats,
    /// Faults of the guest.
    pub faults: FaultList,
    /// Lists that were given up.
    pub given_up: GivenUpList,
    /// Counters of its engine.
    pub work: M::Work,
    /// Its engine's counters of the disk cache.
    pub disk: DiskStats,
    /// The picture at the end.
    pub picture: Option<Image>,
    /// Hashes of the ends of frames, and of what the end of the capture has, in the order of
    /// a replay in one go.
    pub(super) ends: Vec<Fingerprint>,
}

/// The data of one point, without its place.
pub struct Seen<M: Machine> {
    /// The state of the machine.
    pub state: M::State,
    /// Its counters.
    pub stats: M::Stats,
    /// The surfaces to compare.
    pub surfaces: Vec<Surface<M::Role>>,
}

/// The known progress of a machine.
struct Progress<M: Machine> {
    clock: Stopwatch,
    frame: usize,
    event: usize,
    draws: u64,
    ends: Vec<Fingerprint>,
    known: M::Known,
    meeting: Box<dyn Meeting<Point<M>>>,
}

impl<M: Machine> Progress<M> {
    /// Returns the point from which the machine has to continue, if that is not its own.
    fn meet(&mut self, moment: Moment, Seen { state, stats, surfaces }: Seen<M>) -> Option<Point<M>> {
        let place = Place { frame: self.frame, event: self.event, draw: self.draws, moment };
        let adopted = self.meeting.meet(Point { place, state, stats, surfaces });
        self.draws += u64::from(moment == Moment::Draw);
        adopted
    }

    fn meet_outside(
        &mut self,
        moment: Moment,
        player: &M::Player<'_>,
        surfaces: Vec<Surface<M::Role>>,
    ) -> Option<Point<M>> {
        let (state, stats) = (M::state(player, &mut self.known), M::stats(player));
        self.meet(moment, Seen { state, stats, surfaces })
    }
}

/// The progress of a machine, which its observer looks at while it plays.
pub struct Shared<M: Machine>(Arc<Mutex<Progress<M>>>);

impl<M: Machine> Clone for Shared<M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<M: Machine> Shared<M> {
    fn lock(&self) -> MutexGuard<'_, Progress<M>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the known facts.
    pub(crate) fn know(&self, change: impl FnOnce(&mut M::Known)) {
        change(&mut self.lock().known);
    }

    /// Stops in the middle of an event, as an observer is told of. `memory` may be changed to the other machine's.
    pub(crate) fn stop_inside(
        &self,
        moment: Moment,
        memory: &dyn Memory,
        seen: impl FnOnce(&mut M::Known) -> Seen<M>,
    ) {
        let mut progress = self.lock();
        progress.clock.stop();
        let seen = seen(&mut progress.known);
        if let Some(adopted) = progress.meet(moment, seen) {
            adopted.copy_to(memory);
        }
        progress.clock.start();
    }
}

/// Plays the whole capture. `done` is called after every event.
pub(super) fn run<M: Machine>(
    capture: &M::Capture,
    engine: &mut M::Engine,
    options: Options<'_>,
    meeting: Box<dyn Meeting<Point<M>>>,
    done: &dyn Fn(),
) -> Result<Side<M>, ReplayError> {
    let mut player = M::player(capture)?;
    M::set_tiling(&mut player, tiling(options.threads));
    let (clock, known, ends) = (Stopwatch::default(), M::Known::default(), Vec::new());
    let progress = Progress::<M> { clock, frame: 0, event: 0, draws: 0, ends, known, meeting };
    let shared = Shared(Arc::new(Mutex::new(progress)));
    let name = M::engine_name(engine);
    let mut watched = M::watched(engine, &mut player, &shared, options.steps);
    shared.know(|known| M::note(&player, known));
    let given_up = play::<M>(&mut player, &mut watched, &shared, done);
    let given_up = given_up.map_err(|event| ReplayError::NoMemory { event, engine: name })?;
    let at_end = M::at_end(&player, M::stages_of(&mut watched), &given_up);
    let work = M::work(watched);
    finish::<M>(&player, &shared, at_end);
    let (time, ends) = {
        let mut progress = shared.lock();
        (progress.clock.total, std::mem::take(&mut progress.ends))
    };
    Ok(Side {
        engine: name,
        time,
        stats: M::stats(&player),
        faults: M::faults(&player).clone(),
        given_up,
        work,
        disk: M::disk(engine),
        picture: M::picture(&player, M::stages(engine)),
        ends,
    })
}

/// Plays all events; `Err` is one for which there is no memory.
fn play<M: Machine>(
    player: &mut M::Player<'_>,
    watched: &mut M::Watched<'_>,
    shared: &Shared<M>,
    done: &dyn Fn(),
) -> Result<GivenUpList, usize> {
    let mut given_up = GivenUpList::default();
    loop {
        shared.lock().clock.start();
        let step = M::step(player, M::stages_of(watched));
        shared.lock().clock.stop();
        let Some(step) = step else { return Ok(given_up) };
        if M::lacked_memory(step.outcome) {
            return Err(step.index);
        }
        if let Some(why) = M::given_up(step.outcome) {
            given_up.push(step.index, why);
        }
        let mut progress = shared.lock();
        M::note(player, &mut progress.known);
        let point = M::after(player, M::stages_of(watched), &step);
        if let Some(adopted) = point.and_then(|(moment, seen)| progress.meet_outside(moment, player, seen)) {
            adopted.copy_to(M::memory(player));
            M::adopt(player, &adopted);
        }
        if M::ends_frame(step.event) {
            progress.ends.push(Fingerprint::of_bytes(&M::at_frame(player, M::stages_of(watched))));
            progress.frame += 1;
        }
        progress.event += 1;
        drop(progress);
        done();
    }
}

/// Compares the remaining surfaces at the end of the capture.
fn finish<M: Machine>(player: &M::Player<'_>, shared: &Shared<M>, at_end: Vec<Surface<M::Role>>) {
    let mut progress = shared.lock();
    let wants_memory = progress.meeting.wants_memory();
    let memory = wants_memory.then(|| Surface::of_memory(M::MEMORY, M::memory(player)));
    for surfaces in [at_end].into_iter().chain(memory.into_iter().flatten().map(|surface| vec![surface])) {
        progress.ends.push(Fingerprint::of_bytes(&surfaces));
        progress.meet_outside(Moment::End, player, surfaces);
    }
}
