//! Operations of the PICA200: its arithmetic in both precisions ([`number`]), and the records of constants that its
//! code reads.

pub(crate) mod block;
pub(crate) mod buffer;
pub(crate) mod constants;
pub(crate) mod lattice;
pub(crate) mod layout;
pub(crate) mod number;
pub(crate) mod recipes;
pub(crate) mod vector;
