//! All integration tests of this package.

mod captures;
mod draws;
mod ge_overlap;
mod machine;
#[path = "../../tests/one_program.rs"]
mod one_program;
mod overlap;
mod support;
