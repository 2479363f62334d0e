//! `cargo run --release -p picaflor-benches --bin ge`: the cost of a pixel of the PSP's GE beside its aim: pixels
//! alone, and a whole list with its vertices on one thread and on two.

use picaflor_benches::clock::{Task, minima};
use picaflor_benches::ge::{Cover, Machine, State, Workload};
use picaflor_benches::report::{ended, no_arguments};
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use std::error::Error;
use std::io::{self, Write, stdout};
use std::process::ExitCode;

/// Samples of each; the shortest time counts.
const SAMPLES: usize = 40;
/// What covers the screen, its name, and its aims as multiples of those of the whole screen, at most.
const COVERS: [(Cover, &str, Most); 3] = [
    (Cover::Whole, "the whole screen", Most { pixels: Some(1.0), list: None }),
    (Cover::Cells(8), "8x8 pixels", Most { pixels: Some(2.0), list: Some(2.5) }),
    (Cover::Cells(4), "4x4 pixels", Most { pixels: None, list: Some(5.0) }),
];

#[derive(Clone, Copy)]
struct Most {
    /// Of what a compiled pixel of the whole screen should cost.
    pixels: Option<f64>,
    /// Of what a pixel of the whole screen's list costs.
    list: Option<f64>,
}

fn main() -> ExitCode {
    no_arguments("ge", "Nanoseconds of the pixels and lists of the GE, with aims");
    ended("ge", run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let (mut out, mut screens) = (stdout().lock(), Vec::new());
    for (cover, name, most) in COVERS {
        writeln!(
            out,
            "{:<52} {:>10} {:>8} {:>12} {:>14} {:>14} {:>8} {:>14}",
            format!("ns per pixel, {name}"),
            "pixels",
            "aim",
            "interpreter",
            "list, 1 thread",
            "list, 2 threads",
            "ratio",
            most.list.map_or_else(String::new, |list| format!("/screen, {list}")),
        )?;
        let mut found: Vec<(State, f64)> = Vec::new();
        for (n, state) in State::ALL.into_iter().enumerate() {
            let costs = measured(state, cover)?;
            if cover == Cover::Whole {
                screens.push(costs.list[0]);
            }
            print_row(&mut out, (state, &costs), costs.list[0] / screens[n], most)?;
            let affine = found.iter().find(|(other, _)| Some(*other) == state.affine());
            if let Some((_, affine)) = affine {
                writeln!(
                    out,
                    "{:<52} {:>10.2}",
                    "  times as much as the affine one",
                    costs.compiled / affine
                )?;
            }
            found.push((state, costs.compiled));
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Nanoseconds for a pixel.
struct Costs {
    compiled: f64,
    interpreted: f64,
    /// On one thread and on two.
    list: [f64; 2],
}

fn measured(state: State, cover: Cover) -> Result<Costs, Box<dyn Error>> {
    let [compiled, interpreted] = pixels(state, cover)?;
    Ok(Costs { compiled, interpreted, list: list(state, cover)? })
}

/// Prints the costs of a state; that of its list also as a multiple of the whole screen's.
fn print_row(
    out: &mut impl Write,
    (state, costs): (State, &Costs),
    of_screen: f64,
    most: Most,
) -> io::Result<()> {
    let Costs { compiled, interpreted, list: [one, two] } = costs;
    let aim = most.pixels.map_or_else(String::new, |pixels| {
        let aim = state.aim() * pixels;
        format!("{} {aim:.1}", verdict(*compiled <= aim))
    });
    let cells =
        most.list.map_or_else(String::new, |list| format!("{of_screen:.2} {}", verdict(of_screen <= list)));
    writeln!(
        out,
        "{:<52} {compiled:>10.2} {aim:>8} {interpreted:>6.1} {:>4.0}x {one:>14.2} {two:>14.2} {:>8.2} {cells:>14}",
        state.name(),
        interpreted / compiled,
        one / two,
    )
}

const fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "-" }
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
