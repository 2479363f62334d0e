//! Conformance.

pub mod cli;
