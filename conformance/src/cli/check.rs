//! `picaflor check`: pictures of captures against expected ones, and against those of earlier builds.

mod baseline;
mod judge;
mod output;
mod table;

use super::capture::{self, host_threads, parse_threads};
use super::machine::Commands;
use super::source::Source;
use super::{CliError, print, read_file, write_atomic};
use crate::image::Image;
use crate::machine::{Precision, Reading};
use crate::replay::play;
use crate::setup::Setup;
use judge::{Row, judge};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::process::ExitCode;

/// Replay captures and compare their pictures with expected ones.
///
/// A check passes if at most a share of the pixels, the tolerance, differs by more than 8 in a channel. A table has an
/// entry for each check: `dump`, `picture`, `tolerance`, and may have `frame`, `name` and `mse`, the largest mean squared
/// error; paths are relative to the table. It is a TOML file with `[[check]]` entries, or JSON, such as the
/// `frametests.json` of a suite: an array or object of entries.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor check frame.ppdmp --expect frame.png --tolerance 0.001
  picaflor check checks.toml --report report --junit report.xml
  picaflor check suite/frametests.json --baseline kept

A table:
  [[check]]
  dump = \"menu.ppdmp.gz\"
  picture = \"menu.png\"
  tolerance = 0.01")]
pub struct Args {
    /// A capture as for `render`, or a table: a .toml or .json file
    #[arg(value_name = "CAPTURE|TABLE")]
    input: Source,
    /// The expected picture of a capture, a PNG file
    #[arg(long, value_name = "PNG")]
    expect: Option<PathBuf>,
    /// Share of pixels that may be off by more than 8, 0 to 1; for entries of a table without one of their own
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_share)]
    tolerance: f64,
    /// Engine
    #[arg(long, default_value = "jit", value_parser = ["interp", "jit"])]
    engine: String,
    /// Threads to draw on; default: the number of processors
    #[arg(long, value_parser = parse_threads)]
    threads: Option<usize>,
    /// Precision of shader arithmetic; that of the capture unless given
    #[arg(long, value_enum)]
    precision: Option<Precision>,
    /// The picture at the end of this frame, counted from 0; that at the end of the capture unless given
    #[arg(long, value_name = "N")]
    frame: Option<usize>,
    /// Folder of the pictures of an earlier build: new ones are kept there, others compared; a changed one fails
    #[arg(long, value_name = "DIR")]
    baseline: Option<PathBuf>,
    /// Replaces changed pictures of the baseline
    #[arg(long, requires = "baseline")]
    update: bool,
    /// Folder for pictures of differences: expected, difference, actual
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder for a report: index.html, self-contained
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// File for the verdicts as JUnit XML, which CI systems read
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a tolerance is a share from 0 to 1".into())
}

/// A check to do.
#[derive(Debug, Clone)]
struct Case {
    /// Its name, also that of its files.
    name: String,
    /// The capture.
    source: Source,
    /// The expected picture.
    picture: Option<PathBuf>,
    /// Largest share of pixels off by more than 8.
    tolerance: f64,
    /// Largest mean squared error.
    most_error: Option<f64>,
    frame: Option<usize>,
}

/// How captures are played.
pub(crate) struct How<'a> {
    engine: &'a str,
    threads: usize,
    precision: Option<Precision>,
    frame: Option<usize>,
}

/// Runs the subcommand; the exit code is 1 if a check fails or a picture changed, 2 for nothing to compare with.
///
/// # Errors
/// The table, or the only capture or picture, cannot be read or used, or a file cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let is_table = args.expect.is_none() && table::is_table(&args.input);
    if !is_table && args.expect.is_none() && args.baseline.is_none() {
        let input = &args.input;
        return Err(CliError::usage(format!("`{input}` is no table: give --expect or --baseline")));
    }
    for folder in [&args.report, &args.baseline, &args.out].into_iter().flatten() {
        capture::refuse_file(folder)?;
    }
    let cases = if is_table { table::read(&args.input, args.tolerance)? } else { vec![the_case(args)] };
    let cases = with_own_names(cases);
    let (mut rows, mut shown) = (Vec::new(), 0);
    for case in cases {
        let mut row = judge(args, case);
        match &row.error {
            Some(why) if !is_table => return Err(CliError::new(why)),
            _ => output::write_pictures(args, &mut row, &mut shown)?,
        }
        rows.push(row);
    }
    let is_pass = rows.iter().all(Row::is_pass);
    output::write(args, &rows)?;
    let checks: Vec<_> = rows.iter().map(output::as_json).collect();
    print(&match args.json {
        true => format!("{:#}\n", json!({ "pass": is_pass, "checks": checks })),
        false => output::as_text(&rows),
    })?;
    Ok(if is_pass { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The check of a single capture.
fn the_case(args: &Args) -> Case {
    Case {
        name: capture::stem(&args.input),
        source: args.input.clone(),
        picture: args.expect.clone(),
        tolerance: args.tolerance,
        most_error: None,
        frame: args.frame,
    }
}

/// Names that can be names of files, each another.
fn with_own_names(mut cases: Vec<Case>) -> Vec<Case> {
    let mut taken = HashSet::new();
    // All entries of a table may have one name.
    let mut next: HashMap<String, u64> = HashMap::new();
    for case in &mut cases {
        let safe =
            |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
        let name: String = case.name.chars().map(safe).collect();
        let name = name.trim_start_matches('.').to_owned();
        let number = next.entry(name.to_lowercase()).or_insert(1);
        loop {
            case.name = if *number == 1 { name.clone() } else { format!("{name}-{number}") };
            *number += 1;
            if !case.name.is_empty() && taken.insert(case.name.to_lowercase()) {
                break;
            }
        }
    }
    cases
}

/// The picture of a capture; an error if it shows nothing.
pub(super) fn picture<M: Commands>(source: &Source, how: &How<'_>) -> Result<Image, CliError> {
    let reading = Reading { precision: how.precision, ..Reading::default() };
    let named = capture::load::<M>(source, reading)?;
    let mut engine = M::engine(how.engine, Setup::default()).map_err(|why| named.refused(why))?;
    let played = play::<M>(&named.capture, &mut engine, how.threads, how.frame);
    let picture = played.map_err(|why| named.refused(why))?.picture;
    picture.ok_or_else(|| CliError::new(format!("`{}` {}", named.name, M::NOTHING[0])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_files() {
        let case = |name: &str| Case {
            name: name.into(),
            source: Source::from(""),
            picture: None,
            tolerance: 0.0,
            most_error: None,
            frame: None,
        };
        let cases = ["a", "A", "../x/y", "a", "", ".."].map(case).to_vec();
        let names: Vec<String> = with_own_names(cases).into_iter().map(|case| case.name).collect();
        assert_eq!(names, ["a", "A-2", "_x_y", "a-3", "-2", "-3"]);
        let began = std::time::Instant::now();
        let cases = with_own_names(vec![case("a"); 100_000]);
        assert_eq!((&*cases[0].name, &*cases[99_999].name), ("a", "a-100000"));
        assert!(began.elapsed().as_secs() < 10, "the time once was quadratic: {:?}", began.elapsed());
        assert!(parse_share("1.5").is_err() && parse_share("x").is_err() && parse_share("0.5") == Ok(0.5));
    }
}
