//! The Graphics Engine (GE), GPU of the PlayStation Portable.
//!
//! ```text
//!  display list ──► registers ──► vertex batches ──► primitives ──► tiles ──► VRAM ──► picture
//!                   regs          TransformStage   PrimitiveStage  PixelStage    BlitStage
//! ```
//!
//! The manual is psp-ge.md; section numbers in these files are of that document.

pub mod block_transfer;
pub mod capture;
pub mod clut;
pub mod display;
pub mod display_list;
mod draw;
pub mod extents;
#[cfg(test)]
mod joined_tests;
pub mod limits;
pub mod list_builder;
#[cfg(test)]
mod list_tests;
pub mod lists;
mod machine;
pub mod matrices;
pub mod matrix_ports;
pub mod names;
pub mod number;
pub mod observer;
#[cfg(test)]
mod overlap_tests;
mod prices;
pub mod queue;
#[cfg(test)]
mod random_tests;
pub mod raster;
pub mod regs;
pub mod stage;
pub mod stats;
pub mod switches;
pub mod target;
#[cfg(test)]
mod testing;
pub mod texel;
pub mod timing;
pub mod vertex;
pub mod vertex_type;
pub mod vram;

pub use crate::snapshot::{Snapshot, SnapshotError};
pub use machine::Ge;
pub use machine::context::CONTEXT_WORDS;
pub use machine::entry::Transfer;
pub use machine::fields::Field;
pub use machine::processor::{RunError, Stop};
pub use machine::session::Session;
