//! `picaflor fuzz --kind primitive` and `--kind blit`: random calls of the seams before and after the pixels.

use crate::cli::fuzz::lists::{REDUCTION, Results, quietly, table};
use crate::cli::fuzz::{Args, kept, write};
use crate::cli::{CliError, fuzz, plain_name};
use crate::crew::{Plan, Watch};
use crate::pica::seams::campaign::{self, Finding, Summary};
use crate::pica::seams::{self, Case, Engines};
use serde_json::{Value, json};
use std::marker::PhantomData;
use std::path::Path;

/// Calls of a seam.
pub(in crate::cli) struct Seam<C>(pub(in crate::cli) PhantomData<fn() -> C>);

impl<C: Case> fuzz::lists::Lists for Seam<C> {
    const NAME: &'static str = C::KIND;
    const ABOUT: &'static str = C::ABOUT;

    type Summary = Summary<C>;

    fn run(_: &Args, plan: &Plan, watch: Watch<'_>) -> Result<Summary<C>, CliError> {
        campaign::run(plan, watch).map_err(CliError::new)
    }

    fn results(summary: &Summary<C>) -> Results {
        Results { digest: summary.digest, slowest: summary.slowest, failures: summary.failures }
    }

    fn explain(args: &Args, summary: &Summary<C>) -> Result<(), CliError> {
        summary.findings.iter().try_for_each(|finding| explain(args, finding))
    }

    fn lines(summary: &Summary<C>) -> Vec<(&'static str, u64, &'static str)> {
        vec![
            ("cases", summary.cases, ""),
            ("the same", summary.same, "on the interpreter and on the compiling engine"),
            ("nothing to compare", summary.empty, "the same, without a result"),
        ]
    }

    fn tables(summary: &Summary<C>) -> String {
        table("results of the reference", &summary.counts)
    }

    fn as_json(summary: &Summary<C>) -> Vec<(&'static str, Value)> {
        vec![
            ("cases", json!(summary.cases)),
            ("same", json!(summary.same)),
            ("empty", json!(summary.empty)),
            ("counts", json!(summary.counts)),
        ]
    }

    fn replay(path: &Path) -> Result<bool, CliError> {
        let case = kept(path, C::from_json)?;
        let mut engines = Engines::new().map_err(CliError::new)?;
        match seams::check(&case, &mut engines) {
            Ok(_) => say!("the same"),
            Err(failure) => {
                say!("{}", failure.what);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Reduces a finding and writes it.
fn explain<C: Case>(args: &Args, finding: &Finding<C>) -> Result<(), CliError> {
    let (kind, seed, number) = (C::KIND, args.seed, finding.number);
    note!("\ncase {number} of seed {seed}: {}", finding.failure.what);
    let mut engines = Engines::new().map_err(CliError::new)?;
    let case = quietly(|| seams::reduce(&finding.case, &finding.failure, REDUCTION, &mut engines));
    if let Err(failure) = quietly(|| seams::check(&case, &mut engines)) {
        note!("reduced: {}", failure.what);
    }
    let path = args.out.join(format!("{kind}-seed-{seed}-case-{number}.json"));
    write(&path, &case.to_json())?;
    note!("reproduce with: picaflor fuzz --kind {kind} --replay {}", plain_name(&path));
    Ok(())
}
