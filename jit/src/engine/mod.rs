//! The engine without machines: [`builder`] holds the settings, [`core`] the state shared by both machines,
//! [`report`] the outcome of a batch. [`machines`](crate::machines) adds the machines.

mod builder;
pub(crate) mod core;
mod mode;
mod report;

pub use builder::EngineBuilder;
pub use mode::{EngineMode, Variant};
pub use report::{CompileReport, RunReport, Served};
