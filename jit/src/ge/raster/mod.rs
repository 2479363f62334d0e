//! Numbers of primitives in drawing space: edges of a [`triangle`], gradients of a [`colour`], coordinates of a
//! [`texture`]. The rooms of pixels make rows of them.
//!
//! Source: psp-ge.md 8.

pub(crate) mod colour;
#[cfg(test)]
mod tests;
pub(crate) mod texture;
pub(crate) mod triangle;
