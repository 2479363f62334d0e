//! `picaflor hardware`: frame dumps of the GE compared with the values and screens of consoles.

use crate::cli::capture::{make_folder, refuse_file, write_into};
use crate::cli::table::Table;
use crate::cli::{CliError, print};
use crate::ge::engine;
use crate::ge::hardware::judge::{Miss, Score, Screens, Verdict, judge};
use crate::ge::hardware::reasons::{reason, screen_reason};
use crate::ge::hardware::values::Place;
use crate::ge::hardware::{self, Test};
use crate::given_up::GivenUp;
use crate::image::{Image, Panels};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Replay frame dumps of test programs and compare memory and screens with those of consoles.
///
/// A test is NAME.ppdmp with a table of values, NAME.hw, and for some a screen, NAME.expected.png. `exact` are values
/// of the console that an existing emulator has too, `hwdiff` those that the emulator has wrong, `consistent` values
/// without contradicting evidence; matches are shown out of all known values. Fails if a value or screen differs
/// without a known reason.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor hardware --data tests
  picaflor hardware --data tests --verbose texfunc_add")]
pub struct Args {
    /// Only tests whose names contain one of these
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The folder of the tests, or one that has them in `ge`
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Engine
    #[arg(long, default_value = "interp", value_parser = engine::NAMES)]
    engine: String,
    /// List every value that differs
    #[arg(short, long)]
    verbose: bool,
    /// Folder for screens that differ: expected, difference, actual
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A test that was judged.
struct Row {
    name: String,
    verdict: Verdict,
}

/// Runs the subcommand.
///
/// # Errors
/// The folder or a test cannot be read, or a picture cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    args.out.as_deref().map_or(Ok(()), refuse_file)?;
    let rows = rows(args)?;
    if rows.is_empty() {
        return Err(CliError::new(format!("there are no such tests in `{}`", args.data.display())));
    }
    print(&match args.json {
        true => format!("{:#}\n", json!({ "tests": rows.iter().map(as_json).collect::<Vec<_>>() })),
        false => as_text(&rows) + &misses(&rows, args.verbose),
    })?;
    if let Some(folder) = &args.out {
        rows.iter().try_for_each(|row| write_screens(folder, row))?;
    }
    Ok(if rows.iter().all(is_explained) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn rows(args: &Args) -> Result<Vec<Row>, CliError> {
    let inside = args.data.join("ge");
    let folder = if inside.is_dir() { &inside } else { &args.data };
    let names = hardware::names(folder)
        .map_err(|why| CliError::new(format!("cannot read `{}`: {why}", folder.display())))?;
    let is_chosen =
        |name: &String| args.names.is_empty() || args.names.iter().any(|part| name.contains(part));
    names.into_iter().filter(is_chosen).map(|name| row(args, folder, name)).collect()
}

fn row(args: &Args, folder: &Path, name: String) -> Result<Row, CliError> {
    let test = Test::load(folder, &name).map_err(CliError::new)?;
    let mut engine = engine::by_name(&args.engine).map_err(CliError::new)?;
    let verdict = judge(&test, engine.as_mut());
    let verdict = verdict.map_err(|why| CliError::new(format!("cannot use the dump of {name}: {why}")))?;
    Ok(Row { name, verdict })
}

/// True if everything matches, apart from values with a known reason.
fn is_explained(Row { name, verdict }: &Row) -> bool {
    let values = verdict.misses.iter().all(|miss| reason(name, &miss.expected).is_some());
    values
        && verdict.given_up.is_empty()
        && verdict
            .screens
            .as_ref()
            .is_none_or(|screens| screens.differing == 0 || screen_reason(name, screens).is_some())
}

fn as_text(rows: &[Row]) -> String {
    let mut table = Table::new(&["test", "exact", "hwdiff", "consistent", "screen"]);
    let [mut exact, mut hwdiff, mut consistent] = [Score::default(); 3];
    let mut screens = Score::default();
    for Row { name, verdict } in rows {
        exact += verdict.exact;
        hwdiff += verdict.hwdiff;
        consistent += verdict.consistent;
        if let Some(found) = &verdict.screens {
            screens += Score { matched: (found.differing == 0).into(), known: 1 };
        }
        let scores = [verdict.exact, verdict.hwdiff, verdict.consistent].map(score);
        let cells = [vec![name.clone()], scores.into(), vec![screen(verdict.screens.as_ref())]].concat();
        table.row(cells);
    }
    let totals = [exact, hwdiff, consistent, screens].map(score);
    table.row([vec!["all".to_owned()], totals.into()].concat());
    table.text(1)
}

fn score(score: Score) -> String {
    if score.known == 0 { "-".into() } else { format!("{} of {}", score.matched, score.known) }
}

fn screen(screens: Option<&Screens>) -> String {
    match screens {
        None => "-".into(),
        Some(Screens { differing: 0, .. }) => "equal".into(),
        Some(Screens { differing, largest, .. }) => format!("{differing} pixels differ, by up to {largest}"),
    }
}

/// The values that differ: all, or those without a reason in short.
fn misses(rows: &[Row], all: bool) -> String {
    let mut text = String::new();
    for Row { name, verdict } in rows {
        verdict.given_up.lines(record).for_each(|why| text += &format!("{name}: given up: {why}\n"));
        let (known, unknown): (Vec<&Miss>, Vec<_>) =
            verdict.misses.iter().partition(|miss| reason(name, &miss.expected).is_some());
        for miss in known {
            let why = reason(name, &miss.expected).unwrap_or_default();
            text += &format!("{name}: {}: {why}\n", describe(miss));
        }
        if let Some(why) = verdict.screens.as_ref().and_then(|screens| screen_reason(name, screens)) {
            text += &format!("{name}: screen: {why}\n");
        }
        let shown = if all { unknown.len() } else { unknown.len().min(1) };
        unknown[..shown].iter().for_each(|miss| text += &format!("{name}: {}\n", describe(miss)));
        if unknown.len() > shown {
            text += &format!("{name}: {} more values differ\n", unknown.len() - shown);
        }
    }
    text
}

fn record(GivenUp { event, why }: &GivenUp) -> String {
    format!("record {event}: {why}")
}

fn describe(Miss { expected, actual }: &Miss) -> String {
    let place = match expected.place {
        Place::Memory { address, .. } => format!("at {address:08x}"),
        Place::Register(command) => format!("register {command:02x}"),
    };
    let (records, digits, text) = (expected.records, expected.digits, &expected.text);
    format!("{place} after {records} records: {actual:08x} instead of {digits} ({text})")
}

fn as_json(Row { name, verdict }: &Row) -> Value {
    let score = |score: Score| json!({ "matched": score.matched, "known": score.known });
    let miss = |miss: &Miss| {
        json!({
            "records": miss.expected.records,
            "what": describe(miss),
            "reason": reason(name, &miss.expected),
        })
    };
    json!({
        "test": name,
        "exact": score(verdict.exact),
        "hwdiff": score(verdict.hwdiff),
        "consistent": score(verdict.consistent),
        "differing_pixels": verdict.screens.as_ref().map(|screens| screens.differing),
        "largest_difference": verdict.screens.as_ref().map(|screens| screens.largest),
        "misses": verdict.misses.iter().map(miss).collect::<Vec<_>>(),
        "given_up": verdict.given_up.lines(record).collect::<Vec<_>>(),
    })
}

fn write_screens(folder: &Path, Row { name, verdict }: &Row) -> Result<(), CliError> {
    let Some(screens) = verdict.screens.as_ref().filter(|screens| screens.differing > 0) else {
        return Ok(());
    };
    let side = |of: fn(&Image) -> u32| of(&screens.expected).min(of(&screens.actual));
    let pixel = |image: &Image, x, y| {
        let [r, g, b] = image.pixel(x, y);
        [r, g, b, 255]
    };
    let panels = Panels::of(
        (side(Image::width), side(Image::height)),
        |x, y| pixel(&screens.expected, x, y),
        |x, y| pixel(&screens.actual, x, y),
    );
    make_folder(folder)?;
    write_into(folder, &format!("{name}.png"), &panels.side_by_side().to_png())
}
