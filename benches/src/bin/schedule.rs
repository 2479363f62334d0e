//! `cargo run --release -p picaflor-benches --bin schedule -- WORKLOAD…`: whole frames on several threads, measured, and as the
//! queue of draws would allow on more cores than this machine has.

use clap::Parser;
use picaflor_benches::report::ended;
use picaflor_benches::schedule::Schedule;
use picaflor_benches::workloads::{Workloads, short_name};
use picaflor_conformance::ge::Ge;
use picaflor_conformance::machine::{Machine, Plays as _, Reading};
use picaflor_conformance::pica::Pica;
use picaflor_conformance::timing::{recorded, unclocked};
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::tile::{Event, Tiling};
use picaflor_scenes::{ge, pica};
use std::error::Error;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Threads that are measured.
const MEASURED: [usize; 5] = [1, 2, 4, 8, 16];
/// Threads of the schedules.
const SIMULATED: [usize; 4] = [2, 4, 8, 16];

/// Show whole frames on several threads.
///
/// Milliseconds of a replay in the machine, the shortest of some: measured with 1 to 16 threads, of which no more are used
/// than this host has cores; the caller's own work and that of all tiles, on two threads; and schedules of these pieces
/// on 2 to 16 cores, with tiles of 512x32 pixels for two threads and of 512x16 for more, as machines have them.
#[derive(Debug, Parser)]
struct Args {
    #[command(flatten)]
    workloads: Workloads,
    /// Replays of each kind
    #[arg(long, default_value_t = 20)]
    replays: usize,
}

fn main() -> ExitCode {
    ended("schedule", run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let workloads = args.workloads.names()?;
    let mut out = stdout().lock();
    let columns = |numbers: &[usize]| numbers.iter().map(|n| format!("{n:>8}")).collect::<String>();
    writeln!(
        out,
        "{:<26}measured:{}  caller   tiles  scheduled:{}",
        "threads",
        columns(&MEASURED),
        columns(&SIMULATED)
    )?;
    for workload in workloads {
        let figures = measured(&workload, args.replays.max(1)).map_err(|why| format!("{workload}: {why}"))?;
        let times =
            |times: &[Duration]| times.iter().map(|time| format!("{:>8.2}", ms(*time))).collect::<String>();
        let Figures { measured, work, scheduled } = figures;
        writeln!(
            out,
            "{:<35}{}{}{:>11}{}",
            short_name(&workload),
            times(&measured),
            times(&work),
            "",
            times(&scheduled)
        )?;
        out.flush()?;
    }
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Times of a workload.
struct Figures {
    measured: [Duration; 5],
    /// Of the caller, and of all tiles.
    work: [Duration; 2],
    scheduled: [Duration; 4],
}

fn measured(workload: &str, replays: usize) -> Result<Figures, Box<dyn Error>> {
    if let Some(name) = workload.strip_prefix("ge:") {
        let scene = ge::Scene::by_name(name).ok_or("there is no such scene")?;
        return figures::<Ge>(&scene.capture(), |engine| engine, replays);
    }
    if let Some(name) = workload.strip_prefix("scene:") {
        let scene = pica::Scene::by_name(name).ok_or("there is no such scene")?;
        return figures::<Pica>(&scene.capture(Precision::Console), |engine| engine, replays);
    }
    let bytes = std::fs::read(workload)?;
    if Path::new(workload).extension().is_some_and(|extension| extension == "ppdmp") {
        figures::<Ge>(&Ge::read(&bytes, Reading::default())?, |engine| engine, replays)
    } else {
        figures::<Pica>(&Pica::read(&bytes, Reading::default())?, |engine| engine, replays)
    }
}

/// `stages` is the engine as the machine sees it.
fn figures<M: Machine>(
    capture: &M::Capture,
    stages: for<'e> fn(&'e mut Engine) -> &'e mut M::Stages<'e>,
    replays: usize,
) -> Result<Figures, Box<dyn Error>> {
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build()?;
    let mut measured = [Duration::MAX; 5];
    for (threads, best) in MEASURED.into_iter().zip(&mut measured) {
        unclocked::<M>(capture, stages(&mut engine), threads)?;
        for _ in 0..replays {
            *best = unclocked::<M>(capture, stages(&mut engine), threads)?.whole.min(*best);
        }
    }
    let mut fastest = |tile: [u32; 2]| -> Result<Schedule, Box<dyn Error>> {
        let tiling = Tiling { tile, ..Tiling::new(2) };
        let mut best: (Duration, Vec<Event>) = recorded::<M>(capture, stages(&mut engine), tiling)?;
        for _ in 0..replays {
            let other = recorded::<M>(capture, stages(&mut engine), tiling)?;
            if other.0 < best.0 {
                best = other;
            }
        }
        Ok(Schedule::of(&best.1))
    };
    let (coarse, fine) = (fastest(Tiling::new(2).tile)?, fastest(Tiling::new(4).tile)?);
    let scheduled = SIMULATED.map(|threads| if threads <= 2 { coarse.on(threads) } else { fine.on(threads) });
    Ok(Figures { measured, work: coarse.work(), scheduled })
}
