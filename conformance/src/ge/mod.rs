//! The GE compared with recordings of consoles, and on several engines.
//!
//! * [`engine`]: engines by name.
//! * [`hardware`]: frame dumps with values and screens of consoles.
//! * [`replay`] plays captures on one engine, [`lockstep`] on two side by side. `reproduce` reduces a capture that
//!   differs.
//! * [`getrace`]: recordings of lists. [`pixels`], [`vertices`], [`assembly`], [`surfaces`], [`blits`]: random cases of
//!   each seam, many of them in a [`campaign`].
//! * [`keys`]: the code that draws need.
//! * [`vector`]: vectors: console values as data in the tree, in small runs with their origin.
//! * [`lists`]: random display lists on the whole machine.

#[cfg(not(target_family = "wasm"))]
pub mod assembly;
#[cfg(not(target_family = "wasm"))]
pub mod blits;
#[cfg(not(target_family = "wasm"))]
pub mod campaign;
#[cfg(not(target_family = "wasm"))]
mod clocked;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod convert;
#[cfg(not(target_family = "wasm"))]
pub mod engine;
mod flat;
#[cfg(not(target_family = "wasm"))]
pub mod getrace;
#[cfg(not(target_family = "wasm"))]
pub mod hardware;
pub mod inspect;
mod key;
#[cfg(not(target_family = "wasm"))]
pub mod keys;
#[cfg(not(target_family = "wasm"))]
pub mod lists;
#[cfg(not(target_family = "wasm"))]
pub mod lockstep;
#[cfg(not(target_family = "wasm"))]
mod machine;
mod page;
#[cfg(not(target_family = "wasm"))]
pub mod pixels;
mod plays;
#[cfg(not(target_family = "wasm"))]
mod reduce;
pub mod replay;
#[cfg(not(target_family = "wasm"))]
mod reproduce;
#[cfg(not(target_family = "wasm"))]
pub mod surfaces;
mod undrawn;
#[cfg(not(target_family = "wasm"))]
pub mod vector;
#[cfg(not(target_family = "wasm"))]
pub mod vertices;

pub use plays::Ge;
