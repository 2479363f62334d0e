//! One engine for a long time: random lists, scenes and recordings of both machines, any number of threads, budgets that
//! evict, snapshots in the middle, runs that are stopped by their limits and by another thread. Results stay those of the
//! interpreter, and resident memory stays flat.
//!
//! A second as a test; `PICAFLOR_SOAK` is another time in seconds. From a minute on recordings of `PICAFLOR_DATA` are among the
//! work.

mod work;

use crate::data_folder::data_folder;
use picaflor_conformance::random::Random;
use picaflor_jit::Engine;
use std::path::Path;
use std::time::{Duration, Instant};
use work::{Contents, Whims, Work};

/// Resident memory in MiB; `None` where the system does not tell.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some((pages.split_whitespace().nth(1)?.parse::<u64>().ok()? * 4096) >> 20)
}

/// Counts of what was played.
#[derive(Debug, Default)]
struct Counts {
    lists: u64,
    scenes: u64,
    recordings: u64,
    compared: u64,
    /// Stopped by another thread while they played.
    stopped: u64,
}

/// Work with the interpreter's results.
struct Known {
    scenes: Vec<(Work, Contents)>,
    recordings: Vec<(Work, Contents)>,
}

impl Known {
    fn of(data: Option<&Path>) -> Self {
        let known = |work: Work| {
            let whole = work.whole();
            (work, whole)
        };
        let recordings = data.into_iter().flat_map(Work::recordings);
        Self { scenes: Work::scenes().map(known).collect(), recordings: recordings.map(known).collect() }
    }

    /// Something of it, one recording for eight scenes.
    fn pick(&self, random: &mut Random, counts: &mut Counts) -> &(Work, Contents) {
        let is_recording = random.below(9) == 0 && !self.recordings.is_empty();
        let (works, count) = if is_recording {
            (&self.recordings, &mut counts.recordings)
        } else {
            (&self.scenes, &mut counts.scenes)
        };
        *count += 1;
        &works[random.below(works.len() as u32) as usize]
    }
}

/// Plays something; the results are compared unless they depend on the clock.
fn play_something(engine: &mut Engine, known: &Known, random: &mut Random, counts: &mut Counts) {
    let mut whims = Whims::of(random);
    let list;
    let (work, whole) = if random.chance(50) {
        counts.lists += 1;
        list = Work::random(random);
        (&list, None)
    } else {
        whims = whims.without_budget();
        let (work, whole) = known.pick(random, counts);
        (work, Some(whole))
    };
    let found = work.play(engine, &whims);
    counts.stopped += u64::from(whims.is_stopped());
    if whims.is_timed() {
        return;
    }
    counts.compared += 1;
    let expected = whole.cloned().unwrap_or_else(|| work.expected(&whims));
    assert_eq!(found, expected, "{counts:?}");
}

#[test]
fn one_engine_for_long() {
    let time = std::env::var("PICAFLOR_SOAK").ok().and_then(|seconds| seconds.parse().ok());
    let time = Duration::from_secs(time.unwrap_or(1));
    let is_long = time >= Duration::from_secs(60);
    let data = if is_long { data_folder() } else { None };
    let known = Known::of(data.as_deref());
    // Budgets below what the scenes need, so that routines and textures come and go.
    let builder = Engine::builder().compile_threads(2).code_budget(1 << 20).texture_budget(4 << 20);
    let mut engine = builder.build().expect("this host runs compiled code");
    let (mut random, mut counts) = (Random::new(1), Counts::default());
    let (start, mut early, mut last) = (Instant::now(), None, Instant::now());
    // On the slowest host something is compared and something stopped.
    while start.elapsed() < time || counts.compared == 0 || counts.stopped == 0 {
        play_something(&mut engine, &known, &mut random, &mut counts);
        // What is resident after a quarter of the time has seen nearly every work.
        if early.is_none() && start.elapsed() > time / 4 {
            early = resident();
        }
        if last.elapsed() > Duration::from_secs(30) {
            last = Instant::now();
            println!("{:.0?}: {counts:?}, {:?} MiB", start.elapsed(), resident());
        }
    }
    let stats = engine.stats();
    println!(
        "{counts:?}, {early:?} MiB after a quarter, {:?} MiB in the end; {} routines compiled, {} evicted, {} textures decoded",
        resident(),
        stats.compiles,
        stats.evictions,
        stats.textures.misses
    );
    assert_eq!(stats.panics_contained, 0);
    if let (Some(early), Some(end)) = (early, resident())
        && is_long
    {
        assert!(end <= early + early / 8 + 16, "{early} MiB resident, then {end}");
    }
}
