//! `picaflor diff` of captures of the GE.

use super::{Named, expand, load};
use crate::cli::capture::{make_folder, stem, write_into};
use crate::cli::diff::progress_bar;
use crate::cli::table::{Table, thousands};
use crate::cli::{CliError, print};
use crate::ge::engine;
use crate::ge::lockstep::{Difference, Findings, compare};
use picaflor_pipeline::capture::ppdmp::Lists;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Compares an engine with the interpreter over some captures; the exit code tells whether there was a difference.
pub(in crate::cli) fn diff(
    sources: &[String],
    candidate: &str,
    out: Option<&Path>,
    as_json: bool,
) -> Result<ExitCode, CliError> {
    let mut rows = Vec::new();
    for source in &expand(sources) {
        let named = load(source, Lists::OfRecords)?;
        let findings = compared(&named, candidate)?;
        if let Some(folder) = out {
            write_pictures(folder, source, &findings)?;
        }
        rows.push((named.name, findings));
    }
    let is_same = rows.iter().all(|(_, findings)| findings.is_same());
    print(&match as_json {
        true => {
            let rows: Vec<Value> = rows.iter().map(document).collect();
            format!("{:#}\n", json!({ "same": is_same, "captures": rows }))
        }
        false => text(&rows),
    })?;
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compared(named: &Named, candidate: &str) -> Result<Findings, CliError> {
    let [mut reference, mut candidate] = [
        engine::by_name(engine::NAMES[0]).map_err(CliError::new)?,
        engine::by_name(candidate).map_err(CliError::new)?,
    ];
    let bar = progress_bar(named.capture.events.len() as u64, &named.name);
    let findings = compare(&named.capture, [reference.as_mut(), candidate.as_mut()], &|| bar.inc(1));
    bar.finish_and_clear();
    findings.map_err(|why| CliError::new(format!("cannot use `{}`: {why}", named.name)))
}

fn text(rows: &[(String, Findings)]) -> String {
    let mut table = Table::new(&["capture", "lists", "draws", "bytes", "verdict"]);
    let mut details = String::new();
    for (name, findings) in rows {
        let verdict = match findings.differences.len() as u64 + findings.more {
            0 => "same".to_owned(),
            count => format!("DIFFERS {count} times"),
        };
        let counts = [findings.lists, findings.draws, findings.bytes].map(thousands);
        table.row([vec![name.clone()], counts.into(), vec![verdict]].concat());
        let lines = findings.differences.iter().map(describe).chain(findings.notes.iter().cloned());
        lines.for_each(|line| details += &format!("{name}: {line}\n"));
        if findings.more > 0 {
            details += &format!("{name}: {} more differences\n", findings.more);
        }
    }
    table.text(1) + &details
}

pub(super) fn describe(Difference { frame, event, surface, bytes, what, .. }: &Difference) -> String {
    format!("frame {frame}, event {event}: {surface}: {bytes} bytes differ, first {what}")
}

fn document((name, findings): &(String, Findings)) -> Value {
    let difference = |Difference { frame, event, surface, bytes, what, .. }: &Difference| json!({ "frame": frame, "event": event, "surface": surface, "bytes": bytes, "first": what });
    json!({
        "capture": name,
        "machine": "GE",
        "same": findings.is_same(),
        "lists": findings.lists,
        "draws": findings.draws,
        "bytes": findings.bytes,
        "seconds": findings.times.map(|time| time.as_secs_f64()),
        "differences": findings.differences.iter().map(difference).collect::<Vec<_>>(),
        "more_differences": findings.more,
        "notes": findings.notes,
    })
}

fn write_pictures(folder: &Path, source: &str, findings: &Findings) -> Result<(), CliError> {
    let pictures = findings.differences.iter().filter_map(|difference| difference.picture.as_ref());
    for (number, picture) in pictures.enumerate() {
        make_folder(folder)?;
        let name = format!("{}-difference-{number}.png", stem(source));
        write_into(folder, &name, &picture.side_by_side().to_png())?;
    }
    Ok(())
}
