//! The GE against what consoles gave, and its recordings.
//!
//! * [`engine`]: engines by name.
//! * [`hardware`]: frame dumps with values and screens of consoles.
//! * [`replay`] plays captures on one engine, [`lockstep`] on two side by side.
//! * [`getrace`]: recordings of lists. [`pixels`] and
//!   [`vertices`]: random states of both stages, many of
//!   them in a [`campaign`].
//! * [`lists`]: random display lists on the whole machine.
//! * [`scene`]: scenes of the project's own.

pub mod campaign;
pub mod engine;
pub mod getrace;
pub mod hardware;
pub mod lists;
pub mod lockstep;
pub mod pixels;
pub mod replay;
pub mod scene;
pub mod vertices;
