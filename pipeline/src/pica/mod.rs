//! The PICA200, GPU of the Nintendo 3DS.

pub mod clip;
pub mod coverage;
pub mod display;
pub mod draw;
pub mod feedback;
pub mod fixed;
pub mod float;
pub mod geometry_stage;
pub mod immediate;
pub mod limits;
pub mod list_builder;
pub mod lut;
pub mod ports;
pub mod primitive;
pub mod raster;
pub mod regs;
pub mod shader;
pub(crate) mod span;
pub mod stats;
mod submission;
pub mod surface;
pub mod texel;
pub mod tiling;
pub mod transfer;
pub mod vertex;
pub mod vertex_layout;
mod vertex_path;
