//! All integration tests of this package.
#![cfg(unix)]

mod cmake;
mod example;
mod guides;
mod misuse;
#[path = "../../../pipeline/tests/shared/one_program.rs"]
mod one_program;
mod package;
mod programs;
mod python;
#[path = "../../../pipeline/tests/shared/skip.rs"]
mod skip;
mod support;
mod symbols;
mod window;
