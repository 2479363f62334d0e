//! `picaflor diff`: captures on two engines in lock step.

pub(super) mod compared;
pub(super) mod junit;
mod report;

use super::cache::Cache;
use super::capture::{self, host_threads, parse_threads};
use super::machine::engines;
use super::results::{Results, Shard};
use super::source::Source;
use super::table::{Table, thousands};
use super::{CliError, plain, print, write_atomic};
use crate::defect::Defect;
use crate::image::Panels;
use crate::machine::Precision;
use crate::setup::Setup;
use compared::{Compared, Held, Task, verdict};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, Value, json};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Replay captures on two engines in lock step and compare everything.
///
/// After every draw, fill and transfer: the registers, the colour and depth buffers, the written memory. At the end
/// of a frame: the screens. At the end: all memory, the state of the machine, faults of the guest. Work that compiled
/// code left to the interpreter, and that was therefore not compared, is listed. In captures of the PSP, all of VRAM
/// and the state of the machine are compared after every list, with --report after every draw; the interpreter draws
/// on one thread there.
///
/// Where all is the same, the engine plays once more in one go, as hosts do: draws wait for others and overlap from list to
/// list. The ends of frames and all memory are compared then.
///
/// After a difference, the interpreter's memory and state are copied to the other engine: each difference is new, made
/// from equal inputs by the work since the point before.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor diff scene:all --precision both
  picaflor diff ge:all --threads 1,2,3
  picaflor diff game.ctf -o differences --threads 2
  picaflor diff game.picacap --report report --junit report.xml")]
pub struct Args {
    /// Captures in the own format, CiTrace (.ctf) or frame dumps of the PSP (.ppdmp), also in .gz or .zip; or scene:NAME or ge:NAME; scene:all or ge:all for all scenes; - for standard input
    #[arg(required = true, value_name = "CAPTURE")]
    captures: Vec<Source>,
    /// The engine to compare with the interpreter
    #[arg(long, default_value = "jit", value_parser = clap::builder::PossibleValuesParser::new(engines(1)))]
    engine: String,
    /// Threads to draw on, one comparison for each number; default: the number of processors
    #[arg(long, value_delimiter = ',', value_parser = parse_threads)]
    threads: Vec<usize>,
    /// Precision of shader arithmetic; that of the capture unless given
    #[arg(long, value_enum)]
    precision: Option<Precisions>,
    /// Folder for pictures of differences: expected, difference, actual
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder for a report: index.html, self-contained, and reduced captures that differ
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// For the report: seconds to look for a smaller capture that differs, for each of the first four
    #[arg(long, value_name = "SECONDS", default_value_t = 20, requires = "report")]
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
    /// Damages the engine's output, to test a report
    #[arg(long, value_enum, hide = true)]
    defect: Option<Defect>,
    #[command(flatten)]
    cache: Cache,
    /// Let each engine go on with its own memory after a difference; differences that come from earlier ones are
    /// told as carried
    #[arg(long)]
    carry: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Precisions {
    /// Rounding of the console
    Console,
    /// Binary32
    Binary32,
    /// Both, one after the other
    Both,
}

impl Precisions {
    fn list(chosen: Option<Self>) -> Vec<Option<Precision>> {
        let [console, binary32] = [Precision::Console, Precision::Binary32].map(Some);
        match chosen {
            None => vec![None],
            Some(Self::Console) => vec![console],
            Some(Self::Binary32) => vec![binary32],
            Some(Self::Both) => vec![console, binary32],
        }
    }
}

impl Args {
    fn held(&self) -> Held<'_> {
        let setup = Setup { cache: self.cache.folder.as_deref(), dumps: None, defect: self.defect };
        Held { engine: &self.engine, setup, steps: self.report.is_some(), carry: self.carry }
    }
}

/// A capture that was compared.
struct Row<'a> {
    /// Its source.
    source: Source,
    /// Its name as in JSON, with the number of threads where there are several.
    name: String,
    threads: usize,
    comparison: Box<dyn Compared + 'a>,
}

/// Runs the subcommand; the exit code is 1 if there was a difference.
///
/// # Errors
/// A capture cannot be read or replayed, or a picture or report cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    capture::allow_precision(&args.captures, args.precision.is_some())?;
    let tasks = tasks(args);
    [&args.out, &args.report].into_iter().flatten().try_for_each(|folder| capture::refuse_file(folder))?;
    args.junit.as_deref().map_or(Ok(()), capture::refuse_folder)?;
    let mut results = Results::open(args.results.as_deref(), plan(args, &tasks))?;
    let rows = compare_all(args, &tasks, &mut results)?;
    let is_same = results.parts().values().all(|row| row["same"] == true);
    let cache = args.cache.report(rows.iter().map(|row| row.comparison.disk()));
    let all: Vec<Value> = results.parts().values().cloned().collect();
    let earlier = all.len() - rows.len();
    print(&match args.json {
        true => format!("{:#}\n", json!({ "same": is_same, "captures": all })),
        false => as_text(&rows) + &earlier_as_text(&results, earlier) + &cache,
    })?;
    if let Some(folder) = &args.out {
        rows.iter().try_for_each(|row| write_differences(folder, &row.stem(), row.comparison.pictures()))?;
    }
    if let Some(folder) = &args.report {
        report::write(args, folder, &rows, earlier)?;
    }
    if let Some(file) = &args.junit {
        write_atomic(file, junit::document(&all).as_bytes())?;
    }
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Every capture in each precision, if its machine has several, on each number of threads: those of all shards.
fn tasks(args: &Args) -> Vec<Task> {
    let threads = if args.threads.is_empty() { vec![host_threads()] } else { args.threads.clone() };
    let mut tasks = Vec::new();
    for source in capture::expand(&args.captures) {
        let machine = capture::machine_of(&source);
        let precisions = if machine.has_precisions() { Precisions::list(args.precision) } else { vec![None] };
        for precision in precisions {
            let task = |&threads| Task { source: source.clone(), precision, threads };
            tasks.extend(threads.iter().map(task));
        }
    }
    tasks
}

fn plan(args: &Args, tasks: &[Task]) -> Value {
    let precision = |precision: &Option<Precision>| precision.map_or("its own", Precision::name);
    let captures: Vec<Value> =
        tasks.iter().map(|task| json!([task.source, precision(&task.precision)])).collect();
    let defect = args.defect.map(Defect::name);
    // Results do not depend on threads; how many comparisons there are does.
    let mut plan = json!({ "of": "diff", "engine": args.engine, "defect": defect, "captures": captures,
        "parts": tasks.len() });
    if args.carry {
        plan["carry"] = true.into();
    }
    plan
}

fn compare_all<'a>(args: &'a Args, tasks: &[Task], results: &mut Results) -> Result<Vec<Row<'a>>, CliError> {
    let mut rows = Vec::new();
    for (part, task) in (0..).zip(tasks) {
        if args.shard.has(part) && results.get(part).is_none() {
            let row = compare_one(args, task)?;
            results.add(part, row.as_json())?;
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

fn compare_one<'a>(args: &'a Args, task: &Task) -> Result<Row<'a>, CliError> {
    let comparison = capture::machine_of(&task.source).compared(args.held(), task)?;
    let (source, threads) = (task.source.clone(), task.threads);
    let mut name = source.raw();
    if args.threads.len() > 1 {
        name += &format!(", threads: {threads}");
    }
    Ok(Row { source, name, threads, comparison })
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

fn as_text(rows: &[Row<'_>]) -> String {
    let heading = ["capture", "precision", "points", "surfaces", "bytes", "compiled", "verdict"];
    let mut table = Table::new(&heading);
    let mut details = String::new();
    for Row { name, comparison, .. } in rows {
        let name = plain(name);
        let [points, surfaces, bytes] = comparison.counts().map(thousands);
        let (kind, compiled) = (comparison.kind().into(), comparison.compiled());
        let verdict = verdict(comparison.differing(), comparison.carried());
        let lines = comparison.lines();
        details += &lines.iter().map(|line| format!("{name}: {line}\n")).collect::<String>();
        table.row(vec![name, kind, points, surfaces, bytes, compiled, verdict]);
    }
    table.text(2) + &details
}

impl Row<'_> {
    fn as_json(&self) -> Value {
        let mut row = Map::new();
        row.insert("capture".into(), json!(self.name));
        row.insert("threads".into(), json!(self.threads));
        row.insert("same".into(), json!(self.comparison.is_same()));
        row.extend(self.comparison.details());
        Value::Object(row)
    }

    /// The start of the names of its files.
    fn stem(&self) -> String {
        let stem = format!("{}-{}", capture::stem(&self.source), self.comparison.kind().to_lowercase());
        if self.name == self.source.raw() { stem } else { format!("{stem}-threads-{}", self.threads) }
    }
}

/// Pictures of differences, numbered.
pub(super) fn write_differences(folder: &Path, stem: &str, pictures: Vec<&Panels>) -> Result<(), CliError> {
    for (number, picture) in pictures.into_iter().enumerate() {
        capture::make_folder(folder)?;
        let name = format!("{stem}-difference-{number}.png");
        capture::write_into(folder, &name, &picture.side_by_side().to_png())?;
    }
    Ok(())
}
