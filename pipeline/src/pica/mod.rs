//! The PICA200, GPU of the Nintendo 3DS.

pub mod float;
pub mod shader;
pub mod vertex;
