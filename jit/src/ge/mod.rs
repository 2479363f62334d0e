//! The GE as native code: [`pixel`] and [`vertex`] paths, each specialised by a [`key`]; in Rust [`surface`]s,
//! [`immediate`] vertices, the [`bounding_box`] test, [`primitive`] set-up and [`blit`]s, and the proof of [`visibility`]
//! that saves whole draws all of this.
//!
//! [`side`] is the engine's state for this machine, [`stages`] the engine's implementation of its seams, [`keys`] the
//! public keys for tools.

pub(crate) mod blit;
pub(crate) mod bounding_box;
pub(crate) mod four;
pub(crate) mod immediate;
pub(crate) mod key;
pub(crate) mod keys;
pub(crate) mod number;
pub(crate) mod pixel;
pub(crate) mod primitive;
pub(crate) mod raster;
pub(crate) mod side;
mod stages;
pub(crate) mod surface;
pub(crate) mod texel;
mod trace;
pub(crate) mod vector;
pub(crate) mod vertex;
mod visibility;
