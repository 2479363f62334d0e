//! The PICA200 as native code: [`shader`] programs and [`fragment`] paths, each specialised by a [`key`].
//!
//! [`side`] is what an engine keeps for it, [`stages`] the engine as the machine sees it, [`keys`] the keys that tools
//! see.

pub(crate) mod fragment;
pub(crate) mod key;
pub(crate) mod keys;
pub(crate) mod shader;
pub(crate) mod side;
mod stages;
#[cfg(test)]
mod waiting_tests;
