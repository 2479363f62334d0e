//! Comparisons as one page: pictures, draws, registers, code and reproducers, all inside the file. It loads
//! nothing, and a policy in its head says so to the browser.

mod difference;
mod steps;
mod text;

pub use text::{base64, escaped};

use crate::replay::Comparison;
use crate::replay::reproduce::Reproducer;

/// A capture that was compared, as the page shows it.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// What the capture is called.
    pub name: &'a str,
    /// Name of the precision.
    pub precision: &'a str,
    /// What came of it.
    pub comparison: &'a Comparison,
    /// What else is to be said: what was not compiled, and what the guest did wrong.
    pub notes: Vec<String>,
    /// A smaller capture that differs, where there is one.
    pub reproducer: Option<&'a Reproduced>,
}

/// A reproducer, as a file.
#[derive(Debug, Clone)]
pub struct Reproduced {
    /// Name of the file.
    pub file: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The command that replays it.
    pub command: String,
    /// What is in it, and what came of it.
    pub found: Reproducer,
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page. `about` says how it was made.
#[must_use]
pub fn page(entries: &[Entry<'_>], about: &str) -> String {
    let differing = entries.iter().filter(|entry| !entry.comparison.is_same()).count();
    let verdict = match differing {
        0 => format!("<p class=\"verdict same\">All {} comparisons are the same.</p>", entries.len()),
        _ => format!("<p class=\"verdict differs\">{differing} of {} comparisons differ.</p>", entries.len()),
    };
    let sections: String = entries.iter().enumerate().map(|(number, entry)| section(number, entry)).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>picaflor diff</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>picaflor diff</h1>\n<p class=\"about\">{}</p>\n{verdict}\n{}{sections}\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escaped(about),
        summary(entries),
    )
}

/// A table of all comparisons.
fn summary(entries: &[Entry<'_>]) -> String {
    let row = |(number, entry): (usize, &Entry<'_>)| {
        let Comparison { candidate, findings, .. } = entry.comparison;
        let [class, verdict] = match findings.is_same() {
            true => ["same", "same"],
            false => ["differs", "differs"],
        };
        let batches = format!("{}/{}", candidate.batches.compiled, candidate.batches.total());
        format!(
            "<tr class=\"{class}\"><td><a href=\"#c{number}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td>\
             <td>{}</td><td>{batches}</td><td>{verdict}</td></tr>\n",
            escaped(entry.name),
            entry.precision,
            candidate.stats.draws,
            findings.points,
            findings.bytes,
        )
    };
    let rows: String = entries.iter().enumerate().map(row).collect();
    format!(
        "<table class=\"figures\">\n<thead><tr><th>capture</th><th>precision</th><th>draws</th><th>points</th>\
         <th>bytes</th><th>batches compiled</th><th>verdict</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )
}

fn section(number: usize, entry: &Entry<'_>) -> String {
    let notes: String = entry.notes.iter().map(|note| format!("<li>{}</li>\n", escaped(note))).collect();
    let notes = if notes.is_empty() { notes } else { format!("<ul class=\"note\">\n{notes}</ul>\n") };
    let details = if entry.comparison.is_same() { String::new() } else { difference::show(entry) };
    format!(
        "<section id=\"c{number}\">\n<h2>{} <small>{}</small></h2>\n{notes}{details}{}</section>\n",
        escaped(entry.name),
        entry.precision,
        steps::table(&entry.comparison.findings.steps),
    )
}
