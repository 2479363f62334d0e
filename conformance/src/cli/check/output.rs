//! Verdicts as text, JSON, pictures, a page and JUnit's XML.

use super::baseline::{self, Kept};
use super::judge::Row;
use super::{Args, capture, write_atomic};
use crate::cli::CliError;
use crate::cli::junit::{self, Case};
use crate::cli::table::Table;
use crate::html::{self, Checked};
use serde_json::{Value, json};

const HEADING: [&str; 6] =
    ["check", "mean squared error", "off by more than 8", "tolerance", "baseline", "verdict"];

/// Checks whose pictures are in a report, which is one file; they are in memory until it is written.
const MOST_SHOWN: usize = 100;

/// Writes the pictures of differences of a check, and drops them unless they are for the report: those of the first checks
/// that fail, `shown` so far.
pub(super) fn write_pictures(args: &Args, row: &mut Row, shown: &mut usize) -> Result<(), CliError> {
    if let Some(folder) = &args.out {
        for (name, panels) in &row.pictures {
            capture::make_folder(folder)?;
            capture::write_into(folder, &format!("{name}.png"), &panels.side_by_side().to_png())?;
        }
    }
    if args.report.is_none() || row.is_pass() || *shown == MOST_SHOWN {
        row.pictures = Vec::new();
    }
    *shown += usize::from(!row.pictures.is_empty());
    Ok(())
}

/// Writes all files but the pictures. The baseline comes last: where it is, everything is.
pub(super) fn write(args: &Args, rows: &[Row]) -> Result<(), CliError> {
    if let Some(folder) = &args.report {
        let checks: Vec<Checked> = rows.iter().map(checked).collect();
        capture::make_folder(folder)?;
        capture::write_into(folder, "index.html", html::checks(&HEADING, &checks, &about(args)).as_bytes())?;
    }
    if let Some(file) = &args.junit {
        let cases: Vec<Case> = rows.iter().map(|row| case(args, row)).collect();
        write_atomic(file, junit::document("picaflor check", &cases).as_bytes())?;
    }
    let Some(folder) = &args.baseline else { return Ok(()) };
    for row in rows {
        if let Some(actual) = &row.actual {
            baseline::keep(folder, &row.case.name, actual, &result(row))?;
        }
    }
    Ok(())
}

fn about(args: &Args) -> String {
    format!(
        "{} on {}; picaflor {}, {}-{}",
        args.input,
        args.engine,
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}

/// The cells behind the name.
fn cells(row: &Row) -> [String; 5] {
    let score = row.score.as_ref();
    let none = || "-".to_owned();
    [
        score.map_or_else(none, |score| format!("{:.3}", score.mean_squared_error)),
        score.map_or_else(none, |score| format!("{:.4} %", score.share() * 100.0)),
        score.map_or_else(none, |_| format!("{:.4} %", row.case.tolerance * 100.0)),
        row.kept.as_ref().map_or_else(none, |kept| kept.words().into()),
        row.verdict(),
    ]
}

fn checked(row: &Row) -> Checked {
    let name = row.case.name.clone();
    Checked { name, cells: cells(row).into(), is_pass: row.is_pass(), pictures: row.pictures.clone() }
}

fn case(args: &Args, row: &Row) -> Case {
    let score = row.score.map(|score| {
        let (error, share) = (score.mean_squared_error, score.share());
        format!("mean squared error {error:.3}, share of pixels off by more than 8: {share:.6}")
    });
    let lines = || std::iter::once(row.verdict()).chain(score).collect();
    Case {
        class: format!("picaflor.{}.check", args.engine),
        name: row.case.name.clone(),
        seconds: row.seconds,
        failure: (!row.is_pass()).then(|| ("check", lines())),
    }
}

/// The rows as a table.
pub(super) fn as_text(rows: &[Row]) -> String {
    let mut table = Table::new(&HEADING);
    for row in rows {
        table.row([&[row.case.name.clone()][..], &cells(row)].concat());
    }
    table.text(1)
}

/// A row of `--json`.
pub(super) fn as_json(row: &Row) -> Value {
    let mut object = result(row);
    object["baseline"] = json!(row.kept.as_ref().map(Kept::words));
    object["seconds"] = json!(row.seconds);
    object
}

/// What is kept beside a picture: no times, no state of the baseline.
fn result(row: &Row) -> Value {
    let case = &row.case;
    json!({
        "name": case.name,
        "dump": case.source,
        "picture": case.picture.as_ref().map(|path| path.to_string_lossy()),
        "tolerance": case.tolerance,
        "pass": row.error.is_none() && row.failure.is_none(),
        "why": row.error.as_ref().or(row.failure.as_ref()),
        "mean_squared_error": row.score.map(|score| score.mean_squared_error),
        "share": row.score.map(|score| score.share()),
        "largest": row.score.map(|score| score.largest),
    })
}
