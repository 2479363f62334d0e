//! Every vector on every engine, in every profile in which it holds.

use picaflor_conformance::pica::engine::{NAMES, NamedEngine};
use picaflor_conformance::pica::vector::run::{Outcome, Verdict, run_file};
use picaflor_conformance::pica::vector::{File, Origin};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Outcomes of all files, made once.
fn outcomes() -> &'static [Outcome] {
    static OUTCOMES: OnceLock<Vec<Outcome>> = OnceLock::new();
    OUTCOMES.get_or_init(run_all)
}

fn run_all() -> Vec<Outcome> {
    let mut engines = NamedEngine::all().expect("this host can run compiled code");
    let mut outcomes = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a vector file can be read");
        let file = File::parse(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let ran = run_file(&file, &mut engines);
        outcomes.extend(ran.unwrap_or_else(|why| panic!("{}: {why}", path.display())));
    }
    outcomes
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let entries = std::fs::read_dir(folder).expect("the folder of vectors");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn every_vector_on_every_engine() {
    let outcomes = outcomes();
    titles_are_distinct();
    print_counts(outcomes);
    print_expected_failures(outcomes);
    print_incomparable(outcomes);
    let wrong =
        |outcome: &&Outcome| matches!(outcome.verdict(), Verdict::Differs | Verdict::SameUnexpectedly);
    let reports: Vec<String> = outcomes.iter().filter(wrong).map(Outcome::report).collect();
    assert!(reports.is_empty(), "{} checks failed\n\n{}", reports.len(), reports.join("\n"));
}

/// Compiled code takes every program of the vectors that does not end in a fault. What it refuses would be
/// untested.
#[test]
fn compiled_code_serves_every_vector() {
    let forced = ["jit", "jit-exact", "jit-no-fallback"];
    let outcomes = outcomes();
    let unserved: Vec<&Outcome> =
        outcomes.iter().filter(|o| forced.contains(&o.engine) && !o.service.counts() && !o.faults).collect();
    let report = unserved.first().map(|first| first.report()).unwrap_or_default();
    assert!(unserved.is_empty(), "{} checks not made by compiled code, the first: {report}", unserved.len());
}

/// Vectors are counted by title.
fn titles_are_distinct() {
    let mut titles = BTreeSet::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a vector file can be read");
        for group in File::parse(&text).expect("parsed before").groups {
            assert!(titles.insert(group.title.clone()), "two groups are called `{}`", group.title);
        }
    }
}

/// Checks that were made, by origin and engine.
fn print_counts(outcomes: &[Outcome]) {
    let mut counts: BTreeMap<Origin, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut vectors: BTreeMap<Origin, BTreeSet<(&str, usize)>> = BTreeMap::new();
    for outcome in outcomes {
        vectors.entry(outcome.origin).or_default().insert((&outcome.title, outcome.vector));
        if outcome.verdict() != Verdict::Incomparable {
            *counts.entry(outcome.origin).or_default().entry(outcome.engine).or_default() += 1;
        }
    }
    print!("{:<10} {:>7}", "origin", "vectors");
    let columns: Vec<&str> = NAMES.into_iter().chain(["formats"]).collect();
    columns.iter().for_each(|name| print!(" {name:>16}"));
    println!();
    for (origin, counts) in counts {
        print!("{:<10} {:>7}", format!("{origin:?}").to_lowercase(), vectors[&origin].len());
        columns.iter().for_each(|name| print!(" {:>16}", counts.get(name).copied().unwrap_or(0)));
        println!();
    }
}

fn print_expected_failures(outcomes: &[Outcome]) {
    let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|o| o.verdict() == Verdict::DiffersAsExpected) {
        let reason = outcome.expect_failure.as_deref().unwrap_or_default();
        *reasons.entry((&outcome.title, reason)).or_default() += 1;
    }
    for ((title, reason), count) in reasons {
        println!("differs as expected, {count} checks: {title}: {reason}");
    }
}

fn print_incomparable(outcomes: &[Outcome]) {
    let mut reasons: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|o| o.verdict() == Verdict::Incomparable) {
        *reasons.entry((outcome.engine, outcome.service.reason())).or_default() += 1;
    }
    for ((engine, reason), count) in reasons {
        println!("incomparable on {engine}, {count} checks: {reason}");
    }
}
