//! `cargo run --release -p picaflor-benches --bin profile -- PROGRAM [SECONDS] [console|binary32]`: runs one
//! program in compiled code for a while, so that a profiler has something to look at. `perf report` finds the
//! routines by name.

use picaflor_benches::contender::{Runner, blocking_engine};
use picaflor_benches::example::Example;
use picaflor_benches::mesh::Storage;
use picaflor_benches::workload::{Order, VERTICES, Workload};
use picaflor_jit::{CompileError, MappingScheme};
use picaflor_pipeline::pica::float::Precision;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What to run, for how long.
struct Options {
    example: Example,
    duration: Duration,
    precision: Precision,
}

impl Options {
    fn of(arguments: &[String]) -> Option<Self> {
        let (example, rest) = arguments.split_first()?;
        let mut options = Self {
            example: Example::of(example)?,
            duration: Duration::from_secs(5),
            precision: Precision::Console,
        };
        for argument in rest {
            match argument.as_str() {
                "console" => options.precision = Precision::Console,
                "binary32" => options.precision = Precision::Binary32,
                seconds => options.duration = Duration::from_secs(seconds.parse().ok()?),
            }
        }
        Some(options)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(options) = Options::of(&arguments) else {
        eprintln!("usage: profile transform|light|skin|branchy [SECONDS] [console|binary32]");
        return ExitCode::from(2);
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("profile: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), CompileError> {
    let workload = Workload::new(options.example, Storage::Floats, Order::Sequential);
    let batch = workload.batch(options.precision);
    // Perf reads the map of names for anonymous pages only, and the two views of the default are a file.
    let engine = blocking_engine().perf_map(true).mapping(MappingScheme::Protect).build()?;
    let mut runner = Runner::new(engine);
    let (start, mut batches) = (Instant::now(), 0_u64);
    while start.elapsed() < options.duration {
        for _ in 0..100 {
            runner.run(&batch);
        }
        batches += 100;
    }
    let vertices = batches * VERTICES as u64;
    let each = start.elapsed().as_nanos() as f64 / vertices as f64;
    println!("{}: {vertices} vertices, {each:.2} ns each, {:?}", options.example, runner.report());
    Ok(())
}
