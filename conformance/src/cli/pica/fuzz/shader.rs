//! `picaflor fuzz --kind shader`: random shader programs, in both precisions and three ways each.

use crate::cli::fuzz::parts::Span;
use crate::cli::fuzz::{Args, Kind, kept, progress_bar, threads, write};
use crate::cli::{CliError, plain_name};
use crate::pica::precision_name;
use crate::pica::programs::campaign::{self, Finding, PRECISIONS, Plan, Summary, WayTally};
use crate::pica::programs::case::Case;
use crate::pica::programs::compare::{self, Verdict, Way};
use crate::pica::programs::locate;
use crate::pica::programs::outcome::{Candidate, Loaded};
use crate::pica::programs::reduce;
use crate::pica::programs::report::{self, Subject};
use picaflor_jit::CompileError;
use picaflor_pipeline::pica::float::Precision;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Time limit of reducing one case.
const REDUCTION: Duration = Duration::from_secs(10);

/// Shader programs.
pub(in crate::cli) struct Programs;

impl Kind for Programs {
    fn name(&self) -> &'static str {
        "shader"
    }

    fn about(&self) -> &'static str {
        "Shader programs"
    }

    fn part(&self) -> u64 {
        100
    }

    fn takes_time(&self) -> bool {
        false
    }

    fn search(&self, args: &Args) -> Result<bool, CliError> {
        search(args)
    }

    fn search_part(&self, args: &Args, span: Span) -> Result<Value, CliError> {
        search_part(args, span)
    }

    fn replay(&self, _: &Args, file: &Path) -> Result<bool, CliError> {
        replay(file)
    }
}

fn engine(way: Way) -> Result<Box<dyn Candidate>, CompileError> {
    Ok(Box::new(way.engine()?))
}

fn search(args: &Args) -> Result<bool, CliError> {
    let (plan, start) = (plan(args, (args.first, args.cases.unwrap_or(args.kind.cases()))), Instant::now());
    let summary = run_plan(&plan)?;
    if args.json {
        say!("{:#}", as_json(&plan, &summary));
    } else {
        say!("{}", as_text(&plan, &summary, start.elapsed()).trim_end());
    }
    explain_all(args, &summary)?;
    Ok(summary.differences() != 0)
}

/// Runs a part of the cases; the counts.
fn search_part(args: &Args, span: Span) -> Result<Value, CliError> {
    let plan = plan(args, span);
    let summary = run_plan(&plan)?;
    explain_all(args, &summary)?;
    Ok(as_json(&plan, &summary))
}

fn plan(args: &Args, (first, cases): Span) -> Plan {
    Plan { seed: args.seed, first, cases, shard: (0, 1), threads: threads(args) }
}

fn run_plan(plan: &Plan) -> Result<Summary, CliError> {
    let bar = progress_bar(plan.cases, None);
    let summary = campaign::run(plan, &engine, &|done| bar.inc(done)).map_err(CliError::new);
    bar.finish_and_clear();
    summary
}

fn explain_all(args: &Args, summary: &Summary) -> Result<(), CliError> {
    summary.findings.iter().try_for_each(|finding| explain(args, finding))
}

/// Shrinks a finding, writes it and its report, and prints the report.
fn explain(args: &Args, finding: &Finding) -> Result<(), CliError> {
    let origin = format!("{} of seed {}", finding.number, args.seed);
    let name = format!("seed-{}-case-{}", args.seed, finding.number);
    let mut check = Check { way: finding.way, engine: engine(finding.way).map_err(CliError::new)? };
    let case = reduce::reduce(&finding.case, REDUCTION, &mut |case| check.differs(case));
    let text = check.report(&case, &origin).unwrap_or_default();
    let path = args.out.join(format!("{name}.json"));
    write(&path, &case.to_json())?;
    write(&args.out.join(format!("{name}.txt")), &text)?;
    note!("\n{text}\nreproduce with: picaflor fuzz --replay {}", plain_name(&path));
    Ok(())
}

/// One way, for running single cases.
struct Check {
    way: Way,
    engine: Box<dyn Candidate>,
}

impl Check {
    fn verdict(&mut self, case: &Case) -> Verdict {
        let program = case.program();
        let loaded = Loaded::new(case, &program);
        let expected = compare::reference(&loaded);
        let (verdict, _) = compare::compare_contained(&loaded, &expected, self.engine.as_mut());
        if verdict.is_panic()
            && let Ok(fresh) = engine(self.way)
        {
            self.engine = fresh;
        }
        verdict
    }

    fn differs(&mut self, case: &Case) -> bool {
        matches!(self.verdict(case), Verdict::Differs(_))
    }

    /// The report of a case; `None` if it does not differ.
    fn report(&mut self, case: &Case, origin: &str) -> Option<String> {
        let verdict = self.verdict(case);
        let panicked = verdict.is_panic();
        let Verdict::Differs(differences) = verdict else { return None };
        let at = differences.iter().find_map(|difference| difference.place.invocation());
        let located = at.filter(|_| !panicked).and_then(|at| locate::locate(case, at, self.engine.as_mut()));
        let engine = self.way.name();
        let subject = Subject { origin, engine, case, differences: &differences, located: located.as_ref() };
        Some(report::report(&subject))
    }
}

/// Runs the case of a file in all ways; returns true if one differs.
fn replay(file: &Path) -> Result<bool, CliError> {
    let case = kept(file, |text| serde_json::from_str::<Case>(text).map_err(|why| why.to_string()))?;
    let mut differs = false;
    for way in Way::ALL {
        let mut check = Check { way, engine: engine(way).map_err(CliError::new)? };
        match check.verdict(&case) {
            Verdict::Same => say!("{way}: same"),
            Verdict::Incomparable(reason) => say!("{way}: not compared, {reason}"),
            Verdict::Differs(_) => {
                differs = true;
                say!("{}", check.report(&case, &plain_name(file)).unwrap_or_default());
            }
        }
    }
    Ok(differs)
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

fn tallies(summary: &Summary) -> impl Iterator<Item = (Precision, Way, &WayTally)> {
    PRECISIONS.into_iter().zip(&summary.ways).flat_map(|(precision, ways)| {
        Way::ALL.into_iter().zip(ways).map(move |(way, tally)| (precision, way, tally))
    })
}

fn as_text(plan: &Plan, summary: &Summary, time: Duration) -> String {
    let mut text = format!("seed {}\n", plan.seed);
    text += &format!("cases              {:>12}   in both precisions, three ways each\n", summary.cases);
    text += &format!("distinct programs  {:>12}\n", summary.programs);
    text += &format!("words executed     {:>12}   by the interpreter\n", summary.words);
    text +=
        &format!("digest of results  {:>16x}   of the interpreter, equal on every host\n", summary.digest);
    text += &format!("time               {:>10.1} s\n\n", time.as_secs_f64());
    text += "precision  way                      same   differs   not compared   replayed\n";
    for (precision, way, tally) in tallies(summary) {
        let refused = percent(tally.not_compared(), summary.cases);
        text += &format!(
            "{:<10} {way:<18} {:>10} {:>9} {:>7} {refused:>4.1} % {:>8.2} %\n",
            precision_name(precision),
            tally.same,
            tally.differs,
            tally.not_compared(),
            percent(tally.replayed, tally.groups),
        );
    }
    text += &reasons_as_text(summary);
    text += &format!("\ndifferences: {}\n", summary.differences());
    text
}

fn reasons_as_text(summary: &Summary) -> String {
    let mut text = String::from("\nnot compared, by reason\n");
    for (precision, way, tally) in tallies(summary) {
        for (reason, count) in &tally.incomparable {
            let precision = precision_name(precision);
            text += &format!("  {precision:<9} {way:<18} {count:>8}  {reason}\n");
        }
    }
    text
}

fn as_json(plan: &Plan, summary: &Summary) -> Value {
    let ways: Vec<Value> = tallies(summary)
        .map(|(precision, way, tally)| {
            json!({
                "precision": precision_name(precision),
                "way": way.name(),
                "same": tally.same,
                "differs": tally.differs,
                "not_compared": tally.incomparable,
                "groups": tally.groups,
                "replayed": tally.replayed,
            })
        })
        .collect();
    json!({
        "seed": plan.seed,
        "cases": summary.cases,
        "distinct_programs": summary.programs,
        "words_executed": summary.words,
        "digest": format!("{:016x}", summary.digest),
        "ways": ways,
        "differences": summary.differences(),
    })
}
