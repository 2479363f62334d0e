//! Block transfers, and the picture on the screen.
//!
//! Source: psp-ge.md 11.1, 1.5.

mod scan_out;
mod transfer;

pub(crate) use scan_out::{picture, picture_into};
pub(crate) use transfer::Transfer;
