//! `cargo run --release -p picaflor-benches --bin cold_start [SCENE…]`: savings of the disk cache: each scene on a
//! new engine without a cache, with an empty one, and with a full one.

use picaflor_benches::pica::contender::blocking_engine;
use picaflor_benches::report::ended;
use picaflor_conformance::pica::Pica;
use picaflor_conformance::timing::replay;
use picaflor_jit::{EngineBuilder, Stats};
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;
use std::error::Error;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Runs of each scene in each way; the shortest of each time counts.
const RUNS: usize = 5;

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let folder = std::env::temp_dir().join(format!("picaflor-cold-start-{}", std::process::id()));
    let printed = print_table(&names, &folder, &mut stdout().lock());
    // A folder that stays behind does no harm.
    let _ = std::fs::remove_dir_all(&folder);
    ended("cold_start", printed)
}

/// The scenes of these names, all without any.
fn named(names: &[String]) -> Result<Vec<Scene>, Box<dyn Error>> {
    if names.is_empty() {
        return Ok(Scene::all());
    }
    let scene =
        |name: &String| Scene::by_name(name).ok_or_else(|| format!("there is no scene `{name}`").into());
    names.iter().map(scene).collect()
}

/// One start.
struct Start {
    /// From making the engine to the end of the scene.
    whole: Duration,
    stats: Stats,
}

impl Start {
    fn of(capture: &Capture, builder: EngineBuilder) -> Result<Self, Box<dyn Error>> {
        let start = Instant::now();
        let mut engine = builder.build()?;
        replay::<Pica>(capture, &mut engine, 1)?;
        Ok(Self { whole: start.elapsed(), stats: engine.stats() })
    }

    /// Several of them, the shortest time of each kind; `before` is done before each.
    fn best(capture: &Capture, builder: &EngineBuilder, before: impl Fn()) -> Result<Self, Box<dyn Error>> {
        let start = || {
            before();
            Self::of(capture, builder.clone())
        };
        (1..RUNS).try_fold(start()?, |best, _| Ok(best.shorter(start()?)))
    }

    fn shorter(mut self, other: Self) -> Self {
        self.whole = self.whole.min(other.whole);
        self.stats.compile_time = self.stats.compile_time.min(other.stats.compile_time);
        self.stats.disk.load_time = self.stats.disk.load_time.min(other.stats.disk.load_time);
        self
    }
}

/// Without a cache, with an empty one, with a full one.
struct Starts {
    without: Start,
    cold: Start,
    warm: Start,
}

impl Starts {
    fn of(capture: &Capture, folder: &Path) -> Result<Self, Box<dyn Error>> {
        let cached = blocking_engine().disk_cache(PathBuf::from(folder));
        // It is not there before the first.
        let empty = || drop(std::fs::remove_dir_all(folder));
        Ok(Self {
            without: Start::best(capture, &blocking_engine(), || ())?,
            cold: Start::best(capture, &cached, empty)?,
            warm: Start::best(capture, &cached, || ())?,
        })
    }

    /// Checks the last start's use of the routines of the first.
    fn check(&self) -> Result<(), String> {
        let (made, stored, warm) =
            (self.without.stats.compiles, self.cold.stats.disk.stored, &self.warm.stats);
        if (stored, warm.disk.loaded, warm.compiles) == (made, made, 0) {
            return Ok(());
        }
        let (loaded, compiles) = (warm.disk.loaded, warm.compiles);
        Err(format!("{made} compiled, {stored} stored, then {loaded} loaded and {compiles} compiled"))
    }
}

fn print_table(names: &[String], folder: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let scenes = named(names)?;
    writeln!(out, "milliseconds, best of {RUNS} starts, one thread, routines made when they are needed;")?;
    writeln!(
        out,
        "a start is an engine and the whole scene: without a cache, with an empty one, with a full one"
    )?;
    writeln!(
        out,
        "{:<20} {:>8} {:>8} | {:>8} {:>8} {:>8} | {:>8} {:>8} {:>8} {:>6}",
        "scene", "routines", "KiB", "compile", "load", "ratio", "without", "empty", "full", "ratio"
    )?;
    let mut sum = [0.0; 7];
    for scene in scenes {
        let starts = Starts::of(&scene.capture(Precision::Console), folder)?;
        starts.check()?;
        let row = numbers(&starts);
        write_row(out, scene.name, row)?;
        sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
    write_row(out, "all", sum)
}

/// Routines, KiB, compile and load time, and the three starts.
fn numbers(Starts { without, cold, warm }: &Starts) -> [f64; 7] {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    [
        without.stats.compiles as f64,
        cold.stats.disk.stored_bytes as f64 / 1024.0,
        ms(without.stats.compile_time),
        ms(warm.stats.disk.load_time),
        ms(without.whole),
        ms(cold.whole),
        ms(warm.whole),
    ]
}

fn write_row(out: &mut impl Write, name: &str, row: [f64; 7]) -> Result<(), Box<dyn Error>> {
    let [routines, kilobytes, compile, load, without, cold, warm] = row;
    writeln!(
        out,
        "{name:<20} {routines:>8} {kilobytes:>8.0} | {compile:>8.2} {load:>8.2} {:>7.1}x | {without:>8.2} {cold:>8.2} \
         {warm:>8.2} {:>5.1}x",
        compile / load,
        without / warm,
    )?;
    out.flush()?;
    Ok(())
}
