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

pub mod assembly;
pub mod blits;
pub mod campaign;
mod clocked;
pub(crate) mod convert;
pub mod engine;
mod flat;
pub mod getrace;
pub mod hardware;
pub mod inspect;
pub mod keys;
pub mod lists;
pub mod lockstep;
mod machine;
mod page;
pub mod pixels;
mod reduce;
pub mod replay;
mod reproduce;
pub mod surfaces;
pub mod vector;
pub mod vertices;

pub use machine::Ge;
