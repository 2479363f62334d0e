//! State keys: what compiled code is specialised on, and nothing that it could load.

pub(crate) mod bytes;
pub(crate) mod fragment;
pub(crate) mod ge;
pub(crate) mod programs;
pub(crate) mod shader;
