//! Programs in C and C++, compiled against the installed header and both libraries, and run.
#![cfg(unix)]

mod support;

use std::path::Path;
use std::process::Command;
use support::{Language, Link, PACKAGE, compile, run};

/// Compiles and runs a test program, which checks itself.
fn passes(name: &str, language: Language) {
    if !language.is_here() {
        return;
    }
    for link in [Link::Shared, Link::Static] {
        let program = compile(&Path::new(PACKAGE).join("tests/programs").join(name), language, link);
        let output = run(&mut Command::new(program));
        assert!(output.starts_with("fine"), "{output}");
        println!("{name}, {language:?}, {link:?}: {output}");
    }
}

#[test]
fn shader_in_c() {
    passes("shader.c", Language::C99);
}

#[test]
fn shader_in_cpp() {
    passes("shader.c", Language::Cpp11);
}

#[test]
fn triangle_in_c() {
    passes("triangle.c", Language::C99);
}

#[test]
fn triangle_in_cpp() {
    passes("triangle.c", Language::Cpp11);
}

#[test]
fn bad_arguments_in_c() {
    passes("bad_arguments.c", Language::C99);
}

#[test]
fn bad_arguments_in_cpp() {
    passes("bad_arguments.c", Language::Cpp11);
}

#[test]
fn threads_in_cpp() {
    passes("threads.cpp", Language::Cpp11);
}
