//! The PICA200, GPU of the Nintendo 3DS.

pub mod fixed;
pub mod float;
pub mod ports;
pub mod shader;
pub mod vertex;
