//! Calls of the PICA200's routines: [`shade`] for vertices, [`geometry`], [`blocks`] of fragments, with their
//! [`facts`] and [`tables`], and what is [`found`] of fragments before their code runs; and what is worth vector instructions of the host: [`coverage`], a loop of set-up, and
//! the blocks of a display transfer.

pub(crate) mod blocks;
pub(crate) mod coverage;
pub(crate) mod facts;
pub(crate) mod found;
pub(crate) mod geometry;
pub(crate) mod shade;
pub(crate) mod tables;
#[cfg(target_arch = "x86_64")]
pub(crate) mod transfer;
