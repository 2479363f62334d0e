//! The PICA200, GPU of the Nintendo 3DS.

pub mod fixed;
pub mod float;
pub mod limits;
pub mod lut;
pub mod ports;
pub mod raster;
pub mod regs;
pub mod shader;
pub mod stats;
pub mod surface;
pub mod vertex;
