//! Every vector of the whole machine on every engine, in every profile in which it holds.

use picaflor_conformance::pica::engine::NamedEngine;
use picaflor_conformance::pica::vector::Origin;
use picaflor_conformance::pica::vector::machine::File;
use picaflor_conformance::pica::vector::machine::run::{Outcome, run_file};
use picaflor_conformance::pica::vector::run::Verdict;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn files() -> Vec<(PathBuf, File)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/machine");
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
fn every_machine_vector_on_every_engine() {
    let mut engines = NamedEngine::all().expect("this host can run compiled code");
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
}

/// Unit tests that stand in for vectors exist.
#[test]
fn unit_tests_that_vectors_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut named = 0;
    for (path, file) in files() {
        for name in file.groups.iter().flat_map(|group| &group.covered_by) {
            let (source, test) = name.split_once("::").unwrap_or_else(|| panic!("`{name}` names no test"));
            let text = std::fs::read_to_string(root.join(source));
            let text = text.unwrap_or_else(|why| panic!("{}: {source}: {why}", path.display()));
            let found = text.contains(&format!("#[test]\n    fn {test}()"))
                || text.contains(&format!("#[test]\nfn {test}()"));
            assert!(found, "{}: no test {test} in {source}", path.display());
            named += 1;
        }
    }
    println!("{named} unit tests named by vectors");
    assert!(named > 0);
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
    println!("{:<16} {:<10} {:>6} {:>8} {:>8}", "unit", "origin", "cases", "vectors", "checks");
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
        println!("{unit:<16} {origin:<10} {:>6} {vectors:>8} {checks:>8}", cases.len());
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
