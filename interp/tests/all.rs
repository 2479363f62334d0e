//! All integration tests of this package.

mod captures;
mod draws;
mod ge_overlap;
mod machine;
#[path = "../../pipeline/tests/shared/one_program.rs"]
mod one_program;
mod overlap;
mod support;
