//! `cargo run --release -p picaflor-benches --bin ge`: the cost of a pixel of the PSP's GE beside its aim: pixels
//! alone, and a whole list with its vertices on one thread and on two.

use picaflor_benches::clock::{Task, minima};
use picaflor_benches::ge::{Cover, Machine, State, Workload};
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use std::error::Error;
use std::process::ExitCode;

/// Samples of each; the shortest time counts.
const SAMPLES: usize = 40;
/// Aim: cost of a pixel in small primitives, as a multiple of the cost on the whole screen, at most.
const AIM_SMALL: f64 = 2.0;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ge: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    for (cover, name) in [(Cover::Whole, "the whole screen"), (Cover::Small, "8x8 pixels")] {
        println!(
            "{:<52} {:>10} {:>8} {:>12} {:>14} {:>14} {:>8}",
            format!("ns per pixel, {name}"),
            "pixels",
            "aim",
            "interpreter",
            "list, 1 thread",
            "list, 2 threads",
            "ratio"
        );
        let mut found: Vec<(State, f64)> = Vec::new();
        for state in State::ALL {
            let cost = print_row(state, cover)?;
            let affine = found.iter().find(|(other, _)| Some(*other) == state.affine());
            if let Some((_, affine)) = affine {
                println!("{:<52} {:>10.2}", "  times as much as the affine one", cost / affine);
            }
            found.push((state, cost));
        }
        println!();
    }
    Ok(())
}

/// Prints the costs of a state. Returns that of a compiled pixel.
fn print_row(state: State, cover: Cover) -> Result<f64, Box<dyn Error>> {
    let [compiled, interpreted] = pixels(state, cover)?;
    let [one, two] = list(state, cover)?;
    let aim = state.aim() * if cover == Cover::Small { AIM_SMALL } else { 1.0 };
    println!(
        "{:<52} {compiled:>10.2} {:>4} {aim:>3.1} {interpreted:>6.1} {:>4.0}x {one:>14.2} {two:>14.2} {:>8.2}",
        state.name(),
        if compiled <= aim { "met" } else { "-" },
        interpreted / compiled,
        one / two,
    );
    Ok(compiled)
}

fn engine() -> Result<Engine, Box<dyn Error>> {
    Ok(Engine::builder().mode(EngineMode::Blocking).fallback(false).build()?)
}

/// Nanoseconds for a pixel of primitives that are set up: compiled, interpreted.
fn pixels(state: State, cover: Cover) -> Result<[f64; 2], Box<dyn Error>> {
    let workload = Workload::new(state, cover);
    let compiled = workload.routine(&mut engine()?);
    let interpreted = workload.routine(&mut Interpreter::new());
    checked(state, workload.draw(&*compiled), workload.pixels())?;
    let mut tasks: [Task<'_>; 1] = [Box::new(|| _ = workload.draw(&*compiled))];
    let fast = minima(&mut tasks, SAMPLES);
    let mut tasks: [Task<'_>; 1] = [Box::new(|| _ = workload.draw(&*interpreted))];
    let slow = minima(&mut tasks, 2);
    Ok([fast[0], slow[0]].map(|time| time / workload.pixels() as f64))
}

/// Nanoseconds for a pixel of a list, on one thread and on two.
fn list(state: State, cover: Cover) -> Result<[f64; 2], Box<dyn Error>> {
    let machine = Machine::new(state, cover);
    let (mut one, mut two) = (engine()?, engine()?);
    for (engine, threads) in [(&mut one, 1), (&mut two, 2)] {
        checked(state, machine.run(engine, threads), machine.pixels())?;
    }
    let mut tasks: [Task<'_>; 2] =
        [Box::new(|| _ = machine.run(&mut one, 1)), Box::new(|| _ = machine.run(&mut two, 2))];
    let times = minima(&mut tasks, SAMPLES);
    Ok([times[0], times[1]].map(|time| time / machine.pixels() as f64))
}

fn checked(state: State, drawn: u64, wanted: u64) -> Result<(), Box<dyn Error>> {
    if drawn == wanted {
        return Ok(());
    }
    Err(format!("{}: {drawn} pixels instead of {wanted}", state.name()).into())
}
