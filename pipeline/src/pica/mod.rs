//! The PICA200, GPU of the Nintendo 3DS.
//!
//! [`Pica`] is the whole machine. Command lists ([`command`]) and writes of the CPU arrive at its registers
//! ([`regs`]); what a register does is in the file of the unit that it belongs to.

pub mod command;
mod engines;
pub mod external;
pub mod fixed;
pub mod float;
mod handler;
pub mod interrupts;
pub mod limits;
pub mod list_builder;
pub mod lut;
pub mod lut_ports;
mod machine;
mod mmio;
pub mod observer;
pub mod ports;
mod processor;
pub mod raster;
mod readback;
pub mod regs;
pub mod shader;
mod snapshot;
pub mod stats;
pub mod surface;
pub mod vertex;
mod writes;

pub use machine::Pica;
pub use processor::{Finished, RunError};
pub use snapshot::{Snapshot, SnapshotError};
