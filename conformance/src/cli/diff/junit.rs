//! `--junit`: comparisons as JUnit's XML, which CI systems show as tests. It is made from the rows that
//! `--json` prints, which files of results hold too.

use crate::html::escaped;
use serde_json::Value;

/// The document.
pub(in crate::cli) fn document(rows: &[Value]) -> String {
    let failures = rows.iter().filter(|row| row["same"] != true).count();
    let cases: String = rows.iter().map(case).collect();
    let seconds: f64 = rows.iter().map(seconds).sum();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\"", rows.len());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts} time=\"{seconds:.3}\">\n\
         <testsuite name=\"picaflor diff\" {counts} skipped=\"0\" time=\"{seconds:.3}\">\n{cases}</testsuite>\n</testsuites>\n"
    )
}

/// A row as a line of text.
pub(in crate::cli) fn line(row: &Value) -> String {
    let verdict = if row["same"] == true { "same" } else { "DIFFERS" };
    format!("{}  {}  {verdict}\n", text(&row["capture"]), kind(row))
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

fn seconds(row: &Value) -> f64 {
    engines(row).filter_map(|side| side["seconds"].as_f64()).sum()
}

fn case(row: &Value) -> String {
    let engine = engines(row).last().map_or("", |side| text(&side["engine"]));
    let start = format!(
        "<testcase classname=\"picaflor.{}.{}\" name=\"{}\" time=\"{:.3}\"",
        escaped(engine),
        escaped(kind(row)),
        escaped(text(&row["capture"])),
        seconds(row),
    );
    if row["same"] == true {
        return start + "/>\n";
    }
    let differences = row["differences"].as_array().into_iter().flatten();
    let mut lines: Vec<String> = differences.map(difference).collect();
    let first = lines.first().cloned().unwrap_or_default();
    lines
        .extend(row["more_differences"].as_u64().filter(|&n| n > 0).map(|n| format!("{n} more differences")));
    format!(
        "{start}>\n<failure type=\"difference\" message=\"{}\">{}</failure>\n</testcase>\n",
        escaped(&first),
        escaped(&lines.join("\n")),
    )
}

fn difference(found: &Value) -> String {
    let [at, surface, first] = ["at", "surface", "first"].map(|key| text(&found[key]));
    format!("{at}: {surface}: {} bytes differ, first {first}", found["bytes"])
}
