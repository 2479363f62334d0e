//! PICA200 shader programs compiled to native code.

mod engine;
mod error;

pub use engine::{Engine, EngineBuilder, EngineMode, RunReport, Served, Variant};
pub use error::CompileError;
