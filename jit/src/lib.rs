//! PICA200 shader programs compiled to native code.

mod code;
mod engine;
mod error;

pub use code::memory::MappingScheme;
pub use engine::{Engine, EngineBuilder, EngineMode, RunReport, Served, Variant};
pub use error::CompileError;
