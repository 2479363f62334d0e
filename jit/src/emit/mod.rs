//! CLIF from our vocabulary, in three layers: an opcode's lowering uses [`number`], which knows the
//! arithmetic of both profiles; that uses [`lanes`], which knows CLIF. Nothing else calls `b.ins()`.

pub(crate) mod block;
pub(crate) mod buffer;
pub(crate) mod constants;
pub(crate) mod doubles;
pub(crate) mod flow;
pub(crate) mod lanes;
pub(crate) mod layout;
pub(crate) mod number;
pub(crate) mod pixels;
mod recipes;
pub(crate) mod row;
pub(crate) mod span;
pub(crate) mod steps;
mod tables;
pub(crate) mod texels;
pub(crate) mod vector;
pub(crate) mod vertices;
