//! What an engine plays for long: scenes and recordings, whose results are known, and random lists.

use crate::data_folder::files;
use picaflor_conformance::random::Random;
use picaflor_conformance::{ge, pica};
use picaflor_interp::Interpreter;
use picaflor_jit::Engine;
use picaflor_pipeline::ge::capture::Capture as GeCapture;
use picaflor_pipeline::ge::capture::ppdmp::{self, Lists};
use picaflor_pipeline::ge::capture::replay::Player as GePlayer;
use picaflor_pipeline::ge::limits::Limits as GeLimits;
use picaflor_pipeline::memory::{BlockMemory, Memory};
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::limits::Limits;
use picaflor_pipeline::stop::Stopper;
use picaflor_pipeline::texture::hash;
use picaflor_pipeline::tile::Tiling;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Seed of the random lists.
const SEED: u64 = 20_261_129;

/// A capture of either machine.
pub(super) enum Work {
    Pica(Capture),
    Ge(GeCapture),
}

/// A hash of each block of memory.
pub(super) type Contents = Vec<u64>;

/// What is done to a capture while it plays.
pub(super) struct Whims {
    threads: usize,
    /// A snapshot, taken and restored before one of so many events.
    snapshot: u32,
    /// A time after which each run ends.
    limit: Option<Duration>,
    /// Times from the start: another thread stops all runs at the first, and lets them go on at the second.
    stop: Option<[Duration; 2]>,
    /// Units of work of each run.
    work: Option<u64>,
    /// Frame by frame, without snapshots: draws of the GE are pending from list to list.
    in_frames: bool,
}

impl Whims {
    /// Nothing, on one thread.
    const NONE: Self =
        Self { threads: 1, snapshot: u32::MAX, limit: None, stop: None, work: None, in_frames: false };

    pub(super) fn of(random: &mut Random) -> Self {
        let mut micros = |most| Duration::from_micros(random.below(most).into());
        let [limit, stop, pause] = [2000, 3000, 2000].map(&mut micros);
        Self {
            threads: 1 + random.below(3) as usize,
            snapshot: 1 + random.below(20),
            limit: random.chance(25).then_some(limit),
            stop: random.chance(25).then_some([stop, stop + pause]),
            work: random.chance(33).then(|| 1 << (8 + random.below(16))),
            in_frames: random.chance(50),
        }
    }

    /// As on the interpreter: only what results depend on.
    const fn budget_alone(&self) -> Self {
        Self { work: self.work, ..Self::NONE }
    }

    /// The same with the default budget.
    pub(super) const fn without_budget(self) -> Self {
        Self { work: None, ..self }
    }

    /// True if results depend on the clock.
    pub(super) const fn is_timed(&self) -> bool {
        self.limit.is_some() || self.stop.is_some()
    }

    /// True if another thread stops it.
    pub(super) const fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// The thread that stops a machine and lets it go on.
    fn canceller(&self, stopper: &Stopper) -> Option<JoinHandle<()>> {
        let ([stop, resume], stopper) = (self.stop?, stopper.clone());
        Some(thread::spawn(move || {
            thread::sleep(stop);
            stopper.stop();
            thread::sleep(resume - stop);
            stopper.resume();
        }))
    }
}

fn contents(memory: &BlockMemory, blocks: &[(u32, u32)]) -> Contents {
    let block = |&(address, length): &(u32, u32)| memory.region(address, length).expect("a block").to_vec();
    blocks.iter().map(|range| hash(&block(range))).collect()
}

/// Plays a capture of a machine; the generated code is the same for both.
macro_rules! play {
    ($player:ident, $machine:ident, $limits:ident, $capture:expr, $engine:expr, $whims:expr) => {{
        let limits = $whims.work.map_or($limits::DEFAULT, |work| $limits::DEFAULT.with_work(work));
        let mut player = $player::new($capture).expect("a sound capture").with_limits(limits);
        // `set_threads` would stop at the number that the host runs at once.
        player.$machine().set_tiling(Tiling::new($whims.threads));
        player.$machine().set_time_limit($whims.limit);
        let canceller = $whims.canceller(&player.$machine().stopper());
        while $whims.in_frames && player.run_frame($engine).is_some() {}
        let mut events = 0;
        while player.step($engine).is_some() {
            events += 1;
            if events % $whims.snapshot == 0 {
                let saved = player.$machine().save();
                player.$machine().load(&saved).expect("its own state");
            }
        }
        if let Some(canceller) = canceller {
            canceller.join().expect("a thread that sleeps");
        }
        contents(player.memory(), &$capture.regions)
    }};
}

impl Work {
    /// A random list of either machine.
    pub(super) fn random(random: &mut Random) -> Self {
        let number = random.bits() >> 32;
        if random.chance(50) {
            Self::Pica(pica::lists::generate::case(SEED, number).capture)
        } else {
            Self::Ge(ge::lists::generate::case(SEED, number, &[]).program.to_capture())
        }
    }

    /// The scenes.
    pub(super) fn scenes() -> impl Iterator<Item = Self> {
        let pica = picaflor_scenes::pica::Scene::all().into_iter();
        let pica = pica.map(|scene| Self::Pica(scene.capture(Precision::Console)));
        let ge = picaflor_scenes::ge::Scene::all().into_iter();
        pica.chain(ge.map(|scene| Self::Ge(scene.capture())))
    }

    /// The recordings of a data folder: homebrew of the 3DS, frames of the PSP.
    pub(super) fn recordings(data: &Path) -> impl Iterator<Item = Self> {
        let bytes = |path: &PathBuf| std::fs::read(path).expect("the file");
        let homebrew = files(&data.join("pica"), "cap").into_iter();
        let frames = files(&data.join("ge/frames"), "ppdmp").into_iter();
        let homebrew = homebrew.map(move |path| Capture::read(&bytes(&path)).expect("a recording"));
        let frames = frames.map(move |path| {
            let dump = ppdmp::read(&bytes(&path)).expect("a dump");
            ppdmp::translate(&dump, Lists::OfRecords).expect("a capture").0
        });
        homebrew.map(Self::Pica).chain(frames.map(Self::Ge))
    }

    /// What the engine makes of it.
    pub(super) fn play(&self, engine: &mut Engine, whims: &Whims) -> Contents {
        match self {
            Self::Pica(capture) => play!(Player, pica_mut, Limits, capture, engine, whims),
            Self::Ge(capture) => play!(GePlayer, ge_mut, GeLimits, capture, engine, whims),
        }
    }

    /// What the interpreter makes of it, on one thread, with the same budget.
    pub(super) fn expected(&self, whims: &Whims) -> Contents {
        let (engine, whims) = (&mut Interpreter::new(), whims.budget_alone());
        match self {
            Self::Pica(capture) => play!(Player, pica_mut, Limits, capture, engine, whims),
            Self::Ge(capture) => play!(GePlayer, ge_mut, GeLimits, capture, engine, whims),
        }
    }

    /// What the interpreter makes of it with the default budget.
    pub(super) fn whole(&self) -> Contents {
        self.expected(&Whims::NONE)
    }
}
