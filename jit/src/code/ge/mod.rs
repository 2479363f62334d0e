//! Calls of the GE's routines: [`rows`] of pixels, [`transforms`] of vertices.

pub(crate) mod rows;
pub(crate) mod transforms;
