//! The GE as native code: [`pixel`] and [`vertex`] paths, each specialised by a [`key`].

pub(crate) mod key;
pub(crate) mod keys;
pub(crate) mod pixel;
pub(crate) mod vertex;
