//! `cargo run --release -p picaflor-benches --bin scenes [SCENE…]`: what the machine spends on each scene of
//! the project: the vertex stage on both engines, the reference fragment path on one and two threads,
//! transfers.

use picaflor_benches::contender::blocking_engine;
use picaflor_benches::replay::{Timing, best_of};
use picaflor_conformance::scene::Scene;
use picaflor_interp::Interpreter;
use picaflor_pipeline::pica::float::Precision;
use std::error::Error;
use std::io::{Write, stdout};
use std::process::ExitCode;

/// Runs of each scene in each way, after one that does not count; the shortest time of each stage counts.
const RUNS: usize = 5;

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let scenes = match named(&names) {
        Ok(scenes) => scenes,
        Err(name) => {
            eprintln!("scenes: there is no scene `{name}`");
            return ExitCode::from(2);
        }
    };
    match print_table(&scenes, &mut stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scenes: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The scenes of these names, all without any; or the name that nobody has.
fn named(names: &[String]) -> Result<Vec<Scene>, &String> {
    if names.is_empty() {
        return Ok(Scene::all());
    }
    names.iter().map(|name| Scene::by_name(name).ok_or(name)).collect()
}

fn print_table(scenes: &[Scene], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    writeln!(out, "console precision, best of {RUNS} runs for each stage; ns are per vertex that is shaded")?;
    writeln!(out, "and per fragment that reaches the framebuffer path; transfer is fills and transfers")?;
    writeln!(
        out,
        "{:<24} {:>5} {:>8} {:>9} {:>9} | {:>7} {:>7} {:>6} | {:>8} {:>9} {:>6} | {:>8} {:>8}",
        "scene",
        "draws",
        "vertices",
        "triangles",
        "fragments",
        "interp",
        "jit",
        "ratio",
        "1 thread",
        "2 threads",
        "ratio",
        "transfer",
        "whole"
    )?;
    for scene in scenes {
        row(scene, out)?;
    }
    Ok(())
}

fn row(scene: &Scene, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let capture = scene.capture(Precision::Console);
    let interpreted = best_of(RUNS, &capture, &mut Interpreter::new(), 1)?;
    let compiled = best_of(RUNS, &capture, &mut blocking_engine().build()?, 1)?;
    let threaded = best_of(RUNS, &capture, &mut blocking_engine().build()?, 2)?;
    let Timing { stats, transfer, .. } = compiled;
    let (vertex, jit) = (interpreted.per_vertex(), compiled.per_vertex());
    // The fragment path is the same code under both engines.
    let one = interpreted.best(compiled).per_fragment();
    let two = threaded.per_fragment();
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    writeln!(
        out,
        "{:<24} {:>5} {:>8} {:>9} {:>9} | {vertex:>7.0} {jit:>7.1} {:>5.1}x | {one:>8.0} {two:>9.0} {:>5.2}x \
         | {:>5.1} ms {:>5.0} ms",
        scene.name,
        stats.draws,
        stats.vertices,
        stats.triangles,
        stats.fragments,
        vertex / jit,
        one / two,
        ms(transfer),
        ms(threaded.whole),
    )?;
    out.flush()?;
    Ok(())
}
