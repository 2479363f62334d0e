//! What the header declares is what the shared library exports, and all of it is used by the test programs.

use crate::skip::skip;
use crate::support::{PACKAGE, libraries, run};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

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
pub(crate) fn declared() -> BTreeSet<String> {
    let code = without_comments(&header());
    let names = code.match_indices('(').map(|(at, _)| {
        code[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_string()
    });
    names.filter(|name| name.starts_with("picaflor_")).collect()
}

/// Name of the shared library.
const SHARED: &str = if cfg!(target_os = "macos") { "libpicaflor.dylib" } else { "libpicaflor.so" };

/// Functions that a library exports.
fn exported(library: &Path) -> BTreeSet<String> {
    let option = if cfg!(target_os = "macos") { "-gU" } else { "-D" };
    let listing = run(Command::new("nm").args([option, "--defined-only"]).arg(library));
    let names = listing.lines().filter_map(|line| line.split_whitespace().nth(2));
    names.map(|name| name.trim_start_matches('_').to_string()).collect()
}

fn is_here(tool: &str) -> bool {
    let here = Command::new(tool).arg("--version").output().is_ok();
    if !here {
        skip(&format!("there is no {tool}"));
    }
    here
}

#[test]
fn exported_and_declared_are_the_same() {
    if !is_here("nm") {
        return;
    }
    let exported = exported(&libraries().join(SHARED));
    assert_eq!(exported, declared());
    assert!(exported.len() > 30);
}

/// What `install.sh -s` installs exports the same, and is a fraction of the size.
#[test]
fn stripped_libraries_are_whole() {
    if !is_here("nm") || !is_here("strip") {
        return;
    }
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stripped");
    run(Command::new(Path::new(PACKAGE).join("install.sh")).arg("-s").arg(&prefix).arg(libraries()));
    let size = |path: &Path| std::fs::metadata(path).expect("a library").len();
    let (whole, stripped) = (libraries().join(SHARED), prefix.join("lib").join(SHARED));
    assert_eq!(exported(&stripped), declared());
    assert!(size(&stripped) < size(&whole) / 2, "{} of {} bytes", size(&stripped), size(&whole));
    assert!(size(&prefix.join("lib/libpicaflor.a")) < size(&libraries().join("libpicaflor.a")));
}

#[test]
fn every_function_is_tested() {
    let programs = [
        "shader.c",
        "triangle.c",
        "ge.c",
        "session.c",
        "state.c",
        "debug.c",
        "later.c",
        "textures.c",
        "timing.c",
        "trace.c",
        "stop.cpp",
        "bad_arguments.c",
        "check.h",
        "../../examples/ways.c",
    ]
    .map(|name| std::fs::read_to_string(Path::new(PACKAGE).join("tests/programs").join(name)).expect(name));
    for name in declared() {
        let called = programs.iter().any(|program| program.contains(&format!("{name}(")));
        assert!(called, "{name} is in no test program");
    }
}

/// Functions that `picaflor.hpp` does not have, and why.
const C_ALONE: [(&str, &str); 1] = [(
    "picaflor_set_log",
    "one for the whole process: no object could own a function that threads of the library call",
)];

#[test]
fn every_function_has_its_place_in_cpp() {
    let path = Path::new(PACKAGE).join("include/picaflor.hpp");
    let code = without_comments(&std::fs::read_to_string(path).expect("the header for C++"));
    let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let alone: BTreeSet<&str> = C_ALONE.iter().map(|(name, _)| *name).collect();
    let declared = declared();
    for name in &declared {
        let name = name.as_str();
        assert!(
            words.contains(name) != alone.contains(name),
            "{name}: in C++, or one of those with a reason"
        );
    }
    assert!(alone.iter().all(|name| declared.contains(*name)), "{alone:?}");
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
