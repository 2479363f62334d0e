//! Calls of the PICA200's routines: [`shade`] for vertices, [`geometry`], [`blocks`] of fragments, with the [`facts`] and
//! [`tables`] that they take; and [`coverage`], the one loop of set-up that is worth the host's vectors.

pub(crate) mod blocks;
pub(crate) mod coverage;
pub(crate) mod facts;
pub(crate) mod geometry;
pub(crate) mod shade;
pub(crate) mod tables;
