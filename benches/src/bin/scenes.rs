//! `cargo run --release -p picaflor-benches --bin scenes [SCENE…]`: the machine's time for each scene of the project:
//! the vertex stage and the fragment path on both engines, on one and two threads, transfers.

use picaflor_benches::pica::contender::settled_engine;
use picaflor_benches::report::ended;
use picaflor_conformance::pica::Pica;
use picaflor_conformance::timing::{Timing, best_of};
use picaflor_interp::Interpreter;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;
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
    ended("scenes", print_table(&scenes, &mut stdout().lock()))
}

/// The scenes of these names, or all if there is no name. Error: the first unknown name.
fn named(names: &[String]) -> Result<Vec<Scene>, &String> {
    if names.is_empty() {
        return Ok(Scene::all());
    }
    names.iter().map(|name| Scene::by_name(name).ok_or(name)).collect()
}

fn print_table(scenes: &[Scene], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    writeln!(
        out,
        "console precision, best of {RUNS} runs for each stage; first ns per vertex that is shaded,"
    )?;
    writeln!(out, "then ns per fragment on one and two threads; triangles are set up within the latter")?;
    writeln!(
        out,
        "{:<20} {:>5} {:>8} {:>9} {:>9} | {:>7} {:>7} {:>6} | {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6} | {:>8} {:>8}",
        "scene",
        "draws",
        "vertices",
        "triangles",
        "fragments",
        "interp",
        "jit",
        "ratio",
        "interp",
        "2 thr.",
        "ratio",
        "jit",
        "2 thr.",
        "ratio",
        "transfer",
        "jit, all"
    )?;
    for scene in scenes {
        row(scene, out)?;
    }
    Ok(())
}

fn row(scene: &Scene, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let capture = scene.capture(Precision::Console);
    let [reference, reference2] = [1, 2].map(|n| best_of::<Pica>(RUNS, &capture, &mut Interpreter::new(), n));
    let (reference, reference2) = (reference?, reference2?);
    let compiled = best_of::<Pica>(RUNS, &capture, &mut settled_engine().build()?, 1)?;
    let compiled2 = best_of::<Pica>(RUNS, &capture, &mut settled_engine().build()?, 2)?;
    let Timing { stats, transfer, .. } = compiled;
    let (vertex, jit) = (reference.per_vertex(), compiled.per_vertex());
    let [slow, slow2, fast, fast2] = [reference, reference2, compiled, compiled2].map(|t| t.per_fragment());
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    writeln!(
        out,
        "{:<20} {:>5} {:>8} {:>9} {:>9} | {vertex:>7.0} {jit:>7.1} {:>5.1}x | {slow:>6.0} {slow2:>6.0} {:>5.2}x \
         | {fast:>6.1} {fast2:>6.1} {:>5.2}x | {:>5.1} ms {:>5.0} ms",
        scene.name,
        stats.draws,
        stats.vertices,
        stats.triangles,
        stats.fragments,
        vertex / jit,
        slow / slow2,
        fast / fast2,
        ms(transfer),
        ms(compiled2.whole),
    )?;
    out.flush()?;
    Ok(())
}
