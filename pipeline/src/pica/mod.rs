//! The PICA200, GPU of the Nintendo 3DS.

pub mod clip;
pub mod coverage;
pub mod display;
pub mod fixed;
pub mod float;
pub mod list_builder;
pub mod lut;
pub mod ports;
pub mod raster;
pub mod regs;
pub mod shader;
pub(crate) mod span;
pub mod surface;
pub mod texel;
pub mod tiling;
pub mod transfer;
pub mod vertex;
