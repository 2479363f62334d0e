//! Verdicts as JUnit's XML, which CI systems show as tests.

use crate::html::escaped;

/// A test.
#[derive(Debug, Clone)]
pub(super) struct Case {
    /// Its class: words with points between them.
    pub(super) class: String,
    /// Its name.
    pub(super) name: String,
    /// Seconds that it took.
    pub(super) seconds: f64,
    /// Kind of the failure and what failed, line by line; `None` for a pass.
    pub(super) failure: Option<(&'static str, Vec<String>)>,
}

/// The document of a suite.
pub(super) fn document(suite: &str, cases: &[Case]) -> String {
    let failures = cases.iter().filter(|case| case.failure.is_some()).count();
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\"", cases.len());
    let tests: String = cases.iter().map(test).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts} time=\"{seconds:.3}\">\n\
         <testsuite name=\"{}\" {counts} skipped=\"0\" time=\"{seconds:.3}\">\n{tests}</testsuite>\n</testsuites>\n",
        escaped(suite),
    )
}

fn test(case: &Case) -> String {
    let start = format!(
        "<testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        escaped(&case.class),
        escaped(&case.name),
        case.seconds,
    );
    let Some((kind, lines)) = &case.failure else { return start + "/>\n" };
    format!(
        "{start}>\n<failure type=\"{kind}\" message=\"{}\">{}</failure>\n</testcase>\n",
        escaped(lines.first().map_or("", String::as_str)),
        escaped(&lines.join("\n")),
    )
}
