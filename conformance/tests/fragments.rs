//! Random fragment states and triangles: the same on the interpreter and on compiled code.

use picaflor_conformance::pica::fragments::campaign::{self, CASES_PER_STATE, Plan, Summary};
use picaflor_conformance::pica::fragments::case::FragmentCase;
use picaflor_conformance::pica::fragments::state::{BASE, SIZE};
use picaflor_conformance::pica::fragments::{Engines, Way, check, laws, reference, report, scenes};
use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;
use std::path::Path;

fn run(seed: u64, cases: u64, threads: usize, all_ways: bool) -> Summary {
    let plan = Plan { seed, first: 0, cases, time: None, threads, all_ways };
    campaign::run(&plan, &|_| ()).expect("this host runs compiled code")
}

fn many() -> u64 {
    let wanted = std::env::var("PICAFLOR_FRAGMENT_CASES").ok().and_then(|text| text.parse().ok());
    wanted.unwrap_or(if cfg!(debug_assertions) { 1_600 } else { 16_000 })
}

#[test]
fn random_cases_are_the_same_on_compiled_code() {
    let summary = run(31, many(), 2, false);
    let first = summary.findings.first();
    assert_eq!(summary.failures, 0, "{:?}", first.map(|finding| (finding.number, &finding.failure)));
    assert!(summary.compiled * 3 > summary.cases, "{summary:?}");
    assert!(summary.changed * 3 > summary.compiled, "{summary:?}");
    assert!(summary.keys.len() as u64 * 8 > summary.compiled / CASES_PER_STATE, "{summary:?}");
}

#[test]
fn all_ways_are_the_same() {
    let summary = run(32, 320, 2, true);
    assert_eq!(summary.failures, 0, "{:?}", summary.findings.first().map(|finding| &finding.failure));
    assert!(Way::ALL.iter().all(|way| summary.ways.contains_key(way)), "{:?}", summary.ways);
}

#[test]
fn results_do_not_depend_on_threads() {
    let (one, two) = (run(33, 320, 1, false), run(33, 320, 2, false));
    assert_eq!((one.digest, one.compiled, one.keys), (two.digest, two.compiled, two.keys));
    assert_ne!(one.digest, run(34, 320, 2, false).digest);
}

/// A wrong byte is seen, and the report says where it is.
#[test]
fn differences_are_noticed() {
    let case = (0..CASES_PER_STATE * 20)
        .map(|number| campaign::case(35, number))
        .find(|case| case.registers.framebuffer_dim().width() == 64 && case.registers.raw(0x11d) == BASE >> 3)
        .expect("a case with a target of this width");
    let mut memory = FlatMemory::new(BASE, vec![0; SIZE as usize]);
    let expected = reference(&case, &mut memory).memory;
    let mut actual = expected.clone();
    actual[0] ^= 0xff;
    let text = report::first_difference(&case, &actual, &expected);
    assert!(text.starts_with("1 pixels, first (0, "), "{text}");
    let mut actual = expected.clone();
    actual[SIZE as usize - 1] ^= 1;
    assert!(report::first_difference(&case, &actual, &expected).contains("outside the target"));
}

/// Cases that failed once.
#[test]
fn kept_cases_are_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/fragments");
    let mut engines = Engines::new().expect("this host runs compiled code");
    for entry in std::fs::read_dir(folder).expect("the folder of kept cases").flatten() {
        let case = FragmentCase::load(&entry.path()).expect("a sound case");
        if let Err(failure) = check(&case, &Way::ALL, &mut engines) {
            panic!("{}", report::report(&case, &failure, &entry.path().display().to_string()));
        }
    }
}

/// The laws of keys: text and registers lead back to a key, and states with the same key draw the same.
#[test]
fn laws_of_keys_hold() {
    let states = many();
    let plan = laws::Plan { seed: 36, first: 0, states, time: None, threads: 2 };
    let summary = laws::run(&plan, &|_| ());
    assert_eq!(summary.failures, 0, "{:?}", summary.findings);
    assert!(summary.known * 2 > states, "{summary:?}");
    assert!(summary.plainest * 8 > states && summary.neighbours * 2 > states, "{summary:?}");
    assert!(summary.changed * 4 > states, "{summary:?}");
}

/// Keys of the scenes: printed, and the laws hold for them too.
#[test]
fn keys_of_scenes() {
    let mut all = std::collections::BTreeSet::new();
    for scene in Scene::all() {
        let draws = scenes::draws(&scene.capture(Precision::Console)).expect("a sound capture");
        println!("{:<20} {:>5} draws {:>4} keys", scene.name, draws.values().sum::<u64>(), draws.len());
        for text in draws.into_keys() {
            let key: FragmentStateKey = text.parse().unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(FragmentStateKey::of(&key.to_registers()), Ok(key), "{text}");
            all.insert(text);
        }
    }
    println!("{} keys in all", all.len());
}
