//! `picaflor diff`: captures on two engines in lock step.

pub(super) mod junit;
mod report;

use super::cache::{self, Cache};
use super::capture::{self, Named, PrecisionName, host_threads, parse_threads};
use super::results::{Results, Shard};
use super::table::{Table, thousands};
use super::{CliError, ge, print, write_atomic};
use crate::defect::Defect;
use crate::engine::NAMES;
use crate::replay::{self, Comparison, Difference, Options, ReplayError, Side};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use picaflor_pipeline::pica::float::Precision;
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Replay captures on two engines in lock step and compare everything.
///
/// After every draw, fill and transfer: the registers, the colour and depth buffers, what was written. At the
/// end of a frame: the screens. At the end: all memory, the state of the machine, what the guest did wrong.
/// What compiled code left to the interpreter, and so was not compared, is listed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor diff scene:all --precision both
  picaflor diff game.ctf -o differences --threads 2
  picaflor diff game.picacap --report report --junit report.xml")]
pub struct Args {
    /// Captures in the own format, CiTrace (.ctf) or frame dumps of the PSP (.ppdmp), or scene:NAME or ge:NAME; scene:all or ge:all for all scenes
    #[arg(required = true, value_name = "CAPTURE")]
    captures: Vec<String>,
    /// The engine to hold against the interpreter
    #[arg(long, default_value = "jit", value_parser = clap::builder::PossibleValuesParser::new(&NAMES[1..]))]
    engine: String,
    /// Threads to draw on; as many as the host has processors unless given
    #[arg(long, value_parser = parse_threads)]
    threads: Option<usize>,
    /// Precision of shader arithmetic; that of the capture unless given
    #[arg(long, value_enum)]
    precision: Option<Precisions>,
    /// Folder for pictures of differences: expected, difference, actual
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder for a report: index.html, which needs nothing else, and small captures that differ
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// For the report: seconds to look for a smaller capture that differs, for each of the first four
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    reduce: u64,
    /// File for the verdicts as JUnit XML, which CI systems read
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Compare only every n-th capture, from the i-th on: for n processes that share the work
    #[arg(long, value_name = "i/n", default_value = "0/1")]
    shard: Shard,
    /// File for the verdict on each capture; captures that are in it already are not compared again, and
    /// `picaflor merge` puts files of shards together
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Damages what the engine makes, to see a report
    #[arg(long, value_enum, hide = true)]
    defect: Option<Defect>,
    #[command(flatten)]
    cache: Cache,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Precisions {
    /// As the console rounds
    Console,
    /// Binary32
    Binary32,
    /// One after the other
    Both,
}

impl Precisions {
    fn list(chosen: Option<Self>) -> Vec<Option<Precision>> {
        let [console, binary32] = [PrecisionName::Console, PrecisionName::Binary32].map(|p| Some(p.into()));
        match chosen {
            None => vec![None],
            Some(Self::Console) => vec![console],
            Some(Self::Binary32) => vec![binary32],
            Some(Self::Both) => vec![console, binary32],
        }
    }
}

impl Args {
    fn options(&self) -> Options<'_> {
        Options {
            cache: self.cache.folder.as_deref(),
            dumps: None,
            defect: self.defect,
            threads: self.threads.unwrap_or_else(host_threads),
            steps: self.report.is_some(),
        }
    }
}

/// A capture that was compared.
struct Row {
    /// Where it came from.
    source: String,
    name: String,
    precision: Precision,
    comparison: Comparison,
}

/// Captures and precisions to compare, those of all shards.
type Tasks = Vec<(String, Option<Precision>)>;

/// Runs the subcommand; the exit code tells whether there was a difference.
///
/// # Errors
/// A capture cannot be read or replayed, or a picture or report cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    if args.captures.iter().any(|source| ge::is_ge(source)) {
        return ge_captures(args);
    }
    let tasks = tasks(args);
    args.report.as_deref().map_or(Ok(()), report::refuse)?;
    let mut results = Results::open(args.results.as_deref(), plan(args, &tasks))?;
    let rows = compare_all(args, &tasks, &mut results)?;
    let is_same = results.parts().values().all(|row| row["same"] == true);
    let cache = args.cache.report(rows.iter().map(|row| &row.comparison.candidate));
    let all: Vec<Value> = results.parts().values().cloned().collect();
    let earlier = all.len() - rows.len();
    print(&match args.json {
        true => format!("{:#}\n", json!({ "same": is_same, "captures": all })),
        false => as_text(&rows) + &earlier_as_text(&results, earlier) + &cache,
    })?;
    if let Some(folder) = &args.out {
        rows.iter().try_for_each(|row| write_pictures(folder, row))?;
    }
    if let Some(folder) = &args.report {
        report::write(args, folder, &rows, earlier)?;
    }
    if let Some(file) = &args.junit {
        write_atomic(file, junit::document(&all).as_bytes())?;
    }
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Captures of the GE, which have a table of their own.
fn ge_captures(args: &Args) -> Result<ExitCode, CliError> {
    if !args.captures.iter().all(|source| ge::is_ge(source)) {
        return Err(CliError::new("captures of the PSP and of the 3DS are compared apart"));
    }
    let more = [&args.report, &args.junit, &args.results];
    if more.iter().any(|option| option.is_some()) {
        return Err(CliError::new("--report, --junit and --results are not for captures of the PSP"));
    }
    ge::diff(&args.captures, &args.engine, args.out.as_deref(), args.json)
}

fn tasks(args: &Args) -> Tasks {
    let precisions = Precisions::list(args.precision);
    let of_one = |source: String| precisions.iter().map(move |&precision| (source.clone(), precision));
    capture::expand(&args.captures).into_iter().flat_map(of_one).collect()
}

fn plan(args: &Args, tasks: &Tasks) -> Value {
    let precision = |precision: &Option<Precision>| precision.map_or("its own", precision_name);
    let captures: Vec<Value> =
        tasks.iter().map(|(source, chosen)| json!([source, precision(chosen)])).collect();
    let defect = args.defect.map(Defect::name);
    json!({ "of": "diff", "engine": args.engine, "defect": defect, "captures": captures, "parts": tasks.len() })
}

fn compare_all(args: &Args, tasks: &Tasks, results: &mut Results) -> Result<Vec<Row>, CliError> {
    let mut rows = Vec::new();
    for (part, (source, precision)) in (0..).zip(tasks) {
        if args.shard.has(part) && results.get(part).is_none() {
            let row = compare_one(args, source, capture::load(source, *precision)?)?;
            results.add(part, row_as_json(&row))?;
            rows.push(row);
        }
    }
    Ok(rows)
}

fn earlier_as_text(results: &Results, earlier: usize) -> String {
    match earlier {
        0 => String::new(),
        _ => {
            let wrong = results.parts().values().filter(|row| row["same"] != true).count();
            format!("{earlier} were compared before; of all, {wrong} differ\n")
        }
    }
}

fn compare_one(args: &Args, source: &str, Named { name, capture }: Named) -> Result<Row, CliError> {
    let bar = progress_bar(capture.events.len() as u64, &name);
    let engines = ["interp", args.engine.as_str()];
    let comparison = replay::compare_with(&capture, engines, args.options(), &|| bar.inc(1));
    bar.finish_and_clear();
    let fail = |why: ReplayError| CliError::new(format!("cannot use `{name}`: {why}"));
    let source = source.to_owned();
    Ok(Row { comparison: comparison.map_err(fail)?, precision: capture.precision, source, name })
}

/// A bar on standard error, if that is a terminal.
pub(super) fn progress_bar(length: u64, message: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar.set_message(message.to_owned());
    bar
}

fn as_text(rows: &[Row]) -> String {
    let heading = ["capture", "precision", "points", "surfaces", "bytes", "compiled", "verdict"];
    let mut table = Table::new(&heading);
    let mut details = String::new();
    for Row { name, precision, comparison, .. } in rows {
        let findings = &comparison.findings;
        table.row(vec![
            name.clone(),
            precision_name(*precision).into(),
            thousands(findings.points),
            thousands(findings.surfaces),
            thousands(findings.bytes),
            compiled(&comparison.candidate),
            verdict(comparison),
        ]);
        details += &describe(name, comparison);
    }
    table.text(2) + &details
}

pub(super) const fn precision_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Console => "console",
        Precision::Binary32 => "binary32",
    }
}

/// Batches that compiled code served, of all.
pub(super) fn compiled(side: &Side) -> String {
    format!("{}/{}", side.batches.compiled, side.batches.total())
}

pub(super) fn verdict(comparison: &Comparison) -> String {
    let findings = &comparison.findings;
    match findings.differences.len() as u64 + findings.more {
        0 => "same".into(),
        1 => "DIFFERS in 1 surface".into(),
        count => format!("DIFFERS in {count} surfaces"),
    }
}

/// The differences of a capture, who else shaded, and what the guest did wrong, line by line.
pub(super) fn describe(name: &str, comparison: &Comparison) -> String {
    let findings = &comparison.findings;
    let mut lines: Vec<String> = findings.differences.iter().map(describe_difference).collect();
    if findings.more > 0 {
        lines.push(format!("{} more differences", findings.more));
    }
    lines.extend(notes(&comparison.candidate));
    lines.iter().map(|line| format!("{name}: {line}\n")).collect()
}

/// What was not compiled, lists that were given up, and what the guest did wrong.
fn notes(side: &Side) -> Vec<String> {
    let Side { batches, faults, given_up, .. } = side;
    let mut lines: Vec<String> = Vec::new();
    lines.extend(batches.others.iter().map(|(why, count)| format!("{count} batches not compiled ({why})")));
    if batches.interpreted_tiles > 0 {
        lines.push(format!("{} tiles of fragments were interpreted", batches.interpreted_tiles));
    }
    lines.extend(given_up.iter().map(|why| format!("given up: {why}")));
    lines.extend(faults.as_slice().iter().map(|fault| format!("fault: {fault}")));
    if faults.dropped() > 0 {
        lines.push(format!("{} more faults", faults.dropped()));
    }
    lines
}

fn describe_difference(difference: &Difference) -> String {
    let Difference { place, surface, bytes, what, .. } = difference;
    format!("{place}: {surface}: {bytes} bytes differ, first {what}")
}

fn row_as_json(Row { name, precision, comparison, .. }: &Row) -> Value {
    let findings = &comparison.findings;
    json!({
        "capture": name,
        "precision": precision_name(*precision),
        "same": comparison.is_same(),
        "points": findings.points,
        "surfaces": findings.surfaces,
        "bytes": findings.bytes,
        "engines": [side_as_json(&comparison.reference), side_as_json(&comparison.candidate)],
        "differences": differences_as_json(comparison),
        "more_differences": findings.more,
    })
}

pub(super) fn side_as_json(side: &Side) -> Value {
    json!({
        "engine": side.engine,
        "seconds": side.time.as_secs_f64(),
        "batches": side.batches.total(),
        "compiled": side.batches.compiled,
        "not_compiled": side.batches.others,
        "interpreted_tiles": side.batches.interpreted_tiles,
        "given_up": side.given_up,
        "cache": cache::as_json(&side.disk),
        "faults": side.faults.as_slice().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

pub(super) fn differences_as_json(comparison: &Comparison) -> Value {
    let difference = |Difference { place, surface, bytes, what, .. }: &Difference| {
        json!({
            "frame": place.frame,
            "event": place.event,
            "draw": place.draw,
            "at": place.to_string(),
            "surface": surface,
            "bytes": bytes,
            "first": what,
        })
    };
    comparison.findings.differences.iter().map(difference).collect()
}

fn write_pictures(folder: &Path, Row { name, precision, comparison, .. }: &Row) -> Result<(), CliError> {
    let stem = format!("{}-{}", capture::stem(name), precision_name(*precision));
    write_differences(folder, &stem, comparison)
}

/// The pictures of differences, numbered.
pub(super) fn write_differences(folder: &Path, stem: &str, comparison: &Comparison) -> Result<(), CliError> {
    for (i, difference) in comparison.findings.differences.iter().enumerate() {
        if let Some(picture) = &difference.picture {
            capture::make_folder(folder)?;
            capture::write_into(
                folder,
                &format!("{stem}-difference-{i}.png"),
                &picture.side_by_side().to_png(),
            )?;
        }
    }
    Ok(())
}
