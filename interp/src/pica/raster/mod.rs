//! From a triangle in the window to the fragments of its pixels, one pixel at a time.
//!
//! * `coverage.rs`: the pixels of a triangle (pica-geometry.md 6.1, 6.2).
//! * `scissor.rs`: the scissor rectangle (pica-geometry.md 6.3).
//! * `interpolation.rs`: attributes, their change per pixel, depth (pica-geometry.md 6.4, 6.5; pica-fragment.md 1.1,
//!   1.3).

pub(crate) mod coverage;
pub(crate) mod interpolation;
pub(crate) mod scissor;
#[cfg(test)]
pub(crate) mod testing;
