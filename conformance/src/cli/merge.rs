//! `picaflor merge`: results of shards, put together.

use super::diff::junit;
use super::fuzz::parts::{failures, lines};
use super::results::{Missing, Results};
use super::{CliError, print, write_atomic};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

/// Put the results of shards together.
///
/// The files are results of `fuzz` and `diff` with `--results`, all of the same work. Fails if a part is missing, or
/// if any differed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  picaflor diff scene:all --shard 0/2 --results 0.jsonl
  picaflor diff scene:all --shard 1/2 --results 1.jsonl
  picaflor merge 0.jsonl 1.jsonl --junit report.xml")]
pub struct Args {
    /// Files of results
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// File for the verdicts of `diff` as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand; the exit code is 0 if no part is missing and none differs.
///
/// # Errors
/// A file holds no results or results of other work, or one cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    let mut files = args.files.iter().map(|file| Results::load(file));
    let mut results = files.next().ok_or_else(|| CliError::new("there is no file"))??;
    files.try_for_each(|other| results.merge(other?))?;
    let is_diff = results.plan()["of"] == "diff";
    if args.junit.is_some() && !is_diff {
        return Err(CliError::usage("--junit is for results of diff"));
    }
    let missing = results.missing();
    let (body, is_same) = if is_diff { of_diff(&results) } else { of_fuzz(&results) };
    let mut report = json!({ "plan": results.plan(), "missing": missing.count,
        "missing_parts": missing.first });
    report.as_object_mut().into_iter().for_each(|report| report.extend(body.clone()));
    print(&if args.json { format!("{report:#}\n") } else { as_text(&results, &missing, &body, is_diff) })?;
    if let Some(file) = &args.junit {
        let rows: Vec<Value> = results.parts().values().cloned().collect();
        write_atomic(file, junit::document(&rows).as_bytes())?;
    }
    Ok(if missing.count == 0 && is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

type Body = serde_json::Map<String, Value>;

fn body(value: Value) -> Body {
    value.as_object().cloned().unwrap_or_default()
}

fn of_diff(results: &Results) -> (Body, bool) {
    let rows: Vec<&Value> = results.parts().values().collect();
    let is_same = rows.iter().all(|row| row["same"] == true);
    (body(json!({ "same": is_same, "captures": rows })), is_same)
}

fn of_fuzz(results: &Results) -> (Body, bool) {
    let sum = results.sum();
    let is_same = failures(&sum) == 0;
    (body(json!({ "sum": sum })), is_same)
}

fn as_text(results: &Results, missing: &Missing, body: &Body, is_diff: bool) -> String {
    let mut text = match is_diff {
        true => results.parts().values().map(junit::line).collect(),
        false => lines(results.plan()) + &lines(&body["sum"]),
    };
    text += &format!("{} parts, {} missing\n", results.parts().len(), missing.count);
    if let [first, ..] = missing.first[..] {
        text += &format!("the first that is missing is part {first}, counted from 0\n");
    }
    text
}
