//! `picaflor fuzz --kind list`: random command lists on the whole machine.

use crate::cli::fuzz::lists::{REDUCTION, Results, keep, quietly, table};
use crate::cli::fuzz::{Args, unusable};
use crate::cli::{CliError, read_file};
use crate::crew::{Plan, Watch};
use crate::pica::lists::campaign::{self, Finding, Summary};
use crate::pica::lists::{self, Engines, Failure, Whims, reduce};
use crate::pica::programs::campaign::PRECISIONS;
use picaflor_pipeline::pica::capture::Capture;
use serde_json::{Value, json};
use std::path::Path;

/// Command lists of the PICA200.
pub(in crate::cli) struct CommandLists;

impl crate::cli::fuzz::lists::Lists for CommandLists {
    const NAME: &'static str = "list";
    const ABOUT: &'static str = "Command lists";

    type Summary = Summary;

    fn run(_: &Args, plan: &Plan, watch: Watch<'_>) -> Result<Summary, CliError> {
        campaign::run(plan, watch).map_err(CliError::new)
    }

    fn results(summary: &Summary) -> Results {
        Results { digest: summary.digest, slowest: summary.slowest, failures: summary.failures }
    }

    fn explain(args: &Args, summary: &Summary) -> Result<(), CliError> {
        summary.findings.iter().try_for_each(|finding| explain(args, finding))
    }

    fn lines(summary: &Summary) -> Vec<(&'static str, u64, &'static str)> {
        vec![
            ("cases", summary.cases, "each on two engines, one and two threads, both precisions"),
            ("lists", summary.lists, "by the reference, as all that follows"),
            ("commands", summary.commands, ""),
            ("draws", summary.draws, ""),
            ("vertices", summary.vertices, ""),
            ("triangles", summary.triangles, ""),
            ("fragments", summary.fragments, ""),
            ("fills, transfers", summary.engines, ""),
        ]
    }

    fn tables(summary: &Summary) -> String {
        [
            table("cases by kind", &summary.kinds),
            table("faults by kind, as far as lists of faults go", &summary.faults),
            table("lists given up, by reason", &summary.given_up),
        ]
        .concat()
    }

    fn as_json(summary: &Summary) -> Vec<(&'static str, Value)> {
        vec![
            ("cases", json!(summary.cases)),
            ("kinds", json!(summary.kinds)),
            ("lists", json!(summary.lists)),
            ("commands", json!(summary.commands)),
            ("draws", json!(summary.draws)),
            ("vertices", json!(summary.vertices)),
            ("triangles", json!(summary.triangles)),
            ("fragments", json!(summary.fragments)),
            ("fills_and_transfers", json!(summary.engines)),
            ("faults", json!(summary.faults)),
            ("given_up", json!(summary.given_up)),
        ]
    }

    fn replay(file: &Path) -> Result<bool, CliError> {
        replay(file)
    }
}

/// Hosts on which a file is run: it does not say for which it was kept.
const HOSTS: [Whims; 2] =
    [Whims { replaces: false, in_vain: Vec::new() }, Whims { replaces: true, in_vain: Vec::new() }];

/// Shrinks a finding and writes it as a capture, if it fails as one.
fn explain(args: &Args, finding: &Finding) -> Result<(), CliError> {
    note!("\ncase {} of seed {}: {}", finding.number, args.seed, finding.failure);
    let mut engines = Engines::new().map_err(CliError::new)?;
    let Failure { precision, panicked, .. } = finding.failure;
    let mut fails = |capture: &Capture, whims: &Whims| {
        let failure = lists::check_hosted(capture, precision, whims, &mut engines).err();
        failure.is_some_and(|failure| failure.panicked == panicked)
    };
    let reduced = quietly(|| {
        let whims = HOSTS.into_iter().find(|whims| fails(&finding.capture, whims))?;
        Some(reduce::reduce(&finding.capture, REDUCTION, &mut |capture| fails(capture, &whims)))
    });
    if let Some(capture) = reduced {
        return keep(args, finding.number, &capture.to_bytes());
    }
    note!(
        "reproduce with: picaflor fuzz --kind list --seed {} --first {} --cases 1",
        args.seed,
        finding.number
    );
    Ok(())
}

/// Runs the case of a file; returns true if it fails.
fn replay(file: &Path) -> Result<bool, CliError> {
    let capture = Capture::read(&read_file(file)?).map_err(|why| unusable(file, &why))?;
    let mut engines = Engines::new().map_err(CliError::new)?;
    let mut failed = false;
    for precision in PRECISIONS {
        let mut check = |whims| lists::check_hosted(&capture, precision, &whims, &mut engines).map(drop);
        match HOSTS.into_iter().try_for_each(&mut check) {
            Ok(()) => say!("{precision:?}: the same in every way"),
            Err(failure) => {
                failed = true;
                say!("{failure}");
            }
        }
    }
    Ok(failed)
}
