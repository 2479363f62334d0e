//! Calls of the PICA200's routines: [`shade`] for vertices, [`geometry`], [`blocks`] of fragments, with their
//! [`facts`] and [`tables`]; and [`coverage`], the one loop of set-up that is worth vector instructions of the host.

pub(crate) mod blocks;
pub(crate) mod coverage;
pub(crate) mod facts;
pub(crate) mod geometry;
pub(crate) mod shade;
pub(crate) mod tables;
