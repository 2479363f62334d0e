//! `--shard`, `--results` and `merge`: work that is shared, stopped and put together is the same work.

use crate::process::{folder, picaflor_in};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn document(folder: &Path, args: &str, code: i32) -> Value {
    let output = picaflor_in(folder, args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), errors.as_str()), (Some(code), ""), "{args}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn captures_in_shards() {
    let folder = folder("shards-diff");
    let diff = "diff scene:transforms scene:primitives scene:flat_and_smooth --json --threads 1";
    for shard in 0..2 {
        let json = document(&folder, &format!("{diff} --shard {shard}/2 --results {shard}.jsonl"), 0);
        assert_eq!(json["captures"].as_array().map(Vec::len), Some(2 - shard));
    }
    let merged = document(&folder, "merge 0.jsonl 1.jsonl --json --junit all.xml", 0);
    let names: Vec<&str> = merged["captures"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row["capture"].as_str())
        .collect();
    assert_eq!(names, ["scene:transforms", "scene:primitives", "scene:flat_and_smooth"]);
    let junit = fs::read_to_string(folder.join("all.xml")).expect("the file");
    assert!(junit.contains("tests=\"3\" failures=\"0\""), "{junit}");

    let half = document(&folder, "merge 0.jsonl --json", 1);
    assert_eq!((&half["missing"], &half["missing_parts"]), (&1.into(), &serde_json::json!([1])));
    // The same file goes on with the whole: one capture is left.
    let before = fs::read_to_string(folder.join("0.jsonl")).expect("results");
    let rest = document(&folder, &format!("{diff} --results 0.jsonl"), 0);
    assert_eq!(rest["captures"].as_array().map(Vec::len), Some(3));
    let after = fs::read_to_string(folder.join("0.jsonl")).expect("results");
    assert!(after.starts_with(&before) && after.lines().count() == before.lines().count() + 1);
}

#[test]
fn differences_are_remembered() {
    let folder = folder("shards-remembered");
    let diff = "diff scene:wrap_modes --threads 1 --defect pixels --results r.jsonl";
    for _ in 0..2 {
        assert_eq!(picaflor_in(&folder, diff).status.code(), Some(1));
    }
    assert_eq!(picaflor_in(&folder, "merge r.jsonl").status.code(), Some(1));
    let other = picaflor_in(&folder, "diff scene:wrap_modes --threads 1 --results r.jsonl");
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&other.stderr).contains("other work"));
}

/// The sum of shards is the whole, whatever the kind.
#[test]
fn random_cases_in_shards() {
    let folder = folder("shards-fuzz");
    let kinds = [
        ("list", 105),
        ("fragment", 1008),
        ("law", 1010),
        ("shader", 108),
        ("ge-pixel", 1016),
        ("ge-vertex", 1004),
        ("ge-primitive", 1009),
        ("ge-surface", 1001),
        ("ge-blit", 1003),
        ("ge-list", 103),
    ];
    for (kind, cases) in kinds {
        let fuzz = format!("fuzz --kind {kind} --cases {cases} --seed 3 --json");
        let whole = document(&folder, &fuzz, 0);
        for shard in 0..2 {
            document(&folder, &format!("{fuzz} --shard {shard}/2 --results {kind}{shard}.jsonl"), 0);
        }
        let merged = document(&folder, &format!("merge {kind}0.jsonl {kind}1.jsonl --json"), 0);
        let sum = &merged["sum"];
        let counts = ["cases", "states", "digest", "fragments", "words_executed", "failures", "differences"];
        for key in counts.into_iter().chain(["pixels", "groups", "runs", "ends"]) {
            assert_eq!(sum[key], whole[key], "{kind}: {key}");
        }
        let text = picaflor_in(&folder, &format!("merge {kind}0.jsonl {kind}1.jsonl"));
        assert!(String::from_utf8_lossy(&text.stdout).contains(" parts, 0 missing"));
    }
    let verdicts = picaflor_in(&folder, "merge law0.jsonl law1.jsonl --junit out.xml");
    assert_eq!(verdicts.status.code(), Some(2), "results of fuzz have no verdicts");
    assert!(String::from_utf8_lossy(&verdicts.stderr).contains("--junit is for results of diff"));
    let mixed = picaflor_in(&folder, "merge list0.jsonl law0.jsonl");
    assert_eq!(mixed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&mixed.stderr).contains("different work"));
}

#[test]
fn a_stopped_run_goes_on() {
    let folder = folder("shards-stopped");
    let fuzz = "fuzz --kind law --cases 3000 --seed 5 --results r.jsonl --json";
    let first = document(&folder, &format!("{fuzz} --seconds 0"), 0);
    assert_eq!(first["parts_done"], 0);
    let all = document(&folder, fuzz, 0);
    assert_eq!((&all["parts_done"], &all["sum"]["states"]), (&3.into(), &3000.into()));
    let text = fs::read_to_string(folder.join("r.jsonl")).expect("results");
    // As if the process had been ended while it wrote.
    fs::write(folder.join("r.jsonl"), &text[..text.len() - 30]).expect("results");
    let again = document(&folder, fuzz, 0);
    assert_eq!(again["sum"]["states"], 3000);
    assert_eq!(fs::read_to_string(folder.join("r.jsonl")).expect("results").lines().count(), 4);
}
