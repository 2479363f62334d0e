//! What lock step has for every machine: two of them in turn, the steps of a capture as a table, a hash of what was made.
//!
//! [`pica::lockstep`](crate::pica::lockstep) and [`ge::lockstep`](crate::ge::lockstep) say what is compared; start there.

mod fingerprint;
pub(crate) mod meeting;
mod steps;
pub(crate) mod stopwatch;

pub use fingerprint::Fingerprint;
pub use steps::Step;
