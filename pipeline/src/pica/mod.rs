//! The PICA200, GPU of the Nintendo 3DS.
//!
//! [`Pica`] is the whole machine. Command lists ([`command`]) and writes of the CPU arrive at its registers
//! ([`regs`]); the effect of a register is in the file of its unit.

pub mod capture;
pub mod command;
pub mod display;
pub mod draw;
pub mod external;
pub mod float;
pub mod limits;
pub mod lut;
mod machine;
pub mod observer;
#[cfg(test)]
mod overlap_tests;
pub mod ports;
mod prices;
pub mod queue;
pub mod raster;
pub mod regs;
pub mod shader;
pub mod stage;
pub mod stats;
pub mod surface;
pub mod switches;
#[cfg(test)]
mod testing;
pub mod texel;
pub mod tiling;
pub mod timing;
pub mod transfer;
pub mod vertex;

pub use crate::snapshot::{Snapshot, SnapshotError};
pub use machine::Pica;
pub use machine::budget::RunError;
pub use machine::entry::{DrawCall, Input};
pub use machine::fields::Field;
pub use machine::processor::Finished;
