//! The PICA200 as native code: [`shader`] programs and [`fragment`] paths, each specialised by a [`key`].

pub(crate) mod fragment;
pub(crate) mod key;
pub(crate) mod keys;
pub(crate) mod shader;
