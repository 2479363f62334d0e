//! `cargo run --release -p picaflor-benches --bin ge`: what a pixel of the PSP's GE costs, with what is aimed at
//! beside it.

use picaflor_benches::clock::{Task, minima};
use picaflor_benches::ge::{Cover, State, Workload};
use picaflor_interp::ge::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use std::error::Error;
use std::process::ExitCode;

/// Samples of each; the shortest time counts.
const SAMPLES: usize = 40;
/// How many times the cost on the whole screen small primitives may have.
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
    println!(
        "{:<52} {:>9} {:>6} {:>9} {:>9} {:>12}",
        "ns per pixel", "screen", "aim", "8x8", "ratio", "interpreter"
    );
    for state in State::ALL {
        let [whole, small] = [Cover::Whole, Cover::Small].map(|cover| times(state, cover));
        let ([whole, reference], [small, _]) = (whole?, small?);
        let judged = |met: bool| if met { "met" } else { "-" };
        println!(
            "{:<52} {whole:>5.2} {:>3} {:>6.1} {small:>9.2} {:>5.2} {:>3} {:>6.1} {:>4.0}x",
            state.name(),
            judged(whole <= state.aim()),
            state.aim(),
            small / whole,
            judged(small <= AIM_SMALL * state.aim()),
            reference,
            reference / whole,
        );
    }
    Ok(())
}

/// Nanoseconds for a pixel: compiled, interpreted.
fn times(state: State, cover: Cover) -> Result<[f64; 2], Box<dyn Error>> {
    let workload = Workload::new(state, cover);
    let mut engine = Engine::builder().mode(EngineMode::Blocking).fallback(false).build()?;
    let compiled = workload.routine(&mut engine);
    let interpreted = workload.routine(&mut Interpreter::new());
    let drawn = workload.draw(&*compiled);
    if drawn != workload.pixels() {
        return Err(format!("{}: {drawn} pixels instead of {}", state.name(), workload.pixels()).into());
    }
    let mut tasks: [Task<'_>; 1] = [Box::new(|| _ = workload.draw(&*compiled))];
    let fast = minima(&mut tasks, SAMPLES);
    let mut tasks: [Task<'_>; 1] = [Box::new(|| _ = workload.draw(&*interpreted))];
    let slow = minima(&mut tasks, 2);
    Ok([fast[0], slow[0]].map(|time| time / workload.pixels() as f64))
}
