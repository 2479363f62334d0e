//! Engines and machines on several threads of a host at once: all with room for little code and few textures, which are
//! evicted while others run or draw with them, and with one small folder of routines on disk. What they leave in memory is what
//! the interpreter leaves on one thread.

use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode, MappingScheme, Stats};
use picaflor_pipeline::ge::capture::Capture as GeCapture;
use picaflor_pipeline::ge::capture::replay::Player as GePlayer;
use picaflor_pipeline::memory::{BlockMemory, Memory};
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::texture::hash;
use picaflor_pipeline::tile::Tiling;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const THREADS: usize = 4;
/// Scenes with many states or textures that the interpreter draws soon, of both machines.
const PICA: [&str; 4] = ["toon", "wrap_modes", "particles", "combiner_card"];
const GE: [&str; 4] = ["television", "clearing", "transfers", "formats"];
/// Events between two turns of an engine.
const TURN: usize = 3;

enum Recorded {
    Pica(Capture),
    Ge(GeCapture),
}

enum Playing<'a> {
    Pica(Box<Player<'a>>),
    Ge(Box<GePlayer<'a>>),
}

/// A scene, and a hash of each block of memory after it.
struct Scene {
    name: &'static str,
    recorded: Recorded,
    expected: Vec<u64>,
}

impl Scene {
    fn new(name: &'static str, recorded: Recorded) -> Self {
        let mut scene = Self { name, recorded, expected: Vec::new() };
        let mut playing = scene.play(1);
        match &mut playing {
            Playing::Pica(player) => while player.step(&mut Interpreter::new()).is_some() {},
            Playing::Ge(player) => while player.step(&mut Interpreter::new()).is_some() {},
        }
        scene.expected = scene.contents(&playing);
        scene
    }

    fn all() -> Vec<Self> {
        let pica = PICA.map(|name| {
            let scene = picaflor_scenes::pica::Scene::by_name(name).expect("a scene");
            Self::new(name, Recorded::Pica(scene.capture(Precision::Console)))
        });
        let ge = GE.map(|name| {
            let scene = picaflor_scenes::ge::Scene::by_name(name).expect("a scene");
            Self::new(name, Recorded::Ge(scene.capture()))
        });
        pica.into_iter().chain(ge).collect()
    }

    /// A machine of its own, which draws on so many threads.
    fn play(&self, threads: usize) -> Playing<'_> {
        let tiling = Tiling { least_work: 0, ..Tiling::new(threads) };
        match &self.recorded {
            Recorded::Pica(capture) => {
                let mut player = Box::new(Player::new(capture).expect("a sound capture"));
                player.pica_mut().set_tiling(tiling);
                Playing::Pica(player)
            }
            Recorded::Ge(capture) => {
                let mut player = Box::new(GePlayer::new(capture).expect("a sound capture"));
                player.ge_mut().set_tiling(tiling);
                Playing::Ge(player)
            }
        }
    }

    fn contents(&self, playing: &Playing<'_>) -> Vec<u64> {
        let (memory, blocks): (&BlockMemory, _) = match (playing, &self.recorded) {
            (Playing::Pica(player), Recorded::Pica(capture)) => (player.memory(), &capture.regions),
            (Playing::Ge(player), Recorded::Ge(capture)) => (player.memory(), &capture.regions),
            _ => unreachable!("a scene plays on its machine"),
        };
        let block =
            |&(address, length): &(u32, u32)| memory.region(address, length).expect("a block").to_vec();
        blocks.iter().map(|range| hash(&block(range))).collect()
    }

    #[track_caller]
    fn check(&self, playing: &Playing<'_>, thread: usize) {
        assert_eq!(self.contents(playing), self.expected, "{} on thread {thread}", self.name);
    }
}

impl Playing<'_> {
    /// Plays some events; false after the last.
    fn go_on(&mut self, engine: &mut Engine, events: usize) -> bool {
        (0..events).all(|_| match self {
            Self::Pica(player) => player.step(engine).is_some(),
            Self::Ge(player) => player.step(engine).is_some(),
        })
    }
}

/// Room for a few routines and images, of every mode and mapping by its number.
fn engine(number: usize, folder: &Path) -> Engine {
    let scheme = [MappingScheme::DualView, MappingScheme::Protect][number / 2 % 2];
    let builder = Engine::builder()
        .mode([EngineMode::Blocking, EngineMode::Background][number % 2])
        .mapping(if cfg!(target_arch = "x86_64") { scheme } else { MappingScheme::Protect })
        .code_budget([8 << 10, 24 << 10][number / 4 % 2])
        .texture_budget(16 << 10)
        .compile_threads(2);
    let builder =
        if number.is_multiple_of(3) { builder } else { builder.disk_cache(folder).disk_budget(128 << 10) };
    builder.build().expect("this host runs compiled code")
}

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        Self(std::env::temp_dir().join(format!("picaflor-host-threads-{test}-{}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[track_caller]
fn sound(stats: &Stats) {
    assert_eq!((stats.panics_contained, stats.disk.damaged, stats.disk.errors), (0, 0, 0), "{stats:?}");
}

#[test]
fn engines_of_many_threads_share_a_folder() {
    let (scenes, folder) = (Scene::all(), Folder::new("folder"));
    let work = &|thread: usize| {
        let [mut evictions, mut textures] = [0; 2];
        for round in 0..2 {
            let mut engine = engine(2 * thread + round, &folder.0);
            for n in 0..scenes.len() {
                let scene = &scenes[(n + 2 * thread) % scenes.len()];
                let mut playing = scene.play(1 + (thread + n) % 3);
                playing.go_on(&mut engine, usize::MAX);
                scene.check(&playing, thread);
            }
            let stats = engine.stats();
            sound(&stats);
            evictions += stats.evictions;
            textures += stats.textures.evictions;
            // Its compile threads may have work.
        }
        [evictions, textures]
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || work(thread))).collect();
        for thread in threads {
            let evictions = thread.join().expect("the interpreter's bytes");
            assert!(evictions.iter().all(|&evictions| evictions > 0), "room for all: {evictions:?}");
        }
    });
}

/// An engine serves one machine at a time: those of several threads come to it with every few events, and find another in its
/// place now and then.
#[test]
fn machines_of_many_threads_take_turns() {
    let (scenes, folder) = (Scene::all(), Folder::new("turns"));
    let shared = Mutex::new((engine(0, &folder.0), 0_usize));
    let work = &|thread: usize| {
        for n in 0..scenes.len() {
            let scene = &scenes[(n + 2 * thread) % scenes.len()];
            let mut playing = scene.play(1 + (thread + n) % 3);
            loop {
                let mut shared = shared.lock().expect("no other thread failed");
                let (engine_now, turns) = &mut *shared;
                *turns += 1;
                if turns.is_multiple_of(40) {
                    sound(&engine_now.stats());
                    *engine_now = engine(*turns / 40, &folder.0);
                }
                if !playing.go_on(engine_now, TURN) {
                    break;
                }
            }
            scene.check(&playing, thread);
        }
    };
    std::thread::scope(|scope| (0..THREADS).for_each(|thread| _ = scope.spawn(move || work(thread))));
    let (engine, turns) = shared.into_inner().expect("no thread failed");
    sound(&engine.stats());
    assert!(turns > 200, "{turns} turns");
}
