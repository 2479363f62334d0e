//! What recordings of both machines have in common: the file, the tape and the player.
//!
//! A capture is the state of a machine at its start and a list of events, complete enough to do it again. Memory
//! begins as zeros; what the machine reads arrives in an event of its own before the operation that reads it. Which
//! other events there are is the machine's: [`pica::capture`](crate::pica::capture) and
//! [`ge::capture`](crate::ge::capture) have them, and examples.
//!
//! * [`mod@format`] is the own file format: chunks, which lose nothing.
//! * `tape` is what a recorder writes on: it watches the memory that a machine reads.
//! * [`replay`] plays a capture of any machine.

pub(crate) mod error;
pub mod format;
pub mod replay;
pub(crate) mod tape;

pub use error::{CaptureError, Problem};
