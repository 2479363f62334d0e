//! Random cases in parts: shards, files of results, and going on where a run was stopped.

use super::Args;
use crate::cli::results::Results;
use crate::cli::{CliError, plain, print, results};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Cases of one part: the first, and their number.
pub(in crate::cli) type Span = (u64, u64);

/// Runs the remaining parts of this shard; returns true if a case failed, here or before.
pub(super) fn search(args: &Args, shard: results::Shard) -> Result<bool, CliError> {
    let (size, first) = (args.kind.part(), args.kind.start(args.first));
    let start = Instant::now();
    let cases = args.cases.or(args.seconds.is_none().then_some(args.kind.cases()));
    let mut results = Results::open(args.results.as_deref(), plan(args, first, cases, size))?;
    for part in 0..cases.map_or(u64::MAX, |cases| cases.div_ceil(size)) {
        let is_late = args.seconds.is_some_and(|seconds| start.elapsed() >= Duration::from_secs(seconds));
        if is_late {
            break;
        }
        if shard.has(part) && results.get(part).is_none() {
            let before = part * size;
            let count = cases.map_or(size, |cases| (cases - before).min(size));
            let result = run(args, (first.saturating_add(before), count))?;
            results.add(part, result)?;
        }
    }
    show(args, shard, &results)?;
    Ok(failures(&results.sum()) > 0)
}

fn plan(args: &Args, first: u64, cases: Option<u64>, size: u64) -> Value {
    json!({
        "of": "fuzz",
        "kind": args.kind.name(),
        "seed": args.seed,
        "first": first,
        "cases": cases,
        "all_ways": args.all_ways,
        "parts": cases.map(|cases| cases.div_ceil(size)),
    })
}

fn run(args: &Args, span: Span) -> Result<Value, CliError> {
    let mut result = args.kind.search_part(args, span)?;
    // What cannot be added up.
    if let Some(result) = result.as_object_mut() {
        for key in ["seed", "distinct_keys", "distinct_programs", "slowest", "peak_memory_kib"] {
            result.shift_remove(key);
        }
    }
    Ok(result)
}

fn show(args: &Args, shard: results::Shard, results: &Results) -> Result<(), CliError> {
    let done = results.parts().len();
    let sum = results.sum();
    if args.json {
        let json =
            json!({ "plan": results.plan(), "shard": shard.to_string(), "parts_done": done, "sum": sum });
        return print(&format!("{json:#}\n"));
    }
    let heading = json!({ "shard": shard.to_string(), "parts done": done });
    print(&(lines(results.plan()) + &lines(&heading) + &lines(&sum)))
}

/// Number of cases that failed, in the counters of any kind.
pub(in super::super) fn failures(sum: &Value) -> u64 {
    ["failures", "differences"].iter().filter_map(|&key| sum[key].as_u64()).sum()
}

/// A value as lines of text.
pub(in super::super) fn lines(value: &Value) -> String {
    let mut text = String::new();
    append(&mut text, value, 0);
    text
}

fn append(text: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    for (key, value) in value.as_object().into_iter().flatten() {
        // Writing to a string cannot fail.
        let _ = match value {
            Value::Object(inner) if inner.is_empty() => writeln!(text, "{indent}{key}: none"),
            Value::Object(_) => writeln!(text, "{indent}{key}:"),
            Value::Array(rows) => {
                rows.iter().for_each(|row| {
                    let _ = writeln!(text, "{indent}{key}:");
                    append(text, row, depth + 1);
                });
                Ok(())
            }
            Value::String(word) => writeln!(text, "{indent}{key}: {}", plain(word)),
            other => writeln!(text, "{indent}{key}: {other}"),
        };
        if value.is_object() {
            append(text, value, depth + 1);
        }
    }
}
