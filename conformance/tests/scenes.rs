//! Every scene on both engines in both precisions, and against what it was before.
//!
//! `scenes/golden.txt` holds a hash for each point of each scene: of the buffers after a draw, of what a fill or transfer
//! wrote, of the screens after a frame. The first line that changed names the draw. Where a change is meant, look at the pictures (`picaflor demo`),
//! then run this test with `PICAFLOR_UPDATE=1` to write the file anew.

use crate::golden;
use picaflor_conformance::lockstep::{Options, compare};
use picaflor_conformance::pica::Pica;
use picaflor_conformance::pica::lockstep::Comparison;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;
use std::collections::BTreeSet;
use std::fmt::Write;

/// With how many threads each precision is drawn.
const PROFILES: [(&str, Precision, usize); 2] =
    [("console", Precision::Console, 2), ("binary32", Precision::Binary32, 1)];

fn rendered(scene: &Scene, precision: Precision, threads: usize) -> Comparison {
    let capture = scene.capture(precision);
    let options = Options { threads, hashes: true, ..Options::default() };
    compare::<Pica>(&capture, ["interp", "jit"], options, &|| ())
        .unwrap_or_else(|why| panic!("{}: {why}", scene.name))
}

/// What is wrong with a scene whatever it shows.
fn complaints(name: &str, comparison: &Comparison) -> Vec<String> {
    let mut found: Vec<String> = comparison
        .findings
        .differences
        .iter()
        .map(|difference| format!("{name}: {}: {} {}", difference.place, difference.surface, difference.what))
        .collect();
    let side = &comparison.candidate;
    found.extend(side.given_up.as_slice().iter().map(|why| format!("{name}: given up: {why}")));
    if side.picture.is_none() {
        found.push(format!("{name}: no screen is in use"));
    }
    if side.work.total() > 0 && side.work.compiled == 0 {
        found.push(format!("{name}: nothing was compiled: {:?}", side.work.others));
    }
    found
}

#[test]
fn scenes_are_what_they_were() {
    let mut actual = String::new();
    let mut found = Vec::new();
    for scene in Scene::all() {
        for (profile, precision, threads) in PROFILES {
            let comparison = rendered(&scene, precision, threads);
            found.extend(complaints(&format!("{} {profile}", scene.name), &comparison));
            for (place, hash) in &comparison.findings.made {
                writeln!(actual, "{} {profile} {:016x} {place}", scene.name, hash.0).expect("text");
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    golden::against("golden.txt", &actual);
}

#[test]
fn names_are_file_names_of_their_own() {
    let scenes = Scene::all();
    let names: BTreeSet<&str> = scenes.iter().map(|scene| scene.name).collect();
    assert_eq!(names.len(), scenes.len());
    let is_plain =
        |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c));
    assert!(names.iter().all(is_plain), "{names:?}");
    assert!(!names.contains("all") && !names.contains("contact-sheet"), "names with a meaning of their own");
    assert!(scenes.iter().all(|scene| !scene.about.is_empty() && Scene::by_name(scene.name).is_some()));
}
