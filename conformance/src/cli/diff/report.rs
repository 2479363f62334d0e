//! `--report`: one page about all comparisons, and reduced captures that differ.

use super::compared::Smaller;
use super::{Args, Row, capture, progress_bar};
use crate::cli::{CliError, plain};
use crate::html::{self, Entry, Reproduced};
use std::path::Path;
use std::time::Duration;

/// Comparisons for which a smaller capture is looked for; the others are shown without.
const MOST_REPRODUCERS: usize = 4;

/// Writes the page and its captures. The page comes last, so where it is, everything is.
pub(super) fn write(args: &Args, folder: &Path, rows: &[Row<'_>], earlier: usize) -> Result<(), CliError> {
    let mut number = 0;
    let mut entries: Vec<Entry> = Vec::new();
    for row in rows {
        let mut entry = row.comparison.entry(&row.name);
        if !entry.is_same && number < MOST_REPRODUCERS {
            entry.reproducer = reproduced(args, row, number);
            number += 1;
        }
        entries.push(entry);
    }
    let page = html::page(&entries, &about(args, earlier));
    capture::make_folder(folder)?;
    for Reproduced { file, bytes, .. } in entries.iter().filter_map(|entry| entry.reproducer.as_ref()) {
        capture::write_into(folder, file, bytes)?;
    }
    capture::write_into(folder, "index.html", page.as_bytes())
}

fn about(args: &Args, earlier: usize) -> String {
    let earlier = match earlier {
        0 => String::new(),
        earlier => format!("; {earlier} more were compared before, and are not shown"),
    };
    let memory = match args.carry {
        true => "differences are carried on",
        false => "each difference is new: after one, the expected memory is copied",
    };
    let defect = args.defect.map(|defect| format!(", broken on purpose: {}", defect.name()));
    format!(
        "interp (expected) and {} (actual{}) in lock step; {memory}; picaflor {}, {}-{}{earlier}",
        args.engine,
        defect.unwrap_or_default(),
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}

/// Looks for a smaller capture that differs.
fn reproduced(args: &Args, row: &Row<'_>, number: usize) -> Option<Reproduced> {
    let bar = progress_bar(0, &format!("making {} smaller", plain(&row.name)));
    bar.tick();
    let small = row.comparison.smaller(Duration::from_secs(args.reduce));
    bar.finish_and_clear();
    let Smaller { bytes, events, found, draw, program, routines } = small?;
    let file = format!("{number}-{}.picacap", row.stem());
    let command = command(args, row, &file);
    let place = draw.map_or_else(String::new, |draw| format!("#draw={draw}"));
    let inspect = format!("picaflor view '{}{place}'", file.replace('\'', "'\\''"));
    Some(Reproduced { file, bytes, command, events, found, inspect, program, routines })
}

fn command(args: &Args, row: &Row<'_>, file: &str) -> String {
    let mut command = format!("picaflor diff '{}' --engine {}", file.replace('\'', "'\\''"), args.engine);
    command += &format!(" --threads {}", row.threads);
    if args.carry {
        command += " --carry";
    }
    if let Some(defect) = args.defect {
        command += &format!(" --defect {}", defect.name());
    }
    command
}
