//! Common parts of the recordings of both machines: the file, the tape and the player.
//!
//! A capture is the initial state of a machine and a list of events, complete enough for a replay. Memory begins as
//! zeros; data that the machine reads arrives in an event of its own before the operation that reads it. The other
//! events are defined by the machine: see [`pica::capture`](crate::pica::capture) and
//! [`ge::capture`](crate::ge::capture), which have examples.
//!
//! * [`mod@format`] is the project's file format: lossless chunks.
//! * `tape` is the recorder's event list; it tracks the memory that a machine reads.
//! * [`Allowance`] bounds what a file may cost its reader.
//! * [`replay`] plays a capture of any machine.

mod allowance;
pub(crate) mod error;
pub mod format;
pub mod replay;
pub(crate) mod tape;

pub(crate) use allowance::Writes;
pub use allowance::{Allowance, Rate};
pub use error::{CaptureError, Problem};
