//! The GE as native code: [`pixel`] and [`vertex`] paths, each specialised by a [`key`].
//!
//! [`side`] is the engine's state for this machine, [`stages`] the engine's implementation of its seams, [`keys`] the
//! public keys for tools.

pub(crate) mod key;
pub(crate) mod keys;
pub(crate) mod pixel;
pub(crate) mod side;
mod stages;
pub(crate) mod vertex;
