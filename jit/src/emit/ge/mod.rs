//! Operations of the GE: records of constants that its code reads, doubles of the geometry pipe, rows of pixels,
//! formats of the frame buffer.

pub(crate) mod doubles;
mod formats;
pub(crate) mod row;
pub(crate) mod span;
pub(crate) mod steps;
pub(crate) mod vertices;
