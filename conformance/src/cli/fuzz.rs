//! `picaflor fuzz`: random programs on the interpreter and on compiled code, random command lists, random
//! fragment states, and the laws of their keys.

pub(super) mod lists;
pub(super) mod parts;

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::CliError;
use super::ge::fuzz as ge;
use super::pica::fuzz as pica;
use super::results::Shard;
use crate::ge::campaign::Cases as _;
use crate::ge::pixels::Pixels;
use crate::ge::vertices::Vertices;
use crate::pica::programs::campaign::{self, Finding, PRECISIONS, Plan, Summary, WayTally};
use crate::pica::programs::case::Case;
use crate::pica::programs::compare::{self, Verdict, Way};
use crate::pica::programs::locate;
use crate::pica::programs::outcome::{Candidate, Loaded};
use crate::pica::programs::reduce;
use crate::pica::programs::report::{self, Subject};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use picaflor_jit::CompileError;
use picaflor_pipeline::pica::float::Precision;
use serde_json::{Value, json};

/// Compare compiled code with the interpreter on random programs, command lists or fragment states.
///
/// Each case of a program runs in both precisions and three ways: the fast variant with replay, the exact
/// variant, and without the interpreter to fall back to. It counts as the same only if compiled code produced
/// it. Each case of lists runs on the whole machine, in both precisions, on both engines, with one and two
/// threads; whatever the guest can see has to be the same, and nothing may panic. Cases of fragments are
/// triangles in a random state, eight to a state, drawn with and without the interpreter to fall back to,
/// in tiles, and now and then on threads and while code is being made. Cases of laws are states: their keys
/// are found again from text and registers, and other states with the same key draw the same.
///
/// Cases of the PSP's GE are pixel states with primitives, vertex states with batches, each drawn or transformed by
/// compiled code alone, and display lists on the whole machine, through the queue of system software too.
///
/// The same seed gives the same cases on every host, whatever the number of threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  picaflor fuzz --cases 200000 --seed 1
  picaflor fuzz --kind list --seconds 600
  picaflor fuzz --kind fragment --cases 1000000
  picaflor fuzz --kind law --cases 1000000
  picaflor fuzz --kind ge-pixel --cases 1000000
  picaflor fuzz --kind ge-list --seconds 600 --recordings dumps
  picaflor fuzz --kind list --cases 100000 --shard 1/4 --results lists-1.jsonl")]
pub struct Args {
    /// What the cases are
    #[arg(long, value_enum, default_value_t = Kind::Shader)]
    pub(super) kind: Kind,
    /// Number of cases; unless given, 20000, or 2000 of lists
    #[arg(long)]
    pub(super) cases: Option<u64>,
    /// Begin no further case after this time; not for shader programs
    #[arg(long, value_name = "N")]
    pub(super) seconds: Option<u64>,
    /// Seed of the generator
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of the first case
    #[arg(long, default_value_t = 0)]
    pub(super) first: u64,
    /// Run only every n-th part of the cases, from part i on: for n processes that share the work
    #[arg(long, value_name = "i/n", default_value = "0/1")]
    pub(super) shard: Shard,
    /// File for the results of each part of the cases; parts that are in it already are not run again, and
    /// `picaflor merge` puts files of shards together
    #[arg(long, value_name = "FILE")]
    pub(super) results: Option<PathBuf>,
    /// Threads; as many as the host has processors unless given
    #[arg(long)]
    pub(super) threads: Option<usize>,
    /// Run each case of fragments in all ways
    #[arg(long)]
    pub(super) all_ways: bool,
    /// Folder for reproducing files of differences
    #[arg(long, value_name = "DIR", default_value = "fuzz-findings")]
    pub(super) out: PathBuf,
    /// Folder of frame dumps, some of which are changed and run among the display lists of the PSP's GE
    #[arg(long, value_name = "DIR")]
    pub(super) recordings: Option<PathBuf>,
    /// Print the counts as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Run the case in a file instead of random ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cases", "seed", "first", "shard", "results"])]
    pub(super) replay: Option<PathBuf>,
}

/// What the cases are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Kind {
    /// Shader programs.
    Shader,
    /// Command lists.
    List,
    /// States of the fragment pipeline, and triangles.
    Fragment,
    /// States of the fragment pipeline, and their keys.
    Law,
    /// Pixel states of the PSP's GE, and primitives.
    GePixel,
    /// Vertex states of the PSP's GE, and batches.
    GeVertex,
    /// Display lists of the PSP's GE.
    GeList,
}

impl Kind {
    /// Cases unless their number or a time is given.
    pub(super) const fn cases(self) -> u64 {
        match self {
            Self::List | Self::GeList => 2_000,
            _ => 20_000,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Shader => "shader",
            Self::List => "list",
            Self::Fragment => "fragment",
            Self::Law => "law",
            Self::GePixel => Pixels::KIND,
            Self::GeVertex => Vertices::KIND,
            Self::GeList => "ge-list",
        }
    }
}

/// How long one case may be shrunk.
const REDUCTION: Duration = Duration::from_secs(10);

/// Runs the subcommand; the exit code tells whether there was a difference.
///
/// # Errors
/// Compiled code cannot run on this host, or a file cannot be read or written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let in_parts = args.shard.is_some() || args.results.is_some();
    if args.kind == Kind::Shader && args.seconds.is_some() && !in_parts {
        return Err(CliError::new("--seconds is not for --kind shader without --shard or --results"));
    }
    let differs = match (args.kind, &args.replay) {
        (_, None) if in_parts => parts::search(args, args.shard)?,
        (Kind::Law, _) => pica::law::search(args)?,
        (Kind::GePixel, _) => ge::states::search::<Pixels>(args)?,
        (Kind::GeVertex, _) => ge::states::search::<Vertices>(args)?,
        (Kind::GeList, Some(file)) => ge::list::replay(file)?,
        (Kind::GeList, None) => lists::search::<ge::list::DisplayLists>(args)?,
        (Kind::Shader, Some(file)) => replay(file)?,
        (Kind::Shader, None) => search(args)?,
        (Kind::List, Some(file)) => pica::list::replay(file)?,
        (Kind::List, None) => lists::search::<pica::list::CommandLists>(args)?,
        (Kind::Fragment, Some(file)) => pica::fragment::replay(file)?,
        (Kind::Fragment, None) => pica::fragment::search(args)?,
    };
    Ok(if differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn engine(way: Way) -> Result<Box<dyn Candidate>, CompileError> {
    Ok(Box::new(way.engine()?))
}

fn search(args: &Args) -> Result<bool, CliError> {
    let (plan, start) = (plan(args, (args.first, args.cases.unwrap_or(args.kind.cases()))), Instant::now());
    let summary = run_plan(&plan)?;
    if args.json {
        println!("{:#}", as_json(&plan, &summary));
    } else {
        print!("{}", as_text(&plan, &summary, start.elapsed()));
    }
    explain_all(args, &summary)?;
    Ok(summary.differences() != 0)
}

/// Runs a part of the cases; the counts.
fn search_part(args: &Args, span: parts::Span) -> Result<Value, CliError> {
    let plan = plan(args, span);
    let summary = run_plan(&plan)?;
    explain_all(args, &summary)?;
    Ok(as_json(&plan, &summary))
}

fn plan(args: &Args, (first, cases): parts::Span) -> Plan {
    Plan { seed: args.seed, first, cases, shard: (0, 1), threads: threads(args) }
}

fn run_plan(plan: &Plan) -> Result<Summary, CliError> {
    let bar = progress_bar(plan.cases, None);
    let summary = campaign::run(plan, &engine, &|done| bar.inc(done)).map_err(CliError::new);
    bar.finish_and_clear();
    summary
}

fn explain_all(args: &Args, summary: &Summary) -> Result<(), CliError> {
    summary.findings.iter().try_for_each(|finding| explain(args, finding))
}

pub(super) fn threads(args: &Args) -> usize {
    args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// A bar that counts cases, or seconds where time is given.
pub(super) fn progress_bar(cases: u64, seconds: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::new(seconds.unwrap_or(cases));
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let unit = if seconds.is_some() { "seconds" } else { "cases" };
    let template = format!("{{bar:40}} {{human_pos}}/{{human_len}} {unit}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}

/// Shrinks a finding, writes it and its report, and prints the report.
fn explain(args: &Args, finding: &Finding) -> Result<(), CliError> {
    let origin = format!("{} of seed {}", finding.number, args.seed);
    let name = format!("seed-{}-case-{}", args.seed, finding.number);
    let mut check = Check { way: finding.way, engine: engine(finding.way).map_err(CliError::new)? };
    let case = reduce::reduce(&finding.case, REDUCTION, &mut |case| check.differs(case));
    let text = check.report(&case, &origin).unwrap_or_default();
    let path = args.out.join(format!("{name}.json"));
    write(&path, &case.to_json())?;
    write(&args.out.join(format!("{name}.txt")), &text)?;
    eprintln!("\n{text}\nreproduce with: picaflor fuzz --replay {}", path.display());
    Ok(())
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), CliError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .map_err(|why| CliError::new(format!("cannot make {}: {why}", folder.display())))?;
    super::write_atomic(path, text.as_bytes())
}

/// One way, to run single cases on.
struct Check {
    way: Way,
    engine: Box<dyn Candidate>,
}

impl Check {
    fn verdict(&mut self, case: &Case) -> Verdict {
        let program = case.program();
        let loaded = Loaded::new(case, &program);
        let expected = compare::reference(&loaded);
        let (verdict, _) = compare::compare_contained(&loaded, &expected, self.engine.as_mut());
        if verdict.is_panic()
            && let Ok(fresh) = engine(self.way)
        {
            self.engine = fresh;
        }
        verdict
    }

    fn differs(&mut self, case: &Case) -> bool {
        matches!(self.verdict(case), Verdict::Differs(_))
    }

    /// The report of a case; `None` if it does not differ.
    fn report(&mut self, case: &Case, origin: &str) -> Option<String> {
        let verdict = self.verdict(case);
        let panicked = verdict.is_panic();
        let Verdict::Differs(differences) = verdict else { return None };
        let at = differences.iter().find_map(|difference| difference.place.invocation());
        let located = at.filter(|_| !panicked).and_then(|at| locate::locate(case, at, self.engine.as_mut()));
        let engine = self.way.name();
        let subject = Subject { origin, engine, case, differences: &differences, located: located.as_ref() };
        Some(report::report(&subject))
    }
}

/// Runs the case of a file in all ways; whether one differs.
fn replay(file: &Path) -> Result<bool, CliError> {
    let case = Case::load(file).map_err(CliError::new)?;
    let mut differs = false;
    for way in Way::ALL {
        let mut check = Check { way, engine: engine(way).map_err(CliError::new)? };
        match check.verdict(&case) {
            Verdict::Same => println!("{way}: same"),
            Verdict::Incomparable(reason) => println!("{way}: not compared, {reason}"),
            Verdict::Differs(_) => {
                differs = true;
                println!("{}", check.report(&case, &file.display().to_string()).unwrap_or_default());
            }
        }
    }
    Ok(differs)
}

fn precision_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Console => "console",
        Precision::Binary32 => "binary32",
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

fn tallies(summary: &Summary) -> impl Iterator<Item = (Precision, Way, &WayTally)> {
    PRECISIONS.into_iter().zip(&summary.ways).flat_map(|(precision, ways)| {
        Way::ALL.into_iter().zip(ways).map(move |(way, tally)| (precision, way, tally))
    })
}

fn as_text(plan: &Plan, summary: &Summary, time: Duration) -> String {
    let mut text = format!("seed {}\n", plan.seed);
    text += &format!("cases              {:>12}   in both precisions, three ways each\n", summary.cases);
    text += &format!("distinct programs  {:>12}\n", summary.programs);
    text += &format!("words executed     {:>12}   by the interpreter\n", summary.words);
    text +=
        &format!("digest of results  {:>16x}   of the interpreter, equal on every host\n", summary.digest);
    text += &format!("time               {:>10.1} s\n\n", time.as_secs_f64());
    text += "precision  way                      same   differs   not compared   replayed\n";
    for (precision, way, tally) in tallies(summary) {
        let refused = percent(tally.not_compared(), summary.cases);
        text += &format!(
            "{:<10} {way:<18} {:>10} {:>9} {:>7} {refused:>4.1} % {:>8.2} %\n",
            precision_name(precision),
            tally.same,
            tally.differs,
            tally.not_compared(),
            percent(tally.replayed, tally.groups),
        );
    }
    text += &reasons_as_text(summary);
    text += &format!("\ndifferences: {}\n", summary.differences());
    text
}

fn reasons_as_text(summary: &Summary) -> String {
    let mut text = String::from("\nnot compared, by reason\n");
    for (precision, way, tally) in tallies(summary) {
        for (reason, count) in &tally.incomparable {
            let precision = precision_name(precision);
            text += &format!("  {precision:<9} {way:<18} {count:>8}  {reason}\n");
        }
    }
    text
}

fn as_json(plan: &Plan, summary: &Summary) -> Value {
    let ways: Vec<Value> = tallies(summary)
        .map(|(precision, way, tally)| {
            json!({
                "precision": precision_name(precision),
                "way": way.name(),
                "same": tally.same,
                "differs": tally.differs,
                "not_compared": tally.incomparable,
                "groups": tally.groups,
                "replayed": tally.replayed,
            })
        })
        .collect();
    json!({
        "seed": plan.seed,
        "cases": summary.cases,
        "distinct_programs": summary.programs,
        "words_executed": summary.words,
        "digest": format!("{:016x}", summary.digest),
        "ways": ways,
        "differences": summary.differences(),
    })
}
