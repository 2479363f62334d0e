//! Executable memory and what runs in it. The unsafe rooms of this crate.
//!
//! [`memory`] owns the pages, [`compile`] fills them through one cranelift-jit module per routine,
//! [`routine`] calls them, [`fp_mode`] sets the floating-point mode around a call, [`jitdump`] shows
//! routines to `perf`, [`signs`] finds the pixels that a triangle covers. A routine's bytes go back
//! to the arena when the last handle to its [`routine::CodeBlock`] is dropped.

pub(crate) mod blocks;
pub(crate) mod compile;
pub(crate) mod fp_mode;
mod free_list;
pub(crate) mod geometry;
pub(crate) mod jitdump;
pub(crate) mod memory;
mod own_pages;
pub(crate) mod routine;
#[cfg(test)]
pub(crate) mod sabotage;
pub(crate) mod shade;
pub(crate) mod signs;
#[cfg(test)]
pub(crate) mod targets;
