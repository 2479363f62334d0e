//! `picaflor fuzz --kind ge-list`: random display lists on the whole machine of the GE.

use crate::cli::fuzz::lists::{REDUCTION, Results, keep, quietly, table};
use crate::cli::fuzz::{Args, unusable};
use crate::cli::{CliError, read_file};
use crate::crew::{Plan, Watch};
use crate::ge::lists::campaign::{self, Finding, Summary};
use crate::ge::lists::program::Program;
use crate::ge::lists::{self, Engines, reduce};
use picaflor_pipeline::ge::capture::ppdmp;
use picaflor_pipeline::ge::capture::{Capture, format};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Display lists of the GE.
pub(in crate::cli) struct DisplayLists;

impl crate::cli::fuzz::lists::Lists for DisplayLists {
    const NAME: &'static str = "ge-list";
    const ABOUT: &'static str = "Display lists of the PSP's GE";
    const TAKES_RECORDINGS: bool = true;

    type Summary = Summary;

    fn run(args: &Args, plan: &Plan, watch: Watch<'_>) -> Result<Summary, CliError> {
        let recordings = args.recordings.as_deref().map_or_else(|| Ok(Vec::new()), recordings)?;
        campaign::run(plan, &recordings, watch).map_err(CliError::new)
    }

    fn results(summary: &Summary) -> Results {
        Results { digest: summary.digest, slowest: summary.slowest, failures: summary.failures }
    }

    fn explain(args: &Args, summary: &Summary) -> Result<(), CliError> {
        summary.findings.iter().try_for_each(|finding| explain(args, finding))
    }

    fn lines(summary: &Summary) -> Vec<(&'static str, u64, &'static str)> {
        let stats = &summary.stats;
        vec![
            (
                "cases",
                summary.cases,
                "each on two engines, one and more threads, every 8th in the background too",
            ),
            ("with pixels", summary.drawn, ""),
            ("by code alone", summary.compiled, "of these"),
            ("runs of lists", stats.runs, "by the reference, as all that follows"),
            ("commands", stats.commands, ""),
            ("draws", stats.draws, ""),
            ("vertices", stats.vertices, ""),
            ("primitives", stats.primitives, ""),
            ("pixels", stats.covered, "covered"),
            ("transfers", stats.transfers, ""),
            ("bytes moved", stats.transferred, ""),
        ]
    }

    fn tables(summary: &Summary) -> String {
        [
            table("cases by kind", &summary.kinds),
            table("runs by how they ended, calls by why they were refused", &summary.ends),
            table("faults by kind, as far as lists of faults go", &summary.faults),
        ]
        .concat()
    }

    fn as_json(summary: &Summary) -> Vec<(&'static str, Value)> {
        let stats = &summary.stats;
        vec![
            ("cases", json!(summary.cases)),
            ("kinds", json!(summary.kinds)),
            ("with_pixels", json!(summary.drawn)),
            ("compiled", json!(summary.compiled)),
            ("runs", json!(stats.runs)),
            ("commands", json!(stats.commands)),
            ("draws", json!(stats.draws)),
            ("vertices", json!(stats.vertices)),
            ("primitives", json!(stats.primitives)),
            ("pixels", json!(stats.covered)),
            ("transfers", json!(stats.transfers)),
            ("bytes_moved", json!(stats.transferred)),
            ("ends", json!(summary.ends)),
            ("faults", json!(summary.faults)),
        ]
    }

    fn replay(file: &Path) -> Result<bool, CliError> {
        replay(file)
    }
}

/// The frame dumps of a folder, by name.
fn recordings(folder: &Path) -> Result<Vec<Capture>, CliError> {
    let fail = |why: &dyn std::fmt::Display| CliError::new(format!("cannot use {}: {why}", folder.display()));
    let entries = fs::read_dir(folder).map_err(|why| fail(&why))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ppdmp"));
    paths.sort();
    let read = |path: &Path| -> Result<Capture, CliError> {
        let dump = ppdmp::read(&read_file(path)?).map_err(|why| fail(&why))?;
        let (capture, _) = ppdmp::translate(&dump, ppdmp::Lists::OfRecords).map_err(|why| fail(&why))?;
        Ok(capture)
    };
    let captures = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    if captures.is_empty() { Err(fail(&"there are no frame dumps")) } else { Ok(captures) }
}

/// Reduces a finding and writes it as a capture, if it fails as one: without the queue of system software.
fn explain(args: &Args, Finding { number, program, failure }: &Finding) -> Result<(), CliError> {
    note!("\ncase {number} of seed {}: {failure}", args.seed);
    let mut engines = Engines::new().map_err(CliError::new)?;
    let mut fails = |program: &Program| {
        let found = lists::check(program, false, &mut engines).err();
        found.is_some_and(|found| found.panicked == failure.panicked)
    };
    let (limits, replaces) = (program.limits, program.replaces);
    let plain = Program { limits, replaces, ..Program::of_capture(&program.to_capture()) };
    let reduced = quietly(|| fails(&plain).then(|| reduce::reduce(&plain, REDUCTION, &mut fails)));
    if let Some(reduced) = reduced {
        return keep(args, *number, &format::write(&reduced.to_capture()));
    }
    note!("reproduce with: picaflor fuzz --kind ge-list --seed {} --first {number} --cases 1", args.seed);
    Ok(())
}

/// Runs the case of a file; returns true if it fails.
fn replay(file: &Path) -> Result<bool, CliError> {
    let capture = format::read(&read_file(file)?).map_err(|why| unusable(file, &why))?;
    let mut engines = Engines::new().map_err(CliError::new)?;
    match lists::check_capture(&capture, true, &mut engines) {
        Ok(()) => {
            say!("the same in every way");
            Ok(false)
        }
        Err(failure) => {
            say!("{failure}");
            Ok(true)
        }
    }
}
