//! All integration tests of this package.
#![cfg(unix)]

mod cmake;
mod example;
#[path = "../../../tests/one_program.rs"]
mod one_program;
mod programs;
#[path = "../../../tests/skip.rs"]
mod skip;
mod support;
mod symbols;
