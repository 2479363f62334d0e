//! State keys of the PICA200: what its code is specialised on, and nothing that code could load.

pub(crate) mod bytes;
pub(crate) mod fragment;
pub(crate) mod programs;
pub(crate) mod shader;
