//! The PICA200 as native code: [`shader`] programs and [`fragment`] paths, each specialised by a [`key`]; [`primitive`] set-up and
//! [`blit`]s in Rust.
//!
//! [`side`] is the engine's state for this machine, [`stages`] the engine's implementation of its seams, [`keys`] the
//! public keys for tools.

pub(crate) mod blit;
pub(crate) mod fragment;
pub(crate) mod key;
pub(crate) mod keys;
pub(crate) mod primitive;
#[cfg(test)]
mod raster;
pub(crate) mod shader;
pub(crate) mod side;
pub(crate) mod span;
mod stages;
pub(crate) mod texel;
pub(crate) mod tiling;
mod trace;
#[cfg(test)]
mod waiting_tests;
