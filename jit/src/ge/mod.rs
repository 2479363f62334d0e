//! The GE as native code: [`pixel`] and [`vertex`] paths, each specialised by a [`key`].
//!
//! [`side`] is what an engine keeps for it, [`stages`] the engine as the machine sees it, [`keys`] the keys that tools
//! see.

pub(crate) mod key;
pub(crate) mod keys;
pub(crate) mod pixel;
pub(crate) mod side;
mod stages;
pub(crate) mod vertex;
