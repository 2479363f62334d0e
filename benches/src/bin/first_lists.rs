//! `cargo run --release -p picaflor-benches --bin first_lists`: the first replay of new engines, which compile in the
//! background or before they draw, beside the interpreter. The build of this tree has to exist:
//! `cargo build --release -p picaflor-conformance`.

use clap::Parser;
use picaflor_benches::report::ended;
use picaflor_benches::workloads::{Workloads, short_name, this_build};
use serde_json::Value;
use std::error::Error;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The most time of the background mode, of that of the blocking mode.
const AIM: f64 = 1.3;
/// The same of that of the interpreter.
const AIM_INTERPRETER: f64 = 1.0;

/// Show the first replay of new engines.
///
/// Milliseconds of a frame on one thread: of a new engine that compiles in the background, of one that compiles before it
/// draws (the shortest of some), and of the interpreter; the ratios of the first to the others; the longest wait of a draw
/// for its routine, in the background mode. `missed` marks ratios above 1.3 and 1.
#[derive(Debug, Parser)]
struct Args {
    #[command(flatten)]
    workloads: Workloads,
    /// The `picaflor` that is measured; that beside this program unless given
    #[arg(long, value_name = "BINARY")]
    with: Option<PathBuf>,
}

fn main() -> ExitCode {
    ended("first_lists", run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let binary = this_build(args.with.as_deref())?;
    let workloads = args.workloads.names()?;
    let mut out = stdout().lock();
    writeln!(out, "{:<30} background  blocking    interp  /blocking  /interp  longest wait, us", "workload")?;
    let (mut largest, mut missed) = ([0.0_f64; 2], 0);
    for workload in workloads {
        let first = First::of(&binary, &workload).map_err(|why| format!("{workload}: {why}"))?;
        let ratios = [first.background / first.blocking, first.background / first.interpreter];
        let is_missed = ratios[0] > AIM || ratios[1] > AIM_INTERPRETER;
        (0..2).for_each(|n| largest[n] = largest[n].max(ratios[n]));
        missed += usize::from(is_missed);
        let First { background, blocking, interpreter, wait_us } = first;
        writeln!(
            out,
            "{:<30} {background:>10.2} {blocking:>9.2} {interpreter:>9.2} {:>10.2} {:>8.2} {wait_us:>17.0}{}",
            short_name(&workload),
            ratios[0],
            ratios[1],
            if is_missed { "  missed" } else { "" }
        )?;
        out.flush()?;
    }
    let [blocking, interpreter] = largest;
    writeln!(
        out,
        "\nlargest ratios {blocking:.2} (aim {AIM}), {interpreter:.2} (aim {AIM_INTERPRETER}); missed: {missed}"
    )?;
    Ok(())
}

/// Milliseconds of a frame of the first replay.
struct First {
    background: f64,
    blocking: f64,
    interpreter: f64,
    wait_us: f64,
}

impl First {
    fn of(binary: &Path, workload: &str) -> Result<Self, Box<dyn Error>> {
        let compiled = bench(binary, workload, &["--engine", "jit", "--seconds", "0.05"])?;
        let interpreted = bench(binary, workload, &["--engine", "interp", "--seconds", "0.05"])?;
        let started = bench(binary, workload, &["--first-frames"])?;
        let frames = number(&compiled["frames"])?;
        let first = &started["first_frames"][0];
        let replay = first["frames"].as_array().ok_or("no frames")?.iter().take(frames as usize);
        let times = replay.map(|frame| number(&frame["ms"])).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            background: times.iter().sum::<f64>() / frames,
            blocking: number(&compiled["rows"][0]["ms_per_frame"]["frame"])?,
            interpreter: number(&interpreted["rows"][0]["ms_per_frame"]["frame"])?,
            wait_us: number(&first["longest_wait_us"])?,
        })
    }
}

/// What `picaflor bench` prints of a workload on one thread; its first row is that of new engines, if there is one.
fn bench(binary: &Path, workload: &str, options: &[&str]) -> Result<Value, Box<dyn Error>> {
    let output =
        Command::new(binary).args(["bench", workload, "--threads", "1", "--json"]).args(options).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned().into());
    }
    let mut document: Value = serde_json::from_slice(&output.stdout)?;
    Ok(document["captures"][0].take())
}

fn number(value: &Value) -> Result<f64, String> {
    value.as_f64().ok_or_else(|| format!("not a number: {value}"))
}
