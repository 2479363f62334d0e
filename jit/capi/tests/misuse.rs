//! Wrong arguments, wrong handles, calls from callbacks and from several threads; and all programs in C and C++ under
//! the sanitisers of their compiler.

use crate::programs::ALL;
use crate::skip::skip;
use crate::support::{Language, Link, PACKAGE, compile, compile_with, run};
use crate::symbols::declared;
use std::path::Path;
use std::process::Command;

fn source(name: &str) -> std::path::PathBuf {
    Path::new(PACKAGE).join("tests/programs").join(name)
}

/// Functions without arguments that could be wrong.
const HARMLESS: [&str; 4] =
    ["picaflor_abi_version", "picaflor_last_error", "picaflor_status_text", "picaflor_version"];

/// Asserts that a program named every function of the header but the [harmless](HARMLESS) ones, in lines that begin with `how`.
fn covers_the_header(output: &str, how: &str) {
    let named = output.lines().filter_map(|line| line.strip_prefix(how)?.strip_prefix(' '));
    let mut missing = declared();
    named.chain(HARMLESS).for_each(|name| assert!(missing.remove(name), "{name} is not declared"));
    assert!(missing.is_empty(), "not called, {how}: {missing:?}");
}

#[test]
fn every_function_with_wrong_arguments() {
    if !Language::Cpp17.is_here() {
        return;
    }
    for link in [Link::Shared, Link::Static] {
        let output = run(Command::new(compile(&source("misuse.cpp"), Language::Cpp17, link)).arg("names"));
        println!("{link:?}: {}", output.lines().next().expect("lines"));
        covers_the_header(&output, "swept");
        covers_the_header(&output, "threads");
    }
}

/// True if the compiler has both sanitisers, with their libraries.
fn has_sanitizers() -> bool {
    let here = compile_with(&source("sanitized.c"), Language::C99, Link::Shared, &SANITIZERS);
    here.is_some_and(|program| Command::new(program).output().is_ok_and(|output| output.status.success()))
}

const SANITIZERS: [&str; 3] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];

/// What the library writes into buffers of the host, and reads of them, is checked as far as it is copied by functions
/// that the sanitiser replaces; leaks of the library are those of its process.
#[test]
fn programs_under_sanitizers() {
    if !Language::Cpp17.is_here() || !Language::C99.is_here() {
        return;
    }
    if !has_sanitizers() {
        return skip("the C compiler has no address sanitizer");
    }
    for &(name, language) in ALL {
        let program = compile_with(&source(name), language, Link::Shared, &SANITIZERS).expect("it compiles");
        let output = run(&mut Command::new(program));
        assert!(output.starts_with("fine"), "{name}: {output}");
    }
}
