//! Many random lists, counted.

use super::generate::{self, ListCase};
use super::program::Program;
use super::{Checked, Engines, Failure, check};
use crate::crew::{self, Campaign, Plan, Tally, Watch};
use crate::crew::{digest, merge};
use picaflor_jit::CompileError;
use picaflor_pipeline::ge::capture::Capture;
use picaflor_pipeline::ge::stats::Stats;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

/// Failures that are kept.
const KEPT: usize = 8;
/// Every so many cases, code is made in the background too.
const IN_BACKGROUND: u64 = 8;

/// A case that fails.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Number of the case.
    pub number: u64,
    /// The case.
    pub program: Program,
    /// Why it fails.
    pub failure: Failure,
}

/// Counts, over the runs of the reference unless it says otherwise.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Cases.
    pub cases: u64,
    /// Cases by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Cases with pixels that compiled code alone drew.
    pub compiled: u64,
    /// Cases with pixels.
    pub drawn: u64,
    /// Counters of the machine.
    pub stats: Stats,
    /// Faults by kind.
    pub faults: BTreeMap<&'static str, u64>,
    /// How steps ended that ran lists, and why calls were refused.
    pub ends: BTreeMap<String, u64>,
    /// Longest time that one case took, all ways together, and its number.
    pub slowest: (Duration, u64),
    /// Sum of digests of what the reference computed: the same cases give the same on every host.
    pub digest: u64,
    /// Cases that panicked or differed.
    pub failures: u64,
    /// The first of them of each thread.
    pub findings: Vec<Finding>,
}

impl Tally for Summary {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.compiled += other.compiled;
        self.drawn += other.drawn;
        self.failures += other.failures;
        self.digest = self.digest.wrapping_add(other.digest);
        self.slowest = self.slowest.max(other.slowest);
        add(&mut self.stats, &other.stats);
        merge(&mut self.kinds, other.kinds);
        merge(&mut self.faults, other.faults);
        merge(&mut self.ends, other.ends);
        self.findings.extend(other.findings);
    }

    fn took(&mut self, number: u64, time: Duration) {
        self.slowest = self.slowest.max((time, number));
    }
}

impl Summary {
    fn count(&mut self, number: u64, Checked { run, is_compiled }: &Checked) {
        self.compiled += u64::from(*is_compiled);
        self.drawn += u64::from(run.stats.covered > 0);
        add(&mut self.stats, &run.stats);
        for fault in run.faults.as_slice() {
            *self.faults.entry(fault.kind()).or_default() += 1;
        }
        for end in run.course.iter().filter_map(|course| end(course)) {
            *self.ends.entry(end).or_default() += 1;
        }
        // Multiplied, so that results of different cases cannot change places.
        self.digest = self.digest.wrapping_add(digest(&run.memory, &run.state).wrapping_mul(2 * number + 1));
    }
}

fn add(sum: &mut Stats, stats: &Stats) {
    sum.runs += stats.runs;
    sum.commands += stats.commands;
    sum.draws += stats.draws;
    sum.vertices += stats.vertices;
    sum.primitives += stats.primitives;
    sum.pixels += stats.pixels;
    sum.covered += stats.covered;
    sum.transfers += stats.transfers;
    sum.transferred += stats.transferred;
}

/// How a step ended that ran lists, or was refused: the name in `Ok(Finished` or `Err(Commands`, say.
fn end(course: &str) -> Option<String> {
    let (result, rest) = course.split_once('(')?;
    let name: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    match result {
        "Err" => Some(format!("error: {name}")),
        // Calls that were done answer with a number, or nothing.
        _ => (!name.is_empty() && name != "ListId").then_some(name),
    }
}

/// The campaign of a seed.
struct DisplayLists<'a> {
    seed: u64,
    recordings: &'a [Capture],
}

impl Campaign for DisplayLists<'_> {
    type Worker = Engines;
    type Tally = Summary;

    fn worker(&self) -> Result<Engines, CompileError> {
        Engines::new()
    }

    fn run(
        &self,
        numbers: Range<u64>,
        engines: &mut Engines,
        summary: &mut Summary,
    ) -> Result<(), CompileError> {
        numbers.for_each(|number| self.one(number, engines, summary));
        Ok(())
    }
}

/// Runs a plan; `recordings` are what damaged recordings are made of.
///
/// # Errors
/// [`CompileError`] when an engine cannot be made.
pub fn run(plan: &Plan, recordings: &[Capture], watch: Watch<'_>) -> Result<Summary, CompileError> {
    let mut summary = crew::run(&DisplayLists { seed: plan.seed, recordings }, plan, watch)?;
    summary.findings.sort_by_key(|finding| finding.number);
    summary.findings.truncate(KEPT);
    Ok(summary)
}

impl DisplayLists<'_> {
    fn one(&self, number: u64, engines: &mut Engines, summary: &mut Summary) {
        let ListCase { kind, program } = generate::case(self.seed, number, self.recordings);
        summary.cases += 1;
        *summary.kinds.entry(kind.name()).or_default() += 1;
        match check(&program, number.is_multiple_of(IN_BACKGROUND), engines) {
            Ok(checked) => summary.count(number, &checked),
            Err(failure) => {
                summary.failures += 1;
                if summary.findings.len() < KEPT {
                    summary.findings.push(Finding { number, program, failure });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(cases: u64, threads: usize) -> Summary {
        let plan = Plan { seed: 7, first: 0, cases, time: None, threads };
        let stuck = |number| panic!("case {number} does not end");
        let watch = Watch { progress: &|_| (), patience: Duration::from_secs(120), stuck: &stuck };
        run(&plan, &[], watch).expect("this host runs compiled code")
    }

    #[test]
    fn random_lists_are_the_same_on_every_engine() {
        let summary = summary(160, 2);
        let failures: Vec<_> =
            summary.findings.iter().map(|found| format!("{}: {}", found.number, found.failure)).collect();
        assert!(failures.is_empty(), "{failures:#?}");
        // They reach what they are meant to reach.
        let stats = &summary.stats;
        assert!(stats.draws > 400 && stats.covered > 20_000 && stats.transfers > 40, "{summary:?}");
        assert!(summary.drawn > 60 && summary.compiled > 20, "{summary:?}");
        assert!(summary.ends.len() >= 6, "{summary:?}");
    }

    #[test]
    fn campaigns_are_reproducible() {
        let [one, two] = [1, 2].map(|threads| summary(24, threads));
        assert_eq!((one.digest, one.stats, one.ends), (two.digest, two.stats, two.ends));
    }

    #[test]
    fn ends_have_names() {
        let courses =
            ["Ok(Finished { token: 7 }) DisplayList", "Err(Commands { limit: 3 })", "Ok(Stalled(ListId(1)))"];
        let names = courses.map(|course| end(course).expect("a name"));
        assert_eq!(names, ["Finished", "error: Commands", "Stalled"]);
        assert_eq!(["Ok(())", "", "Ok(1024)", "Ok(ListId(3))"].map(end), [const { None }; 4]);
    }
}
