//! `cargo run --release -p picaflor-benches --bin fragments [STATE…]`: the cost of a fragment in the project's
//! reference states, ratios first, beside their aims.

use picaflor_benches::pica::fragment::contest::{Contest, Times};
use picaflor_benches::pica::fragment::{Shape, State};
use picaflor_benches::report::ended;
use std::error::Error;
use std::io::{Write, stdout};
use std::process::ExitCode;

/// Rounds, in each of which every contender runs; the shortest time counts.
const ROUNDS: usize = 5;
/// Aim: speed of compiled code, as a multiple of the interpreter's.
const AIM_INTERPRETER: f64 = 100.0;
/// Aim: speed of two threads, as a multiple of one thread's.
const AIM_THREADS: f64 = 1.8;
/// Aim: cost of a fragment in triangles of 32 pixels, as a multiple of the cost on the whole screen, at most.
const AIM_SMALL: f64 = 1.8;
/// Aim: the same where they touch four blocks of memory.
const AIM_STRADDLING: f64 = 2.2;
/// Aim: time as a multiple of the yardstick's, at most.
const AIM_YARDSTICK: f64 = 1.3;

/// A state with its times in each shape.
struct Row {
    state: State,
    bind: f64,
    shapes: Vec<(Shape, Times)>,
}

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let states = match named(&names) {
        Ok(states) => states,
        Err(name) => {
            eprintln!("fragments: there is no state `{name}`; they are F1 to F5 and FY");
            return ExitCode::from(2);
        }
    };
    ended("fragments", run(&states, &mut stdout().lock()))
}

/// The states of these names, all without any; or the name that none has.
fn named(names: &[String]) -> Result<Vec<State>, &String> {
    if names.is_empty() {
        return Ok(State::ALL.to_vec());
    }
    let by_name = |name: &str| State::ALL.into_iter().find(|state| state.name().eq_ignore_ascii_case(name));
    names.iter().map(|name| by_name(name).ok_or(name)).collect()
}

fn run(states: &[State], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut rows = Vec::new();
    for &state in states {
        rows.push(measured(state)?);
    }
    print_ratios(&rows, out)?;
    print_times(&rows, out)
}

fn measured(state: State) -> Result<Row, Box<dyn Error>> {
    let mut shapes = Vec::new();
    let mut bind = f64::INFINITY;
    for shape in Shape::ALL {
        let mut contest = Contest::new(state, shape)?;
        shapes.push((shape, contest.times(ROUNDS)));
        bind = bind.min(contest.bind_time());
    }
    Ok(Row { state, bind, shapes })
}

/// A ratio, with a mark for an aim that is met or missed.
fn judged(ratio: f64, is_met: bool) -> String {
    format!("{ratio:.2}{}", if is_met { " met" } else { " -" })
}

fn print_ratios(rows: &[Row], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    writeln!(out, "ratios, best of {ROUNDS} rounds; the aims are in the heads, `met` says that one is met")?;
    writeln!(
        out,
        "{:<4} {:<15} {:>15} {:>15} {:>16} {:>15} {:>15}",
        "",
        "triangles",
        format!("interp/jit {AIM_INTERPRETER}"),
        format!("1/2 threads {AIM_THREADS}"),
        format!("/screen {AIM_SMALL}, {AIM_STRADDLING}"),
        format!("jit/hand128 {AIM_YARDSTICK}"),
        format!("jit/hand256 {AIM_YARDSTICK}"),
    )?;
    for Row { state, shapes, .. } in rows {
        let screen = shapes[0].1.jit;
        for (shape, Times { jit, threads, interpreter, yardstick }) in shapes {
            let slow = interpreter / jit;
            let threads = threads[0] / threads[1];
            let small = jit / screen;
            let hand = |n: usize| {
                yardstick.map_or_else(String::new, |yardstick| {
                    let ratio = jit / yardstick[n];
                    judged(ratio, ratio <= AIM_YARDSTICK)
                })
            };
            writeln!(
                out,
                "{:<4} {:<15} {:>15} {:>15} {:>16} {:>15} {:>15}",
                state.name(),
                shape.name(),
                judged(slow, slow >= AIM_INTERPRETER),
                judged(threads, threads >= AIM_THREADS),
                match shape {
                    Shape::FullScreen => String::new(),
                    Shape::Boxes => judged(small, small <= AIM_SMALL),
                    Shape::Straddling => judged(small, small <= AIM_STRADDLING),
                },
                hand(0),
                hand(1),
            )?;
        }
    }
    Ok(())
}

fn print_times(rows: &[Row], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    writeln!(
        out,
        "\nns per fragment; triangles arrive shaded and clipped, setting them up for code counts; layers:"
    )?;
    writeln!(
        out,
        "eight times the same triangles on one and two threads; bind: us for a draw in a known state"
    )?;
    writeln!(
        out,
        "{:<4} {:<15} {:>7} {:>5} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  state",
        "", "triangles", "jit", "aim", "layers 1", "2 thr.", "interp", "hand128", "hand256", "bind us"
    )?;
    for Row { state, bind, shapes } in rows {
        for (shape, Times { jit, threads, interpreter, yardstick }) in shapes {
            let screen = *shape == Shape::FullScreen;
            let aim = state.aim().filter(|_| screen).map_or_else(String::new, |aim| format!("{aim}"));
            let hand = |n: usize| yardstick.map_or_else(String::new, |times| format!("{:.2}", times[n]));
            writeln!(
                out,
                "{:<4} {:<15} {jit:>7.2} {aim:>5} {:>8.2} {:>8.2} {interpreter:>8.0} {:>8} {:>8} {:>8}  {}",
                state.name(),
                shape.name(),
                threads[0],
                threads[1],
                hand(0),
                hand(1),
                if screen { format!("{bind:.1}") } else { String::new() },
                if screen { state.about() } else { "" },
            )?;
        }
    }
    Ok(())
}
