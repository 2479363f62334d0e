//! `cargo run --release -p picaflor-benches --bin seam`: calls of the shader seam in `Console` precision, beside their
//! aims: nanoseconds of a call, of a vertex in small batches, of a geometry run.

use picaflor_benches::clock::{Task, minima};
use picaflor_benches::pica::seam::{Batches, Runs};
use picaflor_benches::report::{ended, no_arguments};
use picaflor_jit::{CompileError, Engine, EngineMode};
use picaflor_pipeline::pica::float::Precision;
use std::error::Error;
use std::io::{Write, stdout};
use std::process::ExitCode;

/// Samples of each; the shortest time counts.
const SAMPLES: usize = 300;

/// A measurement: its name, its aim in nanoseconds, and the part of a call that counts.
struct Row<'a> {
    name: String,
    aim: Option<f64>,
    per: f64,
    task: Task<'a>,
}

fn main() -> ExitCode {
    no_arguments("seam", "Nanoseconds of calls of the shader seam, with aims");
    ended("seam", run())
}

fn engine() -> Result<Engine, CompileError> {
    Engine::builder().mode(EngineMode::Blocking).fallback(false).build()
}

fn batches() -> Result<Batches<Engine>, CompileError> {
    Ok(Batches::new(engine()?, Precision::Console))
}

fn run() -> Result<(), Box<dyn Error>> {
    let (mut same, mut changed, mut uploaded) = (batches()?, batches()?, batches()?);
    let mut sizes = [(4, batches()?), (12, batches()?), (32, batches()?), (64, batches()?)];
    let mut runs = Runs::new(engine()?, Precision::Console);
    let mut batched = Runs::new(engine()?, Precision::Console);
    let mut rows = vec![
        row("call of 4 vertices, nothing changed", Some(150.0), 1.0, || same.same(4)),
        row("call of 4 vertices, program and 4 uniforms changed", Some(350.0), 1.0, || changed.changed(4, 4)),
        row("call of 4 vertices, program and all uniforms changed", Some(350.0), 1.0, || {
            uploaded.changed(4, 96)
        }),
        row("geometry run, four emissions, alone", None, 1.0, || runs.one()),
        row("geometry run, four emissions, in batches of 32", Some(120.0), 32.0, || batched.batch(32)),
    ];
    for (vertices, batches) in &mut sizes {
        let (vertices, aim) = (*vertices, (*vertices == 12).then_some(25.0));
        let name = format!("vertex in batches of {vertices}");
        rows.push(row(&name, aim, vertices as f64, move || batches.same(vertices)));
    }
    let mut tasks = Vec::new();
    let mut names = Vec::new();
    for Row { name, aim, per, task } in rows {
        tasks.push(task);
        names.push((name, aim, per));
    }
    let times = minima(&mut tasks, SAMPLES);
    let mut out = stdout().lock();
    writeln!(out, "{:<56} {:>9} {:>9}", "ns, Console precision", "", "aim")?;
    for ((name, aim, per), time) in names.into_iter().zip(times) {
        let time = time / per;
        let aim = aim.map_or_else(String::new, |aim| {
            format!("{aim:>9.0} {}", if time <= aim { "met" } else { "missed" })
        });
        writeln!(out, "{name:<56} {time:>9.1} {aim}")?;
    }
    Ok(())
}

fn row<'a>(name: &str, aim: Option<f64>, per: f64, task: impl FnMut() + 'a) -> Row<'a> {
    Row { name: name.into(), aim, per, task: Box::new(task) }
}
