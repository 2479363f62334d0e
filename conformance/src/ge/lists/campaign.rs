//! Many random lists, counted.

use super::generate::{self, ListCase};
use super::program::Program;
use super::{Checked, Engines, Failure, Run, check};
use crate::ge::campaign::Plan;
use picaflor_jit::CompileError;
use picaflor_pipeline::capture::ge::Capture;
use picaflor_pipeline::ge::stats::Stats;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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

impl Summary {
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
        self.digest = self.digest.wrapping_add(digest(run).wrapping_mul(2 * number + 1));
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

fn merge<K: Ord>(counts: &mut BTreeMap<K, u64>, other: BTreeMap<K, u64>) {
    for (key, count) in other {
        *counts.entry(key).or_default() += count;
    }
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

/// FNV-1a over memory and state.
fn digest(run: &Run) -> u64 {
    let mix = |hash: u64, value: u64| (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3);
    let words = run.memory.iter().flat_map(|(_, bytes)| bytes.as_chunks::<8>().0);
    let state = run.state.iter().map(|&word| u64::from(word));
    words.map(|&word| u64::from_le_bytes(word)).chain(state).fold(0xcbf2_9ce4_8422_2325, mix)
}

/// What the workers share.
struct Shared<'a> {
    plan: &'a Plan,
    recordings: &'a [Capture],
    next: AtomicU64,
    start: Instant,
    /// What each worker is at, and since when.
    at_work: Vec<Mutex<Option<(u64, Instant)>>>,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl Shared<'_> {
    /// The next case, if there is one and time for it.
    fn next(&self) -> Option<u64> {
        let in_time = self.plan.time.is_none_or(|time| self.start.elapsed() < time);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (in_time && number < self.plan.first.saturating_add(self.plan.cases)).then_some(number)
    }
}

/// Runs a plan; `recordings` are what damaged recordings are made of. `progress` is called with the number of cases
/// done since the last call; `stuck` with the number of a case that takes longer than `patience`, again and again.
///
/// # Errors
/// [`CompileError`] when an engine cannot be made.
pub fn run(
    plan: &Plan,
    recordings: &[Capture],
    patience: Duration,
    progress: &(dyn Fn(u64) + Sync),
    stuck: &dyn Fn(u64),
) -> Result<Summary, CompileError> {
    let at_work = (0..plan.threads.max(1)).map(|_| Mutex::new(None)).collect();
    let (next, start) = (AtomicU64::new(plan.first), Instant::now());
    let shared = Shared { plan, recordings, next, start, at_work, progress };
    let results = std::thread::scope(|scope| {
        let shared = &shared;
        let threads: Vec<_> =
            shared.at_work.iter().map(|place| scope.spawn(move || work(shared, place))).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            shared.at_work.iter().filter_map(|place| overdue(place, patience)).for_each(stuck);
        }
        threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut summary = Summary::default();
    for result in results {
        summary.add(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    summary.findings.sort_by_key(|finding| finding.number);
    summary.findings.truncate(KEPT);
    Ok(summary)
}

fn overdue(place: &Mutex<Option<(u64, Instant)>>, patience: Duration) -> Option<u64> {
    let (number, since) = (*place.lock().unwrap_or_else(PoisonError::into_inner))?;
    (since.elapsed() > patience).then_some(number)
}

fn work(shared: &Shared<'_>, place: &Mutex<Option<(u64, Instant)>>) -> Result<Summary, CompileError> {
    let mut engines = Engines::new()?;
    let mut summary = Summary::default();
    while let Some(number) = shared.next() {
        let start = Instant::now();
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some((number, start));
        one(shared, number, &mut engines, &mut summary);
        summary.slowest = summary.slowest.max((start.elapsed(), number));
        (shared.progress)(1);
    }
    *place.lock().unwrap_or_else(PoisonError::into_inner) = None;
    Ok(summary)
}

fn one(shared: &Shared<'_>, number: u64, engines: &mut Engines, summary: &mut Summary) {
    let ListCase { kind, program } = generate::case(shared.plan.seed, number, shared.recordings);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(cases: u64, threads: usize) -> Summary {
        let plan = Plan { seed: 7, first: 0, cases, time: None, threads };
        let stuck = |number| panic!("case {number} does not end");
        run(&plan, &[], Duration::from_secs(120), &|_| (), &stuck).expect("this host runs compiled code")
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
