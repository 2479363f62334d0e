//! Conformance.

pub mod cli;
pub mod sweep;
