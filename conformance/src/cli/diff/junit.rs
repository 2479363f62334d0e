//! `--junit`: comparisons as tests. They are made from the rows that `--json` prints, which files of results hold too.

use crate::cli::junit::{self, Case};
use crate::cli::plain;
use serde_json::Value;

/// The document.
pub(in crate::cli) fn document(rows: &[Value]) -> String {
    junit::document("picaflor diff", &rows.iter().map(case).collect::<Vec<_>>())
}

/// A row as a line of text.
pub(in crate::cli) fn line(row: &Value) -> String {
    let verdict = if row["same"] == true { "same" } else { "DIFFERS" };
    plain(&format!("{}  {}  {verdict}", text(&row["capture"]), kind(row))) + "\n"
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The precision, or the machine where there is only one.
fn kind(row: &Value) -> &str {
    row["precision"].as_str().unwrap_or_else(|| text(&row["machine"]))
}

fn engines(row: &Value) -> impl Iterator<Item = &Value> {
    row["engines"].as_array().into_iter().flatten()
}

fn case(row: &Value) -> Case {
    let engine = engines(row).last().map_or("", |side| text(&side["engine"]));
    Case {
        class: format!("picaflor.{engine}.{}", kind(row)),
        name: text(&row["capture"]).into(),
        seconds: engines(row).filter_map(|side| side["seconds"].as_f64()).sum(),
        failure: (row["same"] != true).then(|| ("difference", differences(row))),
    }
}

fn differences(row: &Value) -> Vec<String> {
    let differences = row["differences"].as_array().into_iter().flatten();
    let more = row["more_differences"].as_u64().filter(|&n| n > 0);
    differences.map(difference).chain(more.map(|n| format!("{n} more differences"))).collect()
}

fn difference(found: &Value) -> String {
    let [at, surface, first] = ["at", "surface", "first"].map(|key| text(&found[key]));
    let origin = match text(&found["origin"]) {
        "new" => String::new(),
        origin => format!(" ({origin})"),
    };
    format!("{at}: {surface}{origin}: {} bytes differ, first {first}", found["bytes"])
}
