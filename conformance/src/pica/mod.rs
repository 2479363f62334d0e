//! The PICA200 on several engines compared with each other, and with every known fact about it.
//!
//! * [`engine`]: engines by name.
//! * [`vector`]: vector files with every known fact about the shader unit and its origin; [`vector::machine`]: the
//!   same for the whole machine, as small runs of it.
//! * [`replay`] plays captures on one engine, [`lockstep`] on two side by side; [`events`]: their events one by one, on memory of any
//!   host. `reproduce` reduces a capture that differs.
//! * [`programs`]: random shader programs. [`fragments`]: random states of the fragment pipeline and triangles in them.
//!   [`lists`]: random command lists on the whole machine. [`seams`]: random primitives and blits.
//! * [`sweep`]: operations and engines over all their inputs.
//! * [`encode`]: instruction words from fields; [`notation`]: notation of words in files.
//! * [`listing`]: command lists as named registers, and the state of a draw in words.

#[cfg(not(target_family = "wasm"))]
mod clocked;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod convert;
#[cfg(not(target_family = "wasm"))]
pub mod encode;
#[cfg(not(target_family = "wasm"))]
pub mod engine;
#[cfg(not(target_family = "wasm"))]
pub mod events;
#[cfg(not(target_family = "wasm"))]
pub mod fragments;
pub mod inspect;
mod key;
pub mod listing;
#[cfg(not(target_family = "wasm"))]
pub mod lists;
#[cfg(not(target_family = "wasm"))]
pub mod lockstep;
#[cfg(not(target_family = "wasm"))]
mod machine;
#[cfg(not(target_family = "wasm"))]
pub mod notation;
mod page;
mod plays;
#[cfg(not(target_family = "wasm"))]
pub mod programs;
pub mod replay;
#[cfg(not(target_family = "wasm"))]
pub mod seams;
#[cfg(not(target_family = "wasm"))]
pub mod sweep;
#[cfg(not(target_family = "wasm"))]
pub mod vector;

pub use plays::{Pica, precision_name};
