//! `--report`: one page about all comparisons, and small captures that differ.

use super::{Args, Row, capture, notes, precision_name, progress_bar};
use crate::cli::CliError;
use crate::html::{self, Entry, Reproduced};
use crate::replay::reproduce::{Reproducer, reproduce};
use std::path::Path;
use std::time::Duration;

/// Comparisons for which a smaller capture is looked for; the others are shown without.
const MOST_REPRODUCERS: usize = 4;

/// Before anything is compared: whether the report cannot be written here.
pub(super) fn refuse(folder: &Path) -> Result<(), CliError> {
    match folder.exists() && !folder.is_dir() {
        true => Err(CliError::new(format!("`{}` is no folder", folder.display()))),
        false => Ok(()),
    }
}

/// Writes the page and its captures. The page comes last, so where it is, everything is.
pub(super) fn write(args: &Args, folder: &Path, rows: &[Row], earlier: usize) -> Result<(), CliError> {
    let differing = rows.iter().filter(|row| !row.comparison.is_same());
    let mut found: Vec<(&Row, Reproduced)> = Vec::new();
    for (number, row) in differing.take(MOST_REPRODUCERS).enumerate() {
        found.extend(reproduced(args, row, number)?.map(|reproduced| (row, reproduced)));
    }
    let entries: Vec<Entry<'_>> = rows.iter().map(|row| entry(row, &found)).collect();
    let page = html::page(&entries, &about(args, earlier));
    capture::make_folder(folder)?;
    for (_, Reproduced { file, bytes, .. }) in &found {
        capture::write_into(folder, file, bytes)?;
    }
    capture::write_into(folder, "index.html", page.as_bytes())
}

fn entry<'a>(row: &'a Row, found: &'a [(&Row, Reproduced)]) -> Entry<'a> {
    Entry {
        name: &row.name,
        precision: precision_name(row.precision),
        comparison: &row.comparison,
        notes: notes(&row.comparison.candidate),
        reproducer: found.iter().find(|(of, _)| std::ptr::eq(*of, row)).map(|(_, found)| found),
    }
}

fn about(args: &Args, earlier: usize) -> String {
    let earlier = match earlier {
        0 => String::new(),
        earlier => format!("; {earlier} more were compared before, and are not shown"),
    };
    let defect = args.defect.map(|defect| format!(", broken on purpose: {}", defect.name()));
    format!(
        "interp (expected) and {} (actual{}) in lock step; picaflor {}, {}-{}{earlier}",
        args.engine,
        defect.unwrap_or_default(),
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}

/// Looks for a smaller capture that differs.
fn reproduced(args: &Args, row: &Row, number: usize) -> Result<Option<Reproduced>, CliError> {
    let Some(first) = row.comparison.findings.differences.first() else { return Ok(None) };
    let capture = capture::load(&row.source, Some(row.precision))?.capture;
    let bar = progress_bar(0, &format!("making {} smaller", row.name));
    bar.tick();
    let engines = ["interp", args.engine.as_str()];
    let time = Duration::from_secs(args.reduce);
    let small = reproduce(&capture, engines, args.options(), first.place, time);
    bar.finish_and_clear();
    Ok(small.map(|small| as_file(args, row, number, small)))
}

fn as_file(args: &Args, row: &Row, number: usize, found: Reproducer) -> Reproduced {
    let precision = precision_name(row.precision);
    let file = format!("{number}-{}-{precision}.picacap", capture::stem(&row.name));
    let mut command = format!("picaflor diff '{}' --engine {}", file.replace('\'', "'\\''"), args.engine);
    command += &format!(" --threads {}", args.options().threads);
    if let Some(defect) = args.defect {
        command += &format!(" --defect {}", defect.name());
    }
    Reproduced { file, bytes: found.capture.to_bytes(), command, found }
}
