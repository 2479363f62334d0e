//! `cargo run --release -p picaflor-benches --bin table [PROGRAM…]`: the project's ratios with their aims, on this
//! machine.

use picaflor_benches::clock::{Task, minima};
use picaflor_benches::pica::contender::{PRECISIONS, Ruler, Runner, blocking_engine, precision_name};
use picaflor_benches::pica::example::Example;
use picaflor_benches::pica::mesh::Storage;
use picaflor_benches::pica::workload::{Order, VERTICES, Workload};
use picaflor_benches::pica::yardstick::Yardstick;
use picaflor_benches::report::ended;
use picaflor_jit::{RunReport, Served};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::stage::{ShadedVertices, VertexBatch};
use std::error::Error;
use std::hint::black_box;
use std::io::{Write, stdout};
use std::process::ExitCode;

/// Samples of each contender; the shortest counts.
const SAMPLES: usize = 400;
/// Samples of compile times; the shortest counts.
const COMPILES: usize = 60;
/// Meshes taken in turn where branches must not be predictable.
const MESHES: u64 = 32;
/// The aim against the interpreter.
const INTERPRETER_AIM: f64 = 25.0;
/// The aim for compile time, microseconds per program word.
const COMPILE_AIM: f64 = 10.0;

/// The aim against the yardstick.
const fn yardstick_aim(example: Example, precision: Precision) -> f64 {
    match (example, precision) {
        (Example::Transform, Precision::Binary32) => 9.0,
        (Example::Transform, Precision::Console) => 5.0,
        (Example::Light, Precision::Binary32) => 7.0,
        (Example::Light, Precision::Console) => 4.0,
        (Example::Skin, Precision::Binary32) => 6.0,
        (Example::Skin, Precision::Console) => 3.5,
        (Example::Branchy, _) => 3.0,
    }
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "not met" }
}

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let examples: Option<Vec<Example>> = names.iter().map(|name| Example::of(name)).collect();
    let examples = match examples {
        Some(examples) if examples.is_empty() => Example::ALL.to_vec(),
        Some(examples) => examples,
        None => {
            eprintln!("usage: table [transform] [light] [skin] [branchy]");
            return ExitCode::from(2);
        }
    };
    ended("table", print_tables(&examples, &mut stdout().lock()))
}

fn print_tables(examples: &[Example], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    writeln!(out, "{VERTICES} vertices a batch, minimum of {SAMPLES} samples, all contenders in turn\n")?;
    writeln!(out, "Attributes stored as binary32, fetched in order:")?;
    writeln!(
        out,
        "{:<10} {:<21} {:>9} {:>18} {:>20} {:>9}",
        "program", "contender", "ns/vertex", "against yardstick", "against interpreter", "replayed"
    )?;
    for &example in examples {
        ratios(example, out)?;
    }
    writeln!(out, "\n{MESHES} meshes in turn, so that no branch predictor learns them, ns/vertex:")?;
    for &example in examples {
        many_meshes(example, out)?;
    }
    writeln!(out, "\nThe JIT on other meshes, ns/vertex:")?;
    writeln!(
        out,
        "{:<10} {:<10} {:>9} {:>9} {:>18}",
        "program", "precision", "binary32", "integers", "shuffled binary32"
    )?;
    for &example in examples {
        meshes(example, out)?;
    }
    writeln!(out, "\nCompiling (a routine again and again on one engine), minimum of {COMPILES}:")?;
    writeln!(
        out,
        "{:<10} {:<10} {:>6} {:>9} {:>9} {:>12} {:>6}   aim",
        "program", "precision", "words", "us", "us/word", "us/unfolded", "bytes"
    )?;
    for &example in examples {
        compile_times(example, out)?;
    }
    writeln!(out, "\nA batch of one group (4 vertices) whose routine exists, ns:")?;
    for &example in examples {
        small_batches(example, out)?;
    }
    Ok(())
}

/// The rows of one program: yardstick, interpreter and JIT.
fn ratios(example: Example, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let workload = Workload::new(example, Storage::Floats, Order::Sequential);
    let batches = PRECISIONS.map(|precision| workload.batch(precision));
    let mut ruler = Ruler::new(&workload);
    let mut interpreters = [Runner::interpreter(), Runner::interpreter()];
    let mut engines = [Runner::jit()?, Runner::jit()?];
    let times = {
        let mut tasks: Vec<Task<'_>> = vec![Box::new(|| ruler.run())];
        for (runner, batch) in interpreters.iter_mut().zip(&batches) {
            tasks.push(Box::new(|| runner.run(batch)));
        }
        for (runner, batch) in engines.iter_mut().zip(&batches) {
            tasks.push(Box::new(|| runner.run(batch)));
        }
        minima(&mut tasks, SAMPLES).into_iter().map(|time| time / VERTICES as f64).collect::<Vec<_>>()
    };
    for (interpreter, jit) in interpreters.iter().zip(&engines) {
        if !interpreter.same_bits(jit) {
            return Err(format!("{example}: the JIT differs from the interpreter").into());
        }
    }
    let yardstick = times[0];
    writeln!(out, "{example:<10} {:<21} {yardstick:>9.2}", "scalar yardstick")?;
    for (i, &precision) in PRECISIONS.iter().enumerate() {
        let time = times[1 + i];
        let contender = format!("interpreter {}", precision_name(precision));
        writeln!(out, "{:<10} {contender:<21} {time:>9.2} {:>17.2}x", "", yardstick / time)?;
    }
    for (i, &precision) in PRECISIONS.iter().enumerate() {
        let (time, interpreter) = (times[3 + i], times[1 + i]);
        let contender = format!("JIT {}", precision_name(precision));
        let (scalar, interpreted) = (yardstick / time, interpreter / time);
        writeln!(
            out,
            "{:<10} {contender:<21} {time:>9.2} {scalar:>17.2}x {interpreted:>19.1}x {:>8}",
            "",
            replayed(engines[i].report())
        )?;
        let aim = yardstick_aim(example, precision);
        writeln!(
            out,
            "{:<10} {:<21} {:>9} {:>18} {:>20}",
            "",
            "  aim",
            "",
            format!("{aim}x: {}", verdict(scalar >= aim)),
            format!("{INTERPRETER_AIM}x: {}", verdict(interpreted >= INTERPRETER_AIM)),
        )?;
    }
    Ok(())
}

/// Yardstick and JIT over many meshes in turn, so that no branch predictor knows the vertices by heart.
fn many_meshes(example: Example, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let workload = |seed| Workload::with_seed(example, Storage::Floats, Order::Sequential, seed);
    let workloads: Vec<Workload> = (0..MESHES).map(workload).collect();
    let yardsticks: Vec<Yardstick> = workloads.iter().map(Yardstick::new).collect();
    let mut shaded = ShadedVertices::new();
    let mut engines = [Runner::jit()?, Runner::jit()?];
    let mut tasks: Vec<Task<'_>> = vec![Box::new(|| {
        for yardstick in &yardsticks {
            black_box(yardstick).shade(&mut shaded);
            black_box(shaded.values_mut().as_ptr());
        }
    })];
    for (runner, precision) in engines.iter_mut().zip(PRECISIONS) {
        let batches: Vec<VertexBatch<'_>> =
            workloads.iter().map(|workload| workload.batch(precision)).collect();
        tasks.push(Box::new(move || batches.iter().for_each(|batch| runner.run(batch))));
    }
    let times = minima(&mut tasks, SAMPLES / 4);
    let [scalar, binary32, console] = [0, 1, 2].map(|i| times[i] / (VERTICES as u64 * MESHES) as f64);
    writeln!(
        out,
        "{example:<10} yardstick {scalar:>7.2}   JIT Binary32 {binary32:>7.2} {:>6.2}x   JIT Console {console:>7.2} {:>6.2}x",
        scalar / binary32,
        scalar / console
    )?;
    Ok(())
}

/// The share of groups that ran again; or the producer of the batch if it was not compiled code.
fn replayed(report: &RunReport) -> String {
    match &report.served {
        Served::Compiled => {
            format!("{:.2} %", 100.0 * f64::from(report.replayed) / f64::from(report.groups.max(1)))
        }
        Served::Interpreter(_) | Served::Nobody => "not jit".into(),
    }
}

fn meshes(example: Example, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let workloads = [
        Workload::new(example, Storage::Floats, Order::Sequential),
        Workload::new(example, Storage::Integers, Order::Sequential),
        Workload::new(example, Storage::Floats, Order::Shuffled),
    ];
    for precision in PRECISIONS {
        let batches: Vec<VertexBatch<'_>> =
            workloads.iter().map(|workload| workload.batch(precision)).collect();
        let mut engines = [Runner::jit()?, Runner::jit()?, Runner::jit()?];
        let mut tasks: Vec<Task<'_>> = Vec::new();
        for (runner, batch) in engines.iter_mut().zip(&batches) {
            tasks.push(Box::new(|| runner.run(batch)));
        }
        let times = minima(&mut tasks, SAMPLES / 4);
        let [floats, integers, shuffled] = [0, 1, 2].map(|i| times[i] / VERTICES as f64);
        writeln!(
            out,
            "{example:<10} {:<10} {floats:>9.2} {integers:>9.2} {shuffled:>18.2}",
            precision_name(precision)
        )?;
    }
    Ok(())
}

fn compile_times(example: Example, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let workload = Workload::new(example, Storage::Floats, Order::Sequential);
    for precision in PRECISIONS {
        let batch = workload.first(4, precision);
        let mut engine = blocking_engine().build()?;
        let reports = (0..COMPILES).map(|_| engine.compile(&batch)).collect::<Result<Vec<_>, _>>()?;
        let Some(best) = reports.iter().min_by_key(|report| report.time) else { continue };
        let us = best.time.as_nanos() as f64 / 1000.0;
        let name = precision_name(precision);
        let unfolded = us / f64::from(best.words);
        let (words, each) = (workload.words, us / workload.words as f64);
        let met = verdict(each <= COMPILE_AIM);
        let bytes = best.code_bytes;
        writeln!(
            out,
            "{example:<10} {name:<10} {words:>6} {us:>9.1} {each:>9.2} {unfolded:>12.2} {bytes:>6}   {COMPILE_AIM} us: {met}"
        )?;
    }
    Ok(())
}

fn small_batches(example: Example, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let workload = Workload::new(example, Storage::Floats, Order::Sequential);
    let batches = PRECISIONS.map(|precision| workload.first(4, precision));
    let mut engines = [Runner::jit()?, Runner::jit()?];
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for (runner, batch) in engines.iter_mut().zip(&batches) {
        tasks.push(Box::new(|| runner.run(batch)));
    }
    let times = minima(&mut tasks, SAMPLES / 4);
    writeln!(out, "{example:<10} Binary32 {:>7.0}   Console {:>7.0}", times[0], times[1])?;
    Ok(())
}
