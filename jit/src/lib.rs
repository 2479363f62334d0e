//! PICA200 shader programs compiled to native code.

mod cache;
mod code;
mod engine;
mod emit;
mod error;
mod shader;
mod profile;
mod queue;

pub use code::memory::MappingScheme;
pub use engine::{Engine, EngineBuilder, EngineMode, RunReport, Served, Variant};
pub use error::CompileError;
pub use profile::{Phase, Stats};
