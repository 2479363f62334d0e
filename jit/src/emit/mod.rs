//! CLIF from our vocabulary, in three layers: an opcode's lowering uses [`pica::number`], which knows the
//! arithmetic of both profiles; that uses [`lanes`], which knows CLIF. Nothing else calls `b.ins()`.

pub(crate) mod bytes;
pub(crate) mod flow;
pub(crate) mod ge;
pub(crate) mod lanes;
pub(crate) mod pica;
pub(crate) mod pixels;
pub(crate) mod routine;
mod tables;
pub(crate) mod texels;
