//! `cargo run --release -p picaflor-benches --bin profile -- SUBJECT [SECONDS] [console|binary32] [dumps=DIR] [stats] [gdb]`:
//! a subject for a profiler: one program, the frames of a scene, a recording (`FILE.cap`) or a frame dump of the PSP
//! (`FILE.ppdmp`), or a fragment workload (`F3`, `F3/8x8`) in compiled code for some time. `perf report` finds the routines by name.
//! `dumps` names a folder for each routine's CLIF and
//! machine code, and for a jitdump that `perf inject --jit` reads. `stats` prints the engine's counters, `gdb` (with
//! the feature of this name) registers the routines with GDB.

use picaflor_benches::pica::contender::{Runner, settled_engine};
use picaflor_benches::pica::example::Example;
use picaflor_benches::pica::fragment::{Shape, State, Workload as FragmentWorkload};
use picaflor_benches::pica::mesh::Storage;
use picaflor_benches::pica::workload::{Order, VERTICES, Workload};
use picaflor_benches::report::ended;
use picaflor_conformance::ge::Ge;
use picaflor_conformance::machine::{Machine, Reading};
use picaflor_conformance::pica::Pica;
use picaflor_conformance::timing::{replay, unclocked};
use picaflor_jit::{EngineBuilder, MappingScheme, Stats};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::stage::FragmentStage;
use picaflor_scenes::pica::Scene;
use std::error::Error;
use std::io::{self, Write, stdout};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The subject.
enum Subject {
    Program(Example),
    Frames(Scene),
    /// A file.
    Recording(PathBuf),
    /// A file.
    Dump(PathBuf),
    Fragments(State, Shape),
}

impl Subject {
    fn of(name: &str) -> Option<Self> {
        if name.ends_with(".ppdmp") {
            return Some(Self::Dump(name.into()));
        }
        if name.ends_with(".cap") {
            return Some(Self::Recording(name.into()));
        }
        let program = Example::of(name).map(Self::Program);
        program.or_else(|| Scene::by_name(name).map(Self::Frames)).or_else(|| Self::fragments(name))
    }

    fn fragments(name: &str) -> Option<Self> {
        let (state, shape) = name.split_once('/').unwrap_or((name, Shape::FullScreen.name()));
        let state = State::ALL.into_iter().find(|other| other.name() == state)?;
        let shape = Shape::ALL.into_iter().find(|other| other.name() == shape)?;
        Some(Self::Fragments(state, shape))
    }
}

/// The subject, and the time.
struct Options {
    subject: Subject,
    duration: Duration,
    precision: Precision,
    dumps: Option<PathBuf>,
    stats: bool,
    #[cfg(feature = "gdb")]
    gdb: bool,
}

impl Options {
    fn of(arguments: &[String]) -> Option<Self> {
        let (subject, rest) = arguments.split_first()?;
        let mut options = Self {
            subject: Subject::of(subject)?,
            duration: Duration::from_secs(5),
            precision: Precision::Console,
            dumps: None,
            stats: false,
            #[cfg(feature = "gdb")]
            gdb: false,
        };
        for argument in rest {
            match argument.as_str() {
                "console" => options.precision = Precision::Console,
                "binary32" => options.precision = Precision::Binary32,
                "stats" => options.stats = true,
                #[cfg(feature = "gdb")]
                "gdb" => options.gdb = true,
                _ if argument.starts_with("dumps=") => options.dumps = Some(argument[6..].into()),
                seconds => options.duration = Duration::from_secs(seconds.parse::<NonZeroU64>().ok()?.get()),
            }
        }
        Some(options)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(options) = Options::of(&arguments) else {
        eprintln!(
            "usage: profile transform|light|skin|branchy|SCENE|FILE.cap|FILE.ppdmp|F1[/8x8] [SECONDS] [console|binary32] [dumps=DIR] [stats] [gdb]"
        );
        return ExitCode::from(2);
    };
    ended("profile", run(&options))
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    match &options.subject {
        Subject::Program(example) => run_program(*example, options),
        Subject::Frames(scene) => run_frames(scene, options),
        Subject::Recording(file) => run_file::<Pica>(file, options),
        Subject::Dump(file) => run_file::<Ge>(file, options),
        Subject::Fragments(state, shape) => run_fragments(*state, *shape, options),
    }
}

/// Perf reads the map of names for anonymous pages only, and the two views of the default are a file.
fn visible_engine(options: &Options) -> EngineBuilder {
    let engine = settled_engine().perf_map(true).mapping(MappingScheme::Protect);
    #[cfg(feature = "gdb")]
    let engine = engine.gdb(options.gdb);
    match &options.dumps {
        Some(folder) => engine.dumps(folder).jitdump(folder),
        None => engine,
    }
}

fn run_program(example: Example, options: &Options) -> Result<(), Box<dyn Error>> {
    let workload = Workload::new(example, Storage::Floats, Order::Sequential);
    let batch = workload.batch(options.precision);
    let mut runner = Runner::new(visible_engine(options).build()?);
    let (start, mut batches) = (Instant::now(), 0_u64);
    while start.elapsed() < options.duration {
        for _ in 0..100 {
            runner.run(&batch);
        }
        batches += 100;
    }
    let vertices = batches * VERTICES as u64;
    let each = start.elapsed().as_nanos() as f64 / vertices as f64;
    writeln!(stdout(), "{example}: {vertices} vertices, {each:.2} ns each, {:?}", runner.report())?;
    Ok(show(options, &runner.stats())?)
}

/// Runs on one thread, so that all samples of the profiler are in one thread.
fn run_frames(scene: &Scene, options: &Options) -> Result<(), Box<dyn Error>> {
    let capture = scene.capture(options.precision);
    let mut engine = visible_engine(options).build()?;
    let (start, mut runs) = (Instant::now(), 0_u32);
    while start.elapsed() < options.duration {
        replay::<Pica>(&capture, &mut engine, 1)?;
        runs += 1;
    }
    writeln!(stdout(), "{}: {runs} runs, {:.2?} each", scene.name, start.elapsed() / runs)?;
    Ok(show(options, &engine.stats())?)
}

/// As [`run_frames`], without the clocks of stages.
fn run_file<M: Machine>(file: &Path, options: &Options) -> Result<(), Box<dyn Error>> {
    let capture = M::read(&std::fs::read(file)?, Reading::default())?;
    let mut engine = visible_engine(options).build()?;
    let (start, mut runs, mut best) = (Instant::now(), 0_u32, Duration::MAX);
    while start.elapsed() < options.duration {
        best = best.min(unclocked::<M>(&capture, M::compiled(&mut engine), 1)?.whole);
        runs += 1;
    }
    writeln!(stdout(), "{}: {runs} runs, {best:.2?} at best", file.display())?;
    Ok(show(options, &engine.stats())?)
}

fn run_fragments(state: State, shape: Shape, options: &Options) -> Result<(), Box<dyn Error>> {
    let workload = FragmentWorkload::new(state);
    let triangles = workload.triangles(shape);
    let mut engine = visible_engine(options).build()?;
    let routine = engine.fragment_routine(&workload.fragments());
    let (start, mut fragments) = (Instant::now(), 0);
    while start.elapsed() < options.duration {
        fragments += workload.draw(&*routine, &triangles, 1);
    }
    let each = start.elapsed().as_nanos() as f64 / fragments as f64;
    writeln!(stdout(), "{} {}: {fragments} fragments, {each:.2} ns each", state.name(), shape.name())?;
    Ok(show(options, &engine.stats())?)
}

fn show(options: &Options, stats: &Stats) -> io::Result<()> {
    if options.stats { writeln!(stdout(), "{stats:#?}") } else { Ok(()) }
}
