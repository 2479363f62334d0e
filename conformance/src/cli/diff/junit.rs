//! `--junit`: the comparisons as JUnit's XML, which CI systems show as tests.

use super::{Row, describe, precision_name};
use crate::html::escaped;

/// The document.
pub(super) fn document(rows: &[Row], engine: &str) -> String {
    let failures = rows.iter().filter(|row| !row.comparison.is_same()).count();
    let cases: String = rows.iter().map(|row| case(row, engine)).collect();
    let seconds: f64 = rows.iter().map(seconds).sum();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\"", rows.len());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts} time=\"{seconds:.3}\">\n\
         <testsuite name=\"picaflor diff\" {counts} skipped=\"0\" time=\"{seconds:.3}\">\n{cases}</testsuite>\n</testsuites>\n"
    )
}

fn seconds(row: &Row) -> f64 {
    (row.comparison.reference.time + row.comparison.candidate.time).as_secs_f64()
}

fn case(row: &Row, engine: &str) -> String {
    let start = format!(
        "<testcase classname=\"picaflor.{}.{}\" name=\"{}\" time=\"{:.3}\"",
        escaped(engine),
        precision_name(row.precision),
        escaped(&row.name),
        seconds(row),
    );
    let findings = &row.comparison.findings;
    if findings.is_same() {
        return start + "/>\n";
    }
    let first = findings.differences.first();
    let first = first.map(|first| format!("{}: {}: {}", first.place, first.surface, first.what));
    format!(
        "{start}>\n<failure type=\"difference\" message=\"{}\">{}</failure>\n</testcase>\n",
        escaped(&first.unwrap_or_default()),
        escaped(&describe(&row.name, &row.comparison)),
    )
}
