//! Calls of the GE's routines: [`rows`] of pixels, [`transforms`] of vertices; and what is worth vector instructions of
//! the host: pictures, rows that are [`fill`]ed, [`runs`] of the mirrors, [`texels`], and vertices as they [`finish`].

pub(crate) mod depth_test;
pub(crate) mod fill;
pub(crate) mod finish;
#[cfg(target_arch = "x86_64")]
pub(crate) mod picture;
pub(crate) mod rows;
pub(crate) mod runs;
pub(crate) mod texels;
pub(crate) mod transforms;
