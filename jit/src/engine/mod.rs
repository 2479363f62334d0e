//! The engine without machines: [`builder`] holds the settings, [`core`] what both machines share, [`report`] what became
//! of a batch. [`machines`](crate::machines) puts the machines to it.

mod builder;
pub(crate) mod core;
mod mode;
mod report;

pub use builder::EngineBuilder;
pub use mode::{EngineMode, Variant};
pub use report::{CompileReport, RunReport, Served};
