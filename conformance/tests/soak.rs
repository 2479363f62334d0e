//! One engine for a long time: random scenes of both machines, any number of threads, budgets that evict, snapshots in
//! the middle, runs that are stopped. Results stay those of the interpreter, and resident memory stays flat.
//!
//! A second as a test; `PICAFLOR_SOAK` is another time in seconds.

use picaflor_conformance::random::Random;
use picaflor_interp::Interpreter;
use picaflor_jit::Engine;
use picaflor_pipeline::ge::capture::Capture as GeCapture;
use picaflor_pipeline::ge::capture::replay::Player as GePlayer;
use picaflor_pipeline::memory::{BlockMemory, Memory};
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::texture::hash;
use std::time::{Duration, Instant};

/// A scene of either machine, and the hashes of its memory in the end.
enum Scene {
    Pica(Capture, Vec<u64>),
    Ge(GeCapture, Vec<u64>),
}

/// A hash of each block of memory.
fn contents(memory: &BlockMemory, blocks: &[(u32, u32)]) -> Vec<u64> {
    let block = |&(address, length): &(u32, u32)| memory.region(address, length).expect("a block").to_vec();
    blocks.iter().map(|range| hash(&block(range))).collect()
}

/// The scenes, with what the interpreter makes of them.
fn scenes() -> Vec<Scene> {
    let pica = picaflor_scenes::pica::Scene::all().into_iter().map(|scene| {
        let capture = scene.capture(Precision::Console);
        let mut player = Player::new(&capture).expect("a sound capture");
        while player.run_frame(&mut Interpreter::new()).is_some() {}
        let expected = contents(player.memory(), &capture.regions);
        Scene::Pica(capture, expected)
    });
    let ge = picaflor_scenes::ge::Scene::all().into_iter().map(|scene| {
        let capture = scene.capture();
        let mut player = GePlayer::new(&capture).expect("a sound capture");
        while player.run_frame(&mut Interpreter::new()).is_some() {}
        let expected = contents(player.memory(), &capture.regions);
        Scene::Ge(capture, expected)
    });
    pica.chain(ge).collect()
}

/// What is done to a scene while it plays.
struct Whims {
    threads: usize,
    /// A snapshot, taken and restored before one of so many events.
    snapshot: u32,
    /// A time after which each run ends; its results are not compared then.
    limit: Option<Duration>,
    /// Frame by frame, without snapshots: draws of the GE are pending from list to list.
    in_frames: bool,
}

impl Whims {
    fn of(random: &mut Random) -> Self {
        let mut below = |limit| random.below(limit);
        let threads = 1 + below(3) as usize;
        let snapshot = 1 + below(20);
        let limit = (below(4) == 0).then(|| Duration::from_micros(below(2000).into()));
        Self { threads, snapshot, limit, in_frames: below(2) == 0 }
    }
}

/// Plays a scene of a machine; the generated code is the same for both.
macro_rules! play {
    ($player:ident, $machine:ident, $capture:expr, $engine:expr, $whims:expr) => {{
        let mut player = $player::new($capture).expect("a sound capture");
        player.$machine().set_threads($whims.threads);
        player.$machine().set_time_limit($whims.limit);
        while $whims.in_frames && player.run_frame($engine).is_some() {}
        let mut events = 0;
        while player.step($engine).is_some() {
            events += 1;
            if events % $whims.snapshot == 0 {
                let saved = player.$machine().save();
                player.$machine().load(&saved).expect("its own state");
            }
        }
        contents(player.memory(), &$capture.regions)
    }};
}

/// Resident memory in MiB; `None` where the system does not tell.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some((pages.split_whitespace().nth(1)?.parse::<u64>().ok()? * 4096) >> 20)
}

#[test]
fn one_engine_for_long() {
    let time = std::env::var("PICAFLOR_SOAK").ok().and_then(|seconds| seconds.parse().ok());
    let time = Duration::from_secs(time.unwrap_or(1));
    let scenes = scenes();
    // Budgets below what the scenes need, so that routines and textures come and go.
    let builder = Engine::builder().compile_threads(2).code_budget(1 << 20).texture_budget(4 << 20);
    let mut engine = builder.build().expect("this host runs compiled code");
    let (mut random, start, mut played, mut compared) = (Random::new(1), Instant::now(), 0_u64, 0_u64);
    let (mut early, mut last) = (None, Instant::now());
    while start.elapsed() < time {
        let scene = &scenes[random.below(scenes.len() as u32) as usize];
        let whims = Whims::of(&mut random);
        let (found, expected) = match scene {
            Scene::Pica(capture, expected) => {
                (play!(Player, pica_mut, capture, &mut engine, whims), expected)
            }
            Scene::Ge(capture, expected) => (play!(GePlayer, ge_mut, capture, &mut engine, whims), expected),
        };
        if whims.limit.is_none() {
            assert_eq!(&found, expected, "scene {played}");
            compared += 1;
        }
        played += 1;
        // What is resident after a quarter of the time has seen every scene.
        if early.is_none() && start.elapsed() > time / 4 {
            early = resident();
        }
        if last.elapsed() > Duration::from_secs(30) {
            last = Instant::now();
            println!("{:.0?}: {played} scenes, {compared} compared, {:?} MiB", start.elapsed(), resident());
        }
    }
    let stats = engine.stats();
    println!(
        "{played} scenes, {compared} compared, {:?} MiB after a quarter, {:?} MiB in the end; {} routines compiled, {} \
         evicted, {} textures decoded",
        early,
        resident(),
        stats.compiles,
        stats.evictions,
        stats.textures.misses
    );
    assert!(compared > 0 && stats.panics_contained == 0);
    if let (Some(early), Some(end)) = (early, resident())
        && time > Duration::from_secs(60)
    {
        assert!(end <= early + early / 8 + 16, "{early} MiB resident, then {end}");
    }
}
