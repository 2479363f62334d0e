//! Comparisons as one page: pictures, draws, registers, code and reproducers, all inside the file. It loads
//! nothing, and a policy in its head says so to the browser.

mod checks;
mod difference;
mod entry;
mod steps;
mod text;

pub use checks::{Checked, checks};
pub use entry::{Difference, Entry, Found, Register, Reproduced, State};
pub use text::{base64, escaped};

const STYLE: &str = concat!(include_str!("colours.css"), include_str!("style.css"));
const SCRIPT: &str = include_str!("script.js");
const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page. `about` says how it was made.
#[must_use]
pub fn page(entries: &[Entry], about: &str) -> String {
    let differing = entries.iter().filter(|entry| !entry.is_same).count();
    let verdict = match differing {
        0 => format!("<p class=\"verdict same\">All {} comparisons are the same.</p>", entries.len()),
        _ => format!("<p class=\"verdict differs\">{differing} of {} comparisons differ.</p>", entries.len()),
    };
    let sections: String = entries.iter().enumerate().map(|(number, entry)| section(number, entry)).collect();
    document("picaflor diff", about, &format!("{verdict}\n{}{sections}", summary(entries)))
}

/// A whole page around a body.
fn document(title: &str, about: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{title}</h1>\n<p class=\"about\">{}</p></header>\n{body}\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escaped(about),
    )
}

/// A table of all comparisons.
fn summary(entries: &[Entry]) -> String {
    let row = |(number, entry): (usize, &Entry)| {
        let [class, verdict] = match entry.is_same {
            true => ["same", "same"],
            false => ["differs", "differs"],
        };
        format!(
            "<tr class=\"{class}\"><td><a href=\"#c{number}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td>\
             <td>{}</td><td>{}</td><td>{verdict}</td></tr>\n",
            escaped(&entry.name),
            entry.kind,
            entry.draws,
            entry.points,
            entry.bytes,
            escaped(&entry.compiled),
        )
    };
    let rows: String = entries.iter().enumerate().map(row).collect();
    format!(
        "<table class=\"figures\">\n<thead><tr><th>capture</th><th>precision</th><th>draws</th><th>points</th>\
         <th>bytes</th><th>compiled</th><th>verdict</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )
}

fn section(number: usize, entry: &Entry) -> String {
    let notes: String = entry.notes.iter().map(|note| format!("<li>{}</li>\n", escaped(note))).collect();
    let notes = if notes.is_empty() { notes } else { format!("<ul class=\"note\">\n{notes}</ul>\n") };
    let details = if entry.is_same { difference::screens_alike(entry) } else { difference::show(entry) };
    format!(
        "<section id=\"c{number}\">\n<h2>{} <small>{}</small></h2>\n{notes}{details}{}</section>\n",
        escaped(&entry.name),
        entry.kind,
        steps::table(&entry.steps, entry.nouns),
    )
}
