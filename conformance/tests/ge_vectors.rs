//! Every vector of the GE on every engine: what consoles gave, without their recordings.

use picaflor_conformance::ge::vector::File;
use picaflor_conformance::ge::vector::run::{Outcome, engines, run_file};
use picaflor_conformance::vector::Origin;
use picaflor_conformance::vector::Verdict;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn files() -> Vec<(PathBuf, File)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/ge");
    let entries = std::fs::read_dir(folder).expect("the folder of vectors");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    assert!(!paths.is_empty());
    let parse = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a vector file can be read");
        let file = File::parse(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        (path, file)
    };
    paths.into_iter().map(parse).collect()
}

#[test]
fn every_vector_of_the_ge_on_every_engine() {
    let mut engines = engines().expect("this host can run compiled code");
    let mut outcomes = Vec::new();
    for (path, file) in files() {
        let ran = run_file(&file, &mut engines);
        outcomes.extend(ran.unwrap_or_else(|why| panic!("{}: {why}", path.display())));
    }
    print_counts(&outcomes);
    print_expected_failures(&outcomes);
    let wrong =
        |outcome: &&Outcome| matches!(outcome.verdict(), Verdict::Differs | Verdict::SameUnexpectedly);
    let reports: Vec<String> = outcomes.iter().filter(wrong).map(Outcome::report).collect();
    assert!(reports.is_empty(), "{} checks failed\n\n{}", reports.len(), reports.join("\n"));
    print_left_out(&outcomes);
    // Compiled code is what is tested, not the interpreter behind it.
    let jit = engines.iter().find(|(name, _)| *name == "jit").expect("an engine of that name");
    let refusals = jit.1.work().refusals;
    let known = ["levels of detail of their own", "coordinates that are no numbers"];
    let is_known = |why: &String| known.iter().any(|end| why.ends_with(end));
    assert!(refusals.keys().all(is_known), "{refusals:?}");
}

/// Groups are reported by title.
#[test]
fn titles_are_distinct() {
    let mut titles = BTreeSet::new();
    for (path, file) in files() {
        for group in file.groups {
            assert!(titles.insert(group.title.clone()), "{}: again `{}`", path.display(), group.title);
        }
    }
}

/// Facts and checks, by unit and by origin.
fn print_counts(outcomes: &[Outcome]) {
    println!("{:<20} {:<10} {:>6} {:>8} {:>8}", "unit", "origin", "cases", "vectors", "checks");
    let mut rows: BTreeMap<(&str, Origin), Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        rows.entry((&outcome.unit, outcome.origin)).or_default().push(outcome);
        rows.entry(("all", outcome.origin)).or_default().push(outcome);
    }
    for ((unit, origin), outcomes) in rows {
        let cases: BTreeMap<(&str, &str), usize> =
            outcomes.iter().map(|o| ((o.title.as_str(), o.case.as_str()), o.vectors)).collect();
        let (vectors, checks): (usize, usize) =
            (cases.values().sum(), outcomes.iter().map(|o| o.vectors).sum());
        let origin = format!("{origin:?}").to_lowercase();
        println!("{unit:<20} {origin:<10} {:>6} {vectors:>8} {checks:>8}", cases.len());
    }
}

fn print_left_out(outcomes: &[Outcome]) {
    let left_out = outcomes.iter().filter(|o| o.verdict() == Verdict::Incomparable).count();
    println!("incomparable, {left_out} cases: compiled code does not draw all lines");
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
