//! Random command lists on the whole machine: no panic, and every engine, number of threads and precision
//! the same as the reference. `picaflor fuzz --kind list` runs more of them.

use picaflor_conformance::crew::Watch;
use picaflor_conformance::pica::lists::campaign::{self, Plan, Summary};
use picaflor_conformance::pica::lists::generate::{self, ListKind};
use picaflor_conformance::pica::lists::{self, Engines};
use picaflor_conformance::pica::programs::campaign::PRECISIONS;
use picaflor_conformance::random::Random;
use picaflor_conformance::target;
use picaflor_pipeline::pica::capture::Capture;
use std::path::Path;
use std::time::Duration;

/// As many cases as half a minute holds; fewer with an unoptimised compiler.
const CASES: u64 = if cfg!(debug_assertions) { 80 } else { 500 };

fn run(seed: u64, cases: u64, threads: usize) -> Summary {
    let plan = Plan { seed, first: 0, cases, time: None, threads };
    let stuck = |number| panic!("case {number} does not end");
    let watch = Watch { progress: &|_| (), patience: Duration::from_secs(120), stuck: &stuck };
    campaign::run(&plan, watch).expect("this host runs compiled code")
}

#[test]
fn random_lists_are_the_same_on_every_engine() {
    let summary = run(20_261_121, CASES, 2);
    let failures: Vec<_> = summary.findings.iter().map(|f| format!("{}: {}", f.number, f.failure)).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    // They reach what they are meant to reach.
    assert_eq!(summary.cases, CASES);
    assert!(summary.draws > 4 * CASES && summary.fragments > 400 * CASES, "{summary:?}");
    assert!(summary.engines > CASES && summary.lists > 2 * CASES, "{summary:?}");
    assert!(summary.faults.len() >= 6 && !summary.given_up.is_empty(), "{summary:?}");
}

/// The same cases give the same, whatever the number of threads of the campaign.
#[test]
fn campaigns_are_reproducible() {
    let (one, two) = (run(3, 24, 1), run(3, 24, 2));
    assert_eq!((one.digest, one.commands, one.faults), (two.digest, two.commands, two.faults));
    assert_ne!(one.digest, run(4, 24, 2).digest);
}

/// A difference is seen, wherever it is.
#[test]
fn differences_are_noticed() {
    let case = generate::of_kind(&mut Random::new(8), ListKind::Structured);
    let mut engines = Engines::new().expect("this host runs compiled code");
    let run = lists::check(&case.capture, PRECISIONS[0], &mut engines).expect("no difference");
    assert_eq!(run.difference(&run), None);
    let mut memory = run.clone();
    memory.memory[0].1[0x123] ^= 1;
    assert!(memory.difference(&run).expect("a difference").starts_with("memory 0x18000123"));
    let mut state = run.clone();
    state.state[7] ^= 1;
    assert!(state.difference(&run).expect("a difference").starts_with("state word 0x7"));
    let mut reads = run.clone();
    reads.reads[5] ^= 1;
    assert!(reads.difference(&run).expect("a difference").starts_with("register read 0x5"));
    let mut counters = run.clone();
    counters.stats.draws += 1;
    assert!(counters.difference(&run).is_some());
}

/// Cases that failed once.
#[test]
fn kept_lists_are_the_same_on_every_engine() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/lists");
    let mut engines = Engines::new().expect("this host runs compiled code");
    let mut kept = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of kept lists").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a kept list");
        let capture = Capture::read(&bytes).unwrap_or_else(|error| panic!("{:?}: {error}", entry.path()));
        for precision in PRECISIONS {
            let result = lists::check(&capture, precision, &mut engines);
            assert!(result.is_ok(), "{:?}: {}", entry.path(), result.unwrap_err());
        }
        kept += 1;
    }
    assert!(kept > 0);
}

/// What the fuzzer's target does with its bytes.
#[test]
fn lists_from_bytes() {
    let mut random = Random::new(23);
    let mut engines = Engines::new().expect("this host runs compiled code");
    for length in (0..if cfg!(debug_assertions) { 20 } else { 60 }).map(|n| n * 3) {
        let bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        target::command_list(&bytes, &mut engines);
    }
}
