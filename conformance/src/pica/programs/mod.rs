//! Random shader programs on the interpreter and on compiled code.
//!
//! * [`generate`]: random programs and inputs for them; [`case`](mod@case) is one of them, as a file.
//! * [`outcome`], [`compare`], [`campaign`]: running cases, the three verdicts, counting many.
//! * [`reduce`], [`locate`], [`report`]: from a difference to a small file and a text that explains it.

pub mod campaign;
pub mod case;
pub mod compare;
pub mod generate;
pub mod locate;
pub mod outcome;
pub mod reduce;
pub mod report;
