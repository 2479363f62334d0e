//! `picaflor bench`: how fast captures run, stage by stage.

mod first_frames;

use super::capture::{self, Named, PrecisionName, parse_threads};
use super::diff::precision_name;
use super::table::{Table, thousands};
use super::{CliError, ge, print};
use crate::replay::{self, ReplayError};
use crate::timing::{self, Steady, Timing};
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode, Stats};
use picaflor_pipeline::capture::Capture;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

/// New engines that play the capture once; the fastest counts.
const COLD_RUNS: usize = 3;
/// The longest that a row may take, in seconds.
const MOST_SECONDS: f64 = 3600.0;

/// Measure how fast captures run: frames per second, and milliseconds of each stage.
///
/// Every engine replays the capture for some time, after a replay that does not count; the fastest replay is
/// shown, per frame, with the one in the middle beside it. `jit, cold` is the first replay of a new engine,
/// which compiles before it draws; `jit` is what remains of that afterwards. Commands includes assembly, clipping
/// and setting triangles up; fragments includes what an engine makes of each triangle. On several threads
/// stages overlap, and fragments is the time in which at least one thread drew.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor bench scene:game_frame --threads 1,2
  picaflor bench game.ctf --engine jit --seconds 10 --json
  picaflor bench scene:all --first-frames")]
pub struct Args {
    /// Captures in the own format, CiTrace (.ctf) or frame dumps of the PSP (.ppdmp), scene:NAME or scene:all
    #[arg(required = true, value_name = "CAPTURE")]
    captures: Vec<String>,
    /// Threads to draw on, one row for each number
    #[arg(long, value_delimiter = ',', default_value = "1,2", value_parser = parse_threads)]
    threads: Vec<usize>,
    /// Seconds for each row
    #[arg(long, default_value = "2", value_parser = parse_seconds)]
    seconds: f64,
    /// Only this engine
    #[arg(long, value_parser = ["interp", "jit"])]
    engine: Option<String>,
    /// Precision of shader arithmetic; that of the capture unless given
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
    /// Show instead how an engine that compiles in the background starts: how long a draw waited for its routine
    /// at most, and how many frames went by until nothing was interpreted any more. Of several new engines the
    /// one is shown whose draws waited least
    #[arg(long, conflicts_with_all = ["engine", "seconds"])]
    first_frames: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=MOST_SECONDS).contains(seconds));
    seconds.ok_or_else(|| format!("a number of seconds is 0 to {MOST_SECONDS}"))
}

/// Runs the subcommand.
///
/// # Errors
/// A capture cannot be read or replayed, or compiled code cannot run on this host.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let mut documents = Vec::new();
    let mut first = first_frames::table();
    for source in ge::expand(&capture::expand(&args.captures)) {
        if ge::is_ge(&source) {
            let duration = Duration::from_secs_f64(args.seconds);
            let (text, document) = ge::bench(&source, args.engine.as_deref(), duration)?;
            documents.push(document);
            if !args.json {
                print(&text)?;
            }
            continue;
        }
        let named = capture::load(&source, args.precision.map(Into::into))?;
        let fail = |why: ReplayError| CliError::new(format!("cannot use `{}`: {why}", named.name));
        if args.first_frames {
            let rows = first_frames::rows(&named.capture, &args.threads).map_err(fail)?;
            documents.push(first_frames::document(&named, &rows));
            rows.iter().for_each(|row| first.row(row.cells(&named.name)));
        } else {
            let rows = rows(args, &named.capture).map_err(fail)?;
            documents.push(document(&named, &rows));
            if !args.json {
                print(&text(&named, &rows))?;
            }
        }
    }
    if args.json {
        print(&format!("{:#}\n", json!({ "captures": documents })))?;
    } else if args.first_frames {
        print(&first.text(1))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An engine on a number of threads.
struct Row {
    engine: &'static str,
    is_cold: bool,
    threads: usize,
    steady: Steady,
    /// Counters of a cold engine.
    compiled: Option<Stats>,
}

fn rows(args: &Args, capture: &Capture) -> Result<Vec<Row>, ReplayError> {
    let duration = Duration::from_secs_f64(args.seconds);
    let chosen = |name: &str| args.engine.as_ref().is_none_or(|engine| engine == name);
    let mut rows = Vec::new();
    for &threads in &args.threads {
        if chosen("interp") {
            let steady = timing::steady(capture, &mut Interpreter::new(), threads, duration)?;
            rows.push(Row { engine: "interp", is_cold: false, threads, steady, compiled: None });
        }
        if chosen("jit") {
            rows.push(cold(capture, threads)?);
            let steady = timing::steady(capture, &mut blocking()?, threads, duration)?;
            rows.push(Row { engine: "jit", is_cold: false, threads, steady, compiled: None });
        }
    }
    Ok(rows)
}

fn blocking() -> Result<Engine, ReplayError> {
    Ok(Engine::builder().mode(EngineMode::Blocking).build()?)
}

/// The first replay of some new engines.
fn cold(capture: &Capture, threads: usize) -> Result<Row, ReplayError> {
    let mut runs = Vec::new();
    for _ in 0..COLD_RUNS {
        let mut engine = blocking()?;
        let timing = timing::replay(capture, &mut engine, threads)?;
        runs.push((timing, engine.stats()));
    }
    runs.sort_by_key(|(timing, _)| timing.whole);
    let median = runs[COLD_RUNS / 2].0.whole;
    let (best, stats) = runs.swap_remove(0);
    let steady = Steady { best, median, replays: COLD_RUNS };
    Ok(Row { engine: "jit", is_cold: true, threads, steady, compiled: Some(stats) })
}

/// Milliseconds of a frame.
fn per_frame(time: Duration, frames: usize) -> f64 {
    time.as_secs_f64() * 1e3 / frames.max(1) as f64
}

impl Row {
    fn name(&self) -> String {
        if self.is_cold { format!("{}, cold", self.engine) } else { self.engine.into() }
    }

    /// Milliseconds of a frame: all of it, the replay in the middle, and the stages in the order of the machine.
    fn milliseconds(&self, frames: usize) -> [(&'static str, f64); 6] {
        let Timing { vertex, fragment, transfer, command, whole, .. } = self.steady.best;
        [
            ("frame", whole),
            ("median", self.steady.median),
            ("commands", command),
            ("vertices", vertex),
            ("fragments", fragment),
            ("transfers", transfer),
        ]
        .map(|(name, time)| (name, per_frame(time, frames)))
    }
}

/// What a capture holds, in a line.
fn heading(named: &Named, stats: &picaflor_pipeline::pica::stats::Stats) -> String {
    let frames = replay::frames(&named.capture);
    format!(
        "{}: {frames} frame{}, {} draws, {} vertices, {} triangles, {} fragments; {}\n",
        named.name,
        if frames == 1 { "" } else { "s" },
        thousands(stats.draws),
        thousands(stats.vertices),
        thousands(stats.triangles),
        thousands(stats.fragments),
        precision_name(named.capture.precision),
    )
}

fn text(named: &Named, rows: &[Row]) -> String {
    let frames = replay::frames(&named.capture);
    let mut table = Table::new(&[
        "engine",
        "threads",
        "frames/s",
        "ms/frame",
        "median",
        "commands",
        "vertices",
        "fragments",
        "transfers",
        "ns/vertex",
        "ns/fragment",
        "replays",
        "",
    ]);
    for row in rows {
        let best = &row.steady.best;
        let times = row.milliseconds(frames);
        let mut cells = vec![row.name(), row.threads.to_string(), format!("{:.1}", 1e3 / times[0].1)];
        cells.extend(times.map(|(_, ms)| format!("{ms:.2}")));
        cells.push(format!("{:.1}", best.per_vertex()));
        cells.push(format!("{:.1}", best.per_fragment()));
        cells.push(row.steady.replays.to_string());
        cells.push(row.compiled.as_ref().map_or_else(String::new, compiled_text));
        table.row(cells);
    }
    let stats = rows.first().map(|row| row.steady.best.stats).unwrap_or_default();
    format!("{}{}\n", heading(named, &stats), table.text(1))
}

fn compiled_text(stats: &Stats) -> String {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    format!("{} routines in {:.1} ms", stats.compiles, ms(stats.compile_time))
}

fn document(named: &Named, rows: &[Row]) -> Value {
    let frames = replay::frames(&named.capture);
    let stats = rows.first().map(|row| row.steady.best.stats).unwrap_or_default();
    let rows: Vec<_> = rows.iter().map(|row| row_document(row, frames)).collect();
    json!({
        "capture": named.name,
        "precision": precision_name(named.capture.precision),
        "frames": frames,
        "draws": stats.draws,
        "vertices": stats.vertices,
        "triangles": stats.triangles,
        "fragments": stats.fragments,
        "rows": rows,
    })
}

fn row_document(row: &Row, frames: usize) -> Value {
    let times = row.milliseconds(frames);
    let ms: serde_json::Map<_, _> = times.iter().map(|&(name, ms)| (name.into(), json!(ms))).collect();
    json!({
        "engine": row.engine,
        "cold": row.is_cold,
        "threads": row.threads,
        "frames_per_second": 1e3 / times[0].1,
        "ms_per_frame": ms,
        "ns_per_vertex": row.steady.best.per_vertex(),
        "ns_per_fragment": row.steady.best.per_fragment(),
        "replays": row.steady.replays,
        "routines": row.compiled.as_ref().map(|stats| stats.compiles),
        "compile_ms": row.compiled.as_ref().map(|stats| stats.compile_time.as_secs_f64() * 1e3),
    })
}
