//! Many random cases on all ways to run compiled code, counted.

use crate::crew::share;
use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::pica::programs::case::Case;
use crate::pica::programs::compare::{self, Difference, Verdict, Way};
use crate::pica::programs::generate::{self, CASES_PER_PROGRAM};
use crate::pica::programs::outcome::{Candidate, Loaded};
use picaflor_jit::{CompileError, RunReport};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::program::Program;

/// Constructor of the engines that are compared with the interpreter, one for each way and thread.
pub type MakeEngine<'a> = dyn Fn(Way) -> Result<Box<dyn Candidate>, CompileError> + Sync + 'a;

/// Which cases run.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// Number of the first case.
    pub first: u64,
    /// Number of cases, all shards together.
    pub cases: u64,
    /// Shard, from 0, and number of shards. A shard runs every n-th program.
    pub shard: (u64, u64),
    /// Threads. The result does not depend on them.
    pub threads: usize,
}

/// Counts of one way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WayTally {
    /// Compiled code produced the same bits.
    pub same: u64,
    /// Compiled code produced other bits.
    pub differs: u64,
    /// Nothing was compared, by reason.
    pub incomparable: BTreeMap<String, u64>,
    /// Groups or runs of the compared cases.
    pub groups: u64,
    /// Groups or runs of the compared cases that ran again.
    pub replayed: u64,
}

impl WayTally {
    /// Cases that were not compared.
    #[must_use]
    pub fn not_compared(&self) -> u64 {
        self.incomparable.values().sum()
    }

    fn count(&mut self, verdict: &Verdict, report: &RunReport) {
        match verdict {
            Verdict::Same => self.same += 1,
            Verdict::Differs(_) => self.differs += 1,
            Verdict::Incomparable(reason) => *self.incomparable.entry(reason.clone()).or_default() += 1,
        }
        if !matches!(verdict, Verdict::Incomparable(_)) {
            self.groups += u64::from(report.groups);
            self.replayed += u64::from(report.replayed);
        }
    }

    fn add(&mut self, other: &Self) {
        self.same += other.same;
        self.differs += other.differs;
        self.groups += other.groups;
        self.replayed += other.replayed;
        for (reason, count) in &other.incomparable {
            *self.incomparable.entry(reason.clone()).or_default() += count;
        }
    }
}

/// A case that differs.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Number of the case.
    pub number: u64,
    /// The case, in the precision in which it differs.
    pub case: Case,
    /// The way that differs.
    pub way: Way,
    /// The differences.
    pub differences: Vec<Difference>,
}

/// The result of a campaign.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Cases; each ran in both precisions and all ways.
    pub cases: u64,
    /// Distinct contents of program memory.
    pub programs: usize,
    /// Instructions that the interpreter executed.
    pub words: u64,
    /// Sum of the digests of everything the interpreter computed: equal on every host.
    pub digest: u64,
    /// Counts by precision (`Console` first) and way.
    pub ways: [[WayTally; 3]; 2],
    /// Cases that differ, the first of each program, up to [`KEPT`].
    pub findings: Vec<Finding>,
}

/// Both precisions, in the order of [`Summary::ways`].
pub const PRECISIONS: [Precision; 2] = [Precision::Console, Precision::Binary32];

/// Findings that are kept.
pub const KEPT: usize = 8;

impl Summary {
    /// Cases, counted once for each precision and way, in which the engines differ.
    #[must_use]
    pub fn differences(&self) -> u64 {
        self.ways.iter().flatten().map(|tally| tally.differs).sum()
    }

    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.words += other.words;
        self.digest = self.digest.wrapping_add(other.digest);
        for (mine, theirs) in self.ways.iter_mut().flatten().zip(other.ways.iter().flatten()) {
            mine.add(theirs);
        }
        self.findings.extend(other.findings);
    }
}

/// Runs a plan. `progress` is called with the number of cases done since the last call.
///
/// # Errors
/// [`CompileError`] when an engine cannot be made.
pub fn run(
    plan: &Plan,
    make: &MakeEngine<'_>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Summary, CompileError> {
    let next = AtomicU64::new(plan.first / CASES_PER_PROGRAM);
    let programs = Mutex::new(HashSet::new());
    let work = || Worker::new(plan, make, &programs).and_then(|worker| worker.run(&next, progress));
    let results = share(plan.threads.max(1), work);
    let mut summary = Summary::default();
    for result in results {
        summary.add(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    summary.programs = programs.lock().map_or(0, |programs| programs.len());
    summary.findings.sort_by_key(|finding| finding.number);
    summary.findings.truncate(KEPT);
    Ok(summary)
}

/// Code and descriptors, by which programs are told apart.
type Contents = (Vec<u32>, Vec<u32>);

struct Worker<'a> {
    plan: &'a Plan,
    make: &'a MakeEngine<'a>,
    programs: &'a Mutex<HashSet<Contents>>,
    engines: Vec<Box<dyn Candidate>>,
    summary: Summary,
}

impl<'a> Worker<'a> {
    fn new(
        plan: &'a Plan,
        make: &'a MakeEngine<'a>,
        programs: &'a Mutex<HashSet<Contents>>,
    ) -> Result<Self, CompileError> {
        let engines = Way::ALL.into_iter().map(make).collect::<Result<_, _>>()?;
        Ok(Self { plan, make, programs, engines, summary: Summary::default() })
    }

    fn run(mut self, next: &AtomicU64, progress: &(dyn Fn(u64) + Sync)) -> Result<Summary, CompileError> {
        let (shard, shards) = self.plan.shard;
        let end = self.plan.first + self.plan.cases;
        loop {
            let program = next.fetch_add(1, Ordering::Relaxed);
            let first = program * CASES_PER_PROGRAM;
            if first >= end {
                return Ok(self.summary);
            }
            if program % shards == shard {
                let before = self.summary.cases;
                self.program(program, self.plan.first.max(first)..end.min(first + CASES_PER_PROGRAM))?;
                progress(self.summary.cases - before);
            }
        }
    }

    /// The cases of one program.
    fn program(&mut self, number: u64, wanted: std::ops::Range<u64>) -> Result<(), CompileError> {
        let cases = generate::cases(self.plan.seed, number);
        let program = cases[0].program();
        let mut found = None;
        for (number, case) in (number * CASES_PER_PROGRAM..).zip(&cases).filter(|(n, _)| wanted.contains(n)) {
            self.summary.cases += 1;
            found = self.case(number, case, &program)?.filter(|_| found.is_none()).or(found);
        }
        if let Ok(mut programs) = self.programs.lock() {
            programs.insert((program.code().to_vec(), program.descriptors().to_vec()));
        }
        if self.summary.findings.len() < KEPT {
            self.summary.findings.extend(found);
        }
        Ok(())
    }

    /// Runs one case in both precisions and all ways; returns the first finding.
    fn case(&mut self, number: u64, case: &Case, program: &Program) -> Result<Option<Finding>, CompileError> {
        let mut found = None;
        for (at, precision) in PRECISIONS.into_iter().enumerate() {
            let case = case.with_precision(precision);
            let loaded = Loaded::new(&case, program);
            let expected = compare::reference(&loaded);
            self.summary.words += loaded.words_executed();
            // Multiplied, so that results of different cases cannot change places.
            let position = 2 * (2 * number + at as u64) + 1;
            self.summary.digest = self.summary.digest.wrapping_add(expected.digest().wrapping_mul(position));
            for (n, way) in Way::ALL.into_iter().enumerate() {
                let (verdict, report) =
                    compare::compare_contained(&loaded, &expected, self.engines[n].as_mut());
                self.summary.ways[at][n].count(&verdict, &report);
                if verdict.is_panic() {
                    self.engines[n] = (self.make)(way)?;
                }
                if let Verdict::Differs(differences) = verdict {
                    let case = case.clone();
                    found = found.or(Some(Finding { number, case, way, differences }));
                }
            }
        }
        Ok(found)
    }
}
