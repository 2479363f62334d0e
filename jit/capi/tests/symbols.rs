//! What the header declares is what the shared library exports, and all of it is used by the test programs.
#![cfg(unix)]

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use support::{PACKAGE, libraries, run};

fn header() -> String {
    std::fs::read_to_string(Path::new(PACKAGE).join("include/picaflor.h")).expect("the header")
}

/// C without its comments.
fn without_comments(source: &str) -> String {
    let mut parts = source.split("/*");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |code, part| code + part.split_once("*/").expect("comments end").1)
}

/// Functions that the header declares.
fn declared() -> BTreeSet<String> {
    let code = without_comments(&header());
    let names = code.match_indices('(').map(|(at, _)| {
        code[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_string()
    });
    names.filter(|name| name.starts_with("picaflor_")).collect()
}

#[test]
fn exported_and_declared_are_the_same() {
    let (library, option) = match std::env::consts::OS {
        "macos" => ("libpicaflor.dylib", "-gU"),
        _ => ("libpicaflor.so", "-D"),
    };
    if Command::new("nm").arg("--version").output().is_err() {
        return println!("skipped: there is no nm");
    }
    let listing = run(Command::new("nm").args([option, "--defined-only"]).arg(libraries().join(library)));
    let exported = listing.lines().filter_map(|line| line.split_whitespace().nth(2));
    let exported: BTreeSet<_> = exported.map(|name| name.trim_start_matches('_').to_string()).collect();
    assert_eq!(exported, declared());
    assert!(exported.len() > 30);
}

#[test]
fn every_function_is_tested() {
    let programs = ["shader.c", "triangle.c", "bad_arguments.c", "check.h"].map(|name| {
        std::fs::read_to_string(Path::new(PACKAGE).join("tests/programs").join(name)).expect(name)
    });
    for name in declared() {
        let called = programs.iter().any(|program| program.contains(&format!("{name}(")));
        assert!(called, "{name} is in no test program");
    }
}

#[test]
fn every_function_has_its_thread_rule() {
    let header = header();
    let (_, header) = header.split_once("extern \"C\" {").expect("declarations");
    // Destroying is ruled at the top of the header.
    for name in declared().iter().filter(|name| !name.ends_with("_destroy")) {
        let at = header.find(&format!("{name}(")).expect("a declaration");
        let comment = header[..at].rfind("/*").map(|start| &header[start..at]).expect("a comment");
        assert!(comment.contains("Threads:"), "{name}: {comment}");
    }
}
