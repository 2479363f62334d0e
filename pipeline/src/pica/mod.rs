//! The PICA200, GPU of the Nintendo 3DS.
//!
//! [`Pica`] is the whole machine. Command lists ([`command`]) and writes of the CPU arrive at its registers
//! ([`regs`]); what a register does is in the file of the unit that it belongs to.

mod budget;
pub mod clip;
pub mod command;
pub mod coverage;
pub mod display;
pub mod draw;
mod engines;
pub mod external;
pub mod feedback;
pub mod fixed;
pub mod float;
pub mod geometry_stage;
mod handler;
pub mod immediate;
pub mod interrupts;
pub mod limits;
pub mod list_builder;
pub mod lut;
pub mod lut_ports;
mod machine;
mod mmio;
pub mod observer;
#[cfg(test)]
mod overlap_tests;
pub mod ports;
pub mod primitive;
mod processor;
pub mod queue;
pub mod raster;
mod readback;
mod recording;
pub mod regs;
pub(crate) mod restore;
pub mod shader;
mod snapshot;
pub(crate) mod span;
pub mod stats;
mod submission;
pub mod surface;
#[cfg(test)]
mod testing;
pub mod texel;
pub mod tiling;
pub mod transfer;
pub mod vertex;
pub mod vertex_layout;
mod vertex_path;
mod writes;

pub use crate::snapshot::{Snapshot, SnapshotError};
pub use budget::RunError;
pub use machine::Pica;
pub use processor::Finished;
