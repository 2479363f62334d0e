//! The PICA200's programs and fragment paths compiled to native code.
//!
//! [`Engine`] implements both seams of the machine: vertices and geometry programs are compiled by program and
//! attribute layout, fragments by the state of their units.

mod batch;
mod cache;
mod code;
mod disk_cache;
mod emit;
mod engine;
mod error;
mod fragment;
mod key;
pub mod keys;
mod light_tables;
mod proctex_tables;
mod profile;
mod queue;
mod recent;
mod routines;
mod shader;
mod tables;
mod texture_cache;
#[cfg(test)]
mod waiting_tests;

pub use code::fp_mode::ieee;
pub use code::memory::MappingScheme;
pub use disk_cache::DiskStats;
pub use engine::{CompileReport, Engine, EngineBuilder, EngineMode, RunReport, Served, Variant};
pub use error::CompileError;
pub use profile::{Phase, Stats};
pub use texture_cache::TextureStats;
