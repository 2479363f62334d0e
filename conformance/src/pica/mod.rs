//! The PICA200 on several engines compared with each other, and with every known fact about it.
//!
//! * [`engine`]: engines by name.
//! * [`vector`]: vector files with every known fact about the shader unit and its origin; [`vector::machine`]: the
//!   same for the whole machine, as small runs of it.
//! * [`replay`] plays captures on one engine, [`lockstep`] on two side by side. `reproduce` reduces a capture that
//!   differs.
//! * [`programs`]: random shader programs. [`fragments`]: random states of the fragment pipeline and triangles in them.
//!   [`lists`]: random command lists on the whole machine. [`seams`]: random primitives and blits.
//! * [`sweep`]: operations and engines over all their inputs.
//! * [`encode`]: instruction words from fields; [`notation`]: notation of words in files.
//! * [`listing`]: command lists as named registers, and the state of a draw in words.

mod clocked;
pub(crate) mod convert;
pub mod encode;
pub mod engine;
pub mod fragments;
pub mod inspect;
pub mod listing;
pub mod lists;
pub mod lockstep;
mod machine;
pub mod notation;
mod page;
pub mod programs;
pub mod replay;
pub mod seams;
pub mod sweep;
pub mod vector;

pub use machine::{Pica, precision_name};
