//! `picaflor fuzz --kind list` and `ge-list`: what it prints, its exit codes, and files to run again.

use crate::process::text;
use picaflor_conformance::ge::lists::generate::case as ge_case;
use picaflor_conformance::pica::lists::generate;
use picaflor_pipeline::ge::capture::format;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn picaflor(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_picaflor")).args(args).output().expect("the program runs")
}

#[test]
fn counts_of_lists_as_json() {
    let output = picaflor(&["fuzz", "--kind", "list", "--cases", "6", "--seed", "2", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let counts: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((counts["cases"].as_u64(), counts["failures"].as_u64()), (Some(6), Some(0)));
    assert!(counts["commands"].as_u64() > Some(100), "{counts}");
}

#[test]
fn a_time_instead_of_a_number() {
    let output = picaflor(&["fuzz", "--kind", "list", "--seconds", "1", "--threads", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("panics and differences: 0") && shown.contains("slowest case"), "{shown}");
}

#[test]
fn a_kept_list_runs_again() {
    let path = std::env::temp_dir().join(format!("picaflor-list-{}.capture", std::process::id()));
    std::fs::write(&path, generate::case(1, 2).capture.to_bytes()).expect("a temporary file");
    let output = picaflor(&["fuzz", "--kind", "list", "--replay", &path.display().to_string()]);
    std::fs::remove_file(&path).expect("the file just written");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).lines().count(), 2);
}

#[test]
fn display_lists_of_the_ge() {
    let output = picaflor(&["fuzz", "--kind", "ge-list", "--cases", "12", "--seed", "2", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let counts: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((counts["cases"].as_u64(), counts["failures"].as_u64()), (Some(12), Some(0)));
    assert!(counts["commands"].as_u64() > Some(500), "{counts}");
    let output = picaflor(&["fuzz", "--kind", "ge-list", "--seconds", "1", "--threads", "1"]);
    let shown = text(&output.stdout);
    assert!(shown.contains("panics and differences: 0") && shown.contains("slowest case"), "{shown}");
}

#[test]
fn a_kept_display_list_runs_again() {
    let path = std::env::temp_dir().join(format!("picaflor-ge-list-{}.capture", std::process::id()));
    let capture = ge_case(1, 2, &[]).program.to_capture();
    std::fs::write(&path, format::write(&capture)).expect("a temporary file");
    let shown = path.display().to_string();
    for args in [&["fuzz", "--kind", "ge-list", "--replay", &shown][..], &["diff", &shown]] {
        let output = picaflor(args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("same"));
    }
    std::fs::remove_file(&path).expect("the file just written");
}

#[test]
fn what_does_not_fit_is_refused() {
    let missing = Path::new("no-such-file").display().to_string();
    let output = picaflor(&["fuzz", "--seconds", "1"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    for args in [
        &["fuzz", "--kind", "list", "--results", "-"][..],
        &["fuzz", "--kind", "list", "--replay", &missing],
        &["fuzz", "--kind", "list", "--replay", "Cargo.toml"],
        &["fuzz", "--kind", "ge-list", "--replay", "Cargo.toml"],
        &["fuzz", "--kind", "ge-list", "--recordings", "src"],
    ] {
        let output = picaflor(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{args:?}: {}", text(&output.stderr));
    }
}

/// Any number of threads and any number of the first case once was taken: there were panics and searches without end.
#[test]
fn numbers_that_make_no_sense() {
    for args in [
        &["fuzz", "--threads", "0"][..],
        &["fuzz", "--threads", "4294967296"],
        &["fuzz", "--kind", "law", "--first", "18446744073709551615", "--cases", "2"],
    ] {
        let output = picaflor(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
    }
}

/// Programs name the fields of JSON: words with underscores between them.
#[test]
fn counts_of_every_kind_have_names() {
    let kinds = "shader list fragment trace ge-trace law primitive blit ge-pixel ge-vertex ge-primitive ge-surface \
                 ge-blit ge-list";
    for kind in kinds.split_whitespace() {
        let output = picaflor(&["fuzz", "--kind", kind, "--cases", "2", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{kind}: {}", text(&output.stderr));
        let counts: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for name in counts.as_object().expect("an object").keys() {
            assert!(
                name.bytes().all(|letter| letter == b'_' || letter.is_ascii_lowercase()),
                "{kind}: {name}"
            );
        }
    }
}

#[test]
fn options_of_other_kinds() {
    for args in [
        &["fuzz", "--all-ways"][..],
        &["fuzz", "--kind", "ge-list", "--all-ways"],
        &["fuzz", "--kind", "list", "--recordings", "folder"],
        &["fuzz", "--kind", "fragment", "--replay", "x", "--all-ways"],
        &["fuzz", "--kind", "list", "--replay", "x", "--threads", "2"],
    ] {
        assert_eq!(picaflor(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn kinds_without_files() {
    for kind in ["law", "trace", "ge-pixel"] {
        let output = picaflor(&["fuzz", "--kind", kind, "--replay", "case.json"]);
        assert_eq!(output.status.code(), Some(2), "{kind}");
        assert!(text(&output.stderr).contains("keeps no files"), "{kind}: {}", text(&output.stderr));
    }
}
