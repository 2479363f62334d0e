//! `picaflor bench`: the speed of captures, by stage.

mod first_frames;

use super::capture::{self, Named, parse_threads};
use super::machine::Commands;
use super::source::Source;
use super::table::{Table, thousands};
use super::{CliError, print};
use crate::machine::{Counters, Precision, Reading};
use crate::replay::{ReplayError, frames};
use crate::timing::{self, Steady, Timing};
use picaflor_interp::Interpreter;
use picaflor_jit::{Effort, Engine, EngineMode, Stats};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Number of new engines that play the capture once; the fastest counts.
const COLD_RUNS: usize = 3;
/// Upper limit of the seconds for a row.
const MOST_SECONDS: f64 = 3600.0;

/// Measure the speed of captures: frames per second, and milliseconds of each stage.
///
/// Every engine replays the capture for some time, after one replay that does not count. A row shows the fastest
/// replay, per frame, and beside it the median. Stages are timed in replays of their own, one in four, because clocks
/// cost time: where draws are small, the sum of the stages is more than the frame. `jit, cold` is the first replay of a new engine, which compiles
/// before it draws; `jit` is the steady state after it. The column of commands includes assembly, clipping and
/// triangle set-up, and block transfers of the PSP; the column of fragments includes an engine's own set-up of
/// triangles. On several threads stages overlap, and fragments is the time in which at least one thread drew. The
/// column of the player is the replay's time outside the machine, which no other column has: memory that the recorded
/// host writes. The last column is the ratio of the speed to that of the interpreter on the same number of threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor bench scene:game_frame --threads 1,2
  picaflor bench game.ctf --engine jit --seconds 10 --json
  picaflor bench scene:all --first-frames
  picaflor bench ge:game frame.ppdmp --threads 1")]
pub struct Args {
    /// Captures in the own format, CiTrace (.ctf) or frame dumps of the PSP (.ppdmp), also in .gz or .zip; scene:NAME or scene:all, ge:NAME or ge:all; - for standard input
    #[arg(required = true, value_name = "CAPTURE")]
    captures: Vec<Source>,
    /// Threads to draw on, one row for each number; no more are used than this host runs at once
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
    precision: Option<Precision>,
    /// Show the start of an engine that compiles in the background instead: the longest wait of a draw for its
    /// routine, and the number of frames until no draw was interpreted any more. Of several new engines, the one with
    /// the shortest longest wait is shown
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
    capture::allow_precision(&args.captures, args.precision.is_some())?;
    let mut documents = Vec::new();
    let mut first = first_frames::table();
    for source in capture::expand(&args.captures) {
        let Measured { text, first_frames, document } =
            capture::machine_of(&source).measured(&source, args)?;
        if !args.json {
            print(&text)?;
        }
        first_frames.into_iter().for_each(|row| first.row(row));
        documents.push(document);
    }
    if args.json {
        print(&format!("{:#}\n", json!({ "captures": documents })))?;
    } else if args.first_frames {
        print(&first.text(1))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The measurements of a capture.
pub(crate) struct Measured {
    /// Its table.
    text: String,
    /// Its rows of the table of first frames.
    first_frames: Vec<Vec<String>>,
    /// The JSON object of `--json`.
    document: Value,
}

/// Measures a capture.
pub(super) fn measured<M: Commands>(source: &Source, args: &Args) -> Result<Measured, CliError> {
    let how = Reading { precision: args.precision, ..Reading::default() };
    let start = Instant::now();
    let named = capture::load::<M>(source, how)?;
    let decoding = start.elapsed();
    if args.first_frames {
        let rows = first_frames::rows(&named, &args.threads).map_err(|why| named.refused(why))?;
        let cells = rows.iter().map(|row| row.cells(&named.name.to_string())).collect();
        let document = first_frames::document(&named, &rows);
        return Ok(Measured { text: String::new(), first_frames: cells, document });
    }
    let rows = rows(args, &named).map_err(|why| named.refused(why))?;
    Ok(Measured {
        text: text(&named, &rows),
        first_frames: Vec::new(),
        document: document(&named, decoding, &rows),
    })
}

/// An engine on a number of threads.
struct Row<S> {
    engine: &'static str,
    is_cold: bool,
    threads: usize,
    steady: Steady<S>,
    /// Counters of a cold engine.
    compiled: Option<Stats>,
    /// Speed as a multiple of the interpreter's, if the interpreter ran too.
    ratio: Option<f64>,
}

fn rows<M: Commands>(args: &Args, named: &Named<M>) -> Result<Vec<Row<M::Stats>>, ReplayError> {
    let duration = Duration::from_secs_f64(args.seconds);
    let chosen = |name: &str| args.engine.as_ref().is_none_or(|engine| engine == name);
    let mut rows = Vec::new();
    for &threads in &args.threads {
        let mut interpreted = None;
        let mut row = |engine, is_cold, steady: Steady<M::Stats>, compiled| {
            let whole = steady.best.whole.as_secs_f64();
            let ratio = interpreted.map(|interpreted: f64| interpreted / whole);
            if engine == "interp" {
                interpreted = Some(whole);
            }
            rows.push(Row { engine, is_cold, threads, steady, compiled, ratio });
        };
        if chosen("interp") {
            let mut replay = |is_clocked| {
                let mut engine = Interpreter::new();
                replay(named, M::interpreted(&mut engine), threads, is_clocked)
            };
            row("interp", false, timing::steady(duration, &mut replay)?, None);
        }
        if chosen("jit") {
            let (first, stats) = cold(named, threads)?;
            row("jit", true, first, Some(stats));
            let mut engine = blocking(Effort::Careful)?;
            let mut replay = |is_clocked| replay(named, M::compiled(&mut engine), threads, is_clocked);
            row("jit", false, timing::steady(duration, &mut replay)?, None);
        }
    }
    Ok(rows)
}

fn replay<M: Commands>(
    named: &Named<M>,
    engine: &mut M::Stages<'_>,
    threads: usize,
    is_clocked: bool,
) -> Result<Timing<M::Stats>, ReplayError> {
    let replay = if is_clocked { timing::replay::<M> } else { timing::unclocked::<M> };
    Ok(replay(&named.capture, engine, threads)?)
}

/// An engine that compiles before it draws. With care it has the code that the background mode has in the end.
fn blocking(effort: Effort) -> Result<Engine, ReplayError> {
    Ok(Engine::builder().mode(EngineMode::Blocking).effort(effort).build()?)
}

/// The first replay of some new engines, and the compile counters of the fastest.
fn cold<M: Commands>(named: &Named<M>, threads: usize) -> Result<(Steady<M::Stats>, Stats), ReplayError> {
    let mut runs = Vec::new();
    for _ in 0..COLD_RUNS {
        let mut engine = blocking(Effort::default())?;
        let timing = timing::replay::<M>(&named.capture, M::compiled(&mut engine), threads)?;
        runs.push((timing, engine.stats()));
    }
    runs.sort_by_key(|(timing, _)| timing.whole);
    let stats = runs[0].1.clone();
    let runs: Vec<_> = runs.into_iter().map(|(timing, _)| timing).collect();
    Ok((Steady::of(runs.clone(), runs), stats))
}

/// Milliseconds of a frame.
fn per_frame(time: Duration, frames: usize) -> f64 {
    time.as_secs_f64() * 1e3 / frames.max(1) as f64
}

impl<S> Row<S> {
    fn name(&self) -> String {
        if self.is_cold { format!("{}, cold", self.engine) } else { self.engine.into() }
    }

    /// Milliseconds of a frame: all of it, the replay in the middle, the stages in the order of the machine, and
    /// the player outside it.
    fn milliseconds(&self, frames: usize) -> [(&'static str, f64); 7] {
        let Timing { vertex, fragment, transfer, command, .. } = self.steady.stages;
        let Timing { whole, player, .. } = self.steady.best;
        [
            ("frame", whole),
            ("median", self.steady.median),
            ("commands", command),
            ("vertices", vertex),
            ("fragments", fragment),
            ("transfers", transfer),
            ("player", player),
        ]
        .map(|(name, time)| (name, per_frame(time, frames)))
    }
}

/// The counts of a capture.
fn counts<S: Counters>(rows: &[Row<S>]) -> [u64; 4] {
    rows.first().map(|row| row.steady.best.stats.counts()).unwrap_or_default()
}

/// The counts in a line.
fn heading<M: Commands>(named: &Named<M>, rows: &[Row<M::Stats>]) -> String {
    let frames = frames::<M>(&named.capture);
    let [draws, vertices, primitives, fragments] = counts(rows).map(thousands);
    let [primitive_noun, fragment_noun] = M::NOUNS;
    format!(
        "{}: {frames} frame{}, {draws} draws, {vertices} vertices, {primitives} {primitive_noun}, {fragments} \
         {fragment_noun}; {}\n",
        named.name,
        if frames == 1 { "" } else { "s" },
        M::kind(&named.capture).1,
    )
}

fn text<M: Commands>(named: &Named<M>, rows: &[Row<M::Stats>]) -> String {
    let frames = frames::<M>(&named.capture);
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
        "player",
        "ns/vertex",
        "ns/fragment",
        "replays",
        "faster",
        "",
    ]);
    for row in rows {
        let stages = &row.steady.stages;
        let times = row.milliseconds(frames);
        let mut cells = vec![row.name(), row.threads.to_string(), format!("{:.1}", 1e3 / times[0].1)];
        cells.extend(times.map(|(_, ms)| format!("{ms:.2}")));
        cells.push(format!("{:.1}", stages.per_vertex()));
        cells.push(format!("{:.1}", stages.per_fragment()));
        cells.push(row.steady.replays.to_string());
        cells.push(row.ratio.map_or_else(String::new, |ratio| format!("{ratio:.1}x")));
        cells.push(row.compiled.as_ref().map_or_else(String::new, compiled_text));
        table.row(cells);
    }
    format!("{}{}\n", heading(named, rows), table.text(1))
}

fn compiled_text(stats: &Stats) -> String {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    format!("{} routines in {:.1} ms", stats.compiles, ms(stats.compile_time))
}

fn document<M: Commands>(named: &Named<M>, decoding: Duration, rows: &[Row<M::Stats>]) -> Value {
    let frames = frames::<M>(&named.capture);
    let [draws, vertices, primitives, fragments] = counts(rows);
    let [primitive_noun, fragment_noun] = M::NOUNS;
    let (key, kind) = M::kind(&named.capture);
    let rows: Vec<_> = rows.iter().map(|row| row_document(row, frames)).collect();
    json!({
        "capture": named.name,
        key: kind,
        "frames": frames,
        "draws": draws,
        "vertices": vertices,
        primitive_noun: primitives,
        fragment_noun: fragments,
        "decode_ms": decoding.as_secs_f64() * 1e3,
        "rows": rows,
    })
}

fn row_document<S: Counters>(row: &Row<S>, frames: usize) -> Value {
    let times = row.milliseconds(frames);
    let ms: serde_json::Map<_, _> = times.iter().map(|&(name, ms)| (name.into(), json!(ms))).collect();
    json!({
        "engine": row.engine,
        "cold": row.is_cold,
        "threads": row.threads,
        "frames_per_second": 1e3 / times[0].1,
        "ms_per_frame": ms,
        "ns_per_vertex": row.steady.stages.per_vertex(),
        "ns_per_fragment": row.steady.stages.per_fragment(),
        "replays": row.steady.replays,
        "times_as_fast_as_interp": row.ratio,
        "routines": row.compiled.as_ref().map(|stats| stats.compiles),
        "compile_ms": row.compiled.as_ref().map(|stats| stats.compile_time.as_secs_f64() * 1e3),
    })
}
